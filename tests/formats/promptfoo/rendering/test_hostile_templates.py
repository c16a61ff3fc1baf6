"""Every template is filled in or refused, in limited time and memory, without reaching Python objects.

A third of the templates that might take long is filled in, another one each time; `make sweep` fills in all.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suitecase.formats.promptfoo.rendering.errors import NeedsScriptError, TemplateError
from suitecase.formats.promptfoo.rendering.members import METHODS
from suitecase.formats.promptfoo.rendering.prompts import chat_messages, render_prompt
from suitecase.formats.promptfoo.rendering.render import render_text
from suitecase.formats.promptfoo.rendering.string_filters import FILTERS
from suitecase.formats.promptfoo.rendering.supported import unsupported
from suitecase.formats.promptfoo.rendering.value_tests import TESTS
from suitecase.formats.promptfoo.rendering.variables import render_environment, rendered_variables
from support.samples import sample

RECORDED: dict[str, Any] = json.loads((Path(__file__).parent / "rendered.json").read_text("utf-8"))
_WORDS = [
    *("{{", "}}", "{%", "%}", "{#", "#}", "{%-", "-%}", "{{-", "-}}", "(", ")", "[", "]", "{", "}"),
    *(
        "+",
        "-",
        "*",
        "/",
        "//",
        "**",
        "%",
        "~",
        "==",
        "===",
        "<",
        ">=",
        "|",
        ".",
        ",",
        ":",
        "=",
        " ",
    ),
    *(
        "if",
        "elif",
        "else",
        "endif",
        "for",
        "in",
        "endfor",
        "set",
        "endset",
        "is",
        "not",
        "and",
        "or",
    ),
    *("raw", "endraw", "switch", "case", "default", "endswitch", "filter", "endfilter", "r/x/g"),
    *("1", "0", "2.5", "1e9", "999999999", "'a'", '"b', "true", "none", "loop", "range", "joiner"),
    *("é", "😀", "\n", "\\", "__class__", "__proto__", "constructor", "env", "length"),
    *sorted(FILTERS),
    *sorted(TESTS),
    *sorted(METHODS),
    *RECORDED["variables"],
]
_SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9)
_VALUES = st.recursive(
    _SCALARS | st.sampled_from(["{{ a }}", "{{ b }}{{ a", "$&", "x\n", "{% if a %}"]),
    lambda it: st.lists(it, max_size=4) | st.dictionaries(st.text(max_size=3), it, max_size=4),
    max_leaves=8,
)
_VARIABLES = st.dictionaries(st.sampled_from(["a", "b", "xs", "m", "name"]), _VALUES, max_size=5)
_EXPRESSIONS = st.lists(st.sampled_from(_WORDS), max_size=9).map(" ".join)
_TEMPLATES = (
    st.lists(st.sampled_from(_WORDS), max_size=25).map(" ".join)
    | st.lists(st.sampled_from(_WORDS), max_size=12).map("".join)
    | _EXPRESSIONS.map("{{{{ {} }}}}".format)
    | st.tuples(_EXPRESSIONS, _EXPRESSIONS).map(
        lambda it: f"{{% for x in {it[0]} %}}{{{{ x | {it[1]} }}}}{{% endfor %}}"
    )
    | st.text(max_size=30)
)


@given(_TEMPLATES, _VARIABLES)
@settings(max_examples=150, deadline=None)
def test_a_template_is_filled_in_or_refused(template: str, variables: dict[str, Any]) -> None:
    problems = list(unsupported(template))
    assert all(it.offset is None or 0 <= it.offset <= len(template) for it in problems)
    error: TemplateError | None = None
    found = ""
    try:
        found = render_text(template, RECORDED["variables"] | variables, {"A": "b"})
    except TemplateError as raised:
        error = raised
    assert "<function" not in found
    assert "object at 0x" not in found
    if error is not None:
        assert error.message
        assert error.offset is None or 0 <= error.offset <= len(template)


@given(_TEMPLATES | st.text().map(json.dumps), _VARIABLES)
@settings(max_examples=120, deadline=None)
def test_a_prompt_is_filled_in_or_refused(prompt: str, variables: dict[str, Any]) -> None:
    with suppress(TemplateError, NeedsScriptError):
        seen = rendered_variables(variables, {}, lambda path: path.encode())
        chat_messages(render_prompt(prompt, seen, {}))
        chat_messages(prompt)


@pytest.mark.parametrize(
    "member",
    ["__class__", "__init__", "__dict__", "format", "encode", "upper", "mro", "append", "items"],
)
@pytest.mark.parametrize("value", ["''", "[]", "{}", "1", "true", "range", "xs", "''.split"])
def test_python_attributes_are_not_reached(value: str, member: str) -> None:
    for template in (f"{{{{ {value}.{member} }}}}", f"{{{{ {value}['{member}'] }}}}"):
        with suppress(TemplateError):
            assert render_text(template, {"xs": [1]}, {}) == ""
    with pytest.raises(TemplateError):
        render_text(f"{{{{ {value}.{member}() }}}}", {"xs": [1]}, {})


#: Sets `a` to a string of nearly the maximum length.
LONG = "{% set a = 'x'.repeat(9000000) %}"


@pytest.mark.parametrize(
    "template",
    sample(
        [
            "{{ range(999999999) }}",
            "{% for a in range(9999) %}{% for b in range(9999) %}{{ b }}{% endfor %}{% endfor %}",
            "{{ 'x'.repeat(999999999) }}",
            "{{ 'x' | center(999999999) }}",
            "{{ 'x' | indent(999999999, true) }}",
            "{{ 'x'.padStart(999999999) }}",
            "{{ xs | join('x'.repeat(9999999)) }}",
            "{{ '' | batch(999999999, 'x') }}{{ [1] | batch(999999, 'x') | length }}",
            "{{ [1] | slice(999999) | length }}",
            "{% set a = 'x' %}{% for i in range(99) %}{% set a = a + a %}{% endfor %}{{ a }}",
            "{% set a = 'x' %}{% for i in range(99) %}{% set a = a.replaceAll('x', 'xx') %}{% endfor %}",
            "{% set a = [1] %}{% for i in range(99) %}{% set a = a.concat(a) %}{% endfor %}{{ a }}",
            "{% set a = [1] %}{% for i in range(99) %}{% set a = [a, a] %}{% endfor %}{{ a }}",
            "{% set a = [1] %}{% for i in range(99) %}{% set a = [a, a] %}{% endfor %}{{ a | dump }}",
            "{% set a = [1] %}{% for i in range(99) %}{% set a = [a, a] %}{% endfor %}{{ a == 1 }}",
            "{% set a = [1] %}{% for i in range(999) %}{% set a = [a] %}{% endfor %}{{ a }}",
            "{{ " + "(" * 500 + "1" + ")" * 500 + " }}",
            "{{ " + "-" * 1 + "1 + " * 5000 + "1 }}",
            "{{ " + "not " * 5000 + "1 }}",
            "{{ a" + ".b" * 5000 + " }}",
            "{% if a %}" * 500 + "{% endif %}" * 500,
            "{% if a %}" + "{% elif a %}" * 2000 + "{% endif %}",
            "{{ " + "a | default(" * 300 + "1" + ")" * 300 + " }}",
            "{{ ('<a'.repeat(99999)) | striptags }}",
            "{{ 9 ** 9 ** 9 ** 9 ** 9 }}{{ 1e999 }}",
            "{{ 'x'.repeat(9999999).repeat(9999999) }}",
            "{{ ('1'.repeat(1000000) + 'x') - 1 }}",
            "{{ ('x'.repeat(1000000) + 'y').replace('y', '$`'.repeat(100000)) }}",
            f"{LONG}{{% for i in range(9) %}}{{% set a = [a, a, a, a, a] %}}{{% endfor %}}{{{{ a }}}}",
            f"{LONG}{{% for i in xs %}}{{% for i in a %}}{{% endfor %}}{{% endfor %}}",
            f"{LONG}{{% for i in range(300) %}}{{% for b, c in [a, a, a] %}}{{% endfor %}}{{% endfor %}}",
            f"{LONG}{{% set a = [a, 1] %}}{{% for i in range(90000) %}}{{{{ a == 1 }}}}{{% endfor %}}",
            f"{LONG}{{% set a = [a, 1] %}}{{% for i in range(90000) %}}{{{{ a in 'a' }}}}{{% endfor %}}",
            f"{LONG}{{% set a = a | safe %}}{{% for i in range(9000) %}}{{% set b = a | title %}}{{% endfor %}}",
            f"{LONG}{{{{ range(90000) | select('lt', [a, 1]) | length }}}}",
            "{% for a in xs %}{% for b in xs %}{% for c in xs %}{% endfor %}{% endfor %}{% endfor %}",
        ]
    ),
)
def test_a_template_does_not_take_long(template: str) -> None:
    start = time.process_time()
    with suppress(TemplateError):
        assert len(render_text(template, {"xs": [1] * 999}, {})) < 100_000
    assert time.process_time() - start < 10


@pytest.mark.parametrize("part", ["{{a|", "{{ a ", "{# ", "{% if a ", "{{a|b}", "{%for a in b"])
def test_the_value_of_a_variable_does_not_take_long(part: str) -> None:
    start = time.process_time()
    variables = {"a": part * 30_000 + "}", "b": "x"}
    with suppress(TemplateError):
        render_prompt("{{ b }}", rendered_variables(variables, {}, lambda path: b""), {})
    assert time.process_time() - start < 10


@pytest.mark.parametrize(
    "variables",
    [
        {"a": "x" * 9_000_000} | {f"b{number}": "{{ a }}y" for number in range(50)},
        {f"b{number}": "{{ 'x'.repeat(9000000) }}" for number in range(50)},
        {"a": "$`" * 1500, "b": "x" * 5_000_000 + "{{ a }}"},
    ],
    ids=["copies", "templates", "replacement patterns"],
)
def test_variables_that_become_too_long_together_are_refused(variables: dict[str, Any]) -> None:
    with pytest.raises(TemplateError, match="too long"):
        render_prompt("{{ b0 }}", rendered_variables(variables, {}, lambda path: b""), {})


def test_templates_in_a_json_prompt_share_one_budget() -> None:
    with pytest.raises(TemplateError, match="too long"):
        render_prompt(json.dumps(["{{ 'x'.repeat(9000000) }}"] * 50), {}, {})


@pytest.mark.parametrize("part", ["{{", "{{ env.a }"])
def test_unclosed_braces_do_not_take_long(part: str) -> None:
    start = time.process_time()
    assert render_environment(part * 50_000, {"a": "b"}) == part * 50_000
    assert time.process_time() - start < 5


def test_templates_in_a_configuration_share_one_budget() -> None:
    template = "{{ range(400000) if env.a }}"
    with pytest.raises(TemplateError, match="takes too long"):
        render_environment({"a": template, "b": [template]}, {"a": "b"})
