"""What an answer has to meet, in the words of AgentV: assertions, texts that are rubrics, and sets."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Discriminator, Field, Tag

from suitecase.formats.agentv.suite.assertion_types import CLOSED_TYPES
from suitecase.formats.promptfoo.suite.assertions.assertion_types import NEGATION
from suitecase.formats.promptfoo.suite.models.field_types import (
    OR_REFERENCE,
    AnyKeys,
    Count,
    Number,
    PromptfooModel,
    Switch,
    TextOrMapping,
    Texts,
    Times,
    kind_of,
)

#: A score that has to be reached.
Score = Annotated[float, Field(ge=0, le=1), OR_REFERENCE]
_Prompt = Annotated[
    Annotated[str, Tag("<text>")]
    | Annotated[list[Any], Tag("<list>")]
    | Annotated[dict[str, Any], Tag("<mapping>")],
    Discriminator(kind_of),
]


class Assertion(PromptfooModel):
    """Something an answer has to meet."""

    type: str = Field(
        description="What is checked. `not-` in front of a type inverts the result, as `negate: true` does.",
        examples=["contains", "llm-rubric", "trajectory:tool-used"],
    )
    value: Any = Field(
        default=None,
        description="What the answer is compared with or graded by; the type determines its kind. "
        "Templates such as `{{ name }}` are filled with the test's variables.",
        examples=["Paris"],
    )
    metric: str | None = Field(
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
    threshold: Number | None = Field(
        default=None,
        description="The score to reach, 0 to 1; for `latency` the most milliseconds.",
        examples=[0.8],
    )
    provider: TextOrMapping | None = Field(
        default=None,
        description="The model or the agent that grades, by its label in `.agentv/providers.yaml`.",
        examples=["codex-grader"],
    )
    rubric_prompt: _Prompt | None = Field(
        default=None,
        description="The prompt that the grader gets instead of the default one; `file://` names a file.",
        examples=["file://prompts/grade.md"],
    )
    prompt: _Prompt | None = Field(
        default=None,
        description="What the grader is asked: a text, or the `file://` path of one.",
        examples=["file://graders/tone.md"],
    )
    config: AnyKeys | None = Field(
        default=None, description="Your own settings; scripts and assertions of your own get them."
    )
    transform: TextOrMapping | None = Field(
        default=None, description="How the answer is changed before this assertion sees it."
    )
    assert_: Annotated[list[AssertEntry], OR_REFERENCE] | None = Field(
        default=None, alias="assert", description="The assertions of an `assert-set`."
    )
    id: str | None = Field(
        default=None, description="Identifies the assertion.", examples=["RETURNS_VALID_JSON"]
    )
    name: str | None = Field(
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


class IncludedAssertions(PromptfooModel):
    """The assertions of another file."""

    include: str = Field(
        description="The file, or the name of a template of assertions.", examples=["tone"]
    )


def _entry_kind(value: object) -> str:
    if isinstance(value, str):
        return "<text>"
    if not isinstance(value, dict):
        return "<assertion>"
    if "include" in value and "type" not in value:
        return "<include>"
    name = value.get("type")
    closed = not isinstance(name, str) or name.removeprefix(NEGATION) in CLOSED_TYPES
    return "<assertion>" if closed else "<open>"


#: An item of `assert`: a text is a rubric that a model grades by.
AssertEntry = Annotated[
    Annotated[str, Tag("<text>")]
    | Annotated[Assertion, Tag("<assertion>")]
    | Annotated[OpenAssertion, Tag("<open>")]
    | Annotated[IncludedAssertions, Tag("<include>")],
    Discriminator(_entry_kind),
]
#: The value of `assert`.
AssertList = Annotated[list[AssertEntry], OR_REFERENCE]

Assertion.model_rebuild()
OpenAssertion.model_rebuild()
