"""A comparison as JSON."""

from __future__ import annotations

from math import isfinite
from typing import Any

from suitecase.figures.statistics.exact_tests import mcnemar_exact
from suitecase.figures.statistics.interval import Interval
from suitecase.report.comparison import CaseChange, Change, Comparison
from suitecase.report.groups import Group
from suitecase.report.pair_tests import ALPHA, CONFIDENCE, SEED, PairTest, PairTests
from suitecase.report.results_file import Run
from suitecase.text.encoders.json_text import json_text


def comparison_json(
    before: Run, after: Run, comparison: Comparison, tests: PairTests, wished: float
) -> str:
    """Return a comparison as JSON that ends in a newline.

    `cases` has the changed cases, the most serious first, and unchanged ones with a changed text.
    """
    only = comparison.only_figures
    result: dict[str, Any] = {
        "schema_version": 1,
        "before": str(before.path),
        "after": str(after.path),
        "threshold": comparison.threshold,
        "before_remark": before.remark,
        "after_remark": after.remark,
        # Null if there are several targets; `targets` has the figures of each.
        "mean_before": _rounded(only.mean_before) if only else None,
        "mean_after": _rounded(only.mean_after) if only else None,
        "paired": _paired(tests.whole(only.targets, "score")) if only else None,
        "targets": [
            {
                "targets": figure.targets,
                "mean_before": _rounded(figure.mean_before),
                "mean_after": _rounded(figure.mean_after),
                "paired": _paired(tests.whole(figure.targets, "score")),
            }
            for figure in comparison.figures
        ],
        "tests": {
            "made": tests.made,
            "adjustment": "holm",
            "significance_level": ALPHA,
            "confidence": CONFIDENCE,
            "seed": SEED,
            "cases_with_missing_answers": tests.left_out,
            "slices_left_out": tests.slices_left_out,
            "figures": [_test(test, wished) for test in tests.tests],
        },
        "got_worse": comparison.got_worse,
        "case_text_changed": comparison.text_changed,
        "counts": {change.value: comparison.counts[change] for change in Change},
        "cases": [
            _case(case)
            for case in comparison.cases
            if case.change is not Change.UNCHANGED or case.text_changed
        ],
    }
    return json_text(result, indent=2) + "\n"


def _paired(test: PairTest | None) -> dict[str, Any] | None:
    """Return the test of scores over all cases; `tests` has the others."""
    if test is None:
        return None
    low, high, method, _ = _interval(test)
    return {
        "n": test.cases,
        "mean_before": _rounded(test.before),
        "mean_after": _rounded(test.after),
        "mean_difference": _rounded(test.difference),
        "rose": test.rose,
        "fell": test.fell,
        "interval_95": None if low is None else [low, high],
        "interval_method": method,
        "sign_test_p": mcnemar_exact(test.rose, test.fell) if test.rose or test.fell else None,
    }


def _test(test: PairTest, wished: float) -> dict[str, Any]:
    low, high, method, why_none = _interval(test)
    odds = [_finite(odd) for odd in test.odds] if test.odds is not None else [None] * 3
    return {
        "targets": test.targets,
        "figure": test.figure,
        "slice": test.slice,
        "evaluator": test.evaluator,
        "cases": test.cases,
        "units": test.units,
        "before": _rounded(test.before),
        "after": _rounded(test.after),
        "difference": _rounded(test.difference),
        "low": low,
        "high": high,
        "method": method,
        "no_interval": why_none,
        "resamples": test.draws,
        "rose": test.rose,
        "fell": test.fell,
        "conclusion": test.conclusion,
        "test": test.test,
        "p": test.p,
        "adjusted_p": test.adjusted_p,
        # Null also for infinite odds.
        "odds_ratio": odds[0],
        "odds_low": odds[1],
        "odds_high": odds[2],
        "d_z": test.d_z,
        "detectable_difference": test.detectable,
        "cases_for_difference": {"difference": wished, "cases": test.cases_for(wished)},
    }


def _interval(test: PairTest) -> tuple[float | None, float | None, str | None, str | None]:
    """Return the bounds, the method, and why there is no interval."""
    if isinstance(test.interval, Interval):
        return test.interval.low, test.interval.high, test.interval.method.value, None
    return None, None, None, test.interval.reason


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def _case(change: CaseChange) -> dict[str, Any]:
    group = change.after or change.before
    return {
        "eval_id": change.case,
        "suite": group.suite or None if group else None,
        "target": change.target or None,
        "change": change.change.value,
        "case_text_changed": change.text_changed,
        "difference": _rounded(change.difference),
        "before": _side(change.before),
        "after": _side(change.after),
    }


def _side(group: Group | None) -> dict[str, Any] | None:
    if group is None:
        return None
    return {
        "verdict": group.status.value,
        "score": _rounded(group.score),
        "target": group.target or None,
        "repeats": len(group.numbers),
    }


def _rounded(value: float | None) -> float | None:
    """Return a number without floating-point noise."""
    return None if value is None else round(value, 12)
