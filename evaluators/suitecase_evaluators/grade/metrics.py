"""Grades what an answer took: time, money, tokens. Nothing is asked but the target's own report."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import EvaluatorConfig, Services, Subject, evaluator


class LatencyConfig(EvaluatorConfig):
    """Scores 1 if the answer came within a time limit, else 0."""

    type: Literal["latency"]
    threshold: float = Field(
        ge=0, description="The maximum duration of the answer, in milliseconds."
    )


class CostConfig(EvaluatorConfig):
    """Scores 1 if the answer is within a budget, else 0."""

    type: Literal["cost"]
    budget: float = Field(ge=0, description="The maximum cost of the answer, in US dollars.")


class TokenUsageConfig(EvaluatorConfig):
    """Scores 1 if the answer is within all given limits of tokens, else 0."""

    type: Literal["token_usage"]
    max_total: int | None = Field(
        default=None, ge=0, description="The maximum number of input and output tokens together."
    )
    max_input: int | None = Field(
        default=None, ge=0, description="The maximum number of input tokens."
    )
    max_output: int | None = Field(
        default=None, ge=0, description="The maximum number of output tokens."
    )

    @model_validator(mode="after")
    def _has_a_limit(self) -> TokenUsageConfig:
        if self.max_total is None and self.max_input is None and self.max_output is None:
            raise PydanticCustomError(
                "token_usage_without_limit",
                "`token_usage` needs at least one of `max_total`, `max_input` and `max_output`",
            )
        return self


@evaluator(LatencyConfig)
async def latency(config: LatencyConfig, subject: Subject, services: Services) -> Score:
    """Compare the time the target reports."""
    duration = subject.trace.duration_ms if subject.trace else None
    if duration is None:
        return _not_reported("how long the answer took")
    return _limit_score([("took", "ms", duration, config.threshold)])


@evaluator(CostConfig)
async def cost(config: CostConfig, subject: Subject, services: Services) -> Score:
    """Compare the cost the target reports."""
    spent = subject.trace.cost_usd if subject.trace else None
    if spent is None:
        return _not_reported("what the answer cost")
    return _limit_score([("cost", "USD", spent, config.budget)])


@evaluator(TokenUsageConfig)
async def token_usage(config: TokenUsageConfig, subject: Subject, services: Services) -> Score:
    """Compare the tokens the target reports."""
    used = subject.trace.token_usage if subject.trace else None
    if used is None:
        return _not_reported("how many tokens the answer took")
    limits = (
        ("took", "tokens in all", used.total, config.max_total),
        ("read", "tokens", used.input, config.max_input),
        ("wrote", "tokens", used.output, config.max_output),
    )
    return _limit_score(
        [(verb, unit, value, limit) for verb, unit, value, limit in limits if limit is not None]
    )


def _not_reported(what: str) -> Score:
    return Score.failed_to_grade(
        f"the target does not report {what}; use a target that does, or leave this evaluator out"
    )


def _limit_score(limits: list[tuple[str, str, float, float]]) -> Score:
    """Return 1 where every value keeps to its limit, given as (verb, unit, value, limit)."""
    hits, misses = [], []
    for verb, unit, value, limit in limits:
        prefix = f"the answer {verb} {value:.10g} {unit}, "
        if value <= limit:
            hits.append(f"{prefix}within {limit:.10g}")
        else:
            misses.append(f"{prefix}more than {limit:.10g}")
    return Score.graded(
        0.0 if misses else 1.0,
        hits=tuple(hits),
        misses=tuple(misses),
        reasoning="; ".join((*misses, *hits)),
    )
