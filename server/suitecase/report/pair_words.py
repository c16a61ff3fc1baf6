"""What the tests of a comparison say, in words; for text and pages."""

from __future__ import annotations

from math import isfinite

from suitecase.figures.statistics.interval import Interval
from suitecase.report.pair_tests import PairTest, PairTests
from suitecase.report.words import difference_text, p_text
from suitecase.text.plural import counted


def interval_text(test: PairTest) -> str:
    """Return the difference with its interval: `+0.033 [0.000, +0.070]`."""
    difference = difference_text(test.difference, 3)
    if isinstance(test.interval, Interval):
        low, high = test.interval.low, test.interval.high
        return f"{difference} [{difference_text(low, 3)}, {difference_text(high, 3)}]"
    return difference


def adjusted_text(test: PairTest) -> str:
    """Return the adjusted p-value, or that there is none."""
    return "too few" if test.adjusted_p is None else p_text(test.adjusted_p)


def conclusion_text(test: PairTest) -> str:
    """Return what the test says: `higher than before: unlikely to be chance`."""
    match test.conclusion:
        case "too_few_differ":
            units = "case" if test.units == test.cases else "group"
            if not test.differing:
                return f"no {units} differs"
            differ = counted(test.differing, units)
            return f"{differ} differ{'s' if test.differing == 1 else ''}, too few to tell"
        case "may_be_chance":
            return f"may be chance (p = {_adjusted(test)})"
        case "higher" | "lower" as direction:
            return f"{direction} than before, unlikely to be chance (p = {_adjusted(test)})"


def _adjusted(test: PairTest) -> str:
    return p_text(test.adjusted_p or 0.0).replace("<", "below ")


def test_text(test: PairTest) -> str:
    """Return which test was made, and its p-value before the adjustment."""
    if test.test is None or test.p is None:
        return "none: 6 cases or groups must differ for any result to be significant"
    name = "McNemar's exact test" if test.test == "mcnemar_exact" else "Sign-flip permutation test"
    return f"{name}, two-sided p = {p_text(test.p)}".replace("= <", "< ")


def effect_text(test: PairTest) -> str | None:
    """Return the effect sizes; None if there is none."""
    parts = []
    if test.d_z is not None:
        parts.append(f"d_z {difference_text(test.d_z)}")
    if test.odds is not None:
        ratio, low, high = map(_odds_text, test.odds)
        parts.append(f"odds ratio {ratio} [{low}, {high}]")
    return ", ".join(parts) or None


def _odds_text(odds: float) -> str:
    return f"{odds:.3g}" if isfinite(odds) else "infinite"


def power_text(test: PairTest, wished: float) -> str | None:
    """Return what difference such a comparison shows, and how many cases show the one wished for."""
    cases = test.cases_for(wished)
    if test.detectable is None or cases is None:
        return None
    return (
        f"8 of 10 such comparisons show a difference of {test.detectable:.3f}; "
        f"a difference of {wished:g} takes about {counted(cases, 'case')}"
    )


def made_text(tests: PairTests) -> str:
    """Return how many tests the p-values are adjusted for."""
    if not tests.made:
        return "No test was made: too few cases differ."
    return f"p: adjusted for {counted(tests.made, 'test')} (Holm)."


def notes(tests: PairTests) -> list[str]:
    """Return what the tests leave out."""
    found = []
    if tests.left_out:
        cases = counted(tests.left_out, "case is", "cases are")
        found.append(f"{cases} left out: an answer or a judge's reply is missing.")
    if tests.slices_left_out:
        left = counted(tests.slices_left_out, "slice has", "slices have")
        found.append(f"{left} no test: only the 50 with the most cases are tested.")
    return found
