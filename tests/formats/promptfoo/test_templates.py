"""Templates of promptfoo: which variables they use, and what nunjucks refuses in them."""

from __future__ import annotations

import time

import pytest

from suitecase.formats.promptfoo.templates.template import (
    EMPTY,
    open_tag,
    read_template,
    single_braces,
)


def _used(text: str) -> list[str]:
    """Return the variables of a text; those it can do without have a question mark."""
    template = read_template(text)
    assert not template.problems, template.problems
    for use in template.uses:
        assert text[use.start : use.end] == use.name
    return [f"{it.name}{'?' * it.is_conditional}" for it in template.uses]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Hi {{ name }} and {{- user.first['x'] -}}", ["name", "user"]),
        ("{{ a ~ b[c] + f(d, key=e) }}", ["a", "b", "c", "f", "d", "e"]),
        ("{{ {key: a, 'k': [b]} | dump }}", ["a", "b"]),
        ("{{ a | default(b) }}{{ a | upper | d('x') }}", ["a?", "b?", "a?"]),
        ("{{ a or b }}{{ not a }}", ["a?", "b?", "a?"]),
        ("{{ a if c else d }}{{ a === 'x' }}", ["a?", "c?", "d?", "a?"]),
        # nunjucks does not ask whether a comparison is in quotes.
        ("{{ a '===' b }}{{ a \"<\" b }}", ["a?", "b?", "a?", "b?"]),
        ("{{ a is defined }}{{ a is divisibleby(n) }}", ["a?", "a?", "n?"]),
        (
            "{% if a %}{{ b }}{% elif c %}{% else %}{{ d }}{% endif %}{{ e }}",
            ["a?", "b?", "c?", "d?", "e"],
        ),
        ("{% for x in xs %}{{ x }}{{ loop.index }}{{ y }}{% endfor %}{{ x }}", ["xs?", "y?", "x"]),
        ("{% for k, v in m %}{{ k }}{{ v }}{% else %}{{ z }}{% endfor %}", ["m?", "z?"]),
        ("{% set a = b %}{{ a }}{% set c %}{{ d }}{% endset %}{{ c }}", ["b", "d"]),
        ("{% if q %}{% set a = 1 %}{{ a }}{% endif %}{{ a }}", ["q?", "a?"]),
        ("{% macro m(a, b=c) %}{{ a }}{{ b }}{{ d }}{% endmacro %}{{ m(e) }}", ["c?", "d?", "e"]),
        ("{% switch a %}{% case 1 %}{{ b }}{% default %}{{ c }}{% endswitch %}", ["a", "b?", "c?"]),
        ("{% filter upper %}{{ a }}{% endfilter %}{% block b %}{{ c }}{% endblock %}", ["a", "c?"]),
        ("{# {{ a }} #}{% raw %}{{ b }}{% endraw %}{{ c }}", ["c"]),
        ("{% verbatim %}{{ b }}{% endverbatim %}{{ '{{ d }}' }}", []),
        ("{% for i in range(3) %}{{ i }}{% endfor %}", []),
        ("{ a } {a}} }} %} ${b} # not a template", []),
    ],
)
def test_the_variables_of_a_template(text: str, names: list[str]) -> None:
    assert _used(text) == names


def test_members_filters_and_the_environment_are_told_apart() -> None:
    one, two, three = read_template("{{ a.b['c'] | trim | dump }}{{ env.KEY }}{{ x[0].y }}").uses
    assert (one.members, one.filters) == (("b", "c"), ("trim", "dump"))
    assert two.is_environment
    assert two.members == ("KEY",)
    assert three.members == ()


