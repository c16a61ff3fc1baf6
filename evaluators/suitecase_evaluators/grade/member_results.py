"""The results of a composite's members, as records have them and as aggregators get them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.grade.judge.judging import HOW_JUDGED

#: The fields of a member's result that aggregators get.
_FOUND = frozenset(
    {"name", "type", "score", "weight", "verdict", "hits", "misses", "reasoning", "error"}
)


def member_record(member: EvaluatorConfig, score: Score) -> dict[str, Any]:
    """Return a member's result as records have it."""
    record: dict[str, Any] = {
        "name": member.name,
        "type": member.type,
        "score": score.score,
        "weight": member.weight,
        "verdict": score.verdict.value,
        "gate_failed": score.gate_failed,
        "hits": list(score.hits),
        "misses": list(score.misses),
        "reasoning": score.reasoning,
        "details": dict(score.details),
        "parse_failed": score.parse_failed,
        "attempts": score.attempts,
    }
    if score.confidence is not None:
        record["confidence"] = score.confidence
    if score.quotes is not None:
        record["quotes"] = [asdict(quote) for quote in score.quotes]
    if score.error is not None:
        record["error"] = score.error
    if score.sandbox is not None:
        record["sandbox"] = score.sandbox.value
    if score.request is not None:
        record["evaluator_provider_request"] = dict(score.request)
    return record


def without_judging(members: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the results of members as aggregators get them: without how judges were asked.

    A judge that reads the prompts and the raw replies of other judges pays for them, and may take
    what stands in them for its own instructions.
    """
    results: list[dict[str, Any]] = []
    for member in members:
        details = {name: it for name, it in member["details"].items() if name not in HOW_JUDGED}
        # A script may call what it likes `members`.
        if member["type"] == "composite":
            details["members"] = without_judging(details["members"])
        found = {name: it for name, it in member.items() if name in _FOUND}
        results.append({**found, "details": details})
    return results
