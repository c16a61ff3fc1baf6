"""The interface of output formats: a class for each.

A new format is a module in `check/` or `run/` with such a class, and a line in the table of formats
below. Modules are imported when their format is used.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from suitecase.text.encoders.terminal import Line

if TYPE_CHECKING:
    from suitecase.cli.checking.findings import FileFindings, Report
    from suitecase.cli.running.detail import Detail
    from suitecase.cli.running.graded_case import GradedCase
    from suitecase.cli.running.run_report import RunReport, SuiteEstimate, SuiteStart

Result_contra = TypeVar("Result_contra", contravariant=True)
Summary_contra = TypeVar("Summary_contra", contravariant=True)


class Aside(str):
    """A line for standard error, where the format itself has no place for it."""

    __slots__ = ()


class Formatter(Protocol[Result_contra, Summary_contra]):
    """Prints in one format what a command comes to.

    For `check` a result is a checked file, for `run` a graded case or an estimate, or the start of
    a suite.
    """

    def result(self, result: Result_contra, /) -> Iterable[Line]:
        """Return the lines that are printed as soon as a result is there."""
        ...

    def finish(self, summary: Summary_contra, /) -> Iterable[Line]:
        """Return the lines that are printed when there are no more results."""
        ...


class Document:
    """Prints all of it at the end."""

    def result(self, _result: object, /) -> Iterable[Line]:
        return ()


@dataclass(frozen=True, slots=True)
class Format:
    """A format of `--format`.

    Attributes:
        audience: whom it is for, as `--help` says it.
        formatter: its class, after the module it is in.
        for_people: remarks may stand in it; for programs they go to standard error.
        streaming: results are printed as they arrive, so that it has no end to wait for. Cases of
            `run` are in the order of the suite for people, and for programs as they are graded.
    """

    audience: str
    formatter: str
    for_people: bool = False
    streaming: bool = False


CHECK_FORMATS = {
    "text": Format("people", "text.TextFormatter", for_people=True, streaming=True),
    "concise": Format(
        "people and editors: a line for each finding",
        "concise.ConciseFormatter",
        for_people=True,
        streaming=True,
    ),
    "summary": Format(
        "people: the number of findings by rule", "summary.SummaryFormatter", for_people=True
    ),
    "json": Format("programs: one object", "json_formats.JsonFormatter"),
    "jsonl": Format(
        "programs: an object per line", "json_formats.JsonLinesFormatter", streaming=True
    ),
    "sarif": Format("code scanning: SARIF 2.1.0", "sarif.SarifFormatter"),
    "junit": Format("CI services that show tests: JUnit XML", "junit.JUnitFormatter"),
    "github": Format("annotations in GitHub Actions", "github.GitHubFormatter", streaming=True),
    "gitlab": Format("GitLab's code quality report", "gitlab.GitLabFormatter"),
}
RUN_FORMATS = {
    "text": Format("people", "text.TextFormatter", for_people=True, streaming=True),
    "json": Format("programs: one object, at the end", "json_formats.JsonFormatter"),
    "jsonl": Format(
        "programs: a record per line, as it arrives",
        "json_formats.JsonLinesFormatter",
        streaming=True,
    ),
    "junit": Format("CI services that show tests: JUnit XML", "junit.JUnitFormatter"),
    "markdown": Format(
        "the summary of a CI job, as in $GITHUB_STEP_SUMMARY", "markdown.MarkdownFormatter"
    ),
    "github": Format(
        "annotations in GitHub Actions, at cases and rubrics", "github.GitHubFormatter"
    ),
}
#: What `run --watch` can print, since it never comes to an end.
STREAMING_FORMATS = tuple(name for name, it in RUN_FORMATS.items() if it.streaming)


def check_formatter(name: str) -> Formatter[FileFindings, Report]:
    """Return what prints findings in a format of `CHECK_FORMATS`."""
    formatter = _make("check", CHECK_FORMATS[name])
    return cast("Formatter[FileFindings, Report]", formatter)


def run_formatter(
    name: str, detail: Detail
) -> Formatter[GradedCase | SuiteEstimate | SuiteStart, RunReport]:
    """Return what prints a run in a format of `RUN_FORMATS`.

    Args:
        name: the format.
        detail: how much is printed for people; programs get all of it.
    """
    form = RUN_FORMATS[name]
    formatter = _make("run", form, *((detail,) if form.for_people else ()))
    return cast("Formatter[GradedCase | SuiteEstimate | SuiteStart, RunReport]", formatter)


def _make(command: str, form: Format, *arguments: object) -> object:
    module, _, name = form.formatter.partition(".")
    return getattr(import_module(f"suitecase.cli.output.{command}.{module}"), name)(*arguments)
