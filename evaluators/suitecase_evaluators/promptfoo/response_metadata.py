"""Assertions on the metadata of a response: latency, cost and finish reason."""

from __future__ import annotations

from typing import Literal

from suitecase_evaluators.evaluator import Services, Subject, evaluator
from suitecase_evaluators.json_values import show_json
from suitecase_evaluators.promptfoo.assertion import (
    AssertionConfig,
    passed_or_failed,
    unusable,
)
from suitecase_evaluators.score import Score


class LatencyConfig(AssertionConfig):
    """The answer took at most `threshold` milliseconds."""

    type: Literal["promptfoo:latency"]


class CostConfig(AssertionConfig):
    """The answer cost at most `threshold` dollars."""

    type: Literal["promptfoo:cost"]


class FinishReasonConfig(AssertionConfig):
    """The model stopped for this reason."""

    type: Literal["promptfoo:finish-reason"]


@evaluator(LatencyConfig)
async def latency(config: LatencyConfig, subject: Subject, services: Services) -> Score:
    """Compare the time the target reports."""
    taken = subject.trace.duration_ms if subject.trace else None
    return _limited(config, "took", taken, "ms", "how long the answer took")


@evaluator(CostConfig)
async def cost(config: CostConfig, subject: Subject, services: Services) -> Score:
    """Compare the cost the target reports."""
    spent = subject.trace.cost_usd if subject.trace else None
    return _limited(config, "cost", spent, "USD", "what the answer cost")


def _limited(
    config: AssertionConfig, verb: str, value: float | None, unit: str, unknown: str
) -> Score:
    most = config.threshold
    if most is None:
        return Score.failed_to_grade(f"`{config.written_type}` needs a `threshold`")
    if value is None:
        return Score.failed_to_grade(f"the target does not report {unknown}")
    within = "within" if value <= most else "more than"
    # Clocks have more digits than anyone reads.
    shown = round(value, 3) if unit == "ms" else value
    return passed_or_failed(
        config, value <= most, f"the answer {verb} {shown:.10g} {unit}, {within} {most:.10g}"
    )


@evaluator(FinishReasonConfig)
async def finish_reason(config: FinishReasonConfig, subject: Subject, services: Services) -> Score:
    """Compare the reason that the target reports; case is ignored."""
    if not isinstance(config.value, str):
        return unusable(config, "a string")
    reason = subject.finish_reason
    if not reason:
        return passed_or_failed(config, False, "the target does not report why the answer ended")
    return passed_or_failed(
        config,
        config.value.lower() == reason.lower(),
        f"the answer ended by {show_json(reason)}, expected {show_json(config.value)}"
        if config.value.lower() != reason.lower()
        else f"the answer ended by {show_json(reason)}",
    )
