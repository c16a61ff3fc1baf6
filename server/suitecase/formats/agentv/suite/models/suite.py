"""The top of a suite of AgentV."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Discriminator, Field, Tag

from suitecase.formats.agentv.suite.models.assertion import AssertList, Score
from suitecase.formats.agentv.suite.models.test import (
    INPUT_FILES,
    DefaultTest,
    Repeats,
    Scenario,
    Tests,
)
from suitecase.formats.promptfoo.suite.models.field_types import (
    CODE,
    DATA,
    PROMPT_FILES,
    SCRIPTS,
    AnyKeys,
    Count,
    Description,
    Environment,
    Label,
    PromptfooModel,
    ProviderId,
    Switch,
    TextOrMapping,
    Texts,
    Times,
    kind_of,
)
from suitecase.formats.promptfoo.suite.models.prompt import PromptText
from suitecase.formats.promptfoo.suite.models.provider import SETTINGS
from suitecase.schema.key_roles import Defines, File, FormulaOf, Kind, SentPrompt, Under
from suitecase_evaluators.schema.field_role import FieldRole

_Removed = Field(default=None, description="AgentV 5 does not read it any more.", deprecated=True)


class PromptObject(PromptfooModel):
    """A prompt with its name."""

    model_config = ConfigDict(extra="allow")

    id: Annotated[str | None, SentPrompt(unless="raw"), Defines(Kind.PROMPT_LABEL, is_id=True)] = (
        Field(default=None, description="Identifies the prompt.")
    )
    label: Annotated[Label | None, Defines(Kind.PROMPT_LABEL)] = Field(
        default=None, description="The prompt's name in results."
    )
    raw: Annotated[str | None, SentPrompt()] = Field(
        default=None, description="The text of the prompt."
    )
    prompt: Annotated[Any, SentPrompt()] = Field(
        default=None, description="The prompt: a text, or messages."
    )
    path: Annotated[str | None, File(PROMPT_FILES, scheme="none")] = Field(
        default=None, description="The file of the prompt."
    )
    file: Annotated[str | None, File(PROMPT_FILES, scheme="none")] = Field(
        default=None, description="The file of the prompt."
    )
    prefix: str | None = Field(default=None, description="A text in front of the prompt.")
    suffix: str | None = Field(default=None, description="A text behind the prompt.")
    config: Annotated[AnyKeys | None, SETTINGS] = Field(
        default=None, description="Settings for the provider."
    )


class Provider(PromptfooModel):
    """A provider with its settings."""

    model_config = ConfigDict(extra="allow")

    id: ProviderId | None = Field(
        default=None,
        description="Which provider it is, by its label in `.agentv/providers.yaml` or its prefix.",
    )
    label: Annotated[Label | None, Defines(Kind.PROVIDER)] = Field(
        default=None, description="The provider's name in results."
    )
    config: Annotated[Any, SETTINGS] = Field(
        default=None, description="Settings that the provider reads."
    )
    runtime: Any = Field(default=None, description="Where the agent runs: `host`, `profile`, ...")
    hooks: AnyKeys | None = Field(
        default=None, description="Commands that run before and after tests of this provider."
    )


def _text_or_mapping(value: object) -> str:
    return "<mapping>" if isinstance(value, dict) else "<text>"


_PromptEntry = Annotated[
    Annotated[PromptText, Tag("<text>")]
    | Annotated[PromptObject, Tag("<mapping>")]
    | Annotated[list[Any], Tag("<list>")],
    Discriminator(kind_of),
]
_ProviderEntry = Annotated[
    Annotated[ProviderId, Tag("<text>")] | Annotated[Provider, Tag("<mapping>")],
    Discriminator(_text_or_mapping),
]


class EvaluateOptions(PromptfooModel):
    """How the tests are run."""

    budget_usd: Count | None = Field(default=None, description="The highest cost, in dollars.")
    max_concurrency: Times | None = Field(
        default=None, description="How many tests are asked at a time."
    )
    cache: (
        Annotated[
            Annotated[Switch, Tag("<switch>")] | Annotated[dict[str, Any], Tag("<mapping>")],
            Discriminator(lambda value: "<mapping>" if isinstance(value, dict) else "<switch>"),
        ]
        | None
    ) = Field(default=None, description="Whether answers are kept for the next run.")
    delay: Count | None = Field(
        default=None, description="How many milliseconds to wait after each call."
    )
    generate_suggestions: Switch | None = Field(
        default=None, description="Whether better prompts are proposed."
    )
    repeat: (
        Annotated[
            Annotated[Times, Tag("<number>")] | Annotated[Repeats, Tag("<mapping>")],
            Discriminator(lambda value: "<mapping>" if isinstance(value, dict) else "<number>"),
        ]
        | None
    ) = Field(default=None, description="How often each test is asked.", examples=[3])
    timeout_ms: Count | None = Field(default=None, description="The longest time of a call.")
    max_eval_time_ms: Count | None = Field(default=None, description="The longest time of the run.")
    filter_range: Any = Field(default=None, description="Which tests are run, by number.")


class DerivedMetric(PromptfooModel):
    """A metric that is computed from others."""

    name: Annotated[str, Defines(Kind.SCORE_NAME)] = Field(
        description="The metric's name.", examples=["f1"]
    )
    value: Annotated[TextOrMapping, FormulaOf(Kind.SCORE_NAME)] = Field(
        description="A formula over metrics."
    )


class SuiteHead(PromptfooModel):
    """Everything in a suite except its tests."""

    schema_: str | None = Field(
        default=None,
        alias="$schema",
        description="The JSON Schema that editors validate the file with.",
    )
    name: Label | None = Field(
        default=None,
        description="The suite's name in results: lower-case letters, digits and hyphens.",
        examples=["support-desk"],
    )
    description: Description | None = Field(default=None, description="What the suite is about.")
    category: Label | None = Field(default=None, description="What kind of suite it is.")
    version: Label | None = Field(default=None, description="The suite's version.")
    author: Any = Field(default=None, description="Who wrote it.")
    license: Label | None = Field(default=None, description="The license of the suite.")
    requires: AnyKeys | None = Field(
        default=None,
        description="The versions of tools that it needs.",
        examples=[{"agentv": ">=5"}],
    )
    tags: (
        Annotated[
            Annotated[list[Any], Tag("<list>")] | Annotated[dict[str, Any], Tag("<mapping>")],
            Discriminator(kind_of),
        ]
        | None
    ) = Field(
        default=None,
        description="Labels to choose suites by: a list, or a mapping; `experiment` names the run.",
        examples=[["agent", "slow"]],
    )
    governance: AnyKeys | None = Field(
        default=None, description="Risks and controls that the suite is about; results show them."
    )
    metadata: AnyKeys | None = Field(default=None, description="Your own data about the suite.")
    prompts: (
        Annotated[
            Annotated[PromptText, Tag("<text>")]
            | Annotated[list[_PromptEntry], Tag("<list>")]
            | Annotated[PromptObject, Tag("<mapping>")],
            Discriminator(kind_of),
        ]
        | None
    ) = Field(
        default=None,
        description="The prompts: texts with `{{ variables }}`, messages, `file://` paths, or mappings. "
        "Every test is sent with each.",
        examples=[["{{ input }}"]],
    )
    providers: (
        Annotated[
            Annotated[ProviderId, Tag("<text>")]
            | Annotated[list[_ProviderEntry], Tag("<list>")]
            | Annotated[Provider, Tag("<mapping>")],
            Discriminator(kind_of),
        ]
        | None
    ) = Field(
        default=None,
        description="What answers, by labels of `.agentv/providers.yaml`, or with settings of its own.",
        examples=[["codex"]],
    )
    default_test: Annotated[
        Annotated[
            Annotated[str, Tag("<text>")] | Annotated[DefaultTest, Tag("<mapping>")],
            Discriminator(_text_or_mapping),
        ]
        | None,
        File(DATA, holds="defaults"),
    ] = Field(
        default=None,
        description="What all tests have in common, or the `file://` or `ref://` path of it.",
        examples=[{"assert": ["Is polite"]}],
    )
    assert_: AssertList | None = Field(
        default=None, alias="assert", description="Assertions that grade every test."
    )
    scenarios: Annotated[
        Annotated[
            list[
                Annotated[
                    Annotated[str, Tag("<text>")] | Annotated[Scenario, Tag("<mapping>")],
                    Discriminator(_text_or_mapping),
                ]
            ],
            Field(),
        ]
        | None,
        File(DATA, "AgentV refuses to run"),
    ] = Field(
        default=None,
        description="Groups of tests that run once for each of several sets of variables.",
    )
    evaluate_options: EvaluateOptions | None = Field(
        default=None,
        description="How the tests are run: how many at a time, how often, with what limits.",
        examples=[{"max_concurrency": 2}],
    )
    threshold: Score | None = Field(
        default=None, description="The mean score, 0 to 1, at which a test passes. Default 0.8."
    )
    timeout_seconds: Count | None = Field(
        default=None, description="The longest time of a test, in seconds."
    )
    environment: TextOrMapping | None = Field(
        default=None,
        description="The folder (`type: host`) or the container (`type: docker`) that agents work in.",
        examples=[{"type": "host", "workdir": "./workspace"}],
    )
    input_files: Annotated[list[str] | None, INPUT_FILES] = Field(
        default=None, description="Files that are sent with each prompt."
    )
    derived_metrics: list[DerivedMetric] | None = Field(
        default=None, description="Metrics that are computed from those of assertions."
    )
    output_path: Texts | None = Field(
        default=None, description="The file that results are written to, or several."
    )
    env: Environment | None = Field(default=None, description="Environment variables of providers.")
    nunjucks_filters: Annotated[
        Any, File(SCRIPTS, "there is no filter of this name", scheme="none")
    ] = Field(default=None, description="Your own filters of templates.")
    extensions: Annotated[list[Any] | None, File(CODE, "AgentV ends with an error")] = Field(
        default=None,
        description="Functions that are called before and after tests, as "
        "`file://hooks.mjs:beforeAll`.",
    )
    defaults: Annotated[
        TextOrMapping | None,
        Under({"provider": (FieldRole.TARGET,), "grader": (FieldRole.TARGET,)}),
    ] = Field(default=None, description="The provider and the grader that are used by default.")
    workspace: Any = _Removed
    eval_cases: Any = _Removed
    evalcases: Any = _Removed
    target: Any = _Removed
    targets: Any = _Removed
    model: Any = _Removed
    experiment: Any = _Removed
    repeat: Any = _Removed
    runs: Any = _Removed
    early_exit: Any = _Removed
    budget_usd: Any = _Removed
    policy: Any = _Removed
    imports: Any = _Removed
    graders: Any = _Removed
    execution: Any = _Removed
    preprocessors: Any = _Removed
    input: Any = _Removed
    expected_output: Any = _Removed
    assertions: Any = _Removed
    evaluators: Any = _Removed


class Suite(SuiteHead):
    """A suite of AgentV: prompts that are sent to providers, and tests of the answers."""

    tests: Tests | None = Field(
        default=None,
        description="The tests, or where they are: `file://` paths of files that have them, and `include` of "
        "other files and suites.",
        examples=["file://tests/*.yaml"],
    )
