"""The `context` that promptfoo scripts receive: the row that is graded."""

from __future__ import annotations

from typing import Any

from suitecase_evaluators.grade.evaluator import Subject
from suitecase_evaluators.targets.scripting.rows import provider_of, test_of


def context_of(subject: Subject, config: Any) -> dict[str, Any]:
    """Return the context of an assertion, by promptfoo's keys.

    Args:
        subject: the answer.
        config: the assertion's `config`; None if it has none.
    """
    row = subject.row
    context: dict[str, Any] = {
        "prompt": subject.question if row is None or row.prompt is None else row.prompt,
        "vars": {} if row is None else dict(row.variables),
        "test": {} if row is None else test_of(row),
        "provider": {"id": ""} if row is None else provider_of(row),
        "providerResponse": _response(subject),
    }
    if config is not None:
        context["config"] = config
    return context


def output_of(subject: Subject) -> Any:
    """Return the answer of the target: a string, or the object that a script returned."""
    return subject.candidate_answer if subject.output is None else subject.output


def _response(subject: Subject) -> dict[str, Any]:
    response: dict[str, Any] = {"output": output_of(subject)}
    trace = subject.trace
    if trace is not None:
        if trace.token_usage is not None:
            used = trace.token_usage
            response["tokenUsage"] = {
                "prompt": used.input,
                "completion": used.output,
                "total": used.input + used.output,
            }
        if trace.cost_usd is not None:
            response["cost"] = trace.cost_usd
        if trace.duration_ms is not None:
            response["latencyMs"] = trace.duration_ms
    if subject.finish_reason is not None:
        response["finishReason"] = subject.finish_reason
    return response
