"""The fields of a record, from the prompt and the evaluators' results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from suitecase.run.record_model import KEPT_OF_TEXT, EvaluatorResult, JudgeUsage, RecordedMessage
from suitecase_evaluators.combine import case_score
from suitecase_evaluators.evaluator import EvaluatorConfig
from suitecase_evaluators.message import ToolCall
from suitecase_evaluators.records.answered_by import AnsweredBy
from suitecase_evaluators.score import Score, Verdict
from suitecase_evaluators.targets.redactor import Redactor

#: An evaluator, its score, its judge's usage, and what replied.
Graded = tuple[EvaluatorConfig, Score, JudgeUsage | None, list[AnsweredBy] | None]


def recorded_message(
    role: str, text: str, redact: Redactor, tool_calls: Sequence[ToolCall] = ()
) -> RecordedMessage:
    """Return a message for a record; a text that is too long is truncated.

    Secrets are redacted first: a truncated secret would not be recognized.
    """
    text = redact(text)
    left_out = len(text) - KEPT_OF_TEXT
    if left_out > 0:
        text = f"{text[:KEPT_OF_TEXT]}... ({left_out:,} more characters left out)"
    calls = [it.model_dump(mode="json", exclude_none=True) for it in tool_calls]
    return RecordedMessage(role=role, content=text, tool_calls=calls or None)


def evaluator_result(
    config: EvaluatorConfig,
    score: Score,
    usage: JudgeUsage | None = None,
    judged_by: list[AnsweredBy] | None = None,
) -> EvaluatorResult:
    """Return the record of an evaluator's score."""
    return EvaluatorResult(
        name=config.name,
        type=config.type,
        score=score.score,
        weight=config.weight,
        verdict=score.verdict,
        hits=list(score.hits),
        misses=list(score.misses),
        reasoning=score.reasoning,
        details=dict(score.details),
        evaluator_provider_request=None if score.request is None else dict(score.request),
        parse_failed=score.parse_failed,
        attempts=score.attempts,
        gate_failed=score.gate_failed,
        judge_usage=usage,
        judged_by=judged_by,
        sandbox=score.sandbox,
        error=score.error,
    )


def graded_fields(results: Sequence[Graded]) -> dict[str, Any]:
    """Return the fields of a record that follow from the evaluators' results."""
    combined = case_score([(config.weight, score) for config, score, *_ in results])
    scores = [(config.name, score) for config, score, *_ in results]
    return {
        "score": combined.score,
        "verdict": combined.verdict,
        "hits": [hit for _, score in scores for hit in score.hits],
        "misses": [miss for _, score in scores for miss in score.misses],
        "reasoning": _joined_reasoning([(name, score.reasoning) for name, score in scores]),
        "evaluator_results": [evaluator_result(*it) for it in results],
        "gate_failed": combined.gate_failed,
        "parse_failed": any(score.parse_failed for _, score in scores),
        "attempts": sum(score.attempts for _, score in scores),
        "error": _errors([(name, score.error) for name, score in scores]),
    }


def ungraded_fields(error: str) -> dict[str, Any]:
    """Return the fields of a case that failed before grading."""
    return {
        "score": None,
        "verdict": Verdict.ERROR,
        "hits": [],
        "misses": [],
        "reasoning": "",
        "evaluator_results": [],
        "gate_failed": False,
        "parse_failed": False,
        "attempts": 0,
        "error": error,
    }


def _joined_reasoning(parts: Sequence[tuple[str, str]]) -> str:
    reasons = [(name, text) for name, text in parts if text]
    if len(parts) == 1:
        return parts[0][1]
    return "\n".join(f"{name}: {text}" for name, text in reasons)


def _errors(parts: Sequence[tuple[str, str | None]]) -> str | None:
    broken = [f"evaluator `{name}`: {text}" for name, text in parts if text]
    return "\n".join(broken) or None
