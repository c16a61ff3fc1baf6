"""The top of a configuration."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from suitecase.formats.promptfoo.suite.models.field_types import (
    CODE,
    DATA,
    OR_REFERENCE,
    SCRIPTS,
    AnyKeys,
    Description,
    Environment,
    PromptfooModel,
    ProviderId,
    Switch,
    Texts,
    kind_of,
)
from suitecase.formats.promptfoo.suite.models.prompt import PromptEntry, PromptText
from suitecase.formats.promptfoo.suite.models.provider import ProviderEntry
from suitecase.formats.promptfoo.suite.models.run_options import (
    CommandLineOptions,
    EvaluateOptions,
)
from suitecase.formats.promptfoo.suite.models.test import (
    DefaultTest,
    Scenario,
    Tests,
)
from suitecase.schema.key_roles import Defines, File, FormulaOf, Kind, SentPrompt, Under
from suitecase_evaluators.schema.field_role import FieldRole

_Prompts = Annotated[
    Annotated[PromptText, Tag("<text>")]
    | Annotated[list[PromptEntry], Tag("<list>")]
    | Annotated[
        dict[Annotated[str, SentPrompt()], Annotated[Any, Defines(Kind.PROMPT_LABEL)]],
        Tag("<mapping>"),
    ],
    Discriminator(kind_of),
]
_Providers = Annotated[
    Annotated[ProviderId, Tag("<text>")] | Annotated[list[ProviderEntry], Tag("<list>")],
    Discriminator(kind_of),
]


class DerivedMetric(PromptfooModel):
    """A metric that is computed from others."""

    name: Annotated[str, Defines(Kind.SCORE_NAME)] = Field(
        description="The metric's name.", examples=["f1"]
    )
    value: Annotated[str, FormulaOf(Kind.SCORE_NAME)] = Field(
        description="A formula over metrics, or a `file://` path of a function.",
        examples=["2 * precision * recall / (precision + recall)"],
    )


def _sharing_kind(value: object) -> str:
    return "<mapping>" if isinstance(value, dict) else "<switch>"


class ConfigurationHead(PromptfooModel):
    """Everything in a configuration except its tests."""

    description: Description | None = Field(
        default=None,
        description="What the suite is about; results show it.",
        examples=["Answers of the support desk"],
    )
    schema_: str | None = Field(
        default=None,
        alias="$schema",
        description="The JSON Schema that editors validate the file with.",
    )
    tags: AnyKeys | None = Field(
        default=None,
        description="Labels of the run, by name; results show them.",
        examples=[{"team": "support"}],
    )
    prompts: _Prompts | None = Field(
        default=None,
        description="The prompts: texts with `{{variables}}`, `file://` paths, or mappings with a label. "
        "Every test is sent with each. Default: `{{prompt}}`.",
        examples=[["Translate to {{language}}: {{text}}", "file://prompts/translate.txt"]],
    )
    providers: _Providers | None = Field(
        default=None,
        description="What answers: models, programs, services or scripts, by id. Every test is sent to "
        "each.",
        examples=[["openai:gpt-4.1", "anthropic:messages:claude-sonnet-4-5"]],
    )
    targets: _Providers | None = Field(
        default=None,
        description="Another name of `providers`, used with red teams. Only one of the two may stand.",
    )
    defaultTest: Annotated[  # noqa: N815 - promptfoo's name
        Annotated[
            Annotated[str, Tag("<text>")] | Annotated[DefaultTest, Tag("<mapping>")],
            Discriminator(lambda value: "<text>" if isinstance(value, str) else "<mapping>"),
        ]
        | None,
        File(DATA, holds="defaults"),
    ] = Field(
        default=None,
        description="What all tests have in common: assertions that grade each of them, variables, "
        "options. Or the `file://` path of a file that has it.",
        examples=[{"assert": [{"type": "latency", "threshold": 5000}]}],
    )
    scenarios: Annotated[
        Annotated[
            list[
                Annotated[
                    Annotated[str, Tag("<text>")] | Annotated[Scenario, Tag("<mapping>")],
                    Discriminator(
                        lambda value: "<text>" if isinstance(value, str) else "<mapping>"
                    ),
                ]
            ],
            OR_REFERENCE,
        ]
        | None,
        File(DATA, "promptfoo refuses to run"),
    ] = Field(
        default=None,
        description="Groups of tests that run once for each of several sets of variables.",
    )
    evaluateOptions: EvaluateOptions | None = Field(  # noqa: N815 - promptfoo's name
        default=None,
        description="How the tests are run: how many at a time, how often, with what time limit.",
        examples=[{"maxConcurrency": 2}],
    )
    commandLineOptions: CommandLineOptions | None = Field(  # noqa: N815 - promptfoo's name
        default=None,
        description="Defaults of options of `promptfoo eval`.",
        examples=[{"envPath": ".env.local"}],
    )
    outputPath: Texts | None = Field(  # noqa: N815 - promptfoo's name
        default=None,
        description="The file that results are written to, or several; the ending determines the format: "
        "csv, html, json, jsonl, txt, xml or yaml.",
        examples=["results.json"],
    )
    env: Environment | None = Field(
        default=None,
        description="Environment variables for providers and for `{{env.NAME}}`.",
        examples=[{"OPENAI_BASE_URL": "http://localhost:8080/v1"}],
    )
    nunjucksFilters: Annotated[  # noqa: N815 - promptfoo's name
        AnyKeys | None,
        File(SCRIPTS, "there is no filter of this name", scheme="none"),
    ] = Field(
        default=None,
        description="Your own filters of templates: the JavaScript file of each, by name.",
        examples=[{"shout": "./filters/shout.js"}],
    )
    derivedMetrics: list[DerivedMetric] | None = Field(  # noqa: N815 - promptfoo's name
        default=None,
        description="Metrics that are computed from those of assertions.",
        examples=[[{"name": "total", "value": "tone + facts"}]],
    )
    extensions: Annotated[list[str] | None, File(CODE, "promptfoo ends with an error")] = Field(
        default=None,
        description="Functions that are called before and after tests, as "
        "`file://path/to/file.js:function`.",
        examples=[["file://hooks.py:extension_hook"]],
    )
    metadata: AnyKeys | None = Field(default=None, description="Your own data about the suite.")
    sharing: (
        Annotated[
            Annotated[bool, Tag("<switch>")] | Annotated[dict[str, Any], Tag("<mapping>")],
            Discriminator(_sharing_kind),
        ]
        | None
    ) = Field(default=None, description="Whether results may be shared, or the servers for it.")
    tracing: AnyKeys | None = Field(
        default=None, description="How traces of providers are received, for `trace-` assertions."
    )
    redteam: Annotated[AnyKeys | None, Under({"provider": (FieldRole.TARGET,)})] = Field(
        default=None,
        description="What a red team attacks with: plugins, strategies, purpose. Suitecase accepts it "
        "and does not check it.",
    )
    plugins: list[Any] | None = Field(
        default=None, description="Another place for `redteam.plugins`."
    )
    strategies: list[Any] | None = Field(
        default=None, description="Another place for `redteam.strategies`."
    )
    writeLatestResults: Switch | None = Field(  # noqa: N815 - promptfoo's name
        default=None,
        description="Whether results are kept for `promptfoo view`; only for programs that call promptfoo.",
    )


class Configuration(ConfigurationHead):
    """A suite of promptfoo: prompts that are sent to providers, and tests of the answers."""

    tests: Tests | None = Field(
        default=None,
        description="The tests, or where they are: a path or a pattern of YAML, JSON, JSONL and CSV files, "
        "a function of a script, the address of a sheet.",
        examples=[
            [{"vars": {"city": "Paris"}, "assert": [{"type": "contains", "value": "France"}]}]
        ],
    )
