"""What an answer has to meet, in the words of AgentV: assertions, texts that are rubrics, and sets."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Discriminator, Field, Tag, model_validator
from pydantic_core import PydanticCustomError

from suitecase.formats.agentv.suite.assertion_types import CLOSED_TYPES, RUBRIC_TYPES
from suitecase.formats.promptfoo.suite.models.field_types import (
    CODE,
    DATA,
    OR_REFERENCE,
    PROMPT_FILES,
    AnyKeys,
    Count,
    Number,
    PromptfooModel,
    SingleProvider,
    Switch,
    TextOrMapping,
    Texts,
    Times,
    kind_of,
)
from suitecase.schema.key_roles import Defines, File, Kind
from suitecase_evaluators.answers.rubric import LowerBound, Text
from suitecase_evaluators.promptfoo.assertion_type import NEGATION
from suitecase_evaluators.schema.field_role import FieldRole

#: A score that has to be reached.
Score = Annotated[float, Field(ge=0, le=1), OR_REFERENCE]
_Prompt = Annotated[
    Annotated[str, Tag("<text>")]
    | Annotated[list[Any], Tag("<list>")]
    | Annotated[dict[str, Any], Tag("<mapping>")],
    Discriminator(kind_of),
]


def _is_share(value: float) -> float:
    if not 0 < value <= 1:
        raise PydanticCustomError("minimum_of_rubric", "must be above 0 and at most 1", {"top": 1})
    return value


class RubricRange(PromptfooModel):
    """The scores from `min` to `max`, and what an answer must be like to get one of them."""

    score_range: Annotated[list[int], Field(min_length=2, max_length=2), OR_REFERENCE] = Field(
        description="`[min, max]`, whole numbers from 0 to 10, inclusive.", examples=[[0, 3]]
    )
    outcome: Text = Field(
        description="What an answer with a score in this range is like; the model reads it."
    )


_ScoreRanges = Annotated[
    Annotated[list[RubricRange], Tag("<list>")]
    | Annotated[dict[LowerBound, Text], Tag("<mapping>")],
    Discriminator(kind_of),
    OR_REFERENCE,
]
_Operator = Annotated[Literal["correctness", "contradiction"], OR_REFERENCE]


class RubricItem(PromptfooModel):
    """One thing that the model looks for.

    Without `score_ranges` it is met or not. With them the model gives it a whole number from 0 to 10.
    """

    id: str | None = Field(
        default=None,
        description="Identifies the item in the model's reply and in results; unique in its list. Default: "
        "`rubric-N`, with N counted from 1.",
        examples=["tone"],
    )
    outcome: str | None = Field(
        default=None,
        description="What the answer should do. Required if there are no `score_ranges`.",
        examples=["Says how to get the return label"],
    )
    criteria: str | None = Field(
        default=None, description="Another name of `outcome`.", deprecated=True
    )
    operator: _Operator | None = Field(
        default=None,
        description="`correctness`: the answer has to support the outcome. `contradiction`: it must not "
        "contradict it. Default `correctness`.",
    )
    weight: Annotated[float, Field(ge=0), OR_REFERENCE] | None = Field(
        default=None, description="How much the item counts in the score. Default 1.", examples=[2]
    )
    required: Switch | None = Field(
        default=None,
        description="Whether the assertion fails if the item is not met. Default `true`; with "
        "`score_ranges`, `min_score` counts instead.",
    )
    min_score: Annotated[float, AfterValidator(_is_share), OR_REFERENCE] | None = Field(
        default=None,
        description="The score, above 0 and up to 1, below which the item fails the assertion.",
        examples=[0.7],
    )
    score_ranges: _ScoreRanges | None = Field(
        default=None,
        description="What each score from 0 to 10 means. Either a list of `{score_range: [min, max], "
        "outcome}`, or a map from the lowest score of each range to its text. Together the ranges cover "
        "every score exactly once.",
        examples=[{"0": "Blames the customer", "4": "Is polite", "8": "Says sorry, and helps"}],
    )

    @model_validator(mode="after")
    def _has_text(self) -> RubricItem:
        fields = self.model_fields_set
        if fields and not fields & {"outcome", "criteria", "score_ranges"}:
            raise PydanticCustomError(
                "rubric_without_outcome",
                "a rubric needs `{one}` or `{other}`",
                {"one": "outcome", "other": "score_ranges"},
            )
        return self


#: An item of a list of rubrics: a text is a rubric that has to be met.
RubricEntry = Annotated[
    Annotated[str, Tag("<text>")]
    | Annotated[RubricItem, Tag("<mapping>")]
    | Annotated[list[Any], Tag("<list>")],
    Discriminator(kind_of),
]


def _whole_kind(value: object) -> str:
    """Return the kind of what a model grades by: a mapping that says no outcome is read by the prompt."""
    if isinstance(value, dict) and not value.keys() & {"outcome", "score_ranges"}:
        return "<other>"
    return kind_of(value)


#: What a model grades by: a text, a rubric or several.
Rubrics = Annotated[
    Annotated[str, Tag("<text>")]
    | Annotated[list[RubricEntry], Tag("<list>")]
    | Annotated[RubricItem, Tag("<mapping>")]
    | Annotated[dict[str, Any], Tag("<other>")],
    Discriminator(_whole_kind),
]


class Assertion(PromptfooModel):
    """Something an answer has to meet."""

    type: Annotated[str, FieldRole.GRADER_TYPE] = Field(
        description="What is checked. `not-` in front of a type inverts the result, as `negate: true` does.",
        examples=["contains", "llm-rubric", "trajectory:tool-used"],
    )
    value: Annotated[Any, FieldRole.GRADED_BY] = Field(
        default=None,
        description="What the answer is compared with or graded by; the type determines its kind. "
        "Templates such as `{{ name }}` are filled with the test's variables.",
        examples=["Paris"],
    )
    metric: Annotated[str | None, Defines(Kind.SCORE_NAME, is_filled=True)] = Field(
        default=None, description="The assertion's name in results.", examples=["tone"]
    )
    weight: Count | None = Field(
        default=None,
        description="How much the score counts in the test's mean. Default 1.",
        examples=[2],
    )
    required: Switch | None = Field(
        default=None, description="With `true`, the test fails if this assertion does."
    )
    min_score: Score | None = Field(
        default=None,
        description="The score, 0 to 1, that this assertion has to reach.",
        examples=[0.7],
    )
    negate: Switch | None = Field(
        default=None, description="With `true`, the assertion passes where it would fail."
    )
    threshold: Annotated[Number | None, FieldRole.GRADER_THRESHOLD] = Field(
        default=None,
        description="The score to reach, 0 to 1; for `latency` the most milliseconds.",
        examples=[0.8],
    )
    provider: SingleProvider | None = Field(
        default=None,
        description="The model or the agent that grades, by its label in `.agentv/providers.yaml`.",
        examples=["codex-grader"],
    )
    rubric_prompt: Annotated[
        _Prompt | None, File(PROMPT_FILES, holds="template"), FieldRole.PROMPT
    ] = Field(
        default=None,
        description="The prompt that the grader gets instead of the default one; `file://` names a file.",
        examples=["file://prompts/grade.md"],
    )
    prompt: Annotated[_Prompt | None, File(PROMPT_FILES, holds="template"), FieldRole.PROMPT] = (
        Field(
            default=None,
            description="What the grader is asked: a text, or the `file://` path of one.",
            examples=["file://graders/tone.md"],
        )
    )
    config: AnyKeys | None = Field(
        default=None, description="Your own settings; scripts and assertions of your own get them."
    )
    transform: Annotated[TextOrMapping | None, File(CODE), FieldRole.CODE] = Field(
        default=None, description="How the answer is changed before this assertion sees it."
    )
    assert_: Annotated[list[AssertEntry], OR_REFERENCE] | None = Field(
        default=None, alias="assert", description="The assertions of an `assert-set`."
    )
    id: str | None = Field(
        default=None, description="Identifies the assertion.", examples=["RETURNS_VALID_JSON"]
    )
    name: Annotated[str | None, Defines(Kind.SCORE_NAME, is_filled=True)] = Field(
        default=None, description="An older name of `metric`.", deprecated=True
    )
    criteria: Any = Field(
        default=None, description="What an answer of `rubrics` has to meet, as a list."
    )
    command: Texts | None = Field(
        default=None,
        description="The program of a `script`, with its arguments. It gets the case and the answer as "
        "JSON and writes a score.",
        examples=[["bun", "graders/check.ts"]],
    )
    flags: str | None = Field(
        default=None,
        description="For `regex`: the flags of JavaScript, such as `i` for letters of both cases.",
        examples=["i"],
    )
    cwd: str | None = Field(default=None, description="Where the program of a `script` starts.")
    target: Any = Field(
        default=None, description="Whether a `script` may call the target, and how often."
    )
    max_tool_calls: Count | None = Field(
        default=None, description="For `execution-metrics`: the most calls of tools."
    )
    max_llm_calls: Count | None = Field(
        default=None, description="For `execution-metrics`: the most calls of models."
    )
    max_tokens: Count | None = Field(
        default=None, description="For `execution-metrics`: the most tokens."
    )
    max_cost_usd: Count | None = Field(
        default=None, description="For `execution-metrics`: the highest cost, in dollars."
    )
    max_duration_ms: Count | None = Field(
        default=None, description="For `execution-metrics`: the longest time, in milliseconds."
    )
    target_exploration_ratio: Score | None = Field(
        default=None,
        description="For `execution-metrics`: the wanted share of calls that only read.",
    )
    exploration_tolerance: Count | None = Field(
        default=None,
        description="For `execution-metrics`: how far the share may be from `target_exploration_ratio`.",
    )
    budget: Count | None = Field(
        default=None, description="For `cost`: the highest cost, in dollars.", examples=[0.05]
    )
    max_total: Count | None = Field(
        default=None, description="For `token-usage`: the most tokens altogether."
    )
    max_input: Count | None = Field(
        default=None, description="For `token-usage`: the most tokens of the question."
    )
    max_output: Count | None = Field(
        default=None, description="For `token-usage`: the most tokens of the answer."
    )
    fields: list[Any] | None = Field(
        default=None, description="For `field-accuracy`: the fields that are compared."
    )
    aggregation: str | None = Field(
        default=None,
        description="For `field-accuracy`: `weighted_average` (the default) or `all_or_nothing`.",
    )
    max_steps: Times | None = Field(
        default=None, description="For `agent-rubric`: the most steps that the agent takes."
    )
    temperature: Number | None = Field(
        default=None, description="The temperature of the model that grades."
    )
    model: str | None = Field(default=None, description="The model that grades.")


class OpenAssertion(Assertion):
    """An assertion of a type that gets further keys: a script, or a type of your own."""

    model_config = ConfigDict(extra="allow")


class RubricAssertion(Assertion):
    """An assertion that a model grades by rubrics."""

    value: Annotated[Rubrics | None, FieldRole.GRADED_BY] = Field(
        default=None,
        description="What the model grades by: a text, or a list of rubrics with weights, minimum scores "
        "and score ranges. Templates such as `{{ name }}` are filled with the test's variables.",
        examples=["Answers politely"],
    )
    criteria: Rubrics | None = Field(
        default=None, description="What an answer of `rubrics` has to meet, as a list."
    )
    score_ranges: _ScoreRanges | None = Field(
        default=None,
        description="What each score from 0 to 10 means, where `value` is a text: a list of ranges, or a "
        "map from the lowest score of each to its text.",
        examples=[{"0": "Blames the customer", "4": "Is polite", "8": "Says sorry, and helps"}],
    )
    operator: _Operator | None = Field(
        default=None,
        description="Where `value` is a text: whether the answer has to support it (`correctness`) or "
        "must not contradict it (`contradiction`).",
    )


class IncludedAssertions(PromptfooModel):
    """The assertions of another file."""

    include: Annotated[str, File(DATA, scheme="none", or_name=True)] = Field(
        description="The file, or the name of a template of assertions.", examples=["tone"]
    )


def _entry_kind(value: object) -> str:
    if isinstance(value, str):
        return "<text>"
    if not isinstance(value, dict):
        return "<assertion>"
    if "include" in value and "type" not in value:
        return "<include>"
    written = value.get("type")
    name = written.removeprefix(NEGATION) if isinstance(written, str) else None
    if name in RUBRIC_TYPES:
        return "<rubrics>"
    return "<assertion>" if name is None or name in CLOSED_TYPES else "<open>"


#: An item of `assert`: a text is a rubric that a model grades by.
AssertEntry = Annotated[
    Annotated[str, Tag("<text>")]
    | Annotated[Assertion, Tag("<assertion>")]
    | Annotated[RubricAssertion, Tag("<rubrics>")]
    | Annotated[OpenAssertion, Tag("<open>")]
    | Annotated[IncludedAssertions, Tag("<include>")],
    Discriminator(_entry_kind),
]
#: The value of `assert`.
AssertList = Annotated[list[AssertEntry], OR_REFERENCE]

Assertion.model_rebuild()
RubricAssertion.model_rebuild()
OpenAssertion.model_rebuild()
