"""`suitecase show`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import click

from suitecase.analysis import analyze
from suitecase.cli import EXIT_FINDINGS, EXIT_OK
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.rule import nearest
from suitecase.suite.reading import read_file
from suitecase.suite.resolve import UnsoundSuiteError, resolve
from suitecase.suite.show import shown_suite
from suitecase.suite.target_files import find_targets
from suitecase.suite.workspace import Folder, Unreadable, Workspace, find_root, read_text
from suitecase.suite.written import WrittenSuite


@click.command("show")
@click.argument("suite", metavar="SUITE[::CASE...]")
@click.option(
    "--format",
    "output",
    type=click.Choice(["text", "json"]),
    default="text",
    help="For people or for programs.",
)
def command(suite: str, output: Literal["text", "json"]) -> int:
    """Show a suite as it will be graded: short forms written out, defaults filled in.

    Evaluators and targets are resolved, and each part has the line it came from.

    Ends with 0, with 1 where the suite has errors, and with 2 where it or a case is not there.
    """
    argument = SuiteArgument.parse(suite)
    path = argument.path
    text = read_text(path)
    if isinstance(text, Unreadable):
        raise click.UsageError(f"{argument.shown}: cannot be shown: {text.reason}")
    folder = Folder(Workspace(find_root(path, Path.cwd())), path.parent)
    written = read_file(path, text, folder.workspace)
    if not isinstance(written, WrittenSuite) or written.kind == "sidecar":
        raise click.UsageError(f"{argument.shown}: cannot be shown: it is no suite")
    analysis = analyze(written, folder, path)
    if analysis.has_errors:
        from suitecase.cli.run_refusal import errors_in_place

        for line in errors_in_place(argument):
            click.echo(line, err=True)
        click.echo("a suite with errors cannot be shown as it will be graded", err=True)
        return EXIT_FINDINGS
    try:
        effective = resolve(written, path, folder)
    except UnsoundSuiteError as error:
        # Its errors are silenced by a comment or by the configuration, which mends nothing.
        raise click.UsageError(f"{argument.shown} cannot be shown: {error}") from error
    wanted = argument.cases
    cases = [case for case in effective.cases if not wanted or case.id in wanted]
    for name in wanted:
        if all(case.id != name for case in cases):
            meant = nearest(name, [case.id for case in effective.cases])
            hint = f"; did you mean `{meant}`?" if meant else ""
            raise click.UsageError(f"{argument.shown} has no case `{name}`{hint}")
    shown = shown_suite(effective, cases, find_targets(folder.workspace, folder.path), folder.shown)
    if output == "json":
        click.echo(json.dumps(shown, indent=2, ensure_ascii=False))
    else:
        from suitecase.cli.show_text import show_text

        for line in show_text(shown):
            click.echo(line)
    return EXIT_OK
