"""A test, the default of all tests, and what stands among tests."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    ModelWrapValidatorHandler,
    Tag,
    model_validator,
)

from suitecase.formats.promptfoo.suite.models.assertion import AssertList
from suitecase.formats.promptfoo.suite.models.field_types import (
    CODE,
    DATA,
    GRADERS,
    OR_REFERENCE,
    PROMPT_FILES,
    TEXTS,
    AnyKeys,
    ChosenPrompts,
    ChosenProviders,
    Description,
    Label,
    Number,
    PromptfooModel,
    SingleProvider,
    Switch,
    TestsFile,
    Times,
    kind_of,
)
from suitecase.schema.key_roles import Defines, File, Kind, SentTo
from suitecase_evaluators.schema.field_role import FieldRole


class FactualityScores(PromptfooModel):
    """What each finding of `factuality` scores, 0 to 1."""

    subset: Number | None = Field(
        default=None, description="The answer says a part of the expected facts. Default 1."
    )
    superset: Number | None = Field(
        default=None, description="The answer says all expected facts, and more. Default 1."
    )
    agree: Number | None = Field(
        default=None, description="The answer says exactly the expected facts. Default 1."
    )
    disagree: Number | None = Field(
        default=None, description="The answer contradicts the expected facts. Default 0."
    )
    differButFactual: Number | None = Field(  # noqa: N815 - promptfoo's name
        default=None,
        description="The answer differs, but not in facts. Default 1.",
    )


class TestOptions(PromptfooModel):
    """How a test is sent and graded. Other keys are passed on to the provider."""

    __test__ = False
    model_config = ConfigDict(extra="allow")

    provider: SingleProvider | None = Field(
        default=None,
        description="The model that grades assertions such as `llm-rubric`; or one for each of `text`, "
        "`embedding`, `classification` and `moderation`. Default: one that promptfoo chooses by the API "
        "keys in the environment.",
        examples=["openai:gpt-4.1", {"embedding": "openai:embeddings:text-embedding-3-small"}],
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
        SentTo(GRADERS),
    ] = Field(
        default=None,
        description="The prompt that graders get instead of the default one, as text, as chat messages "
        "or as a `file://` path. `{{output}}` and `{{rubric}}` are filled in.",
        examples=["file://prompts/grade.txt"],
    )
    factuality: FactualityScores | None = Field(
        default=None, description="What each finding of `factuality` scores."
    )
    prefix: str | None = Field(
        default=None, description="A text that is put in front of every prompt."
    )
    suffix: str | None = Field(default=None, description="A text that is put behind every prompt.")
    transform: Annotated[str | None, File(CODE), FieldRole.CODE] = Field(
        default=None,
        description="JavaScript that changes the answer before it is graded, or a `file://` path of a "
        "function. It sees `output` and `context`.",
        examples=["JSON.parse(output).answer"],
    )
    postprocess: Annotated[str | None, File(CODE), FieldRole.CODE] = Field(
        default=None, description="An older name of `transform`.", deprecated=True
    )
    transformVars: Annotated[  # noqa: N815 - promptfoo's name
        str | None, File(CODE), FieldRole.CODE_OF_VARIABLES
    ] = Field(
        default=None,
        description="JavaScript that changes the variables before prompts are filled, or a `file://` path "
        "of a function. It returns a mapping.",
        examples=["({...vars, city: vars.city.trim()})"],
    )
    storeOutputAs: Annotated[  # noqa: N815 - promptfoo's name
        str | None, Defines(Kind.TEST_VARIABLE)
    ] = Field(
        default=None,
        description="The name of a variable that later tests find this answer in. Tests then run one "
        "after the other.",
        examples=["draft"],
    )
    disableVarExpansion: Switch | None = Field(  # noqa: N815 - promptfoo's name
        default=None,
        description="With `true`, a variable that is a list is passed on as a list, and does not make one "
        "row for each item.",
    )
    disableConversationVar: Switch | None = Field(  # noqa: N815 - promptfoo's name
        default=None,
        description="With `true`, prompts do not get earlier turns as `_conversation`.",
    )
    disableDefaultAsserts: Switch | None = Field(  # noqa: N815 - promptfoo's name
        default=None,
        description="With `true`, the assertions of `defaultTest` do not grade this test.",
    )
    runSerially: Switch | None = Field(  # noqa: N815 - promptfoo's name
        default=None, description="With `true`, this test runs while no other does."
    )
    repeat: Times | None = Field(
        default=None, description="How often this test is asked. Default: as often as the others."
    )


_VariablesFile = Annotated[str, File(DATA, scheme="none", holds="variables")]
#: The variables of a test.
Variables = Annotated[
    Annotated[
        dict[Annotated[str, Defines(Kind.TEST_VARIABLE)], Annotated[Any, File(TEXTS)]],
        Tag("<mapping>"),
    ]
    | Annotated[_VariablesFile, Tag("<text>")]
    | Annotated[list[_VariablesFile], Tag("<list>")],
    Discriminator(kind_of),
]


class DefaultTest(PromptfooModel):
    """What all tests have in common."""

    description: Description | None = Field(
        default=None, description="What the tests are about, for readers; it is not used."
    )
    vars: Annotated[Variables | None, SentTo("")] = Field(
        default=None,
        description="Values that fill `{{name}}` in prompts and assertions. A list makes one row for each "
        "item; `file://` takes the value from a file.",
        examples=[{"city": "Paris", "language": ["French", "German"]}],
    )
    assert_: Annotated[AssertList | None, SentTo(GRADERS)] = Field(
        default=None,
        alias="assert",
        description="What the answer has to meet. Every assertion has to pass, or with `threshold` their "
        "weighted mean score has to reach it. Without any assertion, every answer passes.",
        examples=[[{"type": "icontains", "value": "Paris"}]],
    )
    threshold: Number | None = Field(
        default=None,
        description="The weighted mean of the scores, 0 to 1, at which the test passes; assertions that "
        "fail are then allowed.",
        examples=[0.8],
    )
    options: TestOptions | None = Field(
        default=None,
        description="How the test is sent and graded: the grader, transforms, prefix and suffix.",
        examples=[{"provider": "openai:gpt-4.1"}],
    )
    provider: SingleProvider | None = Field(
        default=None,
        description="The provider that answers this test, in place of the configuration's. The grader "
        "stands under `options.provider`.",
        examples=["anthropic:messages:claude-sonnet-4-5"],
    )
    providers: ChosenProviders | None = Field(
        default=None,
        description="The providers that are asked, by label or id; `*` stands for any text. Default: all.",
        examples=[["gpt-*"]],
    )
    prompts: ChosenPrompts | None = Field(
        default=None,
        description="The prompts that are sent, by label or id; `*` stands for any text. Default: all.",
        examples=[["short"]],
    )
    assertScoringFunction: Annotated[  # noqa: N815 - promptfoo's name
        str | None, File(CODE), FieldRole.CODE
    ] = Field(
        default=None,
        description="The `file://` path of a JavaScript or Python function that makes one score of the "
        "named metrics.",
        examples=["file://scoring.js"],
    )
    providerOutput: (  # noqa: N815 - promptfoo's name
        Annotated[
            Annotated[str, Tag("<text>")]
            | Annotated[list[Any], Tag("<list>")]
            | Annotated[dict[str, Any], Tag("<mapping>")],
            Discriminator(kind_of),
        ]
        | None
    ) = Field(
        default=None,
        description="An answer that is graded as it is; no provider is asked.",
        examples=["The capital is Paris."],
    )
    metadata: AnyKeys | None = Field(
        default=None,
        description="Your own data: results show it, and tests are chosen by it with "
        "`--filter-metadata`.",
        examples=[{"topic": "geography"}],
    )


class TestCase(DefaultTest):
    """Variables that fill the prompts, and what the answers have to meet."""

    __test__ = False

    description: Annotated[Label | None, Defines(Kind.TEST)] = Field(
        default=None,
        description="What the test is about; results show it.",
        examples=["names the capital"],
    )


class ListedTest(TestCase):
    """A mapping in a list of tests: a test, or where tests come from, which is not looked into."""

    __test__ = False

    @model_validator(mode="wrap")
    @classmethod
    def _may_be_generator(cls, value: Any, handler: ModelWrapValidatorHandler[BaseModel]) -> Any:
        is_generator = isinstance(value, dict) and "path" in value
        return cls.model_construct() if is_generator else handler(value)


class TestGenerator(PromptfooModel):
    """Tests that a script makes, or that a file has."""

    __test__ = False

    path: TestsFile = Field(
        description="The file of the tests, or the function of a script that returns them.",
        examples=["file://make_tests.py:make_tests"],
    )
    config: AnyKeys | None = Field(
        default=None, description="Settings that the function gets.", examples=[{"split": "test"}]
    )


def _test_kind(value: object) -> str:
    if isinstance(value, dict):
        return "<generator>" if "path" in value else "<test>"
    return "<text>" if isinstance(value, str) else "<test>"


#: An item of `tests`.
TestEntry = Annotated[
    Annotated[TestsFile, Tag("<text>")]
    | Annotated[TestCase, Tag("<test>")]
    | Annotated[TestGenerator, Tag("<generator>")],
    Discriminator(_test_kind),
]


#: The value of `tests`.
Tests = Annotated[
    Annotated[TestsFile, Tag("<text>")]
    | Annotated[list[TestEntry], Tag("<list>")]
    | Annotated[TestGenerator, Tag("<mapping>")],
    Discriminator(kind_of),
]


class Scenario(PromptfooModel):
    """Tests that run once for each of some sets of variables."""

    description: Description | None = Field(default=None, description="What the scenario is about.")
    config: Annotated[list[TestCase], OR_REFERENCE] = Field(
        description="Parts of tests: each is merged into every test of `tests`.",
        examples=[[{"vars": {"language": "French"}}]],
    )
    tests: Annotated[
        Annotated[TestsFile, Tag("<text>")] | Annotated[list[TestEntry], Tag("<list>")],
        Discriminator(kind_of),
    ] = Field(description="The tests, or the path of a file that has them.")
