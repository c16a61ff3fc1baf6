"""Mistakes in rubrics of AgentV 5 are found while typing, at the place and with the fix that our own format has."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.text.lines import Lines
from support.checked_suite import analyzed, fixed

NAME = "desk.eval.yaml"
TOP = 'prompts: ["{{ input }}"]\nproviders: [desk]\n'
#: Where lists of assertions stand; each has the rubrics in line 7.
PLACES = {
    "a test": "default_test: {}\ntests:\n  - vars: {input: Hi}\n    assert:\n",
    "all tests": "tests: [{vars: {input: Hi}}]\n\ndefault_test:\n    assert:\n",
    "the top": "tests: [{vars: {input: Hi}}]\ndefault_test: {}\n\nassert:\n",
}
RANGES = "score_ranges: [{score_range: [0, 4], outcome: Bad}, {score_range: [%s], outcome: Good}]"
#: An item of rubrics, the code of what is found in it, and what it is found at.
MISTAKES = [
    ("{id: a, " + RANGES % "4, 10" + "}", "SC201", "[4, 10]"),
    ("{id: a, " + RANGES % "5, 11" + "}", "SC202", "[5, 11]"),
    ("{id: a, score_ranges: {0: Bad, 11: Good}}", "SC202", "11"),
    ("{id: a, " + RANGES % "6, 10" + "}", "SC203", "score_ranges"),
    ("{id: a, " + RANGES % "10, 5" + "}", "SC204", "[10, 5]"),
    ("{id: a, score_ranges: {0: '', 6: Good}}", "SC205", "''"),
    ("{id: a, score_ranges: [{score_range: [0, 10]}]}", "SC205", "{"),
    ("{id: a, score_ranges: {1: Bad, 6: Good}}", "SC206", "1"),
    ("{outcome: Greets, min_score: 7, score_ranges: {0: Bad}}", "SC207", "7"),
    ("{outcome: Greets, min_score: 0, score_ranges: {0: Bad}}", "SC207", "0"),
    ("{outcome: Greets, weight: -2}", "SC208", "-2"),
    ("{id: second, outcome: Greets}", "SC209", "second"),
    (
        "{outcome: Greets, required: false, min_score: 0.7, score_ranges: {0: Bad}}",
        "SC213",
        "required",
    ),
    ("Is warm", "SC215", "Is warm"),
    ("{id: a, outcom: Greets}", "PF101", "outcom"),
    ("{id: a, expected_outcome: Greets}", "PF101", "expected_outcome"),
    ("{outcome: Greets, requird: false}", "PF101", "requird"),
    ("{outcome: Greets, required_min_score: 7}", "PF101", "required_min_score"),
    ("{outcome: Greets, required: 'yes'}", "PF105", "'yes'"),
    ("{id: a, score_ranges: [{score_range: [0, 4.5], outcome: Bad}]}", "PF105", "4.5"),
    ("{outcome: Greets, operator: contradicts}", "PF107", "contradicts"),
    ("{id: a, weight: 2}", "PF108", "{id: a, weight: 2}"),
]


def written(item: str, kind: str = "llm-rubric", key: str = "value") -> str:
    """Return a suite with an item between others."""
    listed = f"[{{id: second, outcome: Is short}}, Is warm, {item}]"
    return f"{TOP}{PLACES['a test']}      - {{type: {kind}, {key}: {listed}}}\n"


def found(folder: Path, text: str) -> list[tuple[str, int, str]]:
    """Return the codes of findings, their lines from 1, and what they are at."""
    lines = Lines(text)
    return [
        (
            finding.code,
            lines.position(finding.span.start)[0] + 1,
            text[finding.span.start : finding.span.end],
        )
        for finding in analyzed(folder, text, NAME).findings
    ]


@pytest.mark.parametrize(("item", "code", "at"), MISTAKES)
def test_a_mistake_in_a_rubric_is_found_at_its_place(
    item: str, code: str, at: str, tmp_path: Path
) -> None:
    text = written(item)
    assert found(tmp_path, text) == [(code, 7, at)]


@pytest.mark.parametrize(
    ("kind", "key"),
    [("not-llm-rubric", "value"), ("agent-rubric", "value"), ("rubrics", "criteria")],
)
def test_it_is_found_in_each_type_that_takes_rubrics(kind: str, key: str, tmp_path: Path) -> None:
    item, code, at = MISTAKES[0]
    assert found(tmp_path, written(item, kind, key)) == [(code, 7, at)]


@pytest.mark.parametrize("place", ["a test", "all tests", "the top"])
def test_it_is_found_wherever_assertions_stand(place: str, tmp_path: Path) -> None:
    item, code, at = MISTAKES[0]
    text = f"{TOP}{PLACES[place]}      - {{type: llm-rubric, value: [{item}]}}\n"
    assert found(tmp_path, text) == [(code, 7, at)]
    in_a_set = f"      - {{type: assert-set, assert: [{{type: llm-rubric, value: [{item}]}}]}}\n"
    assert found(tmp_path, f"{TOP}{PLACES[place]}{in_a_set}") == [(code, 7, at)]


def test_it_is_found_in_ranges_beside_a_text(tmp_path: Path) -> None:
    for ranges, code in (("4, 10", "SC201"), ("6, 10", "SC203"), ("5, 10", None)):
        assertion = f"{{type: llm-rubric, value: Is warm, required: true, {RANGES % ranges}}}"
        text = f"{TOP}{PLACES['a test']}      - {assertion}\n"
        assert [found_code for found_code, *_ in found(tmp_path, text)] == ([code] if code else [])


def test_it_is_found_in_a_rubric_that_stands_alone(tmp_path: Path) -> None:
    text = f"{TOP}{PLACES['a test']}      - {{type: llm-rubric, value: {MISTAKES[0][0]}}}\n"
    assert [code for code, *_ in found(tmp_path, text)] == ["SC201"]


@pytest.mark.parametrize(
    "item",
    [
        "{id: a, " + RANGES % "5, 10" + "}",
        "{outcome: Greets, min_score: 0.7, weight: 2, score_ranges: {0: Bad, 5: Good}}",
        "{criteria: Greets, id: a, operator: contradiction, required: false}",
        "{outcome: '{{ greeting }}', weight: 0}",
        "{outcome: Greets, min_score: '{{ least }}', score_ranges: file://ranges.yaml}",
    ],
)
def test_a_sound_rubric_has_no_findings(item: str, tmp_path: Path) -> None:
    (tmp_path / "ranges.yaml").write_text("0: Bad\n")
    text = written(item).replace("input: Hi", "input: Hi, greeting: Hello, least: 0.5")
    assert found(tmp_path, text) == []


@pytest.mark.parametrize(
    ("item", "rule", "then"),
    [
        (MISTAKES[0][0], "score-ranges-overlap", "[5, 10]"),
        (MISTAKES[1][0], "score-range-out-of-bounds", "[5, 10]"),
        (MISTAKES[3][0], "score-ranges-gap", "[0, 5]"),
        (MISTAKES[4][0], "score-range-reversed", "[5, 10]"),
        (MISTAKES[7][0], "score-ranges-start", "{0: Bad"),
        (MISTAKES[8][0], "required-min-score-out-of-bounds", "min_score: 0.7"),
        (MISTAKES[10][0], "negative-weight", "weight: 2"),
        (MISTAKES[11][0], "duplicate-rubric-id", "id: second-2"),
        (MISTAKES[14][0], "unread-key", "outcome: Greets"),
        (MISTAKES[15][0], "unread-key", "{id: a, outcome: Greets}"),
        (MISTAKES[17][0], "unread-key", "min_score: 7"),
    ],
)
def test_a_mistake_has_the_fix_of_our_own_format(
    item: str, rule: str, then: str, tmp_path: Path
) -> None:
    assert then in fixed(tmp_path, written(item), rule, NAME)
