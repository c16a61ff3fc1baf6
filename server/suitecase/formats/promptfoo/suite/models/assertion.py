"""An assertion, and a set of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from suitecase.formats.promptfoo.suite.models.field_types import (
    CODE,
    OR_REFERENCE,
    PROMPT_FILES,
    AnyKeys,
    Number,
    PromptfooModel,
    SingleProvider,
    kind_of,
)
from suitecase.schema.key_roles import Defines, File, Kind
from suitecase_evaluators.schema.field_role import FieldRole


class Assertion(PromptfooModel):
    """Something an answer has to meet."""

    type: Annotated[str, FieldRole.GRADER_TYPE] = Field(
        description="What is checked. `not-` in front of most types inverts the result.",
        examples=["contains", "llm-rubric", "not-icontains"],
    )
    value: Annotated[Any, FieldRole.GRADED_BY] = Field(
        default=None,
        description="What the answer is compared with or graded by; the type determines its kind. "
        "Templates such as `{{name}}` are filled with the test's variables; `file://` takes the value "
        "from a file.",
        examples=["Paris"],
    )
    threshold: Annotated[Number | None, FieldRole.GRADER_THRESHOLD] = Field(
        default=None,
        description="The score to reach; for `cost`, `latency`, `levenshtein`, `perplexity` and "
        "`similar:euclidean` the most that is allowed, in the type's own unit.",
        examples=[0.8],
    )
    weight: Number | None = Field(
        default=None,
        description="How much the score counts in the test's mean. Default 1. With 0 the assertion is "
        "shown, but passes whatever the answer is.",
        examples=[2],
    )
    metric: Annotated[str | None, Defines(Kind.SCORE_NAME, is_filled=True)] = Field(
        default=None,
        description="The name of the metric that the score is added to; results show its mean.",
        examples=["Tone"],
    )
    provider: SingleProvider | None = Field(
        default=None,
        description="The model that grades, for types that a model or an embedding grades. Default: "
        "`options.provider` of the test, else one that promptfoo chooses by the API keys in the "
        "environment.",
        examples=["openai:gpt-4.1"],
    )
    rubricPrompt: Annotated[  # noqa: N815 - promptfoo's name
        Annotated[
            Annotated[str, Tag("<text>")]
            | Annotated[list[Any], Tag("<list>")]
            | Annotated[dict[str, Any], Tag("<mapping>")],
            Discriminator(kind_of),
        ]
        | None,
        File(PROMPT_FILES, holds="template"),
        FieldRole.PROMPT,
    ] = Field(
        default=None,
        description="The prompt that the grader gets instead of the default one, as text, as chat "
        "messages or as a `file://` path. `{{output}}` and `{{rubric}}` are filled in.",
        examples=["file://prompts/grade.txt"],
    )
    config: AnyKeys | None = Field(
        default=None,
        description="Your own settings; JavaScript and Python assertions get them as `context.config`.",
        examples=[{"maximum": 3}],
    )
    transform: Annotated[str | None, File(CODE), FieldRole.CODE] = Field(
        default=None,
        description="JavaScript that changes the answer before this assertion sees it, or a `file://` "
        "path of a function.",
        examples=["JSON.parse(output).answer"],
    )
    contextTransform: Annotated[str | None, File(CODE), FieldRole.CODE] = Field(  # noqa: N815 - promptfoo's name
        default=None,
        description="JavaScript that takes the context out of the answer, for the `context-` types. "
        "Default: the test's variable `context`.",
        examples=["output.citations.join('\\n')"],
    )
    alpha: Number | None = Field(
        default=None, description="For `meteor`: how much precision counts. Default 0.9."
    )
    beta: Number | None = Field(
        default=None,
        description="For `meteor`: how steeply the penalty grows with scattered matches. Default 3.",
    )
    gamma: Number | None = Field(
        default=None,
        description="For `meteor`: the largest penalty for scattered matches. Default 0.5.",
    )


class AssertSet(PromptfooModel):
    """Assertions that pass or fail as one."""

    type: Annotated[Literal["assert-set"], FieldRole.GRADER_TYPE] = Field(
        description="Makes this a set of assertions."
    )
    assert_: Annotated[list[Assertion], OR_REFERENCE] = Field(
        alias="assert", description="The assertions of the set; a set cannot contain another."
    )
    threshold: Number | None = Field(
        default=None,
        description="The weighted mean score that the set has to reach. Without it, every assertion "
        "of the set has to pass.",
        examples=[0.5],
    )
    weight: Number | None = Field(
        default=None,
        description="How much the set counts in the test's mean. Default 1.",
        examples=[2],
    )
    metric: Annotated[str | None, Defines(Kind.SCORE_NAME, is_filled=True)] = Field(
        default=None,
        description="The name of the metric that the set's score is added to.",
        examples=["Format"],
    )
    config: AnyKeys | None = Field(
        default=None, description="Settings of the set. promptfoo 0.121.20 does not use them."
    )


def _entry_kind(value: object) -> str:
    is_set = isinstance(value, dict) and value.get("type") == "assert-set"
    return "<assert-set>" if is_set else "<assertion>"


#: An item of `assert`.
AssertEntry = Annotated[
    Annotated[Assertion, Tag("<assertion>")] | Annotated[AssertSet, Tag("<assert-set>")],
    Discriminator(_entry_kind),
]
#: The value of `assert`.
AssertList = Annotated[list[AssertEntry], OR_REFERENCE]
