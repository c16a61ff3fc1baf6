"""Verdicts as text for lenses, marks and hovers."""

from __future__ import annotations

from datetime import datetime

from suitecase.ide.markdown import code, escaped
from suitecase.ide.results import CaseResult, EvaluatorResult
from suitecase_evaluators.records.graded import RecordedQuote
from suitecase_evaluators.score import Verdict, shown_score

_SIGNS = {
    Verdict.PASS: "✓",
    Verdict.BORDERLINE: "~",
    Verdict.FAIL: "✗",
    Verdict.NOT_EVALUATED: "?",
    Verdict.ERROR: "!",
}
#: Longer texts of a judge are truncated in hovers and diagnostics; the results file has all of it.
LONGEST = 600


def sign(verdict: Verdict) -> str:
    """Return the sign of a verdict."""
    return _SIGNS[verdict]


def short(result: CaseResult, *, stale: bool) -> str:
    """Return a verdict for a lens: `✗ fail 0.40 (stale)`."""
    return f"{_SIGNS[result.verdict]} {worded(result)}" + (" (stale)" if stale else "")


def worded(result: CaseResult | EvaluatorResult) -> str:
    """Return verdict and score: `pass 0.92`, `not evaluated`."""
    name = result.verdict.value.replace("_", " ")
    return name if result.score is None else f"{name} {shown_score(result.score)}"


def changed(result: CaseResult) -> str:
    """Return what has changed since a stale result: the case, or the inputs of its grade."""
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
    """Format US dollars with two significant digits: `$0.0031`, `$1.20`."""
    if usd == 0:
        return "no cost"
    return f"${usd:.2f}" if usd >= 0.1 else f"${usd:.2g}" if usd >= 0.0001 else "below $0.0001"


def votes_worded(confidence: float | None) -> str | None:
    """Return how many votes of a judge agree: `67% of the votes agree`; None for a single vote."""
    return None if confidence is None else f"{confidence:.0%} of the votes agree"


def quote_worded(quote: RecordedQuote) -> str:
    """Return what a judge quoted for a rubric, in Markdown: `tone`: "So sorry"."""
    text = f"\u201c{quoted(quote.quote)}\u201d" if quote.quote else "no quote"
    return f"{code(quote.item)}: {text}" + ("" if quote.in_answer else " (not in the answer)")


def cut(text: str) -> str:
    """Return a text on one line, truncated."""
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def quoted(text: str) -> str:
    """Return a text of a judge or a target on one line, escaped from Markdown."""
    return escaped(cut(text))
