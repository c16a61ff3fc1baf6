"""Measuring how people agree, and how a judge compares with them: from labels and calibrations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypedDict

from suitecase.figures.asked import Asked
from suitecase.figures.file_data import REPEAT, CalibratedJudge, JudgedAnswer, RatedItem
from suitecase.figures.gates.meaning import OF_PEOPLE, FigureKind, Meaning, Unit
from suitecase.figures.measured import Measured, MeasuredFigure
from suitecase.figures.statistics.agreement import (
    NO_PAIRS,
    NoValue,
    Ratings,
    Scale,
    Value,
    agreeing_share,
    krippendorff_alpha,
    mean_kappa,
)
from suitecase.figures.statistics.agreement_resampling import (
    agreement_interval,
    alpha_interval,
    kappa_interval,
)
from suitecase.figures.statistics.binomial import proportion_interval
from suitecase.figures.statistics.correction import more_labels
from suitecase.figures.statistics.interval import Interval, NoInterval
from suitecase.figures.statistics.resampling import bootstrap, mean_of

#: Units of a kind, the answer of each, and whether their values are scores.
_Kind = tuple[list[Ratings], list[str], bool]
_Came = tuple[float | NoValue, Interval | NoInterval]
_NOT_PROBED = "no probe was tried"


class _Drawing(TypedDict):
    """How a suite computes intervals."""

    confidence: float
    resamples: int
    seed: str


class FileFigures:
    """Measures the figures that come from files of a suite, each of them once."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._known: dict[Meaning, Measured] = {}

    def measured(self, meaning: Meaning, name: str, target: str) -> Measured:
        """Return a figure of people or of a judge.

        Args:
            meaning: what it measures.
            name: its name in gates.
            target: the target beside whose figures it stands.
        """
        found = self._known.get(meaning)
        if found is None:
            found = self._known[meaning] = self._measure(meaning)
        if found.figure is None:
            return found
        return replace(found, figure=replace(found.figure, figure=name, target=target))

    def _measure(self, meaning: Meaning) -> Measured:
        name = meaning.evaluator or ""
        if meaning.kind in OF_PEOPLE.values():
            people = self._asked.people.get(name)
            if people is None:
                return Measured(None, f"`human` has no labels of `{name}`")
            if people.problem:
                return Measured(None, people.problem, needed=people.needed)
            items = [item for item in people.items if meaning.part in (None, item.item)]
            return self._agreement(meaning.kind, items, people.scale)
        judge = self._asked.judges.get(name)
        if judge is None:
            return Measured(None, f"`judges` has no calibration of `{name}`")
        if judge.problem:
            return Measured(None, judge.problem, needed=judge.needed)
        return self._of_judge(meaning, judge)

    def _agreement(self, kind: FigureKind, items: Sequence[RatedItem], scale: Scale) -> Measured:
        if kind is FigureKind.AGREEMENT:
            units: list[Ratings] = [item.ratings for item in items]
            groups = [item.answer for item in items]
            interval = agreement_interval(units, groups=groups, **self._drawing)
            return self._made((agreeing_share(units), interval), Unit.SHARE, _answers(items))
        kinds = _checks_and_scores(items)
        came = {
            label: self._alpha(it, scale) if kind is FigureKind.ALPHA else self._kappa(it)
            for label, it in kinds.items()
        }
        return self._lowest_of(came, _answers(items))

    def _alpha(self, kind: _Kind, scale: Scale) -> _Came:
        units, groups, are_scores = kind
        scale = scale if are_scores else Scale.NOMINAL
        interval = alpha_interval(units, scale, groups=groups, **self._drawing)
        return krippendorff_alpha(units, scale), interval

    def _kappa(self, kind: _Kind) -> _Came:
        units, groups, are_scores = kind
        interval = kappa_interval(units, quadratic=are_scores, groups=groups, **self._drawing)
        return mean_kappa(units, quadratic=are_scores), interval

    def _lowest_of(self, came: dict[str, _Came], answers: int) -> Measured:
        """Return the lower coefficient of checks and of scores, so that neither hides behind the other."""
        known = {
            label: (value, interval)
            for label, (value, interval) in came.items()
            if not isinstance(value, NoValue)
        }
        if not known:
            first = next(iter(came.values()), (NO_PAIRS, NoInterval("", 0)))
            return self._made(first, Unit.COEFFICIENT, answers)
        lowest = min(known.values(), key=lambda it: it[0])
        found = self._made(lowest, Unit.COEFFICIENT, answers)
        if len(known) > 1 and found.figure is not None:
            values = {label: value for label, (value, _) in known.items()}
            found = replace(found, figure=replace(found.figure, values=values))
        return found

    def _of_judge(self, meaning: Meaning, judge: CalibratedJudge) -> Measured:
        match meaning.kind:
            case FigureKind.JUDGE_KAPPA:
                return self._judge_kappa(judge)
            case FigureKind.SENSITIVITY | FigureKind.SPECIFICITY:
                return self._share_of_labels(meaning.kind, judge)
            case FigureKind.QUOTES:
                return self._quotes(judge.answers)
            case FigureKind.SELF_AGREEMENT:
                probed = [answer for answer in judge.answers if REPEAT in answer.probed]
                same = sum(REPEAT not in it.flips for it in probed)
                return self._share(same, len(probed), "the judge was not asked twice: `repeat`")
        probe = meaning.part
        if probe is None:
            probed = [answer for answer in judge.answers if answer.probed]
            return self._share(sum(bool(it.flips) for it in probed), len(probed), _NOT_PROBED)
        probed = [answer for answer in judge.answers if probe in answer.probed]
        flipped = sum(probe in it.flips for it in probed)
        return self._share(flipped, len(probed), f"the probe `{probe}` was not tried")

    def _judge_kappa(self, judge: CalibratedJudge) -> Measured:
        def came(unread: bool | None) -> Measured:
            items = list(_compared(judge.answers, unread))
            kinds = {label: self._kappa(it) for label, it in _checks_and_scores(items).items()}
            return self._lowest_of(kinds, _answers(items))

        found = came(None)
        return self._bounded(found, came(False), came(True), judge.unread)

    def _share_of_labels(self, kind: FigureKind, judge: CalibratedJudge) -> Measured:
        def came(unread: bool | None) -> Measured:
            errors = judge.errors_if(unread)
            if kind is FigureKind.SENSITIVITY:
                return self._share(errors.good_passed, errors.good, "no good answer has a label")
            return self._share(errors.bad_failed, errors.bad, "no bad answer has a label")

        errors = judge.errors
        more = more_labels(errors, self._asked.intervals.confidence)
        found = came(None)
        if more is not None and more.share == kind.value:
            found = replace(found, needed=more.text)
        unread = sum(
            answer.judge_pass is None and answer.people_pass is (kind is FigureKind.SENSITIVITY)
            for answer in judge.answers
        )
        return self._bounded(found, came(False), came(True), unread)

    def _quotes(self, answers: Iterable[JudgedAnswer]) -> Measured:
        table = [(answer.valid_quotes, answer.quotes) for answer in answers if answer.quotes]
        if not table:
            return Measured(None, "the judge gave no quotes")
        (interval,) = bootstrap(table, [mean_of(0, 1)], **self._drawing)
        valid = sum(it for it, _ in table) / sum(it for _, it in table)
        return self._made((valid, interval), Unit.SHARE, len(table))

    def _share(self, k: int, n: int, reason: str) -> Measured:
        if not n:
            return Measured(None, reason)
        interval = proportion_interval(k, n, self._asked.intervals.confidence)
        return self._made((k / n, interval), Unit.SHARE, n)

    def _bounded(self, found: Measured, low: Measured, high: Measured, missing: int) -> Measured:
        """Return a figure with what it would be with unread replies counted as wrong and as right."""
        if not missing or found.figure is None or low.figure is None or high.figure is None:
            return found
        ends = (low.figure, high.figure)
        estimates = [end.estimate for end in ends if end.estimate is not None]
        if len(estimates) < 2:
            return found
        figure = replace(
            found.figure, lowest=min(estimates), highest=max(estimates), missing=missing
        )
        return replace(
            found, figure=figure, bounds=tuple(end.interval for end in ends), sharp=False
        )

    def _made(self, came: _Came, unit: Unit, answers: int) -> Measured:
        value, interval = came
        if isinstance(value, NoValue):
            return Measured(None, value.reason)
        intervals = self._asked.intervals
        drawn = isinstance(interval, Interval) and interval.method.random
        figure = MeasuredFigure(
            figure="",
            slice=None,
            target="",
            unit="share" if unit is Unit.SHARE else "coefficient",
            cases=answers,
            estimate=value,
            interval=interval,
            lowest=value,
            highest=value,
            confidence=intervals.confidence,
            resamples=intervals.resamples if drawn else None,
            seed=intervals.seed if drawn else None,
            of="label",
        )
        return Measured(figure, bounds=())

    @property
    def _drawing(self) -> _Drawing:
        it = self._asked.intervals
        return _Drawing(confidence=it.confidence, resamples=it.resamples, seed=str(it.seed))


