"""The calibrations of a suite's judges, for figures; one of another judge than today's is outdated."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from suitecase.evidence.calibration_file import (
    CalibratedAnswer,
    Calibration,
    CalibrationProblem,
    NoCalibration,
    find_calibration,
)
from suitecase.evidence.labels.people import READ_LABELS, first_clauses, peoples_labels
from suitecase.evidence.named_judges import parts_of_judges
from suitecase.evidence.outdated_calibrations import (
    changes_of_judge,
    relabeled,
    sorted_answers,
    why_outdated,
)
from suitecase.figures.file_data import CalibratedJudge, JudgedAnswer, answer_name
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.plural import counted


def calibrated_judges(
    parsed: ParsedSuite, path: Path, folder: Folder
) -> dict[str, CalibratedJudge]:
    """Return the calibration of each judge under `judges` that names a file for it.

    Args:
        parsed: the suite.
        path: its file.
        folder: its folder.
    """
    needed = f"calibrate the judge with `suitecase calibrate {folder.shown(path)}`"
    head = parsed.head.model
    found: dict[str, CalibratedJudge] = {}
    for name, protocol in (head.judges or {}).items() if head is not None else ():
        if protocol.calibration is not None:
            read = find_calibration(name, protocol.calibration, folder)
            found[name] = _calibrated(name, read, parsed, folder, needed)
    return found


def _calibrated(
    name: str,
    read: Calibration | CalibrationProblem | NoCalibration,
    parsed: ParsedSuite,
    folder: Folder,
    needed: str,
) -> CalibratedJudge:
    match read:
        case NoCalibration():
            return CalibratedJudge((), read.reason, needed)
        case CalibrationProblem():
            where = folder.shown(read.path)
            return CalibratedJudge((), f"{where}:{read.line}: {read.message}", needed)
    answers = sorted_answers(read, parsed)
    reason = _why_outdated(name, read, parsed, folder)
    if not reason and read.answers and not answers.current:
        reason = "the wording of the items of all its answers is another one now"
    if reason:
        return CalibratedJudge((), f"the calibration of `{name}` is outdated: {reason}", needed)
    if not read.answers:
        return CalibratedJudge((), f"the calibration of `{name}` has no answers", needed)
    labels = peoples_labels(parsed, name, folder)
    if labels is not None and labels.unread:
        reason = f"whether people still say what the calibration of `{name}` has is not known"
        unread = first_clauses(labels.unread)
        return CalibratedJudge((), f"{reason}: {unread}", READ_LABELS)
    return judged_answers(answers.current)


def _why_outdated(name: str, calibration: Calibration, parsed: ParsedSuite, folder: Folder) -> str:
    """Return in what the judge or people's labels have changed since, or nothing."""
    if parts_of_judges(parsed, name, folder) is None:
        return "what its judge is now cannot be read"
    changes = changes_of_judge(calibration, parsed, folder)
    if changes:
        return why_outdated(changes)
    labels = peoples_labels(parsed, name, folder)
    moved = len(relabeled(calibration, labels)) if labels is not None else 0
    return f"people's labels of {counted(moved, 'answer')} are other ones now" if moved else ""


def judged_answers(answers: Iterable[CalibratedAnswer]) -> CalibratedJudge:
    """Return answers of a calibration as figures are computed from them."""
    return CalibratedJudge(tuple(map(_judged, answers)))


def _judged(answer: CalibratedAnswer) -> JudgedAnswer:
    valid, every = answer.quotes
    return JudgedAnswer(
        answer_name(answer.case, answer.answer),
        answer.people,
        answer.judge,
        answer.people_pass,
        answer.judge_pass,
        valid,
        every,
        answer.probed,
        answer.flips,
    )
