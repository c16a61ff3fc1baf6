"""The form of `RESULTS.figures.jsonl`, for its JSON schema; `figures_file` writes and reads it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from suitecase_evaluators.schema.model import Model

Unit = Literal["share", "ms", "usd", "tokens", "coefficient"]


class RunLine(Model):
    """The first line: what the figures are of."""

    kind: Literal["run"]
    schema_version: Literal[1] = Field(description="The version of this format.")
    results: str = Field(description="The name of the results file.")
    suite: str = Field(description="The suite, relative to the root of its workspace.")
    answers: int | None = Field(ge=0, description="The number of answers in the results.")
    measured_at: str = Field(description="When they were measured: UTC, ISO 8601.")


class CorrectionFields(Model):
    """What a corrected rate was made of."""

    uncorrected: float = Field(description="The rate as the judge measured it.")
    sensitivity: float = Field(description="The share of good answers that the judge passes.")
    specificity: float = Field(description="The share of bad answers that the judge fails.")
    good: int = Field(ge=0, description="The number of labelled answers that people pass.")
    bad: int = Field(ge=0, description="The number of labelled answers that people fail.")


class FigureFields(Model):
    """A figure of one target, with its confidence interval."""

    target: str = Field(description="The target whose answers it is about.")
    figure: str = Field(description="The figure as gates name it, such as `pass_rate`.")
    slice: str | None = Field(
        description="The slice; null for all cases, and if the figure names its slices itself."
    )
    unit: Unit = Field(
        description="The unit: `share` is a share from 0 to 1, `coefficient` a number from -1 to 1."
    )
    cases: int = Field(
        ge=0,
        description="The number of cases that it is computed from; of answers, if `of` is `label`.",
    )
    units: int = Field(ge=0, description="The number of units of resampling: cases, or groups.")
    estimate: float | None = Field(description="The figure; null if no case has it.")
    low: float | None = Field(description="The lower bound of the interval; null if there is none.")
    high: float | None = Field(
        description="The upper bound of the interval; null if there is none."
    )
    confidence: float = Field(gt=0, lt=1, description="The confidence level of the interval.")
    method: str | None = Field(description="How the interval was computed; null if there is none.")
    no_interval: str | None = Field(description="Why there is no interval; null if there is one.")
    seed: int | None = Field(description="The seed of the resampling; null if nothing was drawn.")
    resamples: int | None = Field(description="The number of resamples; null if nothing was drawn.")
    missing: int = Field(
        ge=0,
        description="Answers that should count and are missing: errors, judges' replies that could not be "
        "read, repeats without a record.",
    )
    not_evaluated: int = Field(
        ge=0, description="Answers that had nothing to be graded by, which count nowhere."
    )
    lowest: float | None = Field(
        description="The figure with every missing answer counted as the lowest value; null if it has no "
        "value."
    )
    highest: float | None = Field(
        description="The figure with every missing answer counted as the highest value; null if there is no "
        "highest value."
    )
    values: dict[str, float | None] = Field(
        default_factory=dict,
        description="Of `min`, `max` and `gap`: the figure of each value of the facet.",
    )
    p: float | None = Field(
        default=None,
        description="Of `gap`: the probability of a gap of this size by chance, from a permutation test.",
    )
    of: Literal["case", "label"] = Field(
        default="case",
        description="`label`: it is computed from labelled answers or a calibration, not from the answers "
        "of the run.",
    )
    correction: CorrectionFields | None = Field(
        default=None, description="Of `corrected(...)`: what the figure was made of."
    )


class FigureLine(FigureFields):
    """A figure."""

    kind: Literal["figure"]


class GateLine(Model):
    """What was decided about a gate."""

    kind: Literal["gate"]
    gate: str = Field(description="The gate as it is written in the suite.")
    target: str = Field(description="The target whose answers it is about.")
    outcome: Literal["holds", "fails", "undecided"] = Field(
        description="`undecided`: missing answers could change it, or it cannot be measured."
    )
    clear: bool = Field(
        description="The whole interval is on the same side of the threshold as the estimate."
    )
    level: Literal["error", "warning"] = Field(description="Its level in the suite.")
    safety: bool = Field(
        description="It is about a safety slice, so that the run fails with it whatever its level is."
    )
    value: float | None = Field(description="What is compared; null if it was not measured.")
    threshold: float | None = Field(description="The threshold.")
    reason: str = Field(description="Why it is so; may be empty.")
    needed: str = Field(description="What would make it hold, or decide it; may be empty.")
    cases: list[str] = Field(description="Cases that do not meet the threshold, the worst first.")
    more_cases: int = Field(ge=0, description="The number of further such cases.")
    missing_cases: list[str] = Field(description="Cases with missing answers.")
    why: str | None = Field(description="The reason for the threshold in the suite.")
    line: int | None = Field(description="The line of the gate in the suite, from 1.")
    figure: FigureFields | None = Field(description="What was measured.")


FiguresLine = Annotated[RunLine | FigureLine | GateLine, Field(discriminator="kind")]
