"""Verdicts in words: for the title of a lens, for a hover."""

from __future__ import annotations

import re
from datetime import datetime

from suitecase.ide.results import CaseResult
from suitecase_evaluators.score import Verdict

_SIGNS = {
    Verdict.PASS: "✓",
    Verdict.BORDERLINE: "~",
    Verdict.FAIL: "✗",
    Verdict.NOT_EVALUATED: "?",
    Verdict.ERROR: "!",
}
#: Longer texts of a judge are cut in hovers and diagnostics; the results file has all of it.
LONGEST = 600
_MARKDOWN = re.compile(r"([\\`*_\[\]<>!|#~$])")


def short(result: CaseResult, *, stale: bool) -> str:
    """Return a verdict as a lens shows it: `✗ fail 0.40 (stale)`."""
    return f"{_SIGNS[result.verdict]} {worded(result)}" + (" (stale)" if stale else "")


def worded(result: CaseResult) -> str:
    """Return verdict and score: `pass 0.92`, `not evaluated`."""
    name = result.verdict.value.replace("_", " ")
    return name if result.score is None else f"{name} {result.score:.2f}"


def hover_text(result: CaseResult, *, stale: bool, now: datetime) -> str:
    """Return the last result of a case as Markdown."""
    facts = [f"**{_SIGNS[result.verdict]} {worded(result)}**", age(now, result.at)]
    if result.target:
        facts.append(f"answered by {_code(result.target)}")
    if result.judges:
        facts.append("judged by " + ", ".join(_code(it) for it in result.judges))
    if result.cost_usd is not None:
        facts.append(cost(result.cost_usd))
    parts = [" · ".join(facts)]
    if stale:
        parts.append(f"**Stale**: {changed(result)} since.")
    if result.error:
        parts.append(quoted(result.error))
    parts += [_listed("Hits", result.hits), _listed("Misses", result.misses)]
    if len(result.evaluators) > 1:
        rows = [
            f"- {_code(it.name)} ({it.type}): {it.verdict.value.replace('_', ' ')}"
            + ("" if it.score is None else f" {it.score:.2f}")
            for it in result.evaluators
        ]
        parts.append("Evaluators:\n\n" + "\n".join(rows))
    if result.reasoning:
        parts.append(quoted(result.reasoning))
    return "\n\n".join(part for part in parts if part)


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
    return _MARKDOWN.sub(r"\\\1", cut(text))


def _code(name: str) -> str:
    return f"`{name.replace('`', '')}`"


def _listed(title: str, points: tuple[str, ...]) -> str:
    return f"{title}:\n\n" + "\n".join(f"- {quoted(it)}" for it in points) if points else ""
