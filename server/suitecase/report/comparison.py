"""Comparing two runs, case by case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from suitecase.report.graded_answers import GradedAnswers, is_unknown
from suitecase.report.groups import RANKS, Group, Grouping
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.status import Status

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
    #: What is known of the answers of each run.
    before: GradedAnswers
    after: GradedAnswers


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
        return Counter(case.change for case in self.cases)

    @property
    def got_worse(self) -> int:
        """The number of cases with a worse verdict."""
        return sum(case.change.verdict_worse for case in self.cases)

    @property
    def text_changed(self) -> int:
        """The number of cases whose text has changed."""
        return sum(case.text_changed for case in self.cases)


def compare(
    before: Sequence[ResultRecord], after: Sequence[ResultRecord], threshold: float = THRESHOLD
) -> Comparison:
    """Compare two runs.

    Cases are matched by their id; also by suite if a run has an id in several suites, and by target
    if a run has several targets for the same case.
    """
    earlier, later = _read(before), _read(after)
    by_suite = _several_suites(earlier.groups) or _several_suites(later.groups)
    by_target = _several_targets(earlier.groups) or _several_targets(later.groups)
    old = _matched(earlier.groups, by_suite=by_suite, by_target=by_target)
    new = _matched(later.groups, by_suite=by_suite, by_target=by_target)
    changes = [
        _changed(key, (old.get(key), new.get(key)), (earlier.answers, later.answers), threshold)
        for key in dict.fromkeys((*old, *new))
    ]
    order = {change: place for place, change in enumerate(Change)}
    return Comparison(
        cases=tuple(sorted(changes, key=lambda it: order[it.change])),
        threshold=threshold,
        figures=tuple(_figures(earlier.answers, later.answers, changes)),
    )


@dataclass(frozen=True, slots=True)
class _Side:
    """A run: its cases, and what is known of its answers."""

    groups: list[Group]
    answers: GradedAnswers


def _read(answers: Sequence[ResultRecord]) -> _Side:
    """Read a run once, without keeping its records."""
    grouping, found = Grouping(answers), GradedAnswers()
    for number, record in enumerate(answers):
        grouping.add(number, record)
        found.add(record)
    found.finished()
    return _Side(grouping.groups(), found)


def _figures(
    before: GradedAnswers, after: GradedAnswers, changes: Sequence[CaseChange]
) -> Iterator[Figures]:
    """Yield the figures of each target, or of both runs if they have only one each."""
    sides = before.targets, after.targets
    if all(len(side) <= 1 for side in sides):
        name = " -> ".join(dict.fromkeys(it for side in sides for it in side))
        yield Figures(name, changes, before.mean(), after.mean(), before, after)
        return
    pairs: dict[tuple[str | None, str | None], list[CaseChange]] = {}
    for change in changes:
        old = change.before.target if change.before is not None else None
        new = change.after.target if change.after is not None else None
        if old is not None and new is not None and old != new:
            pairs.setdefault((old, new), []).append(change)
    for name in dict.fromkeys((*sides[0], *sides[1])):
        mine = [change for change in changes if _targets(change) <= {name}]
        if mine:
            yield Figures(name, mine, before.mean(name), after.mean(name), before, after)
    for (old, new), replaced in pairs.items():
        olds = (number for change in replaced if change.before for number in change.before.numbers)
        news = (number for change in replaced if change.after for number in change.after.numbers)
        yield Figures(
            f"{old} -> {new}",
            replaced,
            before.mean_of(olds),
            after.mean_of(news),
            before,
            after,
        )


def _targets(change: CaseChange) -> set[str]:
    return {it.target for it in (change.before, change.after) if it is not None}


def _several_suites(groups: Iterable[Group]) -> bool:
    """Whether an id is in several suites."""
    suites: dict[str, str] = {}
    return any(suites.setdefault(group.case, group.suite) != group.suite for group in groups)


def _several_targets(groups: Iterable[Group]) -> bool:
    """Whether a case was answered by several targets."""
    targets: dict[tuple[str, str], str] = {}
    return any(
        targets.setdefault((group.suite, group.case), group.target) != group.target
        for group in groups
    )


#: The key that cases are matched by: id, target and suite, or the id alone, which takes less memory.
_Key = tuple[str, str, str] | str


def _matched(groups: Iterable[Group], *, by_suite: bool, by_target: bool) -> dict[_Key, Group]:
    if not (by_suite or by_target):
        return {group.case: group for group in groups}
    return {
        (group.case, group.target if by_target else "", group.suite if by_suite else ""): group
        for group in groups
    }


def _changed(
    key: _Key,
    groups: tuple[Group | None, Group | None],
    answers: tuple[GradedAnswers, GradedAnswers],
    threshold: float,
) -> CaseChange:
    case, target, suite = (key, "", "") if isinstance(key, str) else key
    before, after = groups
    text_changed = False
    if before is not None and after is not None:
        texts = answers[0].texts(before.numbers), answers[1].texts(after.numbers)
        # Where a side has an answer to a text that the other has none to; not where one is unknown.
        text_changed = texts[0] != texts[1] and not any(map(is_unknown, texts))
    change = _change(before, after, threshold)
    return CaseChange(case, target, suite, change, before, after, text_changed)


def _change(before: Group | None, after: Group | None, threshold: float) -> Change:
    if before is None:
        return Change.ONLY_AFTER
    if after is None:
        return Change.ONLY_BEFORE
    old, new = before.status, after.status
    if not (old.graded and new.graded):
        if old.graded:
            return Change.NO_LONGER_GRADED
        return Change.NEWLY_GRADED if new.graded else Change.UNCHANGED
    step = RANKS[new] - RANKS[old]
    if step > 0:
        return Change.NEW_FAILURE if new is Status.FAIL else Change.WORSE
    if step < 0:
        return Change.NEW_PASS if not RANKS[new] else Change.BETTER
    difference = (after.score or 0.0) - (before.score or 0.0)
    if abs(difference) <= threshold + _ROUNDING:
        return Change.UNCHANGED
    return Change.SCORE_UP if difference > 0 else Change.SCORE_DOWN
