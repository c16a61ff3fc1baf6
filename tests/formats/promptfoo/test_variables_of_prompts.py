"""Variables of prompts: those without a value, those in single braces, and those that nothing uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.checked_suite import analyzed, fixed, found

RULES = (
    "variable-without-value",
    "variable-missing-in-test",
    "assertion-variable-without-value",
    "variable-in-single-braces",
)
MODEL = "providers: [openai:gpt-4.1-mini]\n"


def suite(prompt: str, *tests: str, head: str = MODEL) -> str:
    lines = "".join(f"  - {it}\n" for it in tests)
    return f"prompts: [{prompt!r}]\n{head}tests:\n{lines}"


def says(folder: Path, text: str, *rules: str) -> list[str]:
    return [message for _, message in found(folder, text, *(rules or RULES))]


def test_a_variable_that_no_test_has_is_found_and_fixed(tmp_path: Path) -> None:
    text = suite("Say {{ greting }} to {{ name }}", "vars: {greeting: hi, name: Ann}")
    (message,) = says(tmp_path, text)
    assert "`greting` has no value in any test" in message
    assert "did you mean `greeting`?" in message
    assert "{{ greeting }}" in fixed(tmp_path, text, "variable-without-value")


def test_a_variable_that_some_tests_lack_is_found_with_the_first_of_them(tmp_path: Path) -> None:
    text = suite("{{ a }} {{ b }}", "vars: {a: 1, b: 2}", "vars: {a: 1}", "description: none")
    assert says(tmp_path, text) == [
        "`a` has no value in 1 of 3 tests, so the model gets the prompt without it there",
        "`b` has no value in 2 of 3 tests, so the model gets the prompt without it there",
    ]


@pytest.mark.parametrize(
    "prompt",
    [
        "{% if b %}And {{ b }}{% endif %}",
        "{{ b | default('none') }}",
        "{{ b or 'none' }}",
        "{% for it in b %}{{ it }}{% endfor %}",
        "{{ env.B }} {{ _conversation | dump }} {% for i in range(3) %}{{ i }}{% endfor %}",
        "{% raw %}{{ b }}{% endraw %}{# {{ b }} #}",
        "{% set b = a %}{{ b }}",
        "{% include 'b.txt' %}",
    ],
)
def test_a_variable_that_may_be_absent_is_not_reported(prompt: str, tmp_path: Path) -> None:
    assert says(tmp_path, suite("{{ a }}" + prompt, "vars: {a: 1}")) == []


@pytest.mark.parametrize(
    ("head", "test"),
    [
        ("providers: ['file://answer.py']\n", "vars: {b: 1}"),
        ("providers: ['exec:node answer.js', 'openai:gpt-4.1']\n", "vars: {b: 1}"),
        ("providers: [{id: https, config: {url: 'https://example.com'}}]\n", "vars: {b: 1}"),
        (f"{MODEL}defaultTest: {{vars: {{a: 1}}}}\n", "vars: {b: 1}"),
        (f"{MODEL}defaultTest: file://default.yaml\n", "vars: {b: 1}"),
        (f"{MODEL}defaultTest: {{options: {{transformVars: '({{a: 1}})'}}}}\n", "vars: {b: 1}"),
        (f"{MODEL}extensions: ['file://hook.js:beforeEach']\n", "vars: {b: 1}"),
        (f"{MODEL}scenarios: [{{config: [{{vars: {{a: 1}}}}], tests: []}}]\n", "vars: {b: 1}"),
        (MODEL, "{vars: {b: 1}, provider: 'file://answer.py'}"),
        (MODEL, "{vars: {b: 1}, providerOutput: done}"),
        (MODEL, "{vars: {b: 1}, options: {transformVars: '({a: 1})'}}"),
        (MODEL, "{vars: {b: 1}, options: {storeOutputAs: a}}"),
        (MODEL, "vars: vars.yaml"),
        (MODEL, "file://tests.py"),
        (MODEL, "file://tests/that/are/made/later.yaml"),
    ],
)
def test_what_is_not_known_is_not_reported(head: str, test: str, tmp_path: Path) -> None:
    (tmp_path / "answer.py").write_text("def call_api(prompt, options, context): ...\n")
    (tmp_path / "tests.py").write_text("def create_tests(): ...\n")
    assert says(tmp_path, suite("{{ a }}", test, head=head)) == []


def test_tests_in_other_files_count(tmp_path: Path) -> None:
    (tmp_path / "more.csv").write_text("a,__expected\n1,contains: {{ c }}\n")
    (tmp_path / "more.yaml").write_text("- vars: {a: 1}\n- vars: {b: 1}\n")
    text = suite("{{ a }} {{ b }}", "more.csv", "file://more.yaml")
    assert says(tmp_path, text) == [
        "`a` has no value in 1 of 3 tests, so the model gets the prompt without it there",
        "`b` has no value in 2 of 3 tests, so the model gets the prompt without it there",
    ]


def test_a_variable_in_the_file_of_a_prompt_is_found_there(tmp_path: Path) -> None:
    (tmp_path / "prompt.txt").write_text("Answer.\n\nBriefly: {{ questoin }} {topic}\n")
    text = suite("file://prompt.txt", "vars: {question: Why?, topic: x}")
    analysis = analyzed(tmp_path, text).external[tmp_path / "prompt.txt"]
    assert [
        (it.rule.name, *analysis.lines.position(it.span.start)) for it in analysis.findings
    ] == [
        ("variable-without-value", 2, 12),
        ("variable-in-single-braces", 2, 24),
    ]


def test_variables_of_a_chat_are_found_in_its_texts(tmp_path: Path) -> None:
    chat = '[{"role": "user", "content": "Why {{ a }}, {{ c }}?"}]'
    (message,) = says(tmp_path, suite(chat, "vars: {a: 1}"))
    assert message.startswith("`c` has no value")


@pytest.mark.parametrize("prompt", ["Ask: {a}", "Ask: {a}}", 'Ask: { a } "{b: 1}"'])
def test_a_variable_in_single_braces_is_found_and_fixed(prompt: str, tmp_path: Path) -> None:
    text = suite(prompt, "vars: {a: 1}")
    (message,) = says(tmp_path, text)
    assert "the model never sees the value of `a`" in message
    assert "{{a}}" in fixed(tmp_path, text, "variable-in-single-braces")


@pytest.mark.parametrize("prompt", ["{{ a }} as {a}", "${a}", "{b}", '{"a": {"b": 1}}'])
def test_other_single_braces_are_texts(prompt: str, tmp_path: Path) -> None:
    assert says(tmp_path, suite(prompt, "vars: {a: 1}")) == []


def test_the_value_of_an_assertion_may_lack_a_variable(tmp_path: Path) -> None:
    text = suite(
        "{{ a }}",
        "{vars: {a: 1, want: x}, assert: [{type: contains, value: '{{ wnat }}'}]}",
        "{vars: {a: 1}, assert: [{type: contains-any, value: [x, '{{ want }}']}]}",
        "{vars: {a: 1}, assert: [{type: javascript, value: 'output == `{{ want }}`'}]}",
    )
    first, second = says(tmp_path, text)
    assert "did you mean `want`?" in first
    assert "`want` is filled in with nothing" in second


def test_an_assertion_of_all_tests_names_how_many_lack_its_variable(tmp_path: Path) -> None:
    head = f"{MODEL}defaultTest: {{assert: [{{type: contains, value: '{{{{ want }}}}'}}]}}\n"
    text = suite("{{ a }}", "vars: {a: 1, want: x}", "vars: {a: 1}", head=head)
    (message,) = says(tmp_path, text)
    assert (
        message
        == "`want` is filled in with nothing, since 1 of 2 tests does not have such a variable"
    )


@pytest.mark.parametrize(
    "user",
    [
        "assert: [{type: contains, value: '{{ note }}'}]",
        "assert: [{type: javascript, value: 'output == context.vars.note'}]",
        'assert: [{type: python, value: \'context["vars"]["note"] in output\'}]',
        "assert: [{type: javascript, value: 'check(output, context.vars)'}]",
        "assert: [{type: javascript, value: file://check.js}]",
        "assert: [{type: llm-rubric, value: x, rubricPrompt: 'Grade {{ note }} {{ output }}'}]",
        "assert: [{type: webhook, value: 'https://example.com'}]",
        "options: {transform: 'output + context.vars.note'}",
        "options: {prefix: '{{ note }}'}",
        "metadata: {about: '{{ note }}'}",
        "provider: {id: openai:gpt-4.1, config: {user: '{{ note }}'}}",
    ],
)
def test_whatever_may_use_a_variable_uses_it(user: str, tmp_path: Path) -> None:
    text = suite("{{ a }}", "vars: {a: 1, note: x}", f"{{vars: {{a: 1}}, {user}}}")
    assert says(tmp_path, text, "unused-variable") == []


def test_a_variable_that_nothing_uses_is_found_once(tmp_path: Path) -> None:
    text = suite("{{ a }}", "vars: {a: 1, note: x}", "vars: {a: 1, note: y, b: '{{ a }}'}")
    assert says(tmp_path, text, "unused-variable") == [
        "`note` is used by no prompt, assertion or provider in 2 tests",
        "`b` is used by no prompt, assertion or provider",
    ]


@pytest.mark.parametrize(("prompt", "count"), [("{{ a }}", 1), ("file://missing.txt", 0)])
def test_a_missing_prompt_may_use_a_variable_and_one_that_is_listed_twice_does_not(
    prompt: str, count: int, tmp_path: Path
) -> None:
    text = suite("{{ a }}", "vars: {a: 1, note: x}").replace("]", f", {prompt!r}]", 1)
    assert len(says(tmp_path, text, "unused-variable")) == count


def test_variables_that_context_assertions_read_are_used(tmp_path: Path) -> None:
    test = "{vars: {a: 1, query: q, context: c}, assert: [{type: context-recall, value: x}]}"
    assert says(tmp_path, suite("{{ a }}", test), "unused-variable") == []


LISTS = ("list-split-before-loop", "list-repeats-prompt")


@pytest.mark.parametrize(
    ("prompt", "test", "count"),
    [
        ("{% for x in a %}{{ x }}{% endfor %}", "vars: {a: [x, y]}", 1),
        ("{{ a | join(', ') }}", "vars: {a: [x, y]}", 1),
        ("{{ a }}", "vars: {a: [x, y]}", 0),
        ("{% for x in a %}{{ x }}{% endfor %}", "vars: {a: [[x], [y]]}", 0),
        ("{% for x in a.b %}{{ x }}{% endfor %}", "vars: {a: {b: [x, y]}}", 0),
        (
            "{% for x in a %}{{ x }}{% endfor %}",
            "{vars: {a: [x, y]}, options: {disableVarExpansion: true}}",
            0,
        ),
        ("{{ a }}", "{vars: {a: x, b: [x, y]}, assert: [{type: equals, value: '{{ b }}'}]}", 1),
        ("{{ a }}", "{vars: {a: x, b: [x]}, assert: [{type: equals, value: '{{ b }}'}]}", 0),
        ("{{ a }}", "vars: {a: '{{ b }}', b: [x, y]}", 0),
    ],
)
def test_lists_that_make_rows_unasked(prompt: str, test: str, count: int, tmp_path: Path) -> None:
    assert len(says(tmp_path, suite(prompt, test, test), *LISTS)) == count


def test_a_file_that_an_assertion_compares_with_is_not_filled(tmp_path: Path) -> None:
    (tmp_path / "rubric.txt").write_text("Mentions {{ a }}")
    (tmp_path / "plain.txt").write_text("Mentions {{ other }}")
    (tmp_path / "check.js").write_text("module.exports = () => `{{ a }}`")
    values = "".join(
        f"{{type: llm-rubric, value: 'file://{it}'}}, "
        for it in ("rubric.txt", "plain.txt", "check.js", "missing.txt")
    )
    text = suite("{{ a }}", f"{{vars: {{a: 1}}, assert: [{values}]}}")
    (message,) = says(tmp_path, text, "template-in-asserted-file")
    assert "does not fill in `{{ a }}`" in message
