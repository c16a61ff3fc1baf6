"""Assertions on the metadata of a response: latency, cost, finish reason and perplexity."""

from __future__ import annotations

from typing import Final, Literal

from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import Services, Subject
from suitecase_evaluators.promptfoo.assertion import (
    AssertionConfig,
    passed_or_failed,
    unusable,
)
from suitecase_evaluators.promptfoo.assertion_type import TEXT, AssertionType, Scale
from suitecase_evaluators.promptfoo.grader import Fields, NotConvertibleError, grader
from suitecase_evaluators.text.json_values import show_json


class LatencyConfig(AssertionConfig):
    """The answer took at most `threshold` milliseconds. Answers from the cache cannot be graded."""

    type: Literal["promptfoo:latency"]


class CostConfig(AssertionConfig):
    """The answer cost at most `threshold` dollars."""

    type: Literal["promptfoo:cost"]


class FinishReasonConfig(AssertionConfig):
    """Why the model stopped: `stop`, `length`, `content_filter` or `tool_calls`."""

    type: Literal["promptfoo:finish-reason"]


def _converted(config: LatencyConfig | CostConfig) -> Fields:
    if config.threshold is None or config.threshold < 0:
        raise NotConvertibleError(
            f"`{config.written_type}` needs a `threshold` that is not negative"
        )
    if isinstance(config, CostConfig):
        return {"type": "cost", "budget": config.threshold}
    return {"type": "latency", "threshold": config.threshold}


@grader(
    LatencyConfig,
    AssertionType(
        example="{type: latency, threshold: 5000}",
        graded_by="measure",
        threshold=Scale(maximum=None, unit="milliseconds", required=True, is_limit=True),
        threshold_in_tables=0.75,
        rank=120,
    ),
    convert=_converted,
)
async def latency(config: LatencyConfig, subject: Subject, services: Services) -> Score:
    """Compare the time the target reports."""
    taken = subject.trace.duration_ms if subject.trace else None
    return _limited(config, "took", taken, "ms", "how long the answer took")


@grader(
    CostConfig,
    AssertionType(
        example="{type: cost, threshold: 0.002}",
        graded_by="measure",
        threshold=Scale(maximum=None, unit="dollars", required=True, is_limit=True),
        threshold_in_tables=0.75,
        rank=130,
    ),
    convert=_converted,
)
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


@grader(
    FinishReasonConfig,
    AssertionType(
        example="{type: finish-reason, value: stop}",
        graded_by="measure",
        values=TEXT,
        value_required=True,
    ),
)
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


PERPLEXITY: Final = AssertionType(
    name="perplexity",
    description="The perplexity of the answer is at most `threshold`; the provider has to return "
    "log probabilities.",
    example="{type: perplexity, threshold: 1.5}",
    graded_by="measure",
    not_run="it needs log probabilities, which targets do not report",
    threshold=Scale(maximum=None, unit="perplexity", is_limit=True),
    threshold_in_tables=0.75,
)

PERPLEXITY_SCORE: Final = AssertionType(
    name="perplexity-score",
    description="The perplexity of the answer, as a score from 0 to 1.",
    example="{type: perplexity-score, threshold: 0.5}",
    graded_by="measure",
    not_run="it needs log probabilities, which targets do not report",
    threshold=Scale(),
    threshold_in_tables=0.75,
)
