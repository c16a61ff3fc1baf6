"""A comparison as JSON."""

from __future__ import annotations

import json
from typing import Any

from suitecase.report.comparison import CaseChange, Change, Comparison
from suitecase.report.groups import Group
from suitecase.report.paired import Paired
from suitecase.report.results_file import Run


def comparison_json(before: Run, after: Run, comparison: Comparison) -> str:
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
        "paired": _paired(only.paired) if only else None,
        "targets": [
            {
                "targets": it.targets,
                "mean_before": _rounded(it.mean_before),
                "mean_after": _rounded(it.mean_after),
                "paired": _paired(it.paired),
            }
            for it in comparison.figures
        ],
        "got_worse": comparison.got_worse,
        "case_text_changed": comparison.text_changed,
        "counts": {it.value: comparison.counts[it] for it in Change},
        "cases": [
            _case(it)
            for it in comparison.cases
            if it.change is not Change.UNCHANGED or it.text_changed
        ],
    }
    return json.dumps(result, indent=2) + "\n"


def _paired(paired: Paired | None) -> dict[str, Any] | None:
    if paired is None:
        return None
    return {
        "n": paired.n,
        "mean_before": _rounded(paired.mean_before),
        "mean_after": _rounded(paired.mean_after),
        "mean_difference": _rounded(paired.mean_difference),
        "rose": paired.rose,
        "fell": paired.fell,
        "interval_95": paired.interval,
        "interval_method": paired.method,
        "sign_test_p": paired.sign_test_p,
    }


def _case(change: CaseChange) -> dict[str, Any]:
    group = change.after or change.before
    return {
        "eval_id": change.case,
        "suite": group.first.suite or None if group else None,
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
        "verdict": group.verdict.value,
        "score": _rounded(group.score),
        "target": group.first.target or None,
        "repeats": len(group.answers),
    }


def _rounded(value: float | None) -> float | None:
    """Return a number without floating-point noise."""
    return None if value is None else round(value, 12)
