"""How far the raters of an evaluator agree: values of coefficients, without their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from suitecase.evidence.labels.people import PeoplesLabels
from suitecase.figures.gates.meaning import FigureKind
from suitecase.figures.statistics.agreement import (
    NO_PAIRS,
    NoValue,
    Ratings,
    Scale,
    agreeing_share,
    krippendorff_alpha,
    mean_kappa,
)
from suitecase.format.protocols import HumanLabels
from suitecase.text.cache import Cache

#: The kinds of items: met or not, and with a score.
MODES: tuple[Literal["check", "range"], ...] = ("check", "range")


_KNOWN: Cache[dict[tuple[FigureKind, str | None], float | NoValue]] = Cache()


def scale_of(mode: Literal["check", "range"], human: HumanLabels) -> Scale:
    """Return how values of a kind of items are compared: truth values are nominal."""
    return Scale.NOMINAL if mode == "check" else Scale(human.scale)


def rated_units(
    people: PeoplesLabels, mode: Literal["check", "range"], item: str | None = None
) -> list[Ratings]:
    """Return the ratings of what two raters at least have labeled.

    Args:
        people: the labels.
        mode: the kind of items.
        item: the id of the item; None for all.
    """
    return [unit for unit in people.units(mode, item).values() if len(unit) > 1]


def coefficient(people: PeoplesLabels, kind: FigureKind, item: str | None) -> float | NoValue:
    """Return alpha, kappa or the share of pairs that agree, as `human.NAME.KIND` measures it.

    Alpha and kappa are computed of checklist items and of scores apart, and the lower one counts.

    Args:
        people: the labels.
        kind: the figure.
        item: the id of the item; None for all.
    """
    known = _KNOWN.of(people, dict[tuple[FigureKind, str | None], float | NoValue])
    if (kind, item) not in known:
        known[kind, item] = _coefficient(people, kind, item)
    return known[kind, item]


def _coefficient(people: PeoplesLabels, kind: FigureKind, item: str | None) -> float | NoValue:
    units: dict[Literal["check", "range"], list[Ratings]] = {
        mode: rated_units(people, mode, item) for mode in MODES
    }
    if kind is FigureKind.AGREEMENT:
        return agreeing_share([it for of_mode in units.values() for it in of_mode])
    found = [
        _of_mode(kind, of_mode, mode, people.human) for mode, of_mode in units.items() if of_mode
    ]
    known = [it for it in found if not isinstance(it, NoValue)]
    return min(known) if known else next(iter(found), NO_PAIRS)


def _of_mode(
    kind: FigureKind, units: Sequence[Ratings], mode: Literal["check", "range"], human: HumanLabels
) -> float | NoValue:
    if kind is FigureKind.ALPHA:
        return krippendorff_alpha(units, scale_of(mode, human))
    return mean_kappa(units, quadratic=mode == "range")