def _answers(items: Iterable[RatedItem]) -> int:
    return len({item.answer for item in items if len(item.ratings) > 1})


def _checks_and_scores(items: Sequence[RatedItem]) -> dict[str, _Kind]:
    """Return items with truth values and items with scores; those of one rater are in neither."""
    found: dict[str, _Kind] = {}
    rated = [item for item in items if len(item.ratings) > 1]
    for label, are_scores in (("checks", False), ("scores", True)):
        own = [it for it in rated if _is_score(it) is are_scores]
        if own:
            found[label] = ([it.ratings for it in own], [it.answer for it in own], are_scores)
    return found


def _is_score(item: RatedItem) -> bool:
    return not all(isinstance(value, bool) for _, value in item.ratings)


def _compared(answers: Sequence[JudgedAnswer], unread: bool | None) -> Iterable[RatedItem]:
    """Yield the items of answers as people and the judge see them.

    An unread reply counts as the same values, as others, or (None) not at all.
    """
    scores = [
        float(value)
        for answer in answers
        for value in answer.people.values()
        if not isinstance(value, bool | str)
    ]
    ends = (min(scores, default=0.0), max(scores, default=0.0))
    for answer in answers:
        for item, people in answer.people.items():
            judge: Value | None = answer.judge.get(item) if answer.judge is not None else None
            if answer.judge is None and unread is not None:
                judge = people if unread else _other(people, ends)
            if judge is not None:
                yield RatedItem(answer.answer, item, (("judge", judge), ("people", people)))


def _other(value: Value, ends: tuple[float, float]) -> Value:
    """Return a value as far from another as any."""
    if isinstance(value, bool | str):
        return not value
    return max(ends, key=lambda it: abs(it - float(value)))
