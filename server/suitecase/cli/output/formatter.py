"""The formats of findings and of results, a module for each, loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from suitecase.cli.checking.findings import FileFindings, Report
    from suitecase.cli.running.run_output import Output

#: Each format of `check` with whom it is for.
CHECK_FORMATS = {
    "text": "people",
    "summary": "people: the number of findings by rule",
    "json": "programs: one object",
    "jsonl": "programs: an object per line",
    "sarif": "code scanning: SARIF 2.1.0",
    "junit": "CI services that show tests: JUnit XML",
    "github": "annotations in GitHub Actions",
    "gitlab": "GitLab's code quality report",
}
#: Each format of `run` with whom it is for. Standard output has nothing else in it.
RUN_FORMATS = {
    "text": "people",
    "json": "programs: one object, at the end",
    "jsonl": "programs: a record per line, as it arrives",
    "junit": "CI services that show tests: JUnit XML",
    "markdown": "the summary of a CI job, as in $GITHUB_STEP_SUMMARY",
    "github": "annotations in GitHub Actions, at cases and rubrics",
}
#: The module of each, which is loaded when it is asked for, and its class.
_CLASSES = {
    "text": ("text", "TextOutput"),
    "json": ("json_object", "JsonOutput"),
    "jsonl": ("jsonl", "JsonLinesOutput"),
    "junit": ("junit", "JUnitOutput"),
    "markdown": ("markdown", "MarkdownOutput"),
    "github": ("github", "GithubOutput"),
}
#: What can be shown of a run that begins again and again.
STREAMING_FORMATS = ("text", "jsonl")


class Format(Protocol):
    """How findings are printed."""

    def of_file(self, file: FileFindings) -> Iterator[str]:
        """Yield the lines that are printed as soon as a file is checked."""
        ...

    def at_end(self, report: Report) -> Iterator[str]:
        """Yield the lines that are printed when all files are checked."""
        ...


def format_named(name: str) -> Format:
    """Return a format of `CHECK_FORMATS`."""
    module = "json_object" if name == "json" else name
    return cast("Format", import_module(f"suitecase.cli.output.check.{module}"))


def make_formatter(form: str) -> Output:
    """Return what shows a run in a format of `RUN_FORMATS`."""
    module, name = _CLASSES[form]
    return cast("Output", getattr(import_module(f"suitecase.cli.output.run.{module}"), name)())
