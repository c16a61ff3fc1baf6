"""What an evaluator said of the last answer of a case: hits, misses, why, and what it could not read."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.ide.markdown import code
from suitecase.ide.results import EvaluatorResult
from suitecase.ide.verdicts import cut, quoted, sign, worded
from suitecase_evaluators.score import Verdict, verdict_for

_MOST_POINTS = 12
#: How records explain the scores of unreadable replies, before the judge's reasoning.
_NOTE = "The judge gave no readable verdict"
_END_OF_NOTE = "which counts as 0."


def evaluator_text(result: EvaluatorResult, *, stale: bool) -> str:
    """Return what an evaluator said last, as Markdown."""
    facts = [f"Last: **{sign(result.verdict)} {worded(result)}**" + (" (stale)" if stale else "")]
    if result.judge:
        facts.append(f"judged by {code(result.judge)}")
    return "\n\n".join([" · ".join(facts), *what_was_said(result)])


def what_was_said(result: EvaluatorResult) -> Iterator[str]:
    """Yield what could not be graded, the hits and misses, and why; nothing twice."""
    unread = tuple(f"[{it}] " for it in result.unread)
    misses = tuple(it for it in result.misses if not it.startswith(unread))
    yield from filter(None, [trouble(result), _doubts(result), points(misses, result.hits)])
    for member in result.members:
        said = " ".join(filter(None, [trouble(member), _doubts(member)]))
        if said:
            yield f"{code(member.name)}: {said}"
    reason = _reason(result)
    if result.gate_failed and "requires is not met" not in reason and _would_do(result.score):
        yield "Something required is missed, which fails the case whatever the score."
    if reason:
        yield quoted(reason)


def _would_do(score: float | None) -> bool:
    return score is not None and verdict_for(score) is not Verdict.FAIL


def trouble(result: EvaluatorResult) -> str:
    """Return what kept an evaluator from grading, or from reading its judge; empty for nothing."""
    times = f"{result.attempts} attempts" if result.attempts != 1 else "1 attempt"
    if result.verdict is Verdict.ERROR:
        after = f" (after {times})" if result.attempts else ""
        return f"**Could not grade**{after}: {quoted(result.error or 'no reason given')}"
    if not result.unreadable or any(it.unreadable for it in result.members):
        return ""
    if result.unread:
        named = ", ".join(code(it) for it in result.unread)
        return (
            f"**The judge's reply could not be read in full** in {times}: it says nothing usable "
            f"of {named}, which counts as 0."
        )
    why = f": {quoted(result.trouble)}" if result.trouble else ""
    return f"**The judge's reply could not be read** in {times}, which counts as 0{why}."


def _doubts(result: EvaluatorResult) -> str:
    """Return why somebody should look at a grade; empty where nothing is doubtful."""
    return " ".join(f"**Look at this grade**: {quoted(it)}." for it in result.doubts)


def points(misses: tuple[str, ...], hits: tuple[str, ...]) -> str:
    """Return misses and hits as a list, misses first; empty where there are none."""
    told = [f"- ✗ {quoted(it)}" for it in dict.fromkeys(misses)]
    told += [f"- ✓ {quoted(it)}" for it in dict.fromkeys(hits)]
    more = len(told) - _MOST_POINTS
    if more > 1:
        told[_MOST_POINTS:] = [f"- and {more:,} more, which the log of the run has"]
    return "\n".join(told)


def _reason(result: EvaluatorResult) -> str:
    """Return why a score is what it is, as far as nothing else says it."""
    reason = result.reasoning
    if result.unreadable and reason.startswith(_NOTE):
        _, found, rest = reason.partition(_END_OF_NOTE)
        reason = rest.strip() if found else ""
    first = result.members[0].name if result.members else None
    if first is not None and f"{first}: " in reason:
        # A composite tells what its members said, which its hits and misses tell too.
        reason = reason.partition(f"{first}: ")[0].strip(" ;")
    left = cut(reason)
    for said in sorted(map(cut, (*result.misses, *result.hits)), key=len, reverse=True):
        left = left.replace(said, "")
    return reason if left.strip(" ;,.") else ""
