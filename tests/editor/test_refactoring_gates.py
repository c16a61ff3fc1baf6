"""Writing gates on bounds and on estimates, and gates in outlines."""

from __future__ import annotations

import pytest

from suitecase.editor.symbols import symbols
from support.ide.marked_suite import suite
from support.ide.refactorings import offered

CASES = "evalcases:\n  - {id: a, input: Hi, expected_outcome: x}\n"
LOWER, UPPER = "Write the gate on the lower bound", "Write the gate on the upper bound"
ESTIMATE = "Write the gate on the estimate"


@pytest.mark.parametrize(
    ("before", "title", "after"),
    [
        ("- pass_|rate[x] >= 90%  # why", LOWER, "- lower(pass_rate[x]) >= 90%  # why"),
        ('- "cost_usd| <= 1"', UPPER, '- "upper(cost_usd) <= 1"'),
        (
            "- {gate: 'score - tokens >|= 0', why: x}",
            LOWER,
            "- {gate: 'lower(score - tokens) >= 0', why: x}",
        ),
        ("- change(score)| >= -2%", LOWER, "- lower(change(score)) >= -2%"),
        ("- lower( |score ) >= 1", ESTIMATE, "- score >= 1"),
        ('- "upper(gap(score by x))| <= 1"', ESTIMATE, '- "gap(score by x) <= 1"'),
    ],
)
def test_a_gate_is_one_on_the_bound_or_the_estimate(before: str, title: str, after: str) -> None:
    head = "gates:\n  - tokens >= 0\n  "

    assert offered(f"{head}{before}\n{CASES}") == {title: f"{head}{after}\n{CASES}"}


@pytest.mark.parametrize("gate", ["- half|[", "- >-\n    sco|re\n    >= 1"])
def test_a_gate_that_is_no_gate_or_on_several_lines_is_left_alone(gate: str) -> None:
    assert offered(f"gates:\n  {gate}\n{CASES}") == {}


def test_the_outline_has_gates_slices_and_metrics() -> None:
    (root,) = symbols(
        suite(
            "gates:\n  - score >= 1\n  - {gate: tokens <= 9, level: warning}\n"
            "slices:\n  critical: {tags: vip, description: Must work}\n"
            f"metrics:\n  quality: 0.5 * score\n{CASES}"
        )
    )

    assert [(it.kind, it.name, it.detail) for it in root.children] == [
        ("gate", "score >= 1", ""),
        ("gate", "tokens <= 9", "warning"),
        ("slice", "critical", "Must work"),
        ("metric", "quality", "0.5 * score"),
        ("case", "a", "x"),
    ]
