"""The fields of a record, from the prompt, the answer and the evaluators' results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from suitecase.run.case_labels import recordable
from suitecase.run.case_prompt import CasePrompt
from suitecase.run.metered_target import JudgeLedger
from suitecase.run.record_model import (
    KEPT_OF_TEXT,
    EvaluatorResult,
    JudgeUsage,
    QuoteResult,
    RecordedMessage,
    RecordedRow,
    TokenUsageSummary,
    TraceSummary,
)
from suitecase_evaluators.answers.message import ToolCall
from suitecase_evaluators.answers.records.answered_by import AnsweredBy
from suitecase_evaluators.answers.row import Row
from suitecase_evaluators.answers.score import Score, Verdict
from suitecase_evaluators.answers.trace import Trace
from suitecase_evaluators.answers.trace_summary import trace_summary
from suitecase_evaluators.grade.combine import case_score, row_score
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.schema.model import json_values
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.target import Reply


@dataclass(frozen=True, slots=True)
class Judged:
    """The judge of an evaluator's score: what it used, who replied, and what it depends on."""

    usage: JudgeUsage | None = None
    judged_by: list[AnsweredBy] | None = None
    judge_hash: str | None = None
    reported_model: str | None = None
    requested_model: str | None = None


#: For an evaluator without a judge.
_NOT_JUDGED = Judged()

#: An evaluator, its score, and its judge.
Graded = tuple[EvaluatorConfig, Score, Judged]


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
    calls = [json_values(call, exclude_none=True) for call in tool_calls]
    return RecordedMessage(role=role, content=text, tool_calls=calls or None)


def evaluator_result(
    config: EvaluatorConfig,
    score: Score,
    judged: Judged,
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
        judge_usage=judged.usage,
        judged_by=judged.judged_by,
        judge_hash=judged.judge_hash,
        reported_model=judged.reported_model,
        requested_model=judged.requested_model,
        confidence=score.confidence,
        quotes=None
        if score.quotes is None
        else [QuoteResult.model_validate(asdict(quote)) for quote in score.quotes],
        sandbox=score.sandbox,
        error=score.error,
    )


def graded_fields(results: Sequence[Graded], row: Row | None = None) -> dict[str, Any]:
    """Return the fields of a record that follow from the evaluators' results.

    Args:
        row: the row of another tool's suite, which passes by the rule of that tool.
    """
    weighed = [(config.weight, score) for config, score, *_ in results]
    combined = case_score(weighed) if row is None else row_score(weighed, row.threshold)
    scores = [(config.name, score) for config, score, *_ in results]
    return {
        "score": combined.score,
        "verdict": combined.verdict,
        "hits": [hit for _, score in scores for hit in score.hits],
        "misses": [miss for _, score in scores for miss in score.misses],
        "reasoning": _joined_reasoning([(name, score.reasoning) for name, score in scores]),
        "evaluator_results": [evaluator_result(*result) for result in results],
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


def asked_fields(prompt: CasePrompt | None, redact: Redactor) -> dict[str, Any]:
    """Return the fields of a record with what the target was asked, and what was expected."""
    if prompt is None:
        return {}
    return {
        "input": [
            recorded_message(message.role, message.text, redact)
            for message in prompt.question.turns
        ],
        "expected_output": [
            recorded_message(message.role, message.text, redact, message.tool_calls or ())
            for message in prompt.expected_messages
        ],
    }


def row_fields(row: Row | None) -> RecordedRow | None:
    """Return the part of a record that describes the row of another tool's suite."""
    if row is None:
        return None
    return RecordedRow(
        dialect=row.dialect,
        test=row.test,
        case=row.case or None,
        prompt=row.prompt_label,
        variables=recordable(row.variables),
    )


def answer_fields(reply: Reply | None) -> dict[str, Any]:
    """Return the fields of a record with the answer; None is a target that gave none."""
    if reply is None:
        return {
            "candidate_answer": None,
            "output_messages": None,
            "trace_summary": None,
            "details": {},
        }
    messages = reply.output_messages
    says_more = len(messages) > 1 or any(message.tool_calls for message in messages)
    summary = trace_summary(trace_of(reply), messages)
    return {
        "candidate_answer": reply.text,
        "output_messages": [message.model_dump(exclude_none=True) for message in messages]
        if says_more
        else None,
        "trace_summary": None if summary is None else TraceSummary.model_validate(summary),
        "answered_by": reply.answered_by,
        "finish_reason": reply.finish_reason,
        "reported_model": reply.model,
        "seed": reply.seed,
        "details": dict(reply.details),
    }


def trace_of(reply: Reply) -> Trace | None:
    """Return what the target did to answer; None if it reports nothing of it."""
    figures = (reply.token_usage, reply.cost_usd, reply.duration_ms)
    if not reply.tool_calls and all(figure is None for figure in figures):
        return None
    return Trace(
        tool_calls=reply.tool_calls,
        calls_known=reply.calls_known,
        token_usage=reply.token_usage,
        cost_usd=reply.cost_usd,
        duration_ms=reply.duration_ms,
    )


def judged_of(ledger: JudgeLedger, judge_hash: str | None) -> Judged:
    """Return the judge of an evaluator, by its calls.

    Args:
        judge_hash: the hash of its judge, if it has one.
    """
    if not (ledger.questions or ledger.cached or ledger.answered_by):
        return _NOT_JUDGED  # most evaluators have no judge
    return Judged(
        usage_of(ledger),
        sorted(ledger.answered_by) or None,
        judge_hash if ledger.answered_by else None,
        ", ".join(sorted(ledger.models)) or None,
        ", ".join(sorted(ledger.requested_models)) or None,
    )


def usage_of(ledger: JudgeLedger) -> JudgeUsage | None:
    """Return what the calls of a judge used; None if there were none."""
    if not ledger.questions and not ledger.cached:
        return None
    tokens = ledger.tokens
    return JudgeUsage(
        questions=ledger.questions,
        cached=ledger.cached,
        token_usage=None
        if tokens is None
        else TokenUsageSummary(input=tokens.input, output=tokens.output),
        uncounted=ledger.uncounted,
        cost_usd=ledger.cost_usd,
        unpriced=ledger.unpriced,
    )


def _joined_reasoning(parts: Sequence[tuple[str, str]]) -> str:
    reasons = [(name, text) for name, text in parts if text]
    if len(parts) == 1:
        return parts[0][1]
    return "\n".join(f"{name}: {text}" for name, text in reasons)


def _errors(parts: Sequence[tuple[str, str | None]]) -> str | None:
    broken = [f"evaluator `{name}`: {text}" for name, text in parts if text]
    return "\n".join(broken) or None
