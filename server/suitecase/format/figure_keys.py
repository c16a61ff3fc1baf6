"""What a suite says about its figures: gates, slices and intervals.

The descriptions are what hovers, the JSON Schemas and the documentation show.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from suitecase_evaluators.answers.message import kind_of
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.schema.model import Model

NonBlank = Annotated[str, Field(pattern=r"\S")]


class GateEntry(Model):
    """A gate with its level and its reason."""

    gate: Annotated[NonBlank, FieldRole.GATE] = Field(
        description="A figure of the run compared with a threshold.",
        examples=["latency_ms <= 4000"],
    )
    level: Literal["error", "warning"] = Field(
        default="error",
        description="`error`: the run fails with the gate. `warning`: the gate is only reported.",
    )
    why: str | None = Field(
        default=None, description="The reason for the threshold, for those who read the report."
    )


class Mitigation(Model):
    """What was done about failures in a safety slice."""

    date: NonBlank = Field(description="When it was done.", examples=["2026-01-20"])
    what: NonBlank = Field(
        description="What was done.",
        examples=["The system prompt forbids repeating card numbers"],
    )
    evidence: Annotated[NonBlank | None, FieldRole.FILE] = Field(
        default=None,
        description="A file that shows its effect, such as the results of a run.",
        examples=["runs/2026-01-21.jsonl"],
    )


#: A text, or a list of them.
OneOrMore = Annotated[
    Annotated[str, Tag("<text>"), Field(pattern=r"\S")]
    | Annotated[list[NonBlank], Tag("<list>"), Field(min_length=1)],
    Discriminator(kind_of),
]


class Slice(Model):
    """Cases that figures are also reported for. If several selectors are given, all must match."""

    tags: OneOrMore | None = Field(
        default=None,
        description="Cases with this tag, or with one of these.",
        examples=["critical", ["critical", "routine"]],
    )
    id: OneOrMore | None = Field(
        default=None,
        description="Cases whose id matches this glob, or one of these.",
        examples=["refund-*"],
    )
    metadata: dict[str, Any] | None = Field(
        default=None,
        description="Cases whose `metadata` has this value under each of these keys, or one of "
        "the values of a list.",
        examples=[{"language": "de"}],
    )
    by: Annotated[str, Field(pattern=r"^metadata\.\S")] | None = Field(
        default=None,
        description="Makes a slice for each value of a key of the cases' `metadata`, called "
        "`NAME=VALUE`. A gate can compare them with `min`, `max` and `gap`.",
        examples=["metadata.language"],
    )
    safety: bool = Field(
        default=False,
        description="A safety slice needs a gate, which cannot be a warning, and which fails the run "
        "whatever the other gates say.",
    )
    sensitive: bool = Field(
        default=False,
        description="The slices stand for groups of people, whose figures a gate should compare. Needs "
        "`basis`.",
    )
    basis: NonBlank | None = Field(
        default=None,
        description="Why this attribute may lawfully be recorded and compared.",
        examples=["The language is that of the message; nothing about the person is kept"],
    )
    policy: Annotated[NonBlank | None, FieldRole.FILE] = Field(
        default=None,
        description="The file of the policy that the cases test.",
        examples=["policy/red-lines.md"],
    )
    mitigations: list[Mitigation] | None = Field(
        default=None, description="What was done about failures, for the report."
    )
    description: str | None = Field(default=None, description="What the cases have in common.")


class Intervals(Model):
    """How confidence intervals are computed."""

    groups: Annotated[str, Field(pattern=r"^(conversation_id|none|metadata\.\S.*)$")] = Field(
        default="conversation_id",
        description="Cases with the same value are resampled together, since their results are not "
        "independent: `conversation_id`, `metadata.KEY`, or `none`.",
        examples=["metadata.customer"],
    )
    confidence: float = Field(
        default=0.95, ge=0.5, le=0.999, description="The confidence level, from 0.5 to 0.999."
    )
    resamples: int = Field(
        default=10_000,
        ge=1_000,
        le=1_000_000,
        description="The number of bootstrap resamples.",
    )
    seed: int = Field(
        default=20_260_101,
        ge=0,
        description="The seed of the resampling: the same results have the same intervals.",
    )
