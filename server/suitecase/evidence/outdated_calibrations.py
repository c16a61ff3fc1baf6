"""What has changed since a judge was calibrated: its prompt, its model, or what items ask."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from suitecase.evidence.calibration_file import CalibratedAnswer, Calibration, changed_parts
from suitecase.evidence.labels.items import Items, graded_items
from suitecase.evidence.labels.people import PeoplesLabels
from suitecase.evidence.named_judges import parts_of_judges
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.cache import Cache

#: Parts of a judge whose values are digests: what changed, without before and after.
_CHANGED = {
    "prompt": "its prompt is another one now",
    "references": "its reference files are other ones now",
    "target": "the settings of its target are other ones now",
    "contract": "this version of Suitecase asks judges in another way",
}


@dataclass(frozen=True, slots=True)
class JudgeChange:
    """A part of a judge that is another one than when it was calibrated.

    Attributes:
        part: the name of the part, see `judge_parts`.
        text: what changed, as a clause.
    """

    part: str
    text: str


def changes_of_judge(
    calibration: Calibration, suite: ParsedSuite, folder: Folder
) -> tuple[JudgeChange, ...]:
    """Return what of a judge has changed since its calibration; nothing where that is not known.

    A model that is now named by the version that answered then is the same one.

    Args:
        calibration: the calibration.
        suite: the suite.
        folder: its folder.
    """
    parts = parts_of_judges(suite, calibration.judge, folder)
    if parts is None:
        return ()
    before = calibration.judge_parts
    pinned = parts["model"].rpartition("/")[2] == calibration.reported_model
    return tuple(
        JudgeChange(
            changed_part, _text(changed_part, before.get(changed_part), parts.get(changed_part))
        )
        for changed_part in changed_parts(calibration, parts)
        if changed_part != "model" or not pinned
    )


def _text(part: str, before: str | None, now: str | None) -> str:
    if part in _CHANGED:
        return _CHANGED[part]
    was, is_now = (f"`{it}`" if it else "not set" for it in (before, now))
    return f"`{part}` was {was} and is {is_now} now"


@dataclass(frozen=True, slots=True)
class SortedAnswers:
    """The answers of a calibration.

    Attributes:
        current: those whose items ask what they asked then.
        reworded: the others; they do not count.
        items: the items of these that were reworded, by the id of the case.
    """

    current: tuple[CalibratedAnswer, ...]
    reworded: tuple[CalibratedAnswer, ...]
    items: frozenset[tuple[str, str]]


#: What was found, by the name of the judge, with the calibration it was found for.
_SORTED: Cache[dict[str, tuple[Calibration, SortedAnswers]]] = Cache()


def sorted_answers(calibration: Calibration, suite: ParsedSuite) -> SortedAnswers:
    """Return which answers of a calibration count.

    An answer of a case that is not there any more still counts: what the judge made of it is known.
    """
    items = graded_items(suite, calibration.judge)
    known = _SORTED.of(items, dict)
    earlier = known.get(calibration.judge)
    if earlier is not None and earlier[0] is calibration:
        return earlier[1]
    found = _sorted(calibration, items.by_case)
    known[calibration.judge] = (calibration, found)
    return found


def _sorted(calibration: Calibration, by_case: Mapping[str, Items]) -> SortedAnswers:
    current: list[CalibratedAnswer] = []
    reworded: list[CalibratedAnswer] = []
    changed: set[tuple[str, str]] = set()
    for answer in calibration.answers:
        items = by_case.get(answer.case)
        differ = [
            item
            for item, wording in answer.wording.items()
            if items is not None and (item not in items or items[item].wording != wording)
        ]
        (reworded if differ else current).append(answer)
        changed |= {(answer.case, it) for it in differ}
    return SortedAnswers(tuple(current), tuple(reworded), frozenset(changed))


def why_outdated(changes: Iterable[JudgeChange]) -> str:
    """Return changes as one clause; empty if there are none."""
    return "; ".join(change.text for change in changes)


#: What was found, by the name of the judge, with the calibration it was found for.
_RELABELED: Cache[dict[str, tuple[Calibration, tuple[CalibratedAnswer, ...]]]] = Cache()


def relabeled(calibration: Calibration, people: PeoplesLabels) -> tuple[CalibratedAnswer, ...]:
    """Return the answers about which people say something else now; labels that are gone do not matter."""
    known = _RELABELED.of(people, dict)
    earlier = known.get(calibration.judge)
    if earlier is not None and earlier[0] is calibration:
        return earlier[1]
    now = people.adjudicated()
    found = tuple(
        answer
        for answer in calibration.answers
        if _differs(answer.people, now.get((answer.case, answer.answer), {}))
    )
    known[calibration.judge] = (calibration, found)
    return found


def _differs(before: Mapping[str, object], now: Mapping[str, object]) -> bool:
    return any(item in now and now[item] != value for item, value in before.items())
