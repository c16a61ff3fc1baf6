"""Writes pages and other output where the user wants them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from suitecase.cli.output_file import OutputFile


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
    is_other = path.suffix.lower() in suffixes
    file = OutputFile.at(
        path,
        inputs=inputs,
        is_earlier=lambda start, _: is_other or start.lower().startswith(b"<!doctype html"),
        earlier="a page",
    )
    return file.write(pieces)


def size_text(size: int) -> str:
    """Return a size as people say it: `12 KB`, `3.4 MB`."""
    return f"{size / 1e6:,.1f} MB" if size >= 1_000_000 else f"{max(1, round(size / 1000))} KB"
