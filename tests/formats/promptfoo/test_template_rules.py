"""What check says of templates that nunjucks refuses, and of those that promptfoo does not fill."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.checked_suite import analyzed, fixed, found

RULES = (
    "invalid-template",
    "invalid-prompt-template",
    "unfilled-prompt",
    "unknown-filter",
    "variable-refused-as-template",
)


def says(folder: Path, text: str) -> list[str]:
    return [message for _, message in found(folder, text, *RULES)]


def suite(prompt: str, test: str = "vars: {a: 1}", more: str = "") -> str:
    return f"prompts:\n  - {prompt}\nproviders: [echo]\n{more}tests:\n  - {test}\n"


@pytest.mark.parametrize(
    "style",
    [
        '"Say \\"{{ the apple }}\\" twice"',
        "'Say it''s {{ the apple }}'",
        "Say {{ the apple }}",
        ">\n    Say\n    it: {{ the apple }}",
        "|\n    Say it:\n    {{ the apple }}",
    ],
)
def test_a_mistake_has_its_place_in_any_style(style: str, tmp_path: Path) -> None:
    text = suite(style)
    (finding,) = [
        it for it in analyzed(tmp_path, text).findings if it.rule.name == "invalid-prompt-template"
    ]
    assert text[finding.span.start : finding.span.end] == "apple"


def test_a_missing_brace_is_added_by_a_fix(tmp_path: Path) -> None:
    text = suite('"Say {{ a } now"', "{vars: {a: 1}, assert: [{type: equals, value: 'x {{ a }'}]}")
    assert len(says(tmp_path, text)) == 2
    text = fixed(tmp_path, text, "invalid-prompt-template")
    text = fixed(tmp_path, text, "invalid-template")
    assert says(tmp_path, text) == []
    assert "{{ a }} now" in text
    assert "x {{ a }}'" in text


@pytest.mark.parametrize(
    "value",
    [
        "'{% raw %}{{#if x}}{% endraw %}'",
        "file://{{nothing",
        "['{{ a }}', '{a}', 'a }} b', '100 %}']",
        "{type: object, '{{': 1}",
        "'{{ env.KEY }}'",
    ],
)
def test_values_that_nunjucks_takes_are_not_reported(value: str, tmp_path: Path) -> None:
    test = f"{{vars: {{a: 1}}, assert: [{{type: contains, value: {value}}}]}}"
    assert says(tmp_path, suite('"{{ a }}"', test)) == []


def test_code_is_filled_too(tmp_path: Path) -> None:
    test = "{vars: {a: 1}, assert: [{type: javascript, value: 'JSON.stringify({{a: 1}})'}]}"
    (message,) = says(tmp_path, suite('"{{ a }}"', test))
    assert message.startswith("nunjucks refuses this: expected `}}`, not `:`")


def test_lists_of_tests_are_looked_at_as_well(tmp_path: Path) -> None:
    text = "- vars: {a: 1}\n  assert:\n    - type: equals\n      value: '{{ a'\n"
    ((line, message),) = found(tmp_path, text, *RULES, name="promptfooconfig.tests.yaml")
    assert line == 4
    assert "`{{` is not closed with `}}`" in message


@pytest.mark.parametrize(
    ("prompt", "count"),
    [
        ('"{{ a }}\\n{{\\n b }}"', 1),
        ('"{{ a }} {{ b"', 1),
        ('"Braces like {{ are text, {# too"', 0),
        ('"{% raw %}{{\\n{% endraw %}{{ a }}"', 0),
        ('\'[{"role": "user", "content": "{{\\n a }}"}]\'', 0),
    ],
)
def test_a_prompt_with_an_open_tag_is_not_filled(prompt: str, count: int, tmp_path: Path) -> None:
    messages = says(tmp_path, suite(prompt))
    assert len(messages) == count
    assert all("sends the whole prompt as it is" in it for it in messages)


def test_filters_that_do_not_exist(tmp_path: Path) -> None:
    test = "{vars: {a: 1}, assert: [{type: equals, value: '{{ a | tojson }}'}]}"
    text = suite('"{{ a | uper }}{% if a is odd2 %}{% endif %}{{ a | load | own }}"', test)
    messages = says(tmp_path, text)
    assert len(messages) == 4
    assert "did you mean `upper`?" in messages[0]
    assert "`odd2` is not a test of nunjucks" in messages[1]
    assert "did you mean `dump`?" in messages[3]
    more = "nunjucksFilters: {own: own.js, uper: u.js}\n"
    assert len(says(tmp_path, suite('"{{ a | uper }}{{ a | own }}"', more=more))) == 0


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ("'{% load static %}'", 1),
        ("'color: {red#}'", 1),
        ("'{{ a | }}'", 1),
        ("'{{ other }} {% load static %}'", 0),
        ("'{{ open'", 0),
        ("'{% raw %}{% load %}{% endraw %}'", 0),
        ("{deep: '{% load %}'}", 0),
    ],
)
def test_values_of_variables_that_nunjucks_refuses(value: str, count: int, tmp_path: Path) -> None:
    assert len(says(tmp_path, suite('"{{ a }}"', f"{{vars: {{a: {value}}}}}"))) == count


def test_values_of_variables_in_a_chat_are_not_filled(tmp_path: Path) -> None:
    chat = '\'[{"role": "user", "content": "{{ a }}"}]\''
    assert says(tmp_path, suite(chat, "vars: {a: '{% load %}'}")) == []


def test_nothing_is_said_of_prompts_that_are_not_filled(tmp_path: Path) -> None:
    prompt = "'{{ the name }} {{ a | uper }} {b} {{ c }}'"
    switch = "env: {PROMPTFOO_DISABLE_TEMPLATING: true}\n"
    rules = (*RULES, "variable-without-value", "variable-in-single-braces")
    test = "vars: {a: 1, b: 2}"
    assert found(tmp_path, suite(prompt, test), *rules) != []
    assert found(tmp_path, suite(prompt, test, switch), *rules) == []
