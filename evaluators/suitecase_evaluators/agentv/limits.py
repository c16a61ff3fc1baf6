"""The limits of `execution-metrics`: the score is the share of limits that are kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.answers.trace_summary import calls_of
from suitecase_evaluators.grade.evaluator import EvaluatorConfig, Services, Subject, evaluator


class LimitsConfig(EvaluatorConfig):
    """The answer kept to limits. Unknown calls and durations count as exceeded; unknown tokens and costs cannot be graded."""

    type: Literal["agentv:limits"]
    max_tool_calls: float | None = Field(
        default=None, description="The maximum number of tool calls."
    )
    max_tokens: float | None = Field(
        default=None, description="The maximum number of tokens in total."
    )
    max_cost_usd: float | None = Field(default=None, description="The maximum cost, in dollars.")
    max_duration_ms: float | None = Field(
        default=None, description="The maximum duration, in milliseconds."
    )


#: What is limited that a provider reports, or does not: that says nothing about the answer.
_BILLED = ("tokens", "cost in USD")


@evaluator(LimitsConfig)
async def limits(config: LimitsConfig, subject: Subject, services: Services) -> Score:
    """Compare the values that the target reports with the limits."""
    hits: list[str] = []
    misses: list[str] = []
    for what, found, limit in _measured(config, subject):
        if limit is None:
            continue
        if found is None and what in _BILLED:
            return Score.failed_to_grade(
                f"the target does not report {what}; use a target that does, or leave the limit out"
            )
        if found is None:
            misses.append(f"the target does not report {what}")
        elif found <= limit:
            hits.append(f"{what}: {found:.10g}, within {limit:.10g}")
        else:
            misses.append(f"{what}: {found:.10g}, more than {limit:.10g}")
    count = len(hits) + len(misses)
    return Score.graded(
        len(hits) / count if count else 0.0,
        hits=tuple(hits),
        misses=tuple(misses),
        reasoning="; ".join((*misses, *hits)),
    )


def _measured(
    config: LimitsConfig, subject: Subject
) -> Iterator[tuple[str, float | None, float | None]]:
    """Yield what is limited, its value if that is known, and the limit."""
    trace = subject.trace
    calls = calls_of(trace, subject.output_messages)
    usage = trace.token_usage if trace else None
    yield "calls of tools", None if calls is None else len(calls), config.max_tool_calls
    yield "tokens", None if usage is None else usage.total, config.max_tokens
    yield "cost in USD", trace.cost_usd if trace else None, config.max_cost_usd
    yield "milliseconds", trace.duration_ms if trace else None, config.max_duration_ms
