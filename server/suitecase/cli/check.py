"""`suitecase check`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import click

from suitecase.analysis import Analysis, analyze
from suitecase.cli import EXIT_BUG, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE, report_bug
from suitecase.cli.findings import FileFindings, shown_path
from suitecase.suite.discovery import suites_in
from suitecase.suite.workspace import Folder, Unreadable, Workspace, find_root, read_text
from suitecase.suite.written import read_suite
from suitecase.syntax.compose import without_garbage_collection


@click.command("check")
@click.argument(
    "paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option(
    "--format",
    "output",
    type=click.Choice(["text", "json"]),
    default="text",
    help="For people or for programs.",
)
def command(paths: tuple[Path, ...], output: Literal["text", "json"]) -> int:
    """Find what is wrong with suites. A PATH is a suite, or a folder that is searched for suites.

    Reads files and nothing else: nothing is asked, nothing is executed.

    Ends with 0 where there is no error, 1 where there are errors, 2 where a path is not there,
    cannot be read or holds no suite, and 4 for a bug of suitecase.
    """
    files: list[FileFindings] = []
    unread = False
    workspaces: dict[Path, Workspace] = {}
    with without_garbage_collection():
        for path in paths:
            found_any = False
            for suite, root in _suites(path):
                found_any = True
                workspace = workspaces.setdefault(root, Workspace(root))
                checked = check_file(suite, workspace)
                if isinstance(checked, Unreadable):
                    unread = True
                    click.echo(
                        f"{shown_path(suite)}: cannot be checked: {checked.reason}", err=True
                    )
                    continue
                files.append(checked)
                if output == "text":
                    _print(checked)
            if not found_any:
                unread = True
                why = "there is no suite in this folder" if path.is_dir() else "it is not there"
                click.echo(f"{path}: cannot be checked: {why}", err=True)
    if output == "json":
        from suitecase.cli.findings_json import findings_as_json

        click.echo(json.dumps(findings_as_json(files), indent=2, ensure_ascii=False))
    elif files:
        from suitecase.cli.findings_text import summary

        click.echo(summary(files))
    return _exit_code([file.analysis for file in files], unread=unread)


def check_file(path: Path, workspace: Workspace) -> FileFindings | Unreadable:
    """Check one file; never raises for anything it holds."""
    text = read_text(path)
    if isinstance(text, Unreadable):
        return text
    suite = read_suite(text)
    analysis = analyze(suite, Folder(workspace, path.parent))
    return FileFindings(shown_path(path), len(suite.cases), suite.document.lines, analysis)


def _suites(path: Path) -> Iterator[tuple[Path, Path]]:
    """Yield each suite of a path, with the root of its workspace."""
    working_directory = Path.cwd()
    absolute = working_directory / path
    if absolute.is_dir():
        for suite in suites_in(absolute.resolve()):
            yield suite, find_root(suite, working_directory)
    elif absolute.exists() or absolute.is_symlink():
        suite = absolute.parent.resolve() / absolute.name
        yield suite, find_root(suite, working_directory)


def _print(file: FileFindings) -> None:
    from suitecase.cli.findings_text import finding_text

    for finding in file.findings:
        for line in finding_text(file, finding):
            click.echo(line)
        click.echo()


def _exit_code(analyses: list[Analysis], *, unread: bool) -> int:
    failures = {it.rule.code: it for analysis in analyses for it in analysis.failures}
    for failure in failures.values():
        report_bug(f"rule {failure.rule.name}:\n{failure.trace}")
    if failures:
        return EXIT_BUG
    if unread:
        return EXIT_USAGE
    return EXIT_FINDINGS if any(it.has_errors for it in analyses) else EXIT_OK