def test_filters_and_tests_have_places() -> None:
    text = "{{ a | shout('x') }}{{ b is not fine(c) }}{% filter up %}{% endfilter %}"
    template = read_template(text)
    assert [text[it.start : it.end] for it in template.filters] == ["shout", "up"]
    assert [text[it.start : it.end] for it in template.tests] == ["fine"]
    assert [it.name for it in template.uses] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("Ask {{ question now", "{{ question", "`{{` is not closed with `}}`"),
        ("Ask {{ question } and {{ b }}", "{{ question }", "`{{` is not closed with `}}`"),
        ("{{ user name }}", "name", "expected `}}`, not `name`"),
        ("{{#if x}}y{{/if}}", "#", "expected a value, not `#`"),
        ("{{ }}", "}}", "expected a value, not `}}`"),
        ("{% if a %}b", "{% if", "`{% if %}` is not closed; expected `{% endif %}`"),
        ("{% for a in b %}{% endif %}", "endif", "`endif` has no `{% if %}` before it"),
        ("{% esle %}", "esle", "`esle` is not a tag of nunjucks; did you mean `else`?"),
        ("{% if a", "{% if a", "`{%` is not closed with `%}`"),
        ("a {# b", "{#", "the comment is not closed; expected `#}`"),
        ("color: {red#}", "#}", "`#}` closes no comment"),
        ("{{ items.0 }}", "0", "expected a name behind `.`, not `0`"),
        ("{{ [a, b }}", "}}", ""),
    ],
)
def test_what_nunjucks_refuses_is_found_at_its_place(text: str, place: str, message: str) -> None:
    (problem,) = read_template(text).problems
    if message:
        assert problem.message.startswith(message)
        assert text[problem.start : problem.end] == place


def test_variables_behind_a_mistake_still_count_as_used() -> None:
    template = read_template("{{ a {{ b }} {{- c }}")
    assert {it.name for it in template.uses} >= {"a", "b", "c"}


def test_what_jinja_and_nunjucks_read_differently_is_read_as_nunjucks_does() -> None:
    assert _used("{% if a %}{% elseif b %}{% endif %}") == ["a?", "b?"]
    assert _used("{{ r/x/g }}{{ user's }}{{ a !== null }}") == ["user's", "a?"]
    assert read_template("{{ a[1:2] }}").problems
    assert not read_template("{% raw %}never closed {{ a }}").problems


def test_deep_nesting_ends_without_an_error_or_a_problem() -> None:
    for text in ("{{ " + "(" * 5_000 + "a", "{% if a %}" * 5_000, "{{ -" + "[" * 9_000):
        assert not read_template(text + "{{ b }}").problems
        assert "b" in {it.name for it in read_template(text + "{{ b }}").uses}


def test_a_tag_that_is_open_at_the_end_of_its_line_makes_the_text_one_that_is_sent_as_it_is() -> (
    None
):
    text = "{{ a }}\n{{\n  b\n}}"
    place = open_tag(text)
    assert place
    assert text[slice(*place)] == "{{"
    assert open_tag("{{ a }} {% if b %}{% endif %}") is None
    assert open_tag("{% raw %}{{ a\n}}{% endraw %}") is None


def test_names_in_single_braces() -> None:
    text = "{a} {{ b }} { c } ${d} {e}} {{{f}}} {g: 1} {1} \\{h}"
    assert [text[it.start : it.end] for it in single_braces(text)] == ["{a}", "{ c }", "{e}}"]


def test_a_text_without_braces_costs_nothing() -> None:
    texts = [
        f"The answer {number} mentions (nothing) special: 100 % of #{number}"
        for number in range(20_000)
    ]
    start = time.process_time()
    assert all(read_template(it) is EMPTY for it in texts)
    assert time.process_time() - start < 1


@pytest.mark.parametrize(
    "text",
    [
        "{{" * 20_000 + "}",
        "{{ " + "a or " * 20_000 + "b }}",
        "{{ a" + "|f" * 20_000 + " }}",
        "{{ '" + "\\" * 20_000,
        "{{ r/" + "\\/" * 20_000,
        "{{ " + "a[b(" * 20_000,
    ],
    ids=["braces", "alternatives", "filters", "escapes", "pattern", "nested"],
)
def test_no_text_takes_long(text: str) -> None:
    start = time.process_time()
    read_template(text)
    open_tag(text)
    list(single_braces(text))
    assert time.process_time() - start < 2
