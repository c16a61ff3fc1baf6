"""How a suite is run: `evaluateOptions`, and defaults of the command line."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from suitecase.formats.promptfoo.suite.models.field_types import (
    OR_DIGITS,
    Count,
    PromptfooModel,
    Switch,
    Texts,
    Times,
)


class EvaluateOptions(PromptfooModel):
    """How the tests are run."""

    maxConcurrency: Count | None = Field(  # noqa: N815 - promptfoo's name
        default=None,
        description="How many calls are made at the same time. Default 4.",
        examples=[2],
    )
    repeat: Count | None = Field(
        default=None, description="How often each test is asked. Default 1.", examples=[3]
    )
    delay: Count | None = Field(
        default=None,
        description="How many milliseconds to wait between calls; calls are then made one at a time.",
        examples=[1000],
    )
    cache: Switch | None = Field(
        default=None,
        description="Whether answers of earlier runs are used again. Default true.",
    )
    timeoutMs: Count | None = Field(  # noqa: N815 - promptfoo's name
        default=None,
        description="After how many milliseconds a single test is ended as an error. Default: never.",
        examples=[30000],
    )
    maxEvalTimeMs: Count | None = Field(  # noqa: N815 - promptfoo's name
        default=None,
        description="After how many milliseconds the whole run is ended. Default: never.",
        examples=[600000],
    )
    showProgressBar: Switch | None = Field(  # noqa: N815 - promptfoo's name
        default=None, description="Whether progress is shown. Default true."
    )
    interactiveProviders: Switch | None = Field(  # noqa: N815 - promptfoo's name
        default=None, description="Whether providers may ask questions in the terminal."
    )
    generateSuggestions: Switch | None = Field(  # noqa: N815 - promptfoo's name
        default=None, description="Whether a model also writes variants of the prompts, to compare."
    )
    suggestionsCount: Times | None = Field(  # noqa: N815 - promptfoo's name
        default=None, description="How many variants are written, 1 to 50."
    )
    filterRange: str | None = Field(  # noqa: N815 - promptfoo's name
        default=None,
        description="Which tests are run, as `start:end`, counted from 0.",
        examples=["0:10"],
    )
    silent: Switch | None = Field(default=None, description="Whether nothing is logged.")
    isRedteam: Switch | None = Field(  # noqa: N815 - promptfoo's name
        default=None, description="Whether this is a red team run; promptfoo sets it itself."
    )
    progressCallback: Any = Field(  # noqa: N815 - promptfoo's name
        default=None, description="A function; only in configurations written in JavaScript."
    )


class CommandLineOptions(PromptfooModel):
    """Defaults of options of `promptfoo eval`."""

    envPath: Texts | None = Field(  # noqa: N815 - promptfoo's name
        default=None,
        description="The `.env` file that is read, or several; relative to the configuration.",
        examples=[".env.local"],
    )
    maxConcurrency: Times | None = Field(  # noqa: N815 - promptfoo's name
        default=None, description="How many calls are made at the same time. Default 4."
    )
    repeat: Times | None = Field(default=None, description="How often each test is asked.")
    delay: Count | None = Field(
        default=None, description="How many milliseconds to wait between calls."
    )
    cache: Switch | None = Field(
        default=None, description="Whether answers of earlier runs are used again."
    )
    share: Switch | None = Field(
        default=None, description="Whether results are shared when the run ends."
    )
    noShare: Switch | None = Field(  # noqa: N815 - promptfoo's name
        default=None, description="Whether results are kept from being shared."
    )
    table: Switch | None = Field(
        default=None, description="Whether results are shown as a table in the terminal."
    )
    tableCellMaxLength: Times | None = Field(  # noqa: N815 - promptfoo's name
        default=None, description="How many characters of a cell of that table are shown."
    )
    write: Switch | None = Field(
        default=None, description="Whether results are kept for `promptfoo view`. Default true."
    )
    progressBar: Switch | None = Field(  # noqa: N815 - promptfoo's name
        default=None, description="Whether progress is shown."
    )
    verbose: Switch | None = Field(default=None, description="Whether details are logged.")
    watch: Switch | None = Field(
        default=None, description="Whether tests run again when a file changes."
    )
    grader: str | None = Field(
        default=None,
        description="The provider that grades.",
        examples=["openai:gpt-4.1"],
    )
    filterPattern: str | None = Field(  # noqa: N815 - promptfoo's name
        default=None,
        description="Which tests are run: those whose description matches this regular expression.",
    )
    filterPrompts: str | None = Field(  # noqa: N815 - promptfoo's name
        default=None,
        description="Which prompts are sent: those whose id or label matches this regular expression.",
    )
    filterProviders: str | None = Field(  # noqa: N815 - promptfoo's name
        default=None,
        description="Which providers are asked: those whose id or label matches this regular "
        "expression.",
    )
    filterTargets: str | None = Field(  # noqa: N815 - promptfoo's name
        default=None, description="The same as `filterProviders`."
    )
    filterMetadata: Texts | None = Field(  # noqa: N815 - promptfoo's name
        default=None,
        description="Which tests are run: those with this metadata, as `key=value`.",
        examples=["topic=geography"],
    )
    filterFirstN: Times | None = Field(  # noqa: N815 - promptfoo's name
        default=None, description="Runs only the first tests, so many."
    )
    filterRange: str | None = Field(  # noqa: N815 - promptfoo's name
        default=None, description="Which tests are run, as `start:end`, counted from 0."
    )
    filterSample: Times | None = Field(  # noqa: N815 - promptfoo's name
        default=None, description="Runs only so many tests, drawn at random."
    )
    filterSampleSeed: Annotated[int, OR_DIGITS] | None = Field(  # noqa: N815
        default=None, description="The seed by which tests are drawn."
    )
    filterFailing: str | None = Field(  # noqa: N815 - promptfoo's name
        default=None, description="Which tests are run: those that did not pass in these results."
    )
    filterFailingOnly: str | None = Field(  # noqa: N815 - promptfoo's name
        default=None,
        description="Which tests are run: those that failed in these results, without errors.",
    )
    filterErrorsOnly: str | None = Field(  # noqa: N815 - promptfoo's name
        default=None, description="Which tests are run: those that were errors in these results."
    )
    retryErrors: Switch | None = Field(  # noqa: N815 - promptfoo's name
        default=None, description="Whether tests that were errors in the last run are run again."
    )
    generateSuggestions: Switch | None = Field(  # noqa: N815 - promptfoo's name
        default=None, description="Whether a model also writes variants of the prompts, to compare."
    )
    suggestionsCount: Times | None = Field(  # noqa: N815 - promptfoo's name
        default=None, description="How many variants are written, 1 to 50."
    )
    promptPrefix: str | None = Field(  # noqa: N815 - promptfoo's name
        default=None, description="A text that is put in front of every prompt."
    )
    promptSuffix: str | None = Field(  # noqa: N815 - promptfoo's name
        default=None, description="A text that is put behind every prompt."
    )
    description: str | None = Field(default=None, description="What the run is about.")
    tags: dict[str, str] | None = Field(default=None, description="Labels of the run.")
    var: dict[str, str] | None = Field(default=None, description="Variables of all tests.")
    vars: str | None = Field(default=None, description="The path of a file with tests.")
    tests: str | None = Field(default=None, description="The path of a file with tests.")
    config: list[str] | None = Field(default=None, description="The configurations that are run.")
    prompts: list[str] | None = Field(default=None, description="The prompts that are sent.")
    providers: list[str] | None = Field(default=None, description="The providers that are asked.")
    output: list[str] | None = Field(
        default=None, description="The files that results are written to."
    )
    assertions: str | None = Field(
        default=None, description="The path of a file with assertions for `modelOutputs`."
    )
    modelOutputs: str | None = Field(  # noqa: N815 - promptfoo's name
        default=None, description="The path of a JSON file with answers that are graded."
    )
    extension: list[str] | None = Field(default=None, description="Extensions, as `extensions`.")
