"""What is reported of a template is what happens when it is filled in."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from suitecase.formats.promptfoo.rendering.errors import TemplateError
from suitecase.formats.promptfoo.rendering.render import render_text
from suitecase.formats.promptfoo.rendering.supported import unsupported
from suitecase.formats.promptfoo.templates.names import FUNCTIONS
from suitecase.formats.promptfoo.templates.template import read_template

VALUES: dict[str, Any] = {"a": "Ann", "b": [1, 2, "x"], "c": {"d": {"e": "f"}}, "n": 3, "no": ""}
_NAMES = (*VALUES, "unknown", "other")
_OPERATORS = (" + ", " ~ ", "-", " * ", "//", "**", " == ", " < ", " and ", " or ", " in ")
_FILTERS = ("upper", "default('x')", "d(other)", "length", "join(n)", "dump", "first", "nofilter")
_TESTS = ("defined", "odd", "none", "divisibleby(n)", "string", "not undefined", "notest")
_BROKEN = ("{{", "}}", "{%", "%}", "{#", "|", "(", "]", "'", " ", ".", "if", "\\")


def _expression(chosen: random.Random, depth: int) -> str:
    def inner() -> str:
        return _expression(chosen, depth - 1)

    if depth == 0:
        return chosen.choice((*_NAMES, "1", "'s'", "none", "true", "c.d.e", "b[0]", "c['d' ]"))
    kinds: list[Callable[[], str]] = [
        lambda: inner() + chosen.choice(_OPERATORS) + inner(),
        lambda: f"{inner()} | {chosen.choice(_FILTERS)}",
        lambda: f"{inner()} is {chosen.choice(_TESTS)}",
        lambda: f"({inner()})",
        lambda: f"[{inner()}, {inner()}]",
        lambda: f"{{k: {inner()}}}.k",
        lambda: f"not {inner()}",
        lambda: f"{inner()} if {inner()} else {inner()}",
        lambda: f"range({inner()})",
        lambda: f"{inner()}.toUpperCase()",
        lambda: f"c[{inner()}]",
    ]
    return chosen.choice(kinds)()


def _body(chosen: random.Random, depth: int) -> str:
    def value() -> str:
        return _expression(chosen, chosen.randint(0, 2))

    def body() -> str:
        return _body(chosen, depth - 1)

    kinds: list[Callable[[], str]] = [
        lambda: chosen.choice((" text ", "\n", "é😀", "{# {{ hidden }} #}", "%}")),
        lambda: f"{{{{- {value()} -}}}}",
        lambda: f"{{{{ {value()} }}}}",
        lambda: "{% raw %}{{ hidden }}{% endraw %}",
    ]
    if depth > 0:
        kinds += [
            lambda: f"{{% if {value()} %}}{body()}{{% elif {value()} %}}{body()}{{% endif %}}",
            lambda: (
                f"{{% for x in {value()} %}}{body()}{{{{ x }}}}{{% else %}}{body()}{{% endfor %}}"
            ),
            lambda: f"{{% set a = {chosen.choice(('1', 'b', 'a'))} -%}}{body()}",
            lambda: f"{{% switch {value()} %}}{{% case 1 %}}{body()}{{% endswitch %}}",
            lambda: f"{{% filter upper %}}{body()}{{% endfilter %}}",
        ]
    return "".join(chosen.choice(kinds)() for _ in range(chosen.randint(1, 3)))


def _templates(seed: int) -> list[str]:
    chosen = random.Random(seed)
    found: list[str] = []
    for _ in range(400):
        text = _body(chosen, 2)
        if chosen.random() < 0.4:
            place = chosen.randint(0, len(text))
            rest = "" if chosen.random() < 0.5 else text[place:]
            text = text[:place] + chosen.choice(("", *_BROKEN)) + rest
        found.append(text)
    return found


class _Asked(dict[str, Any]):
    """Values of variables that remember which of them a template asks for."""

    def __init__(self) -> None:
        super().__init__(VALUES)
        self.names: set[str] = set()

    def __contains__(self, name: object) -> bool:
        self.names.add(str(name))
        return super().__contains__(name)


@pytest.mark.parametrize("seed", range(3))
def test_a_variable_that_is_filled_in_is_one_that_is_known_to_be_used(seed: int) -> None:
    filled = 0
    for template in _templates(seed):
        asked = _Asked()
        try:
            render_text(template, asked, {})
            filled += 1
        except TemplateError:
            pass
        used = {use.name for use in read_template(template).uses}
        # Whether the environment is a variable is asked for each template.
        assert asked.names - {"env"} <= used | FUNCTIONS, template
    assert filled > 100


@pytest.mark.parametrize("seed", range(3))
def test_a_template_with_a_problem_is_refused_with_the_same_words_at_the_same_place(
    seed: int,
) -> None:
    refused = 0
    for template in _templates(seed):
        problems = read_template(template).problems
        for problem in problems:
            refused += 1
            with pytest.raises(TemplateError) as raised:
                render_text(template, VALUES, {})
            assert (raised.value.message, raised.value.offset) == (problem.message, problem.start)
            (error,) = unsupported(template)
            assert error.message == problem.message
    assert refused > 50


def test_what_ends_a_test_with_an_error_is_found_before_it() -> None:
    (problem,) = read_template("{{ none.upper() }}").problems
    assert problem.message == "`none` has no methods"
    with pytest.raises(TemplateError, match="`none` has no methods"):
        render_text("{{ none.upper() }}", {}, {})
    assert read_template("{{ x }}{{ none.upper() }}").uses[0].name == "x"
    assert len(read_template("{{ x }}{{ none.upper() }}").uses) == 1


def test_a_variable_of_the_environment_in_quotes_is_the_one_that_is_filled_in() -> None:
    for template in ('{{ env["KEY" ] }}', "{{ env['\\KEY'] }}", "{{ env.KEY }}"):
        (use,) = read_template(template).uses
        assert use.members == ("KEY",)
        assert render_text(template, {}, {"KEY": "value", "OTHER": "secret"}) == "value"


def test_what_is_half_typed_is_understood_as_far_as_it_goes() -> None:
    assert [use.is_conditional for use in read_template("{{ a or ").uses] == [True]
    (use,) = read_template("{% for x in xs | reverse(").uses
    assert (use.is_iterated, use.filters) == (True, ("reverse",))
    template = read_template("{% for x in xs %}{{ a is divisibleby(")
    assert [use.name for use in template.uses] == ["xs", "a"]
    assert [test.name for test in template.tests] == ["divisibleby"]


def test_variables_of_the_else_of_a_loop_are_those_of_the_test() -> None:
    template = "{% for x in xs %}{% set y = 1 %}{% else %}{{ y }}{% endfor %}"
    assert [use.name for use in read_template(template).uses] == ["xs", "y"]
    assert render_text(template, {"xs": [], "y": "why"}, {}) == "why"


def test_what_is_nested_as_deep_as_findings_go_is_filled_in() -> None:
    template = (
        "{{ " + "(" * 19 + "x" + ")" * 19 + " }}" + "{% if x %}" * 39 + "y" + "{% endif %}" * 39
    )
    assert render_text(template, {"x": "x"}, {}) == "xy"
