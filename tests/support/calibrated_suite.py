"""A suite whose judge was calibrated with people's labels, in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from suitecase.evidence.calibration_file import CalibratedAnswer, Calibration
from suitecase.evidence.calibration_writing import calibration_text
from suitecase.evidence.labels.items import items_of
from suitecase.evidence.named_judges import parts_of_judges
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.judge_hash import judge_hash
from suitecase.formats.suitecase.parsed import parse_suite

SUITE = "s.eval.yaml"
CALIBRATION = "rubric.calibration.json"
LABELS = "labels.csv"
_TEXT = """\
execution: {target: mock}
human: {rubric: {labels: [labels.csv]}}
judges: {rubric: {prompt: judge.md, calibration: rubric.calibration.json}}
gates: [%s]
evalcases:
  - id: late
    input: Where is my parcel?
    expected_outcome: Apologizes
    rubrics: [{id: sorry, expected_outcome: Says sorry}]
  - id: size
    input: The shoes are too small.
    expected_outcome: Offers an exchange
    rubrics: [{id: exchange, expected_outcome: Offers an exchange}]
"""
#: What people and the judge say: sensitivity 0.9, specificity 0.8.
ANSWERS = (
    *[(True, True)] * 54, *[(True, False)] * 6, *[(False, False)] * 32, *[(False, True)] * 8,
)  # fmt: skip


def suite_text(*gates: str) -> str:
    """Return the suite with gates."""
    return _TEXT % ", ".join(f'"{it}"' for it in gates)


def write_calibrated_suite(
    folder: Path, *gates: str, answers: Sequence[tuple[bool, bool]] = ANSWERS
) -> None:
    """Write the suite, the judge's prompt, labels of two people, and the calibration."""
    (folder / SUITE).write_text(suite_text(*gates), "utf-8")
    (folder / "judge.md").write_text("Judge {{ candidate_answer }}", "utf-8")
    (folder / CALIBRATION).write_text(calibration_text(calibration(folder, answers)), "utf-8")
    rows = [
        f"late,{number:016x},sorry,,{rater},{str(people).lower()},"
        for number, (people, _) in enumerate(answers)
        for rater in ("ann", "ben")
    ]
    header = "case,answer,item,wording,rater,value,note"
    (folder / LABELS).write_text("\n".join([header, *rows, ""]), "utf-8")


def calibration(folder: Path, answers: Sequence[tuple[bool, bool]] = ANSWERS) -> Calibration:
    """Return the calibration of the suite's judge as it is in a folder."""
    parsed = parse_suite(suite_text("pass_rate >= 50%"))
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
                probed=("repeat", "length"),
                flips=("length",) if number < 5 else (),
            )
            for number, (people, judge) in enumerate(answers)
        ),
    )
