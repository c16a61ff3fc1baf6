"""From label files to gates on how people agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.figures.deciding import decide_from_files
from suitecase.figures.decision import Decision, Outcome
from support.figures import suite_of

SUITE = """\
execution: {target: mock}
human: {rubric: {labels: [labels.csv], adjudication: adjudicator, adjudicators: [eva]}}
gates: ["%s"]
evalcases:
  - id: late
    input: Where is my parcel?
    expected_outcome: Apologizes
    rubrics:
      - {id: sorry, expected_outcome: Says sorry}
      - {id: tone, expected_outcome: Is polite, score_ranges: {0: Is rude, 5: Is polite}, required_min_score: 5}
"""
HEAD = "case,answer,item,wording,rater,value,note\n"


def decided(folder: Path, gate: str, rows: str | None) -> Decision:
    if rows is not None:
        (folder / "labels.csv").write_text(HEAD + rows)
    (decision,) = decide_from_files(suite_of(SUITE % gate, folder))
    return decision


def row(number: int, item: str, rater: str, value: object, wording: str = "") -> str:
    return f"late,{number:016x},{item},{wording},{rater},{value},\n"


def checks(*values: tuple[bool, bool]) -> str:
    return "".join(
        row(number, "sorry", rater, str(value).lower())
        for number, pair in enumerate(values)
        for rater, value in zip(("ann", "ben"), pair, strict=True)
    )


def test_alpha_of_a_label_file_decides_a_gate(tmp_path: Path) -> None:
    rows = checks(*[(True, True)] * 6, *[(False, False)] * 3, (True, False))
    decision = decided(tmp_path, "human.rubric.alpha >= 0.667", rows)
    assert decision.outcome is Outcome.HOLDS
    # 20 values, 13 of them true; one of ten answers differs.
    assert decision.value == pytest.approx(1 - 19 * 2 / (2 * 13 * 7))
    assert decision.figure is not None
    assert (decision.figure.cases, decision.figure.interval.units) == (10, 10)


def test_those_who_settle_differences_are_not_raters(tmp_path: Path) -> None:
    rows = checks(*[(True, True)] * 6, *[(False, False)] * 3, (True, False))
    settled = rows + row(9, "sorry", "eva", "true")
    plain = decided(tmp_path, "human.rubric.alpha >= 0.667", rows)
    assert decided(tmp_path, "human.rubric.alpha >= 0.667", settled).value == plain.value


def test_an_item_has_figures_of_its_own(tmp_path: Path) -> None:
    rows = checks(*[(True, True)] * 6, *[(False, False)] * 3, (True, False))
    for number, (ann, ben) in enumerate([(2, 9), (8, 3), (5, 5), (9, 1)]):
        rows += row(number, "tone", "ann", ann) + row(number, "tone", "ben", ben)
    whole = decided(tmp_path, "human.rubric.alpha >= 0.667", rows)
    assert whole.outcome is Outcome.FAILS
    tone = decided(tmp_path, "human.rubric.tone.alpha >= 0.667", rows)
    assert tone.value == whole.value
    sorry = decided(tmp_path, "human.rubric.sorry.alpha >= 0.667", rows)
    assert sorry.outcome is Outcome.HOLDS


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (None, "the label file labels.csv does not exist"),
        ("", "`human.rubric` has no labels"),
        (row(1, "sorry", "ann", "true", "0badf00d"), "1 of an earlier wording"),
        (row(1, "sorry", "ann", "true"), "no answer was rated by two raters"),
        (checks((True, True), (True, True)), "all values are the same"),
    ],
)
def test_too_little_is_undecided_with_its_reason(
    tmp_path: Path, rows: str | None, reason: str
) -> None:
    decision = decided(tmp_path, "human.rubric.alpha >= 0.667", rows)
    assert decision.outcome is Outcome.UNDECIDED
    assert reason in decision.reason
