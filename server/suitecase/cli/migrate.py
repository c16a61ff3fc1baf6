"""`suitecase migrate`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import click

from suitecase.authoring.migration import (
    Migration,
    PromptMigration,
    SuiteFile,
    migrate,
    migrate_prompts,
)
from suitecase.cli import EXIT_BUG, EXIT_FINDINGS, EXIT_OK, EXIT_UNGRADED, EXIT_USAGE
from suitecase.cli.first_steps import missing
from suitecase.cli.options import PathArgument, SingleValueCommand, or_working_directory
from suitecase.cli.output.terminal import echo
from suitecase.cli.shown_paths import left_out_by_git, links_passed_over, shown_path
from suitecase.cli.text_diff import text_diff
from suitecase.cli.writing import (
    code_of_unwritten,
    why_led_out,
    why_not_inside,
    why_not_written,
    write_text,
)
from suitecase.format.configuration import find_configuration
from suitecase.format.discovery import suites_in
from suitecase.format.rule import Finding
from suitecase.format.workspace import Unreadable, Workspace, find_root, read_text
from suitecase.formats.unrecognized import described, no_suite_in
from suitecase.text.encoders.terminal import Block
from suitecase.text.git_ignored import LeftOutByGit
from suitecase.text.node import Span
from suitecase.text.working_directory import working_directory
from suitecase.text.writing.refusals import ChangedMeanwhileError
from suitecase_evaluators.system.path_kinds import (
    is_folder,
    is_link,
    is_there,
    may_be_there,
    real_path,
)


@click.command("migrate", cls=SingleValueCommand)
@click.argument(
    "paths",
    metavar="[PATH...]",
    nargs=-1,
    callback=or_working_directory,
    type=PathArgument(),
)
@click.option("--check", is_flag=True, help="Change nothing; exit with 1 if a file would change.")
@click.option("--diff", is_flag=True, help="Show the changes, without changing anything.")
def command(paths: tuple[Path, ...], check: bool, diff: bool) -> int:
    """Migrate suites of older and other formats to the current one. A PATH is a suite, or a folder.

    Without a PATH, the suites in the working directory are migrated; --diff shows what would change.

    The meaning of a suite stays the same, as do comments, quoting, order and line endings. What
    cannot be kept is left unchanged and listed, for you to decide. Suites of other tools, results
    and other files that are not suites are not changed.

    Variables in the prompt files that these suites name are migrated, too. A file is not changed
    if another suite of the workspace names it that is in another format and not among PATH, or if
    a suite sends it literally.

    Exit codes: 0 if nothing is left to migrate and `suitecase check` passes; 1 if something is
    left to decide or fix, or, with --check, if a file would change; 2 if a path does not exist,
    cannot be read or contains no suite; 3 if a file cannot be written since the disk is full; 4
    for a bug in suitecase.
    """
    codes = {EXIT_OK}
    done: list[SuiteFile] = []
    here = working_directory()
    workspaces: dict[Path, Workspace] = {}

    links: list[Path] = []
    left_out = LeftOutByGit()
    unread: list[Path] = []

    def note(error: OSError) -> None:
        codes.add(EXIT_USAGE)
        unread.append(Path(error.filename))
        reason = (error.strerror or str(error)).lower()
        echo(f"{shown_path(Path(error.filename))}: cannot be migrated: {reason}", err=True)

    for path in paths:
        if not (check or diff) and (why := why_not_inside(path)) is not None:
            codes.add(EXIT_USAGE)
            echo(f"{path}: cannot be migrated: {why}", err=True)
            continue
        found_any = False
        is_file_argument = not is_folder(here / path)
        for suite in _files(here / path, workspaces, here, note, links.append, left_out):
            if not (check or diff) and (why := why_led_out(path, suite)) is not None:
                codes.add(EXIT_USAGE)
                found_any = True
                echo(f"{path}: cannot be migrated: {why}", err=True)
                break
            root = find_root(suite, here)
            workspace = workspaces.setdefault(root, Workspace(root))
            code = _migrate(
                suite,
                workspace,
                done,
                is_file_argument=is_file_argument,
                write=not (check or diff),
                check=check,
                diff=diff,
            )
            if code is None and is_folder(here / path):
                continue
            found_any = found_any or code is not None
            codes.add(EXIT_OK if code is None else code)
        absolute = here / path
        if not found_any and real_path(absolute) not in unread:
            codes.add(EXIT_USAGE)
            if is_folder(absolute):
                why = no_suite_in(absolute)
            elif not is_there(absolute):
                why = missing(absolute)
            else:
                text = read_text(absolute)
                why = f"it is {described(absolute, text)}" if isinstance(text, str) else text.reason
            echo(f"{path}: cannot be migrated: {why}", err=True)
    if links:
        echo(links_passed_over(links), err=True)
    for line in left_out_by_git(left_out, "a file that is named is migrated"):
        echo(line, err=True)
    others = partial(_others, done, workspaces, here)
    for prompt in migrate_prompts(done, others):
        codes.add(_prompt(prompt, write=not (check or diff), check=check, diff=diff))
    for code in (EXIT_BUG, EXIT_UNGRADED, EXIT_USAGE, EXIT_FINDINGS):
        if code in codes:
            return code
    return EXIT_OK


def _others(
    migrated: list[SuiteFile], workspaces: dict[Path, Workspace], here: Path
) -> Iterator[SuiteFile]:
    """Yield the other suites of the workspaces."""
    migrated_paths = {it.path for it in migrated}
    for root in {it.workspace.root for it in migrated}:
        for path in _files(root, workspaces, here):
            text = read_text(path, within=root)
            if path not in migrated_paths and isinstance(text, str):
                migrated_paths.add(path)
                root_of_suite = find_root(path, here)
                workspace = workspaces.setdefault(root_of_suite, Workspace(root_of_suite))
                yield SuiteFile(path, text, workspace)


def _files(
    path: Path,
    workspaces: dict[Path, Workspace],
    here: Path,
    unreadable: Callable[[OSError], None] = lambda _: None,
    passed_over: Callable[[Path], None] = lambda _: None,
    left_out: LeftOutByGit | None = None,
) -> list[Path]:
    if is_folder(path):
        folder = real_path(path)
        root = find_root(folder / "suite", here)
        workspace = workspaces.setdefault(root, Workspace(root))
        configured = partial(find_configuration, workspace)
        return list(
            suites_in(
                folder,
                configured,
                unreadable,
                root_of=lambda file: find_root(file, here),
                passed_over=passed_over,
                left_out=left_out,
            )
        )
    if may_be_there(path) or is_link(path):
        return [real_path(path.parent) / path.name]
    return []


def _migrate(
    path: Path,
    workspace: Workspace,
    done: list[SuiteFile],
    *,
    is_file_argument: bool,
    write: bool,
    check: bool,
    diff: bool,
) -> int | None:
    """Migrate a file and report the result; return None if it is not a suite."""
    display_path = shown_path(path)
    text = read_text(path, within=None if is_file_argument else workspace.root)
    if isinstance(text, Unreadable):
        echo(f"{display_path}: cannot be migrated: {text.reason}", err=True)
        return EXIT_USAGE
    migration = migrate(text, path, workspace)
    if migration is None:
        return None
    if migration.bug:
        echo(
            f"{display_path}: left as it is, since {migration.bug}. This is a bug in suitecase, not in your "
            "suite; please report it with the suite",
            err=True,
        )
        return EXIT_BUG
    if diff:
        echo(Block(text_diff(migration.before, migration.after, display_path)), nl=False)
    if migration.changed and write:
        code = _write(path, migration.after, migration.before)
        if code != EXIT_OK:
            return code
    done.append(SuiteFile(path, migration.after, workspace))
    for line in _said(migration, display_path, is_written=write):
        echo(line, err=diff)
    return EXIT_OK if migration.is_done and not (check and migration.changed) else EXIT_FINDINGS


def _prompt(migration: PromptMigration, *, write: bool, check: bool, diff: bool) -> int:
    """Write a prompt file and report the result."""
    display_path = shown_path(migration.path)
    if migration.left is not None:
        suite, why = migration.left
        echo(f"{display_path}: left as it is, since {shown_path(suite)} {why}", err=diff)
        return EXIT_OK
    if diff:
        echo(Block(text_diff(migration.before, migration.after, display_path)), nl=False)
    if write:
        code = _write(migration.path, migration.after, migration.before)
        if code != EXIT_OK:
            return code
    done = "migrated" if write else "would be migrated"
    echo(f"{display_path}: {done}, {_changes(migration.changes)}", err=diff)
    return EXIT_FINDINGS if check else EXIT_OK


def _write(path: Path, text: str, before: str) -> int:
    """Write a text, or report why that is not possible; return the exit code."""
    try:
        write_text(path, text, before)
    except ChangedMeanwhileError:
        echo(
            f"{shown_path(path)}: was changed meanwhile, so it was not migrated; run the command "
            "again",
            err=True,
        )
        return EXIT_USAGE
    except OSError as error:
        echo(f"{shown_path(path)}: cannot be written: {why_not_written(error)}", err=True)
        return code_of_unwritten(error)
    return EXIT_OK


def _changes(number: int) -> str:
    return "1 change" if number == 1 else f"{number} changes"


def _said(migration: Migration, display_path: str, *, is_written: bool) -> list[str]:
    done = "migrated" if is_written else "would be migrated"
    messages = []
    if migration.changed:
        whence = f" from {migration.era}" if migration.era else ""
        messages.append(f"{done}{whence}, {_changes(migration.changes)}")
    elif migration.era:
        messages.append(f"is in {migration.era}")
    count = len(migration.decisions)
    if count:
        messages.append(f"{count} thing{'s' * (count > 1)} left to decide")
    if migration.errors:
        messages.append(f"{len(migration.errors)} error{'s' * (len(migration.errors) > 1)} to fix")
    if not (migration.changed or migration.era or count):
        messages.insert(0, "is already in the current format")
    lines = [f"{display_path}: {'; '.join(messages)}"]
    for finding in sorted((*migration.decisions, *migration.errors), key=_place):
        place = migration.document.lines.place(_place(finding))
        where = f" (in {shown_path(finding.external.path)})" if finding.external else ""
        lines.append(
            f"  {display_path}:{place.line}:{place.column}: {finding.message}{where} ({finding.code})"
        )
    return lines


def _place(finding: Finding) -> Span:
    """Return the place of a finding in the suite, or of the reference to its file."""
    return finding.external.reference if finding.external else finding.span
