"""Templates are filled in as in nunjucks, or refused.

`rendered.json` has templates with the output of nunjucks; `render_with_nunjucks.cjs` writes it.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from suitecase.formats.promptfoo.rendering.errors import TemplateError, UnsupportedTemplateError
from suitecase.formats.promptfoo.rendering.render import render_text, render_value
from suitecase.formats.promptfoo.rendering.supported import unsupported

RECORDED: dict[str, Any] = json.loads((Path(__file__).parent / "rendered.json").read_text("utf-8"))
#: The number of templates that nunjucks fills in and that are refused here, which may only fall.
MOST_UNSUPPORTED = 40


def _rendered(template: str) -> str | TemplateError:
    try:
        return render_text(template, RECORDED["variables"], RECORDED["environment"])
    except TemplateError as error:
        return error


def test_templates_are_filled_in_as_by_nunjucks_or_refused() -> None:
    counts: Counter[str] = Counter()
    for template, expected in RECORDED["pairs"]:
        found = _rendered(template)
        if isinstance(found, UnsupportedTemplateError):
            counts["unsupported"] += expected is not None
        elif isinstance(found, TemplateError):
            assert expected is None, (template, expected, found.message)
            counts["refused"] += 1
        else:
            assert found == expected, template
            counts["equal"] += 1
    assert counts["equal"] > 1_500
    assert counts["unsupported"] <= MOST_UNSUPPORTED


@pytest.mark.parametrize(
    ("template", "place", "message"),
    [
        ("a {{ name | nofilter }}", 12, "the filter `nofilter` is not supported"),
        ("a {{ name | truncate(length=3) }}", 12, "the filter `truncate` does not take named"),
        ("{{ name is empty }}", 11, "`empty` is not a test"),
        ("a {% macro f() %}{% endmacro %}", 5, "`{% macro %}` is not supported"),
        ("{{ name.replace(r/a/, 'b') }}", 16, "regular expressions are not supported"),
        ("{% if xs.map(f) %}{% endif %}", 9, "`.map` is not supported"),
        ("a {{ name", 2, "`{{` is not closed"),
    ],
)
def test_unsupported_parts_are_found_before_a_template_is_filled_in(
    template: str, place: int, message: str
) -> None:
    found = next(unsupported(template))
    assert found.message.startswith(message)
    assert found.offset == place


def test_templates_that_can_be_filled_in_have_no_problems() -> None:
    for template, _ in RECORDED["pairs"]:
        if isinstance(_rendered(template), str):
            # A branch that is not taken may still have an unknown filter.
            assert not list(unsupported(template)) or "{% if" in template, template


def test_an_error_has_its_offset() -> None:
    error = _rendered("Hi {{ name }}, {{ 5 | upper }}")
    assert isinstance(error, TemplateError)
    assert (error.message, error.offset) == ("`upper` takes a string", 22)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{ ''.repeat(99999999999999999999999999) }}", ""),
        ("{{ range(1/0, 1/0) }}", ""),
        ("{{ range(5, 0, 1/0) }}", ""),
        ("{{ range(0, 5, 1/0) }}", "0"),
        ("{{ range(3, 0, -1) }}", "3,2,1"),
        ("{{ range(0, 1, 0.1) | length }}", "11"),
        ("{{ 'aa' | replace('a', 'b', 1/0) }}", "bb"),
        ("{{ 'aa' | replace('a', 'b', -1/0) }}", "aa"),
        ("{{ 'abc' | truncate(-1/0) }}", "..."),
        ("{{ 'a,b'.split(',', -1) }}", "a,b"),
        ("{{ 'a,b'.split(',', 4294967297) }}", "a"),
        ("{{ 'a,b'.split(',', 1/0) }}", ""),
    ],
)
def test_unusual_numbers_work_as_in_javascript(template: str, expected: str) -> None:
    # The results are those of nunjucks 3.2.4.
    assert render_text(template, {}, {}) == expected


@pytest.mark.parametrize("template", ["{{ a[0] }}", "{{ a['1'] }}", "{{ a | first }}"])
def test_a_safe_string_has_no_characters_at_indexes(template: str) -> None:
    # nunjucks wraps it in an object, which has methods and a length.
    assert render_text(f"{{% set a = 'xy' | safe %}}{template}", {}, {}) == ""
    assert render_text("{% set a = 'xy' | safe %}{{ a.length }}{{ a.at(0) }}", {}, {}) == "2x"


@pytest.mark.parametrize("name", ["sort", "reverse"])
def test_functions_are_not_lists(name: str) -> None:
    with pytest.raises(UnsupportedTemplateError, match=f"`{name}` takes a list or a string"):
        render_text(f"{{{{ range | {name} }}}}", {}, {})


@pytest.mark.parametrize("arguments", ["0, 5, '0'", "0, 5, []", "none, 5", "true, 5", "'1', 5"])
def test_a_range_of_other_values_than_numbers_is_refused(arguments: str) -> None:
    with pytest.raises(UnsupportedTemplateError, match="`range` takes numbers"):
        render_text(f"{{{{ range({arguments}) }}}}", {}, {})


def test_strings_in_a_list_are_filled_in_but_not_nested_ones() -> None:
    value = ["{{ x }}", "file://{{ x }}", 3, {"a": "{{ x }}"}, ["{{ x }}"]]
    found = render_value(value, {"x": "y"}, {})
    assert found == ["y", "file://{{ x }}", 3, {"a": "{{ x }}"}, ["{{ x }}"]]
    assert render_value("{{ x }}", {"x": "y"}, {}) == "y"
    assert render_value("file://{{ x }}", {"x": "y"}, {}) == "file://{{ x }}"
    assert render_value({"a": "{{ x }}"}, {"x": "y"}, {}) == {"a": "{{ x }}"}


def test_variables_are_not_changed() -> None:
    variables = {"xs": [3, 1], "m": {"b": 1}}
    text = "{% set xs = xs.concat(4) %}{% set m = 1 %}{{ xs | sort | join }}{{ m }}"
    assert render_text(text, variables, {}) == "1341"
    assert variables == {"xs": [3, 1], "m": {"b": 1}}
