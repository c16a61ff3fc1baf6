"""How a suite is graded and released: its judges, the people who label answers, and its governance.

The descriptions are what hovers, the JSON Schemas and the documentation show.
"""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field

from suitecase.format.figure_keys import NonBlank
from suitecase_evaluators.grade.judge.config import MOST_VOTES
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.schema.model import Model
from suitecase_evaluators.text.unicode_forms import normalized_form

#: The probes of `calibrate`: changes of an answer, or of how it is asked, that should not turn a verdict.
Probe = Literal[
    "repeat", "item_order", "length", "layout", "authority", "injection", "empty", "order"
]
PROBES: tuple[str, ...] = get_args(Probe)
#: Keys of a case that a source may restrict.
Restricted = Literal[
    "input", "expected_output", "expected_outcome", "rubrics", "sidecar", "metadata"
]


def person_name(name: str) -> str:
    """Return the name of a person in the form in which names are compared and written.

    The same letters may be composed or decomposed, which depends on the keyboard and the system.
    """
    return normalized_form("NFC", name)


PersonName = Annotated[NonBlank, AfterValidator(person_name)]


class JudgeProtocol(Model):
    """How every judge of this name grades, and with which people's labels it was compared."""

    prompt: Annotated[NonBlank | None, FieldRole.PROMPT] = Field(
        default=None,
        description="The judge's prompt: the path of a text file, or the text itself. Default: the "
        "evaluator's own.",
        examples=["prompts/tone.md"],
    )
    target: Annotated[NonBlank | None, FieldRole.TARGET] = Field(
        default=None,
        description="The target that judges. Default: the evaluator's own.",
        examples=["judge"],
    )
    model: Annotated[NonBlank | None, FieldRole.MODEL] = Field(
        default=None,
        description="The model that judges, with its version, so that the judge stays the same.",
        examples=["openai/gpt-4.1-2025-04-14"],
    )
    temperature: float | None = Field(
        default=None, ge=0, le=2, description="The judge's sampling temperature, from 0 to 2."
    )
    max_output_tokens: int | None = Field(
        default=None, ge=1, description="The maximum length of a reply, in tokens."
    )
    references: Annotated[list[NonBlank] | None, FieldRole.REFERENCES] = Field(
        default=None,
        min_length=1,
        description="Files that the judge is shown as `{{ references }}`, such as the policy that answers "
        "have to follow.",
        examples=[["policy/refunds.md"]],
    )
    quotes: Literal["required"] | None = Field(
        default=None,
        description="`required`: for each rubric item that is met, the judge has to quote the answer. An "
        "item without a valid quote is not met.",
    )
    votes: int | None = Field(
        default=None,
        ge=1,
        le=MOST_VOTES,
        description="How often the judge is asked about each answer; the majority decides. Default 1.",
    )
    calibration: Annotated[NonBlank | None, FieldRole.FILE] = Field(
        default=None,
        description="The file that `suitecase calibrate` writes: how the judge compares with people. "
        "Figures such as `judges.NAME.kappa` and `corrected(...)` are computed from it.",
        examples=["labels/rubric.calibration.json"],
    )
    probes: list[Probe] | None = Field(
        default=None,
        min_length=1,
        description="The bias probes of `suitecase calibrate`: each changes the labelled answers, or how "
        "they are presented, in a way that should not change the verdict. Default: all that apply.",
        examples=[["repeat", "length", "injection"]],
    )


class HumanLabels(Model):
    """Who labels answers by the rubrics of an evaluator, and how differences are settled."""

    labels: list[Annotated[NonBlank, FieldRole.FILE]] = Field(
        min_length=1,
        description="The files with people's labels: CSV, JSON lines, or JSON exported by Label Studio or "
        "Argilla. `suitecase labels` writes the sheets.",
        examples=[["labels/rubric.csv"]],
    )
    raters: int = Field(
        default=2, ge=1, description="How many people label each answer. Default 2."
    )
    scale: Literal["ordinal", "interval"] = Field(
        default="ordinal",
        description="How differences between scores count in Krippendorff's alpha: `ordinal` by rank, "
        "`interval` by distance. Checks are always nominal.",
    )
    adjudication: Literal["adjudicator", "majority", "median"] = Field(
        default="majority",
        description="What counts if raters differ: the value of an adjudicator, the value that most "
        "raters gave, or the median.",
    )
    adjudicators: list[PersonName] | None = Field(
        default=None,
        min_length=1,
        description="The people who decide if raters differ, for `adjudication: adjudicator`.",
        examples=[["eva"]],
    )


class Source(Model):
    """Where cases come from, under which license, and what of them may not be published."""

    slice: NonBlank | None = Field(
        default=None,
        description="The slice or tag of the cases of this source. Default: the cases with "
        "`metadata.source` set to its name.",
        examples=["thesaurus"],
    )
    license: NonBlank | None = Field(
        default=None,
        description="The SPDX identifier of its license, or `LicenseRef-NAME` for another one.",
        examples=["CC-BY-4.0"],
    )
    notice: NonBlank | None = Field(
        default=None, description="The notice that everything published with these cases shows."
    )
    restricted: list[Restricted] | None = Field(
        default=None,
        min_length=1,
        description="The parts of its cases that `suitecase publish` redacts, wherever their text occurs.",
        examples=[["expected_output", "rubrics"]],
    )


class Deprecation(Model):
    """A case that was in a released version and is not any more."""

    id: NonBlank = Field(description="The id of the case.", examples=["refund-2023"])
    version: NonBlank | None = Field(
        default=None, description="The last version that had it.", examples=["2026.1"]
    )
    reason: NonBlank = Field(
        description="Why it was removed.", examples=["The policy it asked about has ended"]
    )
    replacement: NonBlank | None = Field(
        default=None,
        description="The id of the case that replaces it, if there is one.",
        examples=["refund-late"],
    )


class Governance(Model):
    """Who wrote the suite, under which licenses it stands, and what a published bundle says of it."""

    license: NonBlank | None = Field(
        default=None,
        description="The SPDX identifier of the suite's license, or `LicenseRef-NAME`.",
        examples=["CC-BY-4.0"],
    )
    notice: NonBlank | None = Field(
        default=None, description="The notice that everything published shows."
    )
    authors: list[PersonName] | None = Field(
        default=None, description="Who writes the cases.", examples=[["ann", "ben"]]
    )
    model_team: list[PersonName] | None = Field(
        default=None,
        description="Who builds what is evaluated. Nobody should be in both lists.",
        examples=[["dora"]],
    )
    canary: NonBlank | None = Field(
        default=None,
        description="A unique text, such as a UUID, by which the suite can be found in training data.",
        examples=["5b0f0e9e-2d0c-4a53-9a33-6a1f0a2b7c11"],
    )
    sources: dict[str, Source] | None = Field(
        default=None,
        description="Where cases come from, by name.",
        examples=[{"shoe-thesaurus": {"license": "CC-BY-4.0"}}],
    )
    deprecated: list[Deprecation] | None = Field(
        default=None, description="Cases that earlier versions had."
    )
    sampling: NonBlank | None = Field(
        default=None, description="How the cases were chosen, for the appendix of a bundle."
    )
    limitations: NonBlank | None = Field(
        default=None, description="What the suite does not measure, for the appendix of a bundle."
    )
