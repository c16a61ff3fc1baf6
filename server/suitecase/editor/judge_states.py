"""How the judges of a suite compare with people, by their calibrations, for lenses and hovers.

Values without intervals: those of kappa are drawn with numpy, which the language server does not import.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from suitecase.evidence.calibration_file import Calibration, NoCalibration, find_calibration
from suitecase.evidence.labels.items import GradedItems, graded_items
from suitecase.evidence.labels.people import peoples_labels
from suitecase.evidence.outdated_calibrations import (
    changes_of_judge,
    relabeled,
    sorted_answers,
    why_outdated,
)
from suitecase.evidence.reading_calibrations import judged_answers
from suitecase.figures.file_data import CalibratedJudge
from suitecase.figures.statistics.agreement import NoValue, Value, cohen_kappa
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.cache import Cache
from suitecase.text.plural import counted


@dataclass(frozen=True, slots=True)
class JudgeState:
    """What the calibration of a judge says.

    Attributes:
        calibration: what was read.
        outdated: what has changed since; empty if it is current.
        judged: the answers whose items still ask the same.
        kappa: how far judge and people agree beyond chance: the lower value of checks and of scores.
    """

    calibration: Calibration
    outdated: str
    judged: CalibratedJudge
    kappa: float | NoValue

    @property
    def day(self) -> str:
        """When the judge was calibrated: `2026-02-03`."""
        return self.calibration.at[:10]


def judge_state(name: str, suite: ParsedSuite, folder: Folder) -> JudgeState | str | None:
    """Return what the calibration of a judge says, or why it says nothing.

    Args:
        name: the name of the evaluator, under `judges`.
        suite: the suite.
        folder: its folder.

    Returns:
        None if the suite names no calibration for it.
    """
    head = suite.head.model
    protocol = (head.judges or {}).get(name) if head is not None else None
    if protocol is None or protocol.calibration is None:
        return None
    read = find_calibration(name, protocol.calibration, folder)
    if isinstance(read, NoCalibration):
        return "not calibrated"
    if not isinstance(read, Calibration):
        return "the calibration cannot be read"
    people = peoples_labels(suite, name, folder)
    reasons = [why_outdated(changes_of_judge(read, suite, folder))]
    changed = len(relabeled(read, people)) if people is not None else 0
    if changed:
        reasons.append(f"people's labels of {counted(changed, 'answer')} are other ones now")
    if people is not None and people.unread:
        reasons.append("people's labels cannot be read")
    judged, kappa = _numbers(read, suite, graded_items(suite, name))
    return JudgeState(read, "; ".join(reason for reason in reasons if reason), judged, kappa)


_Numbers = tuple[CalibratedJudge, float | NoValue]
_KNOWN: Cache[dict[str, tuple[Calibration, _Numbers]]] = Cache()


def _numbers(calibration: Calibration, suite: ParsedSuite, items: GradedItems) -> _Numbers:
    """Return the judged answers and kappa; of an unchanged calibration and items, the same objects."""
    known = _KNOWN.of(items, dict[str, tuple[Calibration, _Numbers]])
    earlier = known.get(calibration.judge)
    if earlier is not None and earlier[0] is calibration:
        return earlier[1]
    judged = judged_answers(sorted_answers(calibration, suite).current)
    found = judged, _kappa((answer.people, answer.judge) for answer in judged.answers)
    known[calibration.judge] = (calibration, found)
    return found


def _kappa(
    answers: Iterable[tuple[Mapping[str, Value], Mapping[str, Value] | None]],
) -> float | NoValue:
    checks: list[tuple[Value, Value]] = []
    scores: list[tuple[Value, Value]] = []
    for people, judge in answers:
        for item, value in people.items():
            if judge is not None and item in judge:
                (checks if isinstance(value, bool) else scores).append((value, judge[item]))
    found = [cohen_kappa(checks)] if checks or not scores else []
    found += [cohen_kappa(scores, quadratic=True)] if scores else []
    return min((it for it in found if not isinstance(it, NoValue)), default=found[0])
