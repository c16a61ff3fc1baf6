"""Hovers on an evaluator's last result: hits, misses, reasons, and replies that could not be
parsed.
"""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.editor.markdown import code
from suitecase.editor.results import EvaluatorResult
from suitecase.editor.verdicts import cut, quote_worded, quoted, sign, votes_worded, worded
from suitecase_evaluators.answers.records.status import Status
from suitecase_evaluators.answers.score import Verdict, verdict_for

_MOST_POINTS = 12
#: How records explain the score of an unparsed reply, before the reasoning.
_NOTE = "The judge gave no readable verdict"
_END_OF_NOTE = "which counts as 0."


def evaluator_text(result: EvaluatorResult, *, stale: bool) -> str:
    """Return an evaluator's last result as Markdown."""
    facts = [f"Last: **{sign(result.status)} {worded(result)}**" + (" (stale)" if stale else "")]
    if result.judge:
        facts.append(f"judged by {code(result.judge)}")
    votes = votes_worded(result.confidence)
    if votes:
        facts.append(votes)
    quotes = "\n".join(f"- {quote_worded(quote)}" for quote in result.quotes)
    return "\n\n".join(filter(None, [" · ".join(facts), *what_was_said(result), quotes]))


def what_was_said(result: EvaluatorResult) -> Iterator[str]:
    """Yield what could not be graded, the hits and misses, and the reasoning, without repetition."""
    unread = tuple(f"[{it}] " for it in result.unread)
    misses = tuple(miss for miss in result.misses if not miss.startswith(unread))
    yield from filter(None, [trouble(result), _doubts(result), points(misses, result.hits)])
    for member in result.members:
        problems = " ".join(filter(None, [trouble(member), _doubts(member)]))
        if problems:
            yield f"{code(member.name)}: {problems}"
    reason = _reason(result)
    if result.gate_failed and "requires is not met" not in reason and _would_do(result.score):
        yield "Something required is missed, which fails the case whatever the score."
    if reason:
        yield quoted(reason)


def _would_do(score: float | None) -> bool:
    return score is not None and verdict_for(score) is not Verdict.FAIL


def trouble(result: EvaluatorResult) -> str:
    """Return why an evaluator could not grade, or could not parse its judge's reply; else empty."""
    times = f"{result.attempts} attempts" if result.attempts != 1 else "1 attempt"
    if result.status is Status.ERROR:
        after = f" (after {times})" if result.attempts else ""
        return f"**Could not grade**{after}: {quoted(result.error or 'no reason given')}"
    if not result.unreadable or any(member.unreadable for member in result.members):
        return ""
    if result.unread:
        unread_names = ", ".join(code(it) for it in result.unread)
        return (
            f"**The judge failed**: in {times} its reply could not be read in full. It says nothing "
            f"usable of {unread_names}, so the answer counts as not graded."
        )
    cause = f": {quoted(result.trouble)}" if result.trouble else ""
    return (
        f"**The judge failed**: in {times} it gave no verdict that could be read{cause}. The answer "
        "counts as not graded."
    )


def _doubts(result: EvaluatorResult) -> str:
    """Return why someone should review a grade; empty if there is no doubt."""
    return " ".join(f"**Look at this grade**: {quoted(doubt)}." for doubt in result.doubts)


def points(misses: tuple[str, ...], hits: tuple[str, ...]) -> str:
    """Return misses and hits as a list, misses first; empty if there are none."""
    lines = [f"- ✗ {quoted(miss)}" for miss in dict.fromkeys(misses)]
    lines += [f"- ✓ {quoted(hit)}" for hit in dict.fromkeys(hits)]
    more = len(lines) - _MOST_POINTS
    if more > 1:
        lines[_MOST_POINTS:] = [f"- and {more:,} more, see the log"]
    return "\n".join(lines)


def _reason(result: EvaluatorResult) -> str:
    """Return the reasoning for a score, unless it only repeats other lines."""
    reason = result.reasoning
    if result.unreadable and reason.startswith(_NOTE):
        _, separator, rest = reason.partition(_END_OF_NOTE)
        reason = rest.strip() if separator else ""
    first = result.members[0].name if result.members else None
    if first is not None and f"{first}: " in reason:
        # A composite repeats its members' reasons, which its hits and misses also state.
        reason = reason.partition(f"{first}: ")[0].strip(" ;")
    remaining = cut(reason)
    for point in sorted(map(cut, (*result.misses, *result.hits)), key=len, reverse=True):
        remaining = remaining.replace(point, "")
    return reason if remaining.strip(" ;,.") else ""
