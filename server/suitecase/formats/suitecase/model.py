"""A suite as the checker, the runner and the editor understand it.

The descriptions are what hovers, the JSON Schemas and the documentation show.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

from suitecase.format.figure_keys import GateEntry, Intervals, NonBlank, Slice
from suitecase.format.protocols import Governance, HumanLabels, JudgeProtocol
from suitecase_evaluators.answers.message import Message, kind_of
from suitecase_evaluators.answers.rubric import RubricItem
from suitecase_evaluators.grade.registry import EvaluatorEntry
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.schema.model import Model

#: The keys of a suite that are about its figures.
FIGURE_KEYS = ("gates", "slices", "metrics", "intervals")
#: The keys of a suite that are about its judges, the people who label answers, and its releases.
PROTOCOL_KEYS = ("judges", "human", "governance")


class Execution(Model):
    """The target that answers, and the evaluators that grade."""

    target: Annotated[NonBlank | None, FieldRole.TARGET] = Field(
        default=None,
        description="The target that answers, by its name in `targets.yaml`. Default: the suite's.",
        examples=["support-bot"],
    )
    evaluators: list[EvaluatorEntry] | None = Field(
        default=None,
        description="The evaluators. Those of a case replace those of the suite. Without any, and "
        "without `rubrics`, one free-form `llm_judge` grades.",
        examples=[[{"name": "polite", "type": "icontains", "value": "please"}]],
    )


#: The largest seed: the largest integer that every JSON parser reads exactly.
LARGEST_SEED = 2**53
#: A case is asked no more often, whatever a record of another tool says.
MOST_REPEATS = 1_000_000


class SuiteExecution(Execution):
    """The target and the evaluators of all cases, and how often each case is asked."""

    repeats: int | None = Field(
        default=None,
        ge=1,
        le=MOST_REPEATS,
        description="How often each case is asked; `--repeat` overrides it. A case passes if it passes "
        "each time. Default 1. Editors ask once.",
        examples=[5],
    )
    seed: int | None = Field(
        default=None,
        ge=0,
        le=LARGEST_SEED,
        description="The seed that models get with the first question of each case; each repeat has the "
        "next number. A target's own `seed` overrides it. Judges do not get it.",
        examples=[17],
    )


class PromptFile(Model):
    """A text in a separate file."""

    file: Annotated[NonBlank, FieldRole.PROMPT_FILE] = Field(
        description="The file's path, relative to the suite."
    )


class Case(Model):
    """An input for the target, and what a good answer is."""

    id: NonBlank = Field(
        description="Identifies the case on the command line and in results; unique in the suite.",
        examples=["refund-late"],
    )
    expected_outcome: NonBlank = Field(
        description="What a good answer achieves. Judges grade by it.",
        examples=["Apologises, and says how the refund works"],
    )
    input_messages: list[Message] | None = Field(
        default=None,
        min_length=1,
        description="The conversation that the target answers.",
        examples=[[{"role": "user", "content": "Where is my parcel?"}]],
    )
    input: (
        Annotated[
            Annotated[str, Tag("<text>"), Field(pattern=r"\S")]
            | Annotated[list[Message], Tag("<list>"), Field(min_length=1)],
            Discriminator(kind_of),
        ]
        | None
    ) = Field(
        default=None,
        description="Short for `input_messages`: a text is one user message.",
        examples=["Where is my parcel?"],
    )
    expected_messages: list[Message] | None = Field(
        default=None,
        description="A reference answer, as messages.",
        examples=[[{"role": "assistant", "content": "It arrives tomorrow."}]],
    )
    expected_output: (
        Annotated[
            Annotated[str, Tag("<text>")]
            | Annotated[dict[str, Any], Tag("<mapping>")]
            | Annotated[list[Any], Tag("<list>")],
            Discriminator(kind_of),
        ]
        | None
    ) = Field(
        default=None,
        description="Short for `expected_messages`: a text is one assistant message, a mapping or "
        "a list without roles is its structured content.",
        examples=["It arrives tomorrow."],
    )
    rubrics: Annotated[list[RubricItem] | None, FieldRole.RUBRICS] = Field(
        default=None,
        description="What a judge checks, item by item. Becomes an `llm_judge` named `rubric` that runs "
        "first.",
        examples=[
            ["Says sorry", {"id": "refund", "expected_outcome": "Names the refund", "weight": 2}]
        ],
    )
    execution: Execution | None = Field(
        default=None,
        description="The target that answers this case, and the evaluators that grade it.",
    )
    evaluators: list[EvaluatorEntry] | None = Field(
        default=None,
        description="Short for `execution.evaluators`.",
        examples=[[{"name": "polite", "type": "icontains", "value": "please"}]],
    )
    evaluation_schema: Annotated[
        Annotated[
            Annotated[str, Tag("<text>")] | Annotated[dict[str, Any], Tag("<mapping>")],
            Discriminator(kind_of),
        ]
        | None,
        FieldRole.SCHEMA,
    ] = Field(
        default=None,
        description="The JSON Schema that the answer must match, as YAML or as JSON in a text. Used if the "
        "suite's `evaluation_mode` is `schema`; without it the case is not evaluated.",
        examples=[{"type": "object", "required": ["total"]}],
    )
    conversation_id: str | None = Field(
        default=None, description="Groups cases that are turns of one conversation."
    )
    sidecar: Any = Field(
        default=None, description="Data for `code_judge` scripts; the target does not see it."
    )
    metadata: dict[str, Any] | None = Field(
        default=None, description="Your own data; stored, but not used."
    )
    tags: list[str] | None = Field(
        default=None, description="Labels to select cases by.", examples=[["refund", "slow"]]
    )
    note: str | None = Field(default=None, description="A comment for readers of the suite.")
    description: str | None = Field(default=None, description="What the case is about.")

    @model_validator(mode="after")
    def _has_input(self) -> Case:
        if self.input_messages is None and self.input is None:
            raise PydanticCustomError("missing_input", "a case needs `input_messages` or `input`")
        return self


class SuiteHead(Model):
    """Everything in a suite except its cases."""

    description: str | None = Field(default=None, description="What the suite is about.")
    dataset: str | None = Field(
        default=None, description="The suite's name in results. Default: the file's base name."
    )
    version: Annotated[
        Any,
        Field(
            description="The suite's version. `suitecase lock` freezes the cases under it.",
            examples=["2026.2"],
        ),
    ] = None
    metadata: dict[str, Any] | None = Field(
        default=None, description="Your own data; stored, but not used."
    )
    schema_: str | None = Field(
        default=None,
        alias="$schema",
        description="The JSON Schema that editors validate the file with.",
    )
    execution: SuiteExecution | None = Field(
        default=None,
        description="The target and the evaluators of cases that do not set their own, and how often each "
        "case is asked.",
    )
    prompt: (
        Annotated[
            Annotated[str, Tag("<text>")] | Annotated[PromptFile, Tag("<mapping>")],
            Discriminator(kind_of),
        ]
        | None
    ) = Field(
        default=None,
        description="The system prompt, as text or as `{file: path}`. It is sent to targets, and to judges "
        "that grade by `evaluation_criteria`.",
        examples=["You are the support desk of a shoe shop."],
    )
    evaluation_mode: Literal["llm", "schema"] | None = Field(
        default=None,
        description="`llm` grades every case by `evaluation_criteria`, `schema` by the case's "
        "`evaluation_schema`.",
    )
    evaluation_criteria: str | None = Field(
        default=None,
        description="What a good answer is like, for `evaluation_mode: llm`. If it is empty, cases are not "
        "evaluated by it.",
        examples=["Short, friendly and correct"],
    )
    expected_schema: Annotated[
        Annotated[
            Annotated[str, Tag("<text>")] | Annotated[dict[str, Any], Tag("<mapping>")],
            Discriminator(kind_of),
        ]
        | None,
        FieldRole.SCHEMA,
    ] = Field(
        default=None,
        description="The JSON Schema that targets are told to follow. Independent of `evaluation_schema`, "
        "which grades.",
        examples=[{"type": "object", "required": ["total"]}],
    )
    gates: (
        Annotated[
            list[
                Annotated[
                    Annotated[str, Tag("<text>"), Field(pattern=r"\S"), FieldRole.GATE]
                    | Annotated[GateEntry, Tag("<mapping>")],
                    Discriminator(kind_of),
                ]
            ],
            Field(min_length=1),
        ]
        | None
    ) = Field(
        default=None,
        description="What the figures of a whole run must come to for it to pass. With gates, they "
        "decide the exit code of `suitecase run`, not the single cases.",
        examples=[["pass_rate >= 90%", "lower(pass_rate[critical]) >= 80%"]],
    )
    slices: dict[str, Slice] | None = Field(
        default=None,
        description="Parts of the suite whose figures are also reported. Each tag is a slice already.",
        examples=[{"critical": {"tags": "critical"}}],
    )
    metrics: dict[str, Annotated[str, Field(pattern=r"\S"), FieldRole.METRIC]] | None = Field(
        default=None,
        description="Figures that are weighted sums of others, by name.",
        examples=[{"quality": "0.6 * score + 0.4 * pass_rate"}],
    )
    intervals: Intervals | None = Field(
        default=None, description="How confidence intervals are computed."
    )
    judges: dict[str, JudgeProtocol] | None = Field(
        default=None,
        description="How judges grade, by the name of the evaluator: `rubric` for `rubrics`, `llm_judge` for "
        "the default judge. What is set here applies to every judge of that name.",
        examples=[{"rubric": {"model": "openai/gpt-4.1-2025-04-14", "temperature": 0}}],
    )
    human: dict[str, HumanLabels] | None = Field(
        default=None,
        description="People's labels of answers, by the name of the evaluator whose rubrics they use.",
        examples=[{"rubric": {"labels": ["labels/rubric.csv"]}}],
    )
    governance: Governance | None = Field(
        default=None,
        description="Authors, licenses, sources and deprecated cases, for releases of the suite.",
    )


class SuiteFile(SuiteHead):
    """An evaluation suite."""

    evalcases: list[Case] = Field(min_length=1, description="The cases.")
