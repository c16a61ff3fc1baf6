"""A test of a suite of AgentV, and the default of all tests."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import ConfigDict, Discriminator, Field, Tag

from suitecase.formats.agentv.suite.models.assertion import AssertList, Score
from suitecase.formats.promptfoo.suite.models.field_types import (
    CODE,
    DATA,
    PROMPT_FILES,
    TEXTS,
    AnyKeys,
    Count,
    Description,
    Label,
    PromptfooModel,
    SingleProvider,
    Switch,
    TestsFile,
    TextOrMapping,
    Times,
    kind_of,
)
from suitecase.schema.key_roles import Defines, File, Kind, ReadAs, RefersTo, Under
from suitecase_evaluators.schema.field_role import FieldRole

_Anything = Annotated[
    Annotated[str, Tag("<text>")]
    | Annotated[list[Any], Tag("<list>")]
    | Annotated[dict[str, Any], Tag("<mapping>")],
    Discriminator(kind_of),
]
#: Any file, which AgentV leaves out with a warning if it is not there.
INPUT_FILES: Final = File(("",), "the question is sent without it", scheme="none")
#: The options of a test that are more than settings.
_OPTIONS: Final = Under(
    {
        "transform": (File(CODE), FieldRole.CODE),
        "transform_vars": (File(CODE), FieldRole.CODE_OF_VARIABLES),
        "postprocess": (File(CODE), FieldRole.CODE),
        "rubric_prompt": (File(PROMPT_FILES, holds="template"), FieldRole.PROMPT),
        "provider": (FieldRole.TARGET,),
        "store_output_as": (Defines(Kind.TEST_VARIABLE),),
    }
)
_Removed = Field(default=None, description="AgentV 5 does not read it any more.", deprecated=True)


class Repeats(PromptfooModel):
    """How often a test is asked, and what its result is."""

    count: Times = Field(description="How often.", examples=[3])
    strategy: Literal["pass_any", "pass_all", "mean", "confidence_interval"] | None = Field(
        default=None, description="When the test passes."
    )
    early_exit: Switch | None = Field(
        default=None, description="Whether to stop once the result is certain."
    )
    cost_limit_usd: Count | None = Field(
        default=None, description="The highest cost of all repeats, in dollars."
    )


class RunOverrides(PromptfooModel):
    """How one test is run, in place of what the suite says."""

    threshold: Score | None = Field(default=None, description="The score to reach, 0 to 1.")
    repeat: Repeats | None = Field(default=None, description="How often the test is asked.")
    timeout_seconds: Count | None = Field(default=None, description="The longest time of the test.")
    budget_usd: Count | None = Field(default=None, description="The highest cost, in dollars.")


class Turn(PromptfooModel):
    """A turn of a conversation: what is asked, and what the answer has to meet."""

    input: Any = Field(description="What is asked in this turn.", examples=["And on Sundays?"])
    expected_output: Any = Field(default=None, description="A reference answer.")
    assert_: AssertList | None = Field(
        default=None, alias="assert", description="What the answer of this turn has to meet."
    )


class DefaultTest(PromptfooModel):
    """What all tests have in common."""

    vars: dict[Annotated[str, Defines(Kind.TEST_VARIABLE)], Annotated[Any, File(TEXTS)]] | None = (
        Field(
            default=None,
            description="Values that fill `{{ name }}` in prompts and assertions. `input` and "
            "`expected_output` are variables, too.",
            examples=[{"input": "What is the capital of France?"}],
        )
    )
    assert_: AssertList | None = Field(
        default=None,
        alias="assert",
        description="What the answer has to meet. A text is a rubric that a model grades by.",
        examples=[["Names Paris", {"type": "icontains", "value": "Paris"}]],
    )
    threshold: Score | None = Field(
        default=None, description="The mean score, 0 to 1, at which the test passes."
    )
    options: Annotated[AnyKeys | None, _OPTIONS] = Field(
        default=None, description="How the test is sent and graded: transforms, the grader."
    )
    provider: SingleProvider | None = Field(
        default=None, description="The provider that answers, in place of the suite's."
    )
    providers: Annotated[_Anything | None, RefersTo(Kind.PROVIDER)] = Field(
        default=None, description="The providers that are asked, of those of the suite."
    )
    prompts: Annotated[_Anything | None, RefersTo(Kind.PROMPT_LABEL)] = Field(
        default=None, description="The prompts that are sent, of those of the suite."
    )
    provider_output: _Anything | None = Field(
        default=None, description="An answer that is graded as it is; no provider is asked."
    )
    assert_scoring_function: Annotated[TextOrMapping | None, File(CODE), FieldRole.CODE] = Field(
        default=None, description="The function that makes one score of all assertions."
    )
    metadata: AnyKeys | None = Field(default=None, description="Your own data.")


class TestCase(DefaultTest):
    """Variables that fill the prompts, and what the answers have to meet."""

    __test__ = False

    id: Label | None = Field(
        default=None, description="Identifies the test in results.", examples=["capital-of-france"]
    )
    description: Annotated[Label | None, Defines(Kind.TEST)] = Field(
        default=None, description="What the test is about."
    )
    criteria: str | None = Field(
        default=None,
        description="What a good answer achieves: context for graders. A test without `assert` that nothing "
        "else grades is graded by it, as by a rubric.",
    )
    input_files: Annotated[list[str] | None, INPUT_FILES] = Field(
        default=None, description="Files that are sent with the prompt."
    )
    run: RunOverrides | None = Field(
        default=None, description="How this test is run: repeats, limits, the score to reach."
    )
    execution: AnyKeys | None = Field(
        default=None, description="Settings of the run of this test, such as `skip_defaults`."
    )
    environment: TextOrMapping | None = Field(
        default=None, description="The folder or the container that the agent works in."
    )
    conversation_id: str | None = Field(
        default=None, description="Groups tests that are turns of one conversation."
    )
    suite: str | None = Field(default=None, description="The name of the suite in results.")
    depends_on: list[str] | None = Field(
        default=None,
        description="The ids of tests that have to pass before this one is run.",
        examples=[["log-in"]],
    )
    on_dependency_failure: Literal["skip", "fail", "run"] | None = Field(
        default=None, description="What happens if a test of `depends_on` fails. Default `skip`."
    )
    mode: Literal["conversation"] | None = Field(
        default=None, description="`conversation` makes `turns` a conversation, asked turn by turn."
    )
    turns: list[Turn] | None = Field(
        default=None, min_length=1, description="The turns of a conversation."
    )
    aggregation: Literal["mean", "min", "max"] | None = Field(
        default=None, description="How the scores of `turns` become one. Default `mean`."
    )
    on_turn_failure: Literal["continue", "stop"] | None = Field(
        default=None, description="Whether the conversation goes on after a turn that failed."
    )
    window_size: Times | None = Field(
        default=None, description="How many turns before a turn are sent with it."
    )
    workspace: Any = _Removed
    input: Any = _Removed
    expected_output: Any = _Removed
    assertions: Any = _Removed
    evaluators: Any = _Removed
    rubrics: Any = _Removed


class ListedTest(TestCase):
    """An item of `tests`: a test, or a file of them (`include`), which is not looked into."""

    __test__ = False

    include: Annotated[str | None, File(DATA, scheme="allowed")] = Field(
        default=None, description="A file with tests, or another suite."
    )
    type: Literal["suite", "tests"] | None = Field(
        default=None, description="Whether `include` is a suite or a list of tests."
    )
    select: Any = Field(default=None, description="Which tests of `include` are taken.")


#: An item of `tests`.
TestEntry = Annotated[
    Annotated[TestsFile, Tag("<text>")] | Annotated[ListedTest, Tag("<mapping>")],
    Discriminator(kind_of),
]
#: The value of `tests`.
Tests = Annotated[
    Annotated[TestsFile, Tag("<text>")] | Annotated[list[TestEntry], Tag("<list>")],
    Discriminator(kind_of),
]


class Scenario(PromptfooModel):
    """Tests that run once for each of some sets of variables."""

    model_config = ConfigDict(extra="allow")

    description: Description | None = Field(default=None, description="What the scenario is about.")
    config: list[Annotated[Any, ReadAs(TestCase)]] = Field(
        description="Parts of tests: each is merged into every test."
    )
    tests: Annotated[
        Annotated[TestsFile, Tag("<text>")]
        | Annotated[list[Annotated[Any, ReadAs(TestEntry)]], Tag("<list>")]
        | Annotated[dict[str, Any], Tag("<mapping>")],
        Discriminator(kind_of),
    ] = Field(description="The tests, or the path of a file that has them.")
