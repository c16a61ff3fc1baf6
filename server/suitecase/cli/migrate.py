"""`suitecase migrate`."""

from __future__ import annotations

import difflib
from pathlib import Path

import click

from suitecase.cli import EXIT_BUG, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE
from suitecase.cli.findings import shown_path
from suitecase.cli.writing import write_atomically
from suitecase.migration import Migration, migrate
from suitecase.suite.configuration import find_configuration
from suitecase.suite.discovery import suites_in
from suitecase.suite.workspace import Unreadable, Workspace, find_root, read_text


@click.command("migrate")
@click.argument(
    "paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option("--check", is_flag=True, help="Change nothing; end with 1 where a file would change.")
@click.option(
    "--diff", is_flag=True, help="Show what changes, or would change, and change nothing."
)
def command(paths: tuple[Path, ...], check: bool, diff: bool) -> int:
    """Write suites of older and other formats in today's. A PATH is a suite, or a folder.

    What a suite meant in its own format it means afterwards, and comments, quoting, order and line
    endings stay. What cannot be kept is left as it is and named, for a person to decide.

    Ends with 0 where all is said as today; 1 where something is left to be decided, or, with
    --check, where a file would change; 2 where a path is not there, cannot be read or holds no
    suite; 4 for a bug of suitecase.
    """
    codes = {EXIT_OK}
    working_directory = Path.cwd()
    workspaces: dict[Path, Workspace] = {}
    for path in paths:
        found_any = False
        for suite in _files(working_directory / path, workspaces, working_directory):
            root = find_root(suite, working_directory)
            workspace = workspaces.setdefault(root, Workspace(root))
            code = _migrate(suite, workspace, write=not (check or diff), check=check, diff=diff)
            if code is None and (working_directory / path).is_dir():
                continue
            found_any = found_any or code is not None
            codes.add(EXIT_OK if code is None else code)
        if not found_any:
            codes.add(EXIT_USAGE)
            absolute = working_directory / path
            if absolute.is_dir():
                why = "there is no suite in this folder"
            else:
                why = "it is no suite" if absolute.exists() else "it is not there"
            click.echo(f"{path}: cannot be migrated: {why}", err=True)
    for code in (EXIT_BUG, EXIT_USAGE, EXIT_FINDINGS):
        if code in codes:
            return code
    return EXIT_OK


def _files(path: Path, workspaces: dict[Path, Workspace], working_directory: Path) -> list[Path]:
    if path.is_dir():
        folder = path.resolve()
        root = find_root(folder / "suite", working_directory)
        workspace = workspaces.setdefault(root, Workspace(root))
        return list(suites_in(folder, lambda place: find_configuration(workspace, place)))
    if path.exists() or path.is_symlink():
        return [path.parent.resolve() / path.name]
    return []


def _migrate(
    path: Path, workspace: Workspace, *, write: bool, check: bool, diff: bool
) -> int | None:
    """Migrate a file and say what became of it; None for a file that is no suite."""
    shown = shown_path(path)
    text = read_text(path)
    if isinstance(text, Unreadable):
        click.echo(f"{shown}: cannot be migrated: {text.reason}", err=True)
        return EXIT_USAGE
    made = migrate(text, path, workspace)
    if made is None:
        return None
    if made.bug:
        click.echo(
            f"{shown}: left as it is, since {made.bug}. This is a bug in suitecase, not in your "
            "suite; please report it with the suite",
            err=True,
        )
        return EXIT_BUG
    if diff:
        click.echo(_diff(made, shown), nl=False)
    if made.changed and write:
        try:
            write_atomically(path, made.after)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            click.echo(f"{shown}: cannot be written: {reason}", err=True)
            return EXIT_USAGE
    for line in _said(made, shown, written=write):
        click.echo(line, err=diff)
    return EXIT_FINDINGS if made.decisions or (check and made.changed) else EXIT_OK


def _said(made: Migration, shown: str, *, written: bool) -> list[str]:
    done = "migrated" if written else "would be migrated"
    things = "1 change" if made.changes == 1 else f"{made.changes} changes"
    count = len(made.decisions)
    left = f"{count} thing{'s' * (count > 1)} left to decide"
    if made.changed:
        said = f"{shown}: {done}, {things}" + (f"; {left}" if count else "")
    elif count:
        said = f"{shown}: {left}"
    else:
        said = f"{shown}: is in today's format already"
    lines = [said]
    for it in made.decisions:
        line, column = made.document.lines.position(it.span.start)
        lines.append(f"  {shown}:{line + 1}:{column + 1}: {it.message} ({it.code})")
    return lines


def _diff(made: Migration, shown: str) -> str:
    lines = difflib.unified_diff(
        made.before.splitlines(keepends=True),
        made.after.splitlines(keepends=True),
        shown,
        shown,
    )
    return "".join(
        it if it.endswith("\n") else f"{it}\n\\ No newline at end of file\n" for it in lines
    )
