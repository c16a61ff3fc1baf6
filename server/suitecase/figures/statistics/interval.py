"""What is known of a figure beside its estimate: an interval, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Method(StrEnum):
    """How an interval was computed."""

    EXACT_BINOMIAL = "exact_binomial"
    BCA = "bca"
    BCA_WIDENED = "bca_widened"
    PERCENTILE = "percentile"
    PERCENTILE_WIDENED = "percentile_widened"
    CORRECTED = "corrected"

    @property
    def label(self) -> str:
        """The method's name for people."""
        return _LABELS[self]

    @property
    def random(self) -> bool:
        """Whether it draws at random, so that its seed and number of draws are worth naming."""
        return self not in (Method.EXACT_BINOMIAL, Method.CORRECTED)


_LABELS = {
    Method.EXACT_BINOMIAL: "exact binomial",
    Method.BCA: "expanded BCa bootstrap",
    Method.BCA_WIDENED: "expanded BCa bootstrap, widened as few units differ",
    Method.PERCENTILE: "expanded percentile and basic bootstrap",
    Method.PERCENTILE_WIDENED: "expanded percentile and basic bootstrap, widened as few units differ",
    Method.CORRECTED: "corrected for the judge's errors",
}


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval, in the unit of its figure."""

    low: float
    high: float
    method: Method
    #: How many units were resampled: cases, or groups of cases.
    units: int


@dataclass(frozen=True, slots=True)
class NoInterval:
    """There is no interval; `reason` says why, as the end of "no interval: ..."."""

    reason: str
    units: int


def check_confidence(confidence: float) -> None:
    """Raise ValueError unless the level lies strictly between 0 and 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1; got {confidence!r}")
