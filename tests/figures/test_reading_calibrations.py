"""From calibration files to gates on judges; an outdated one decides nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from suitecase.evidence.calibration_writing import calibration_text
from suitecase.figures.deciding import decide_from_files
from suitecase.figures.decision import Decision, Outcome
from support.calibrated_suite import (
    CALIBRATION,
    calibration,
    suite_text,
    write_calibrated_suite,
)
from support.figures import suite_of

ANSWERS = [*[(True, True)] * 9, (True, False), *[(False, False)] * 10]
GATE = "judges.rubric.sensitivity >= 80%"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_calibrated_suite(tmp_path, GATE, answers=ANSWERS)
    return tmp_path


def decided(folder: Path, text: str = suite_text(GATE)) -> Decision:
    (decision,) = decide_from_files(suite_of(text, folder))
    return decision


def test_a_calibration_decides_a_gate(folder: Path) -> None:
    decision = decided(folder)
    assert (decision.outcome, decision.value) == (Outcome.HOLDS, 0.9)


def _change(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    return change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_change("judge.md", "Judge", "Rate"), "its prompt is another one now"),
        (
            _change("labels.csv", "0013,sorry,,ann,false", "0013,sorry,,ann,true"),
            "people's labels of 1 answer are other ones now",
        ),
        (lambda folder: (folder / "judge.md").unlink(), "what its judge is now cannot be read"),
        (
            _change(CALIBRATION, '"judge": "rubric"', '"judge": "tone"'),
            "it is the calibration of `tone`",
        ),
        (_change(CALIBRATION, "{", ""), f"{CALIBRATION}:2: it is not valid JSON"),
        (lambda folder: (folder / CALIBRATION).unlink(), "`rubric` has not been calibrated"),
    ],
)
def test_a_calibration_that_does_not_fit_decides_nothing(
    folder: Path, change: Callable[[Path], None], reason: str
) -> None:
    change(folder)
    decision = decided(folder)
    assert decision.outcome is Outcome.UNDECIDED
    assert reason in decision.reason
    assert "suitecase calibrate s.eval.yaml" in decision.needed


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (_change("labels.csv", "0013,sorry,,ann,false", "0013,sorry,,ann,no idea"), "1 row of"),
        (_change("labels.csv", "0013,sorry,,ann,false", "0013,sorry,,ann,7"), "1 label is off"),
        (lambda folder: (folder / "labels.csv").write_bytes(b"gr\xfcn"), "it is not text in UTF-8"),
    ],
)
def test_labels_that_cannot_be_read_may_say_something_else_now(
    folder: Path, spoil: Callable[[Path], None], reason: str
) -> None:
    spoil(folder)
    decision = decided(folder)
    assert decision.outcome is Outcome.UNDECIDED
    assert "whether people still say what the calibration of `rubric` has is not known" in (
        decision.reason
    )
    assert reason in decision.reason


def test_labels_that_are_gone_do_not_matter_for_a_calibration(folder: Path) -> None:
    (folder / "labels.csv").unlink()
    assert decided(folder).outcome is Outcome.HOLDS


def test_answers_whose_items_were_reworded_do_not_count(folder: Path) -> None:
    decision = decided(folder, suite_text(GATE).replace("Says sorry", "Says sorry first"))
    assert decision.outcome is Outcome.UNDECIDED
    assert "the wording of the items of all its answers" in decision.reason
    whole = calibration(folder, ANSWERS)
    answers = tuple(
        replace(it, wording={"sorry": "0badf00d"}) if number < 5 else it
        for number, it in enumerate(whole.answers)
    )
    (folder / CALIBRATION).write_text(calibration_text(replace(whole, answers=answers)))
    assert decided(folder).value == 0.8  # 4 of the 5 good answers that still count
