"""`suitecase cache`: what the cache of answers has, and emptying it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from suitecase.cli import EXIT_OK
from suitecase.cli.options import FiniteNumber, PathArgument, SingleValueCommand, text_or_json
from suitecase.cli.output.printing import json_text
from suitecase.cli.output.terminal import echo
from suitecase.text.working_directory import absolute_path

if TYPE_CHECKING:
    from suitecase.run.cache_contents import CacheContents

_folder = click.argument(
    "folder",
    metavar="[FOLDER]",
    type=PathArgument(exists=True, file_okay=False),
    default=Path(),
)


@click.group("cache")
def command() -> None:
    """Show or clear the answers that `suitecase run --cache read` reuses.

    Each workspace has its own cache, in `.suitecase/cache.sqlite3`. Results are kept apart from it, in
    `.suitecase/results`, and are not touched.
    """


@command.command(
    "info",
    cls=SingleValueCommand,
    short_help="Show how many answers are cached, and how old they are.",
)
@_folder
@text_or_json
def info(folder: Path, form: Literal["text", "json"]) -> int:
    """Show where the cache of a workspace is, how many answers it has, and how old they are.

    FOLDER is any folder of the workspace. Default: the working directory.

    Exit codes: 0, or 2 if the cache cannot be read.
    """
    from suitecase.run.cache_contents import CacheFileError, cache_contents

    try:
        contents = cache_contents(_root(folder))
    except CacheFileError as error:
        raise click.UsageError(error.message) from error
    if form == "json":
        echo(json_text(_as_json(contents), indent=2))
    else:
        echo(_as_text(contents))
    return EXIT_OK


@command.command("clear", cls=SingleValueCommand, short_help="Remove cached answers.")
@_folder
@click.option(
    "--older-than",
    metavar="DAYS",
    type=FiniteNumber(min=0, max=36_500),
    help="Keep answers that were stored within this number of days.",
)
def clear(folder: Path, older_than: float | None) -> int:
    """Remove the answers in the cache of a workspace, so that models are called again.

    FOLDER is any folder of the workspace. Default: the working directory.

    Exit codes: 0, or 2 if the cache cannot be changed.
    """
    from suitecase.run.cache_contents import CacheFileError, remove_answers
    from suitecase.text.plural import counted

    before = None if older_than is None else datetime.now(UTC) - timedelta(days=older_than)
    try:
        removed = remove_answers(_root(folder), before)
    except CacheFileError as error:
        raise click.UsageError(error.message) from error
    echo(f"Removed {counted(removed, 'answer')} from the cache.")
    return EXIT_OK


def _root(folder: Path) -> Path:
    from suitecase.format.workspace import find_root

    here = absolute_path(folder)
    return find_root(here / "suite", here)


def _as_text(contents: CacheContents) -> str:
    from suitecase.cli.page_file import size_text
    from suitecase.cli.shown_paths import shown_path
    from suitecase.text.plural import counted

    shown = shown_path(contents.path)
    if contents.oldest is None or contents.newest is None:
        return f"{shown}: no answers. `suitecase run --cache read` stores and reuses them."
    first, last = (
        it.astimezone().strftime("%Y-%m-%d %H:%M") for it in (contents.oldest, contents.newest)
    )
    return f"{shown}: {counted(contents.answers, 'answer')}, {size_text(contents.size)}, from {first} to {last}"


def _as_json(contents: CacheContents) -> dict[str, object]:
    return {
        "schema_version": 1,
        "path": str(contents.path),
        "answers": contents.answers,
        "bytes": contents.size,
        "oldest": contents.oldest and contents.oldest.isoformat(),
        "newest": contents.newest and contents.newest.isoformat(),
    }
