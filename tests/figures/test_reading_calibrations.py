"""From calibration files to gates on judges; an outdated one decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from suitecase.figures.deciding import decide_from_files
from suitecase.figures.decision import Decision, Outcome
from suitecase.suite.calibration_file import CalibratedAnswer, Calibration, calibration_text
from suitecase.suite.judge_hash import judge_hash
from suitecase.suite.labels.items import items_of
from suitecase.suite.named_judges import parts_of_judges
from suitecase.suite.parsed import parse_suite
from suitecase.suite.workspace import Folder, Workspace
from support.figures import suite_of

SUITE = """\
execution: {target: mock}
human: {rubric: {labels: [labels.csv]}}
judges: {rubric: {prompt: judge.md, calibration: rubric.calibration.json}}
gates: ["judges.rubric.sensitivity >= 80%"]
evalcases:
  - id: late
    input: Where is my parcel?
    expected_outcome: Apologizes
    rubrics: [{id: sorry, expected_outcome: Says sorry}]
"""
FILE = "rubric.calibration.json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "judge.md").write_text("Judge {{ candidate_answer }}")
    answers = [*[(True, True)] * 9, (True, False), *[(False, False)] * 10]
    (tmp_path / FILE).write_text(calibration_text(calibration(tmp_path, answers)))
    rows = [
        f"late,{number:016x},sorry,,{rater},{str(people).lower()},"
        for number, (people, _) in enumerate(answers)
        for rater in ("ann", "ben")
    ]
    header = "case,answer,item,wording,rater,value,note"
    (tmp_path / "labels.csv").write_text("\n".join([header, *rows, ""]))
    return tmp_path


def calibration(folder: Path, answers: Sequence[tuple[bool, bool]]) -> Calibration:
    parsed = parse_suite(SUITE)
    parts = parts_of_judges(parsed, "rubric", Folder(Workspace(folder), folder))
    assert parts is not None
    wording = {item: it.wording for item, it in items_of(parsed, "rubric")["late"].items()}
    return Calibration(
        judge="rubric",
        at="2026-02-03T10:12:00Z",
        judge_hash=judge_hash(parts),
        judge_parts=parts,
        answers=tuple(
            CalibratedAnswer(
                case="late",
                answer=f"{number:016x}",
                people={"sorry": people},
                judge={"sorry": judge},
                people_pass=people,
                judge_pass=judge,
                wording=wording,
            )
            for number, (people, judge) in enumerate(answers)
        ),
    )


def decided(folder: Path, text: str = SUITE) -> Decision:
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
        (_change(FILE, '"judge": "rubric"', '"judge": "tone"'), "it is the calibration of `tone`"),
        (_change(FILE, "{", ""), f"{FILE}:2: it is not valid JSON"),
        (lambda folder: (folder / FILE).unlink(), "`rubric` has not been calibrated"),
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


def test_answers_whose_items_were_reworded_do_not_count(folder: Path) -> None:
    decision = decided(folder, SUITE.replace("Says sorry", "Says sorry first"))
    assert decision.outcome is Outcome.UNDECIDED
    assert "the wording of the items of all its answers" in decision.reason
    parsed = calibration(folder, [*[(True, True)] * 9, (True, False), *[(False, False)] * 10])
    answers = tuple(
        replace(it, wording={"sorry": "0badf00d"}) if number < 5 else it
        for number, it in enumerate(parsed.answers)
    )
    (folder / FILE).write_text(calibration_text(replace(parsed, answers=answers)))
    assert decided(folder).value == 0.8  # 4 of the 5 good answers that still count
