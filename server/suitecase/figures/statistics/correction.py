"""The rate that a judge with known errors has measured, corrected for them.

A judge passes a share `sensitivity` of good answers, and fails a share `specificity` of bad ones. Both
are measured with answers that people have labelled.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from suitecase.figures.statistics.binomial import clopper_pearson
from suitecase.figures.statistics.interval import Interval, Method, NoInterval
from suitecase.figures.statistics.student import normal_quantile

#: Sensitivity and specificity together exceed 1 for a judge that knows anything. Where they exceed it
#: by this little, the correction divides by nearly nothing.
LEAST_SUM = 1.2


@dataclass(frozen=True, slots=True)
class JudgeErrors:
    """How a judge has judged answers that people have labelled.

    Attributes:
        good: how many answers people pass.
        good_passed: how many of these the judge passes.
        bad: how many answers people fail.
        bad_failed: how many of these the judge fails.
    """

    good: int
    good_passed: int
    bad: int
    bad_failed: int

    @property
    def labels(self) -> int:
        """How many answers have a label."""
        return self.good + self.bad

    @property
    def sensitivity(self) -> float | None:
        """The share of good answers that the judge passes; None without good answers."""
        return self.good_passed / self.good if self.good else None

    @property
    def specificity(self) -> float | None:
        """The share of bad answers that the judge fails; None without bad answers."""
        return self.bad_failed / self.bad if self.bad else None

    def sensitivity_bounds(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return the exact interval of the sensitivity (Clopper and Pearson 1934)."""
        return clopper_pearson(self.good_passed, self.good, confidence)

    def specificity_bounds(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return the exact interval of the specificity (Clopper and Pearson 1934)."""
        return clopper_pearson(self.bad_failed, self.bad, confidence)


@dataclass(frozen=True, slots=True)
class Corrected:
    """A corrected rate with its interval."""

    rate: float
    interval: Interval


def why_not_correctable(errors: JudgeErrors) -> str:
    """Return why a judge's rates cannot be corrected, or nothing."""
    sensitivity, specificity = errors.sensitivity, errors.specificity
    if sensitivity is None or specificity is None:
        return f"people have labelled no {'good' if sensitivity is None else 'bad'} answer"
    if sensitivity + specificity <= LEAST_SUM:
        return (
            f"the judge hardly tells good from bad answers: sensitivity {sensitivity:.2f} and "
            f"specificity {specificity:.2f} together are not above {LEAST_SUM}"
        )
    low, high = informedness_bounds(errors)
    if low <= 0:
        return (
            f"{errors.labels} labels do not show that the judge tells good from bad answers: sensitivity "
            f"{sensitivity:.2f} and specificity {specificity:.2f} together exceed 1 by {low:.2f} to {high:.2f}"
        )
    return ""


def informedness_bounds(errors: JudgeErrors, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval of sensitivity + specificity - 1, which is 0 for a judge that flips coins.

    It is the difference of two independent shares; with a success and a failure added to each, as by
    Agresti and Caffo, The American Statistician 54 (2000).
    """
    good, bad = errors.good + 2, errors.bad + 2
    sensitivity, specificity = (errors.good_passed + 1) / good, (errors.bad_failed + 1) / bad
    middle = sensitivity + specificity - 1
    variance = sensitivity * (1 - sensitivity) / good + specificity * (1 - specificity) / bad
    half = normal_quantile((1 + confidence) / 2) * sqrt(variance)
    return max(-1.0, middle - half), min(1.0, middle + half)


def corrected_rate(
    rate: float, units: int, errors: JudgeErrors, confidence: float = 0.95
) -> Corrected | NoInterval:
    """Return the rate of good answers, given the rate of answers that a judge passes.

    (p + specificity - 1) / (sensitivity + specificity - 1), within 0..1: Rogan and Gladen, American
    Journal of Epidemiology 107 (1978). The interval is that of Lee et al., How to Correctly Report
    LLM-as-a-Judge Evaluations (arXiv 2511.21140): of the rate and of both shares of labelled answers,
    with counts smoothed as by Agresti and Coull, and moved by the bias of the quotient.

    Args:
        rate: the share of answers that the judge passes.
        units: of how many independent units; fewer than answers where these come in groups.
        errors: what is known of the judge.
        confidence: how sure the interval is.
    """
    reason = why_not_correctable(errors)
    if not reason and not units:
        reason = "there are no units"
    if reason:
        return NoInterval(reason, units)
    sensitivity, specificity = errors.sensitivity or 0.0, errors.specificity or 0.0
    estimate = (rate + specificity - 1) / (sensitivity + specificity - 1)
    z = normal_quantile((1 + confidence) / 2)
    n, n_good, n_bad = units + z * z, errors.good + 2, errors.bad + 2
    p = (rate * units + z * z / 2) / n
    se, sp = (errors.good_passed + 1) / n_good, (errors.bad_failed + 1) / n_bad
    divisor = se + sp - 1
    if divisor <= 0:  # nearly no labels: smoothing has left nothing of the judge's knowledge
        return NoInterval("there are too few labels", units)
    middle = (p + sp - 1) / divisor
    of_se, of_sp = se * (1 - se) / n_good, sp * (1 - sp) / n_bad
    shift = 2 * z * z * (middle * of_se - (1 - middle) * of_sp)
    error = sqrt(p * (1 - p) / n + (1 - middle) ** 2 * of_sp + middle**2 * of_se) / divisor
    estimate = _within(estimate)
    low = min(estimate, _within(middle + shift - z * error))
    high = max(estimate, _within(middle + shift + z * error))
    return Corrected(estimate, Interval(low, high, Method.CORRECTED, units))


def _within(value: float) -> float:
    return min(1.0, max(0.0, value))


@dataclass(frozen=True, slots=True)
class MoreLabels:
    """What more labelled answers of one kind would do for the share that they measure.

    Attributes:
        kind: `good` for sensitivity, `bad` for specificity.
        more: how many more of them.
        low: the lower bound then, if the judge errs as often as before.
        high: the upper bound then.
    """

    kind: str
    more: int
    low: float
    high: float

    @property
    def share(self) -> str:
        """The name of the share that they measure."""
        return "sensitivity" if self.kind == "good" else "specificity"

    @property
    def text(self) -> str:
        """A sentence about it, without its capital and full stop."""
        answers = f"{self.more:,} more {self.kind} answers"
        return f"{answers} would narrow the {self.share} to {self.low:.2f}-{self.high:.2f}"


#: How many more labels are proposed, the fewest that narrow an interval to less than half.
_STEPS = (10, 20, 30, 40, 60, 80, 100, 150, 200, 300, 400, 600, 800, 1_000)


def more_labels(errors: JudgeErrors, confidence: float = 0.95) -> MoreLabels | None:
    """Return what to label next: the kind of answers of which less is known.

    As many more as halve the interval of sensitivity or specificity, whichever is wider. None where
    a thousand would not.
    """
    good, bad = errors.sensitivity_bounds(confidence), errors.specificity_bounds(confidence)
    if bad[1] - bad[0] >= good[1] - good[0]:
        kind, seen, right, bounds = "bad", errors.bad, errors.bad_failed, bad
    else:
        kind, seen, right, bounds = "good", errors.good, errors.good_passed, good
    share = right / seen if seen else 0.5
    for more in _STEPS:
        n = seen + more
        low, high = clopper_pearson(round(share * n), n, confidence)
        if high - low <= (bounds[1] - bounds[0]) / 2:
            return MoreLabels(kind, more, low, high)
    return None
