"""Comparing two runs, case by case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from suitecase.report.groups import SCALE, Group, grouped, mean
from suitecase_evaluators.records.record import ResultRecord
from suitecase_evaluators.score import Verdict

#: Scores that differ by no more than this count as the same.
THRESHOLD = 0.05
_ROUNDING = 1e-9


class Change(StrEnum):
    """How a case changed, in the order of reports: the most serious first."""

    NEW_FAILURE = "new_failure"
    WORSE = "worse"
    NO_LONGER_GRADED = "no_longer_graded"
    SCORE_DOWN = "score_down"
    ONLY_BEFORE = "only_before"
    NEW_PASS = "new_pass"  # noqa: S105 - a verdict, not a password
    BETTER = "better"
    NEWLY_GRADED = "newly_graded"
    SCORE_UP = "score_up"
    ONLY_AFTER = "only_after"
    UNCHANGED = "unchanged"

    @property
    def verdict_worse(self) -> bool:
        """Whether the verdict is worse than before."""
        return self in (Change.NEW_FAILURE, Change.WORSE)


@dataclass(frozen=True, slots=True)
class CaseChange:
    """A case in both runs, or in one of them."""

    case: str
    #: Empty unless targets are compared separately.
    target: str
    suite: str
    change: Change
    before: Group | None
    after: Group | None
    #: The case's text has changed, so these are answers to different questions.
    text_changed: bool

    @property
    def difference(self) -> float | None:
        """The difference of the scores, None unless both sides have one."""
        if self.before is None or self.after is None:
            return None
        before, after = self.before.score, self.after.score
        return None if before is None or after is None else after - before


@dataclass(frozen=True, slots=True)
class Figures:
    """The statistics of two runs for one target, or for one in each run."""

    #: The target, or `A -> B` if a different one answered in the second run.
    targets: str
    #: The cases of these targets.
    changes: Sequence[CaseChange]
    #: The means of everything graded in each run.
    mean_before: float | None
    mean_after: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """All cases of two runs."""

    #: The most serious changes first, then in the order of the runs.
    cases: tuple[CaseChange, ...]
    threshold: float
    #: For each target, if a run has several; a mean over several targets is meaningless.
    figures: tuple[Figures, ...]

    @property
    def only_figures(self) -> Figures | None:
        """The figures, if there is only one target."""
        return self.figures[0] if len(self.figures) == 1 else None

    @property
    def counts(self) -> Counter[Change]:
        """The number of cases with each change."""
        return Counter(it.change for it in self.cases)

    @property
    def got_worse(self) -> int:
        """The number of cases with a worse verdict."""
        return sum(it.change.verdict_worse for it in self.cases)

    @property
    def text_changed(self) -> int:
        """The number of cases whose text has changed."""
        return sum(it.text_changed for it in self.cases)


def compare(
    before: Sequence[ResultRecord], after: Sequence[ResultRecord], threshold: float = THRESHOLD
) -> Comparison:
    """Compare two runs.

    Cases are matched by their id; also by suite if a run has an id in several suites, and by target
    if a run has several targets for the same case.
    """
    by_suite = _ambiguous(before, suite=True) or _ambiguous(after, suite=True)
    by_target = _ambiguous(before, suite=False) or _ambiguous(after, suite=False)
    old = _matched(before, by_suite=by_suite, by_target=by_target)
    new = _matched(after, by_suite=by_suite, by_target=by_target)
    changes = [
        _changed(key, old.get(key), new.get(key), threshold) for key in dict.fromkeys((*old, *new))
    ]
    order = list(Change)
    return Comparison(
        cases=tuple(sorted(changes, key=lambda it: order.index(it.change))),
        threshold=threshold,
        figures=tuple(_figures(before, after, changes)),
    )


def _figures(
    before: Sequence[ResultRecord], after: Sequence[ResultRecord], changes: Sequence[CaseChange]
) -> Iterator[Figures]:
    """Yield the figures of each target, or of both runs if they have only one each."""
    sides = [dict.fromkeys(change.target for change in side) for side in (before, after)]
    if all(len(change) <= 1 for change in sides):
        name = " -> ".join(dict.fromkeys(change for side in sides for change in side))
        yield Figures(name, changes, _mean(before), _mean(after))
        return
    pairs: dict[tuple[str | None, str | None], list[CaseChange]] = {}
    for change in changes:
        old = change.before.first.target if change.before is not None else None
        new = change.after.first.target if change.after is not None else None
        if old is not None and new is not None and old != new:
            pairs.setdefault((old, new), []).append(change)
    for name in dict.fromkeys((*sides[0], *sides[1])):
        mine = [change for change in changes if _targets(change) <= {name}]
        if mine:
            yield Figures(
                name,
                mine,
                _mean(change for change in before if change.target == name),
                _mean(change for change in after if change.target == name),
            )
    for (old, new), replaced in pairs.items():
        olds = [change.before for change in replaced if change.before is not None]
        news = [change.after for change in replaced if change.after is not None]
        yield Figures(
            f"{old} -> {new}",
            replaced,
            _mean(answer for change in olds for answer in change.answers),
            _mean(answer for change in news for answer in change.answers),
        )


def _targets(change: CaseChange) -> set[str]:
    return {it.first.target for it in (change.before, change.after) if it is not None}


def _mean(answers: Iterable[ResultRecord]) -> float | None:
    return mean(it.graded_score for it in answers)


def _ambiguous(answers: Sequence[ResultRecord], *, suite: bool) -> bool:
    """Whether an id is ambiguous: it is in several suites, or answered by several targets."""
    values: dict[tuple[str, ...], str] = {}
    for answer in answers:
        key, value = (
            ((answer.eval_id,), answer.suite)
            if suite
            else ((answer.suite, answer.eval_id), answer.target)
        )
        if values.setdefault(key, value) != value:
            return True
    return False


def _matched(
    answers: Sequence[ResultRecord], *, by_suite: bool, by_target: bool
) -> dict[tuple[str, str, str], Group]:
    return {
        (
            group.first.eval_id,
            group.first.target if by_target else "",
            group.first.suite if by_suite else "",
        ): group
        for group in grouped(answers)
    }


def _changed(
    key: tuple[str, str, str], before: Group | None, after: Group | None, threshold: float
) -> CaseChange:
    case, target, suite = key
    change = _change(before, after, threshold)
    text_changed = before is not None and after is not None and _text_changed(before, after)
    return CaseChange(case, target, suite, change, before, after, text_changed)


def _text_changed(before: Group, after: Group) -> bool:
    """Whether a side has an answer to a text that the other has none to; not where one is unknown."""
    old = {it.version.text_only for it in before.answers}
    new = {it.version.text_only for it in after.answers}
    if any(it.text is None for it in (*old, *new)):
        return False
    return any(
        all(it.changed_since(other) for other in others)
        for versions, others in ((new, old), (old, new))
        for it in versions
    )


def _change(before: Group | None, after: Group | None, threshold: float) -> Change:
    if before is None:
        return Change.ONLY_AFTER
    if after is None:
        return Change.ONLY_BEFORE
    old, new = before.verdict, after.verdict
    if not (old.graded and new.graded):
        if old.graded:
            return Change.NO_LONGER_GRADED
        return Change.NEWLY_GRADED if new.graded else Change.UNCHANGED
    step = SCALE.index(new) - SCALE.index(old)
    if step > 0:
        return Change.NEW_FAILURE if new is Verdict.FAIL else Change.WORSE
    if step < 0:
        return Change.NEW_PASS if new is Verdict.PASS else Change.BETTER
    difference = (after.score or 0.0) - (before.score or 0.0)
    if abs(difference) <= threshold + _ROUNDING:
        return Change.UNCHANGED
    return Change.SCORE_UP if difference > 0 else Change.SCORE_DOWN
