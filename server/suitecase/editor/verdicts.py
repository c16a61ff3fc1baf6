"""Results as text for lenses, marks and hovers."""

from __future__ import annotations

import re
from datetime import datetime

from suitecase.editor.markdown import code, escaped
from suitecase.editor.results import CaseResult, EvaluatorResult, NotRun
from suitecase_evaluators.answers.records.graded import RecordedQuote
from suitecase_evaluators.answers.records.status import Status
from suitecase_evaluators.answers.score import shown_score

_SIGNS = {
    Status.PASS: "✓",
    Status.REHEARSED: "○",
    Status.BORDERLINE: "~",
    Status.FAIL: "✗",
    Status.JUDGE_FAILED: "!",
    Status.NOT_EVALUATED: "?",
    Status.ERROR: "!",
}
#: Longer texts of a judge are truncated in hovers and diagnostics; the results file has all of it.
LONGEST = 600
#: Lenses are read at a glance; the hover has the whole message.
_LONGEST_IN_LENS = 60
#: The target or evaluator that a message is about.
_ABOUT = re.compile(r"^(?:targets?|evaluators?) `[^`]*`(?:, `[^`]*`)*: ")
_SENTENCE = re.compile(r"(?<=\S)[.;:] ")


def sign(status: Status) -> str:
    """Return the sign of a status."""
    return _SIGNS[status]


def short(result: CaseResult, *, stale: bool) -> str:
    """Return a result for a lens: `✗ fail 0.40 (stale)`, `! error: the target cannot be reached`.

    Where a stand-in answered or judged, it says so: `○ rehearsed 1.00 (no model)`.
    """
    words = worded(result)
    failed = result.status in (Status.ERROR, Status.JUDGE_FAILED)
    if failed and (cause := error_of(result)):
        words += f": {brief(cause)}"
    by = result.stood_in if not failed else None
    remarks = [it for it in (result.counted_rows, by, "stale" if stale else None) if it is not None]
    return f"{_SIGNS[result.status]} {words}" + (f" ({', '.join(remarks)})" if remarks else "")


def worded(result: CaseResult | EvaluatorResult) -> str:
    """Return status and score: `pass 0.92`, `not evaluated`; where nobody graded, no score.

    A case whose answer was cut off says so: `pass 0.92, cut off`.
    """
    beside = ", cut off" if isinstance(result, CaseResult) and result.cut_off else ""
    if result.score is None or not result.status.graded:
        return result.status.word + beside
    return f"{result.status.word} {shown_score(result.score)}{beside}"


def with_stand_in(result: CaseResult) -> str:
    """Return status and score, and in a rehearsal what took the place of a model."""
    shown = result.rehearsed and result.status.graded
    return worded(result) + (f" ({result.stood_in})" if shown else "")


def error_of(result: CaseResult) -> str:
    """Return why a case could not be graded, an error or a judge's failure of several evaluators once."""
    of_evaluators: dict[str, list[str]] = {}
    for evaluator in result.evaluators:
        if text := evaluator.error or _failure(evaluator):
            of_evaluators.setdefault(text, []).append(f"`{evaluator.name}`")
    if not of_evaluators:
        return result.error or result.reasoning
    parts: list[str] = []
    for text, names in of_evaluators.items():
        who = f"evaluator {names[0]}" if len(names) == 1 else f"evaluators {', '.join(names)}"
        parts.append(text if text.startswith("evaluator `") else f"{who}: {text}")
    return "; ".join(parts)


def _failure(evaluator: EvaluatorResult) -> str:
    """Return how a judge failed; empty if none did."""
    if evaluator.status is not Status.JUDGE_FAILED:
        return ""
    within = dict.fromkeys(filter(None, map(_failure, evaluator.members)))
    trouble = f": {evaluator.trouble}" if evaluator.trouble else ""
    return "; ".join(within) or f"the judge gave no verdict that could be read{trouble}"


def not_run_short(reason: NotRun) -> str:
    """Return why something was not run, for a lens: `not run: 1 error`."""
    if reason.kind == "unsound":
        return "not run: 1 error" if reason.errors == 1 else f"not run: {reason.errors} errors"
    return f"not run: {brief(reason.reason)}"


def brief(text: str) -> str:
    """Return the beginning of a message for a lens, without the name of what it is about."""
    line = _ABOUT.sub("", " ".join(text.split()), count=1)
    sentence = _SENTENCE.split(line, maxsplit=1)[0].rstrip(".")
    if len(sentence) <= _LONGEST_IN_LENS:
        return sentence
    return sentence[: _LONGEST_IN_LENS - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


def changed(result: CaseResult) -> str:
    """Return what has changed since a stale result: the case, or the inputs of its grade."""
    return (
        "a file or a setting it is graded by has changed"
        if result.outdated
        else ("the test has changed" if result.rows else "the case has changed")
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
