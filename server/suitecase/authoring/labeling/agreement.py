"""How far people agree on answers: by kind of item, by item and by pair of raters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from suitecase.evidence.labels.coefficients import MODES, rated_units, scale_of
from suitecase.evidence.labels.people import ItemKey, PeoplesLabels
from suitecase.figures.statistics.agreement import (
    NoValue,
    Ratings,
    Scale,
    Value,
    agreeing_share,
    as_number,
    cohen_kappa,
    krippendorff_alpha,
    mean_kappa,
    pairs_of_raters,
)
from suitecase.figures.statistics.agreement_resampling import (
    agreement_interval,
    alpha_interval,
    kappa_interval,
)
from suitecase.figures.statistics.interval import Interval, NoInterval
from suitecase.format.figure_keys import Intervals

Mode = Literal["check", "range"]
#: Scores that differ by so much are close to each other.
_WITHIN = 1


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient or a share, with its interval."""

    value: float | NoValue
    interval: Interval | NoInterval


@dataclass(frozen=True, slots=True)
class KindAgreement:
    """Agreement on all items of a kind.

    Attributes:
        mode: whether the items are met or not, or have a score.
        scale: how values are compared in alpha.
        labeled: how many items of answers two raters at least have labeled.
        answers: how many answers these are of.
        kappa: the mean over pairs of raters; of scores, with quadratic weights.
        agreement: the share of pairs of ratings that are equal.
        within_one: the share that differ by 1 at most; None for items that are met or not.
    """

    mode: Mode
    scale: Scale
    labeled: int
    answers: int
    alpha: Coefficient
    kappa: Coefficient
    agreement: Coefficient
    within_one: Coefficient | None


@dataclass(frozen=True, slots=True)
class Lean:
    """How much more one rater gives than another, on average."""

    more: str
    less: str
    points: float


@dataclass(frozen=True, slots=True)
class ItemAgreement:
    """Agreement on the items with an id, in whichever cases.

    Attributes:
        answers: how many answers two raters at least have labeled.
        lean: the two raters whose scores differ most on average; None for items without scores.
    """

    item: str
    mode: Mode
    answers: int
    alpha: float | NoValue
    agreement: float | NoValue
    lean: Lean | None


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Agreement of two raters on the items of a kind."""

    raters: tuple[str, str]
    mode: Mode
    labeled: int
    kappa: float | NoValue
    agreement: float
    lean: Lean | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """What `human.NAME` comes to.

    Attributes:
        people: the labels.
        answers: how many answers have a label that counts.
        kinds: the kinds of items that two raters have labeled.
        items: by item, the one with the lowest alpha first.
        pairs: by pair of raters.
    """

    people: PeoplesLabels
    answers: int
    kinds: tuple[KindAgreement, ...]
    items: tuple[ItemAgreement, ...]
    pairs: tuple[PairAgreement, ...]

    @property
    def name(self) -> str:
        return self.people.name


def agreement_of(people: PeoplesLabels, intervals: Intervals) -> Agreement:
    """Measure how far the raters of an evaluator agree.

    Args:
        people: the labels.
        intervals: how the suite computes intervals.
    """
    kinds = [it for mode in MODES if (it := _kind(people, mode, intervals)) is not None]
    items = [_item(people, item, mode) for item, mode in _rated_items(people)]
    return Agreement(
        people,
        len({key[:2] for key in people.by_item}),
        tuple(kinds),
        tuple(sorted(items, key=_by_alpha)),
        tuple(pair for mode in MODES for pair in _pairs(people, mode)),
    )


def _kind(people: PeoplesLabels, mode: Mode, intervals: Intervals) -> KindAgreement | None:
    rated = {key: it for key, it in people.units(mode).items() if len(it) > 1}
    if not rated:
        return None
    units: list[Ratings] = list(rated.values())
    groups = [f"{case} {answer}" for case, answer, _ in rated]
    scale, are_scores = scale_of(mode, people.human), mode == "range"
    confidence, resamples = intervals.confidence, intervals.resamples
    seed = str(intervals.seed)

    def share(within: float) -> Coefficient:
        interval = agreement_interval(
            units,
            within=within,
            groups=groups,
            confidence=confidence,
            resamples=resamples,
            seed=seed,
        )
        return Coefficient(agreeing_share(units, within=within), interval)

    alpha = alpha_interval(
        units, scale, groups=groups, confidence=confidence, resamples=resamples, seed=seed
    )
    kappa = kappa_interval(
        units,
        quadratic=are_scores,
        groups=groups,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )
    return KindAgreement(
        mode,
        scale,
        len(units),
        len(set(groups)),
        Coefficient(krippendorff_alpha(units, scale), alpha),
        Coefficient(mean_kappa(units, quadratic=are_scores), kappa),
        share(0),
        share(_WITHIN) if are_scores else None,
    )


def _rated_items(people: PeoplesLabels) -> list[tuple[str, Mode]]:
    found: dict[tuple[str, Mode], None] = {}
    for key, it in people.by_item.items():
        if len(it.ratings) > 1:
            found[key[2], people.mode_of(key)] = None
    return list(found)


def _item(people: PeoplesLabels, item: str, mode: Mode) -> ItemAgreement:
    units = rated_units(people, mode, item)
    return ItemAgreement(
        item,
        mode,
        len(units),
        krippendorff_alpha(units, scale_of(mode, people.human)),
        agreeing_share(units),
        _largest_lean(units) if mode == "range" else None,
    )


def _largest_lean(units: Sequence[Ratings]) -> Lean | None:
    leans = (_lean(raters, values) for raters, values in pairs_of_raters(units).items())
    return max((lean for lean in leans if lean is not None), key=lambda it: it.points, default=None)


def _pairs(people: PeoplesLabels, mode: Mode) -> list[PairAgreement]:
    are_scores = mode == "range"
    found = []
    for raters, values in pairs_of_raters(rated_units(people, mode)).items():
        found.append(
            PairAgreement(
                raters,
                mode,
                len(values),
                cohen_kappa(values, quadratic=are_scores),
                sum(a == b for a, b in values) / len(values),
                _lean(raters, values) if are_scores else None,
            )
        )
    return found


def _lean(raters: tuple[str, str], values: Sequence[tuple[Value, Value]]) -> Lean | None:
    """Return which of two raters gives more; None if neither does."""
    points = fmean(as_number(a) - as_number(b) for a, b in values)
    if not points:
        return None
    more, less = raters if points > 0 else raters[::-1]
    return Lean(more, less, abs(points))


def _by_alpha(item: ItemAgreement) -> tuple[bool, float, str]:
    is_known = not isinstance(item.alpha, NoValue)
    return not is_known, item.alpha if isinstance(item.alpha, float | int) else 0.0, item.item


def open_items(people: PeoplesLabels) -> dict[tuple[str, str], list[ItemKey]]:
    """Return the items on which raters differ and that nothing settles, by answer."""
    found: dict[tuple[str, str], list[ItemKey]] = {}
    for key in people.to_adjudicate:
        found.setdefault(key[:2], []).append(key)
    return found
