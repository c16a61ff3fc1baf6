"""Writes pages and other output where the user wants them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from suitecase.cli.shown_paths import shown_path


def write_file(
    path: Path, pieces: Iterable[bytes], *, inputs: Iterable[Path], suffixes: Iterable[str] = ()
) -> int:
    """Write a file anew; its folders are made where they are missing. Return its size in bytes.

    Args:
        suffixes: of files that may be overwritten beside pages.

    Raises:
        click.ClickException: it cannot be written, is one of `inputs`, or holds something
            other than a page; ends with exit code 2.
    """
    if any(path.exists() and it.exists() and path.samefile(it) for it in inputs):
        raise click.UsageError(
            f"{shown_path(path)}: is the results file itself; name another file with --output"
        )
    if path.suffix.lower() not in suffixes and _is_something_else(path):
        raise click.UsageError(
            f"{shown_path(path)}: holds something other than a page, so it is not overwritten; name "
            "another file with --output"
        )
    size = 0
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            for piece in pieces:
                size += file.write(piece)
    except OSError as error:
        raise click.UsageError(
            f"{shown_path(path)}: cannot be written: {error.strerror or error}"
        ) from error
    return size


def _is_something_else(path: Path) -> bool:
    """Whether a file is there that is neither empty nor a page, such as a suite."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            start = file.read(1000).lstrip()
    except OSError:
        return False
    return bool(start) and not start.lower().startswith(b"<!doctype html")


def size_text(size: int) -> str:
    """Return a size as people say it: `12 KB`, `3.4 MB`."""
    return f"{size / 1e6:,.1f} MB" if size >= 1_000_000 else f"{max(1, round(size / 1000))} KB"
