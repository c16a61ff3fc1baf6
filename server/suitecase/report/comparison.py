"""What changed between two runs, case by case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from suitecase.report.groups import SCALE, Group, grouped, mean
from suitecase.report.paired import Paired, paired
from suitecase_evaluators.records.record import ResultRecord
from suitecase_evaluators.score import Verdict

#: Scores that differ by no more than this count as the same.
THRESHOLD = 0.05
_ROUNDING = 1e-9


class Change(StrEnum):
    """What became of a case. The order is the one in which changes are told: the gravest first."""

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
        """Whether the verdict on the answer is a graver one than before."""
        return self in (Change.NEW_FAILURE, Change.WORSE)


@dataclass(frozen=True, slots=True)
class CaseChange:
    """A case in both runs, or in one of them."""

    case: str
    #: Given where targets are compared apart, else empty.
    target: str
    suite: str
    change: Change
    before: Group | None
    after: Group | None
    #: The case's text is another than before, so this compares the answers to different questions.
    text_changed: bool

    @property
    def difference(self) -> float | None:
        """How much the score rose, None where it is not on both sides."""
        if self.before is None or self.after is None:
            return None
        before, after = self.before.score, self.after.score
        return None if before is None or after is None else after - before


@dataclass(frozen=True, slots=True)
class Figures:
    """What the scores of two runs come to, of one target, or of one in each run."""

    #: The target, or `A -> B` where another one answered after than before.
    targets: str
    #: Over the cases that were graded in both runs and whose text has not changed.
    paired: Paired | None
    #: The means over everything that was graded in each run.
    mean_before: float | None
    mean_after: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """All cases of two runs."""

    #: The gravest changes first, then in the order of the runs.
    cases: tuple[CaseChange, ...]
    threshold: float
    #: Of each target apart, where a run has answers of several; one mean of them says nothing.
    figures: tuple[Figures, ...]

    @property
    def only_figures(self) -> Figures | None:
        """The figures, where there are no others."""
        return self.figures[0] if len(self.figures) == 1 else None

    @property
    def counts(self) -> Counter[Change]:
        """How many cases have each change."""
        return Counter(it.change for it in self.cases)

    @property
    def got_worse(self) -> int:
        """How many cases have a graver verdict than before."""
        return sum(it.change.verdict_worse for it in self.cases)

    @property
    def text_changed(self) -> int:
        """How many cases ask something else than before."""
        return sum(it.text_changed for it in self.cases)


def compare(
    before: Sequence[ResultRecord], after: Sequence[ResultRecord], threshold: float = THRESHOLD
) -> Comparison:
    """Return what changed between two runs.

    Cases are matched by their id. Where one of the runs has an id in several suites, the suite counts
    too; where it has several targets answer the same case, so does the target.
    """
    by_suite = _ambiguous(before, suite=True) or _ambiguous(after, suite=True)
    by_target = _ambiguous(before, suite=False) or _ambiguous(after, suite=False)
    old = _matched(before, by_suite=by_suite, by_target=by_target)
    new = _matched(after, by_suite=by_suite, by_target=by_target)
    changes = [
        _changed(key, old.get(key), new.get(key), threshold) for key in dict.fromkeys((*old, *new))
    ]
    told = list(Change)
    return Comparison(
        cases=tuple(sorted(changes, key=lambda it: told.index(it.change))),
        threshold=threshold,
        figures=tuple(_figures(before, after, changes)),
    )


def _figures(
    before: Sequence[ResultRecord], after: Sequence[ResultRecord], changes: Sequence[CaseChange]
) -> Iterator[Figures]:
    """Yield figures of each target apart, where a run has answers of several."""
    sides = [dict.fromkeys(it.target for it in side) for side in (before, after)]
    if all(len(it) <= 1 for it in sides):
        name = " -> ".join(dict.fromkeys(it for side in sides for it in side))
        yield Figures(name, _paired(changes), _mean(before), _mean(after))
        return
    pairs: dict[tuple[str | None, str | None], list[CaseChange]] = {}
    for it in changes:
        old = it.before.first.target if it.before is not None else None
        new = it.after.first.target if it.after is not None else None
        if old is not None and new is not None and old != new:
            pairs.setdefault((old, new), []).append(it)
    for name in dict.fromkeys((*sides[0], *sides[1])):
        mine = [it for it in changes if _targets(it) <= {name}]
        if mine:
            yield Figures(
                name,
                _paired(mine),
                _mean(it for it in before if it.target == name),
                _mean(it for it in after if it.target == name),
            )
    for (old, new), found in pairs.items():
        olds = [it.before for it in found if it.before is not None]
        news = [it.after for it in found if it.after is not None]
        yield Figures(
            f"{old} -> {new}",
            _paired(found),
            _mean(answer for it in olds for answer in it.answers),
            _mean(answer for it in news for answer in it.answers),
        )


def _targets(change: CaseChange) -> set[str]:
    return {it.first.target for it in (change.before, change.after) if it is not None}


def _mean(answers: Iterable[ResultRecord]) -> float | None:
    return mean(it.graded_score for it in answers)


def _paired(changes: Sequence[CaseChange]) -> Paired | None:
    return paired(
        [
            (it.before.score, it.after.score)
            for it in changes
            if it.before is not None
            and it.after is not None
            and it.before.score is not None
            and it.after.score is not None
            and not it.text_changed
        ]
    )


def _ambiguous(answers: Sequence[ResultRecord], *, suite: bool) -> bool:
    """Return whether an id alone means several things: in several suites, or to several targets."""
    seen: dict[tuple[str, ...], str] = {}
    for it in answers:
        key, value = ((it.eval_id,), it.suite) if suite else ((it.suite, it.eval_id), it.target)
        if seen.setdefault(key, value) != value:
            return True
    return False


def _matched(
    answers: Sequence[ResultRecord], *, by_suite: bool, by_target: bool
) -> dict[tuple[str, str, str], Group]:
    return {
        (
            it.first.eval_id,
            it.first.target if by_target else "",
            it.first.suite if by_suite else "",
        ): it
        for it in grouped(answers)
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
