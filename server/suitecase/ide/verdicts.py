"""Verdicts in words: for the title of a lens, a mark, a hover."""

from __future__ import annotations

from datetime import datetime

from suitecase.ide.markdown import escaped
from suitecase.ide.results import CaseResult, EvaluatorResult
from suitecase_evaluators.score import Verdict, shown_score

_SIGNS = {
    Verdict.PASS: "✓",
    Verdict.BORDERLINE: "~",
    Verdict.FAIL: "✗",
    Verdict.NOT_EVALUATED: "?",
    Verdict.ERROR: "!",
}
#: Longer texts of a judge are cut in hovers and diagnostics; the results file has all of it.
LONGEST = 600


def sign(verdict: Verdict) -> str:
    """Return the sign of a verdict."""
    return _SIGNS[verdict]


def short(result: CaseResult, *, stale: bool) -> str:
    """Return a verdict as a lens shows it: `✗ fail 0.40 (stale)`."""
    return f"{_SIGNS[result.verdict]} {worded(result)}" + (" (stale)" if stale else "")


def worded(result: CaseResult | EvaluatorResult) -> str:
    """Return verdict and score: `pass 0.92`, `not evaluated`."""
    name = result.verdict.value.replace("_", " ")
    return name if result.score is None else f"{name} {shown_score(result.score)}"


def changed(result: CaseResult) -> str:
    """Return what has changed since a stale result: the case, or what it is asked and graded by."""
    return (
        "a file or a setting it is graded by has changed"
        if result.outdated
        else ("the case has changed")
    )


def age(now: datetime, then: datetime) -> str:
    """Return how long ago something was."""
    minutes = int((now - then).total_seconds()) // 60
    if minutes < 1:
        return "just now"
    if minutes < 60:
        return f"{minutes} min ago"
    hours = minutes // 60
    return f"{hours} h ago" if hours < 48 else f"{hours // 24} days ago"


def cost(usd: float) -> str:
    """Return an amount of US dollars with two digits that say something: `$0.0031`, `$1.20`."""
    if usd == 0:
        return "no cost"
    return f"${usd:.2f}" if usd >= 0.1 else f"${usd:.2g}" if usd >= 0.0001 else "below $0.0001"


def cut(text: str) -> str:
    """Return a text on one line, and no longer than is read in passing."""
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def quoted(text: str) -> str:
    """Return a text of a judge or a target with nothing in it that Markdown would read."""
    return escaped(cut(text))
