"""Formatting numbers, times and changes for pages and text."""

from __future__ import annotations

from datetime import datetime

from suitecase.report.comparison import Change
from suitecase.text.plural import counted
from suitecase_evaluators.answers.score import shown_score

CHANGES = {
    Change.NEW_FAILURE: "new failures",
    Change.WORSE: "worse verdicts",
    Change.NO_LONGER_GRADED: "no longer graded",
    Change.SCORE_DOWN: "lower scores",
    Change.ONLY_BEFORE: "only before",
    Change.NEW_PASS: "new passes",
    Change.BETTER: "better verdicts",
    Change.NEWLY_GRADED: "newly graded",
    Change.SCORE_UP: "higher scores",
    Change.ONLY_AFTER: "only after",
    Change.UNCHANGED: "unchanged",
}

#: Singular forms, if they differ.
_ONE_CHANGE = {
    Change.NEW_FAILURE: "new failure",
    Change.WORSE: "worse verdict",
    Change.SCORE_DOWN: "lower score",
    Change.NEW_PASS: "new pass",
    Change.BETTER: "better verdict",
    Change.SCORE_UP: "higher score",
}


def changes_text(change: Change, number: int) -> str:
    """Return the number of cases with a change: `1 new failure`, `3 unchanged`."""
    return counted(number, _ONE_CHANGE.get(change, CHANGES[change]), CHANGES[change])


def score_text(score: float | None) -> str:
    """Return a score with two digits, or more if needed; a dash for None."""
    return "—" if score is None else shown_score(score)


def difference_text(difference: float | None, digits: int = 2) -> str:
    """Return a difference with its sign, which what rounds to 0 lacks; a dash for None."""
    if difference is None:
        return "—"
    text = f"{difference:+.{digits}f}"
    return text if float(text) else f"{0:.{digits}f}"


def p_text(p: float) -> str:
    """Return a p-value with three digits."""
    return f"{p:.3f}" if p >= 0.001 else "<0.001"


def percent_text(share: float | None) -> str:
    """Return a fraction as a percentage; a dash for None."""
    return "—" if share is None else f"{share:.0%}"


def count_text(number: float) -> str:
    """Return a whole number with thousands separators."""
    return f"{int(number):,}"


def cost_text(dollars: float) -> str:
    """Return US dollars; small amounts with four digits."""
    return f"${dollars:,.2f}" if dollars >= 1 or dollars == 0 else f"${dollars:.4f}"


def duration_text(milliseconds: float) -> str:
    """Return a time span: `7 ms`, `1.2 s`, `3 min 5 s`, `2 h 10 min`."""
    seconds = milliseconds / 1000
    if seconds < 1:
        return f"{milliseconds:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    if seconds < 3600:
        return f"{int(seconds // 60)} min {int(seconds % 60)} s"
    return f"{int(seconds // 3600)} h {int(seconds % 3600 // 60)} min"


def moment_text(moment: datetime) -> str:
    """Return a time to the second."""
    return moment.strftime("%Y-%m-%d %H:%M:%S UTC")


def listed(names: tuple[str, ...], most: int = 3) -> str:
    """Return the first names, and the number of the others."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")
