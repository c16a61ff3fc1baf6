"""The quick fix that quotes a text which YAML cannot read: where that is all that is wrong."""

from __future__ import annotations

import pytest

from suitecase.checking.rules.yaml_text import yaml_syntax
from suitecase.format.rule import Fix
from suitecase.formats.suitecase.parsed import parse_suite

SUITE = "evalcases:\n  - id: greet\n    input: Hi\n    {}\n    note: x\n"


def fixes_of(line: str) -> list[str | None]:
    """Return what the fix of each finding makes of a line of a case."""
    text = SUITE.format(line)
    before, behind = SUITE.split("{}")
    found = []
    for finding in yaml_syntax.check(parse_suite(text).document):
        made = finding.fix.apply(text) if isinstance(finding.fix, Fix) else None
        assert made is None or (made.startswith(before) and made.endswith(behind))
        found.append(made and made[len(before) : -len(behind)])
    return found


@pytest.mark.parametrize(
    ("line", "fixed"),
    [
        ("expected_outcome: Note: says hello", 'expected_outcome: "Note: says hello"'),
        ("expected_outcome: @bob is greeted", 'expected_outcome: "@bob is greeted"'),
        ("expected_outcome: `x` is shown  # why", 'expected_outcome: "`x` is shown"  # why'),
        ("expected_outcome: {{ name }} greets", 'expected_outcome: "{{ name }} greets"'),
        ('expected_outcome: "Hi" is said', r'expected_outcome: "\"Hi\" is said"'),
        ("expected_outcome: 'It's fine'", 'expected_outcome: "It\'s fine"'),
        ("expected_outcome: [x] is ticked", 'expected_outcome: "[x] is ticked"'),
        ("expected_outcome: *bold*", 'expected_outcome: "*bold*"'),
        ("expected_outcome: %d 😀 é", 'expected_outcome: "%d 😀 é"'),
        ('expected_outcome: "Says hello', 'expected_outcome: "Says hello"'),
        ("rubrics:\n      - Says: hello: twice", 'rubrics:\n      - "Says: hello: twice"'),
        ("rubrics:\n      - id: a: b", 'rubrics:\n      - id: "a: b"'),
    ],
)
def test_quotes_make_a_text_of_it(line: str, fixed: str) -> None:
    assert fixes_of(line) == [fixed]


@pytest.mark.parametrize(
    "line",
    [
        "tags: [a, b",
        "metadata: {a: b",
        "rubrics:\n      - Says\n       bye: x",
        "expected_outcome: Says\n      hello: x",
        "\ttags: [a]",
        "expected_outcome: |\n   a\n  b: c",
    ],
)
def test_what_quotes_do_not_mend_has_no_such_fix(line: str) -> None:
    assert set(fixes_of(line)) <= {None}
    assert fixes_of(line)
