"""`suitecase show`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from suitecase.cli import EXIT_FINDINGS, EXIT_OK
from suitecase.cli.only_suite import or_only_suite
from suitecase.cli.options import PathText, SingleValueCommand
from suitecase.cli.output.printing import json_text
from suitecase.cli.output.terminal import echo
from suitecase.cli.shown_paths import shown_path
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.cli.suite_reading import read_suite
from suitecase.format.dialect import (
    DialectFile,
    EffectiveView,
    UnknownChoiceError,
    ViewRequest,
)
from suitecase.format.reading import parse_document
from suitecase.format.workspace import Folder, Unreadable, Workspace, find_root, read_text
from suitecase.format.workspace_secrets import WorkspaceSecrets
from suitecase.formats.suitecase.effective_suite import UnsoundSuiteError
from suitecase.run.as_graded import NotSoundError, UnknownCaseError, as_graded
from suitecase.run.record_redaction import cleaned
from suitecase.text.working_directory import absolute_path, working_directory
from suitecase_evaluators.targets.redactor import Redactor


@click.command("show", cls=SingleValueCommand)
@click.argument(
    "suite", metavar="[SUITE[::CASE...]]", required=False, type=PathText(), callback=or_only_suite
)
@click.option(
    "--format",
    "output",
    type=click.Choice(["text", "json"]),
    default="text",
    help="For people (text) or for programs (json).",
)
def command(suite: str, output: Literal["text", "json"]) -> int:
    """Show a suite as it will be graded: short forms expanded, defaults filled in.

    Evaluators and targets are resolved, and each part has the line that it comes from. Of a suite of
    another tool: its tests with the defaults filled in, and the rows that the tool would make of them.
    CASE is the description of a test there, or its number: `#3`.

    Without SUITE, the only suite in the working directory is shown.

    Exit codes: 0, 1 if the suite or the case has errors, 2 if it does not exist.
    """
    argument = SuiteArgument.parse(suite)
    path = argument.path
    other = _of_another_tool(argument)
    if other is not None:
        _show(other, _redactor(path), output)
        return EXIT_OK
    parsed, folder = read_suite(path, ": cannot be shown")
    try:
        result = as_graded(parsed, path, folder, argument.cases)
    except NotSoundError as error:
        from suitecase.cli.running.refusal import errors

        for line in errors(argument, error.errors):
            echo(line, err=True)
        what = "a case" if argument.cases else "a suite"
        echo(f"{what} with errors cannot be shown as it will be graded", err=True)
        return EXIT_FINDINGS
    except UnknownCaseError as error:
        raise click.UsageError(f"{argument.shown} {error}") from error
    except UnsoundSuiteError as error:
        # Its errors are silenced by a comment or by the configuration, which fixes nothing.
        raise click.UsageError(f"{argument.shown} cannot be shown: {error}") from error
    if output == "json":
        echo(json_text(result, indent=2))
    else:
        from suitecase.formats.suitecase.show_text import show_text

        for line in show_text(result):
            echo(line)
    return EXIT_OK


def _redactor(path: Path) -> Redactor:
    secrets = WorkspaceSecrets(path)
    secrets.add_suite(absolute_path(path).as_posix())
    return secrets.redact


def _show(suite: EffectiveView, redact: Redactor, output: str) -> None:
    """Print a suite without the secrets that stand in its configuration, or in its environment."""
    if output == "json":
        echo(json_text(cleaned(suite.values, redact), indent=2))
        return
    for line in suite.lines:
        if isinstance(line, str):
            echo(redact(line))
        else:
            echo([(redact(text), style) for text, style in line])


def _of_another_tool(argument: SuiteArgument) -> EffectiveView | None:
    """Return what is shown of a suite of another tool; None if it is something else.

    Raises:
        click.UsageError: a chosen case does not exist.
    """
    path = argument.path
    text = read_text(path)
    if isinstance(text, Unreadable):
        return None
    folder = Folder(Workspace(find_root(path, working_directory())), path.parent, text)
    file = parse_document(path, text, folder.workspace)
    if not isinstance(file, DialectFile) or not file.is_shown:
        return None
    if file.document.broken:
        shown = argument.shown
        raise click.UsageError(f"{shown} does not parse; `suitecase check {shown}` says why")
    try:
        return file.effective(ViewRequest(path, folder, argument.cases, shown_path))
    except UnknownChoiceError as error:
        raise click.UsageError(f"{argument.shown} {error}") from error
