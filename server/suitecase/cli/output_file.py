"""Files that a command writes anew where the user wants them: `--output`, and baselines."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import click

from suitecase.cli.shown_paths import shown_path
from suitecase.cli.writing import boundary, unwritten
from suitecase.text.working_directory import working_directory
from suitecase.text.writing.files import require_writable, status_of, write_pieces

#: So much of the beginning and of the end of a file tells what wrote it.
_PART = 4096
#: Longer texts wait in a temporary file.
_IN_MEMORY = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class OutputFile:
    """A place that is free, or has an earlier output; `at` looks at it.

    Attributes:
        path: the file.
        before: its status when it was looked at; None if there was none.
        within: the folder that no link may lead it out of.
    """

    path: Path
    before: os.stat_result | None
    within: Path

    @classmethod
    def at(
        cls,
        path: Path,
        *,
        inputs: Iterable[Path] = (),
        is_earlier: Callable[[bytes, bytes], bool],
        earlier: str,
        option: str = "--output",
    ) -> OutputFile:
        """Look at a place.

        Args:
            path: the file.
            inputs: what the command reads.
            is_earlier: whether a file has an earlier output, by its beginning and its end.
            earlier: what an earlier output is called, as in `a page`.
            option: names another file.

        Raises:
            click.ClickException: nothing can be written there.
            click.UsageError: something else than an earlier output would be lost.
        """
        try:
            within = boundary(path)
            require_writable(working_directory() / path, within=within)
            before = status_of(path)
            parts = _parts(path) if before is not None and before.st_size else None
        except OSError as error:
            raise unwritten(path, error) from error
        if before is not None:
            for it in inputs:
                if _is_same(it, before):
                    raise click.UsageError(
                        f"{shown_path(path)}: is read by this command, so it is not overwritten; name "
                        f"another file with {option}"
                    )
        if parts is not None and not is_earlier(*parts):
            raise click.UsageError(
                f"{shown_path(path)}: holds something other than {earlier}, so it is not overwritten; "
                f"name another file with {option}"
            )
        return cls(path, before, within)

    def write(self, pieces: Iterable[bytes]) -> int:
        """Write the file; its folders are made where they are missing. Return its size in bytes.

        Raises:
            click.ClickException: it cannot be written, or has been changed since it was looked at.
        """
        try:
            return write_pieces(
                self.path, pieces, before=self.before, within=self.within, make_folders=True
            )
        except OSError as error:
            raise unwritten(self.path, error) from error


class Collected:
    """What a command prints, kept until all of it is written to a file.

    Attributes:
        text: takes what is printed.
    """

    def __init__(self, file: OutputFile) -> None:
        from tempfile import SpooledTemporaryFile  # which few commands need

        self.file = file
        self.text: IO[str] = SpooledTemporaryFile(  # noqa: SIM115 - it goes with this
            _IN_MEMORY, "w+", encoding="utf-8", errors="backslashreplace", newline="\n"
        )

    def write(self) -> None:
        """Write the file.

        Raises:
            click.ClickException: it cannot be written, or has been changed since it was looked at.
        """
        self.text.seek(0)
        pieces = iter(lambda: self.text.read(_IN_MEMORY), "")
        self.file.write(piece.encode("utf-8") for piece in pieces)


def _parts(path: Path) -> tuple[bytes, bytes]:
    with path.open("rb") as file:
        start = file.read(_PART).lstrip()
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _PART))
        return start, file.read(_PART).rstrip()


def _is_same(path: Path, status: os.stat_result) -> bool:
    try:
        return os.path.samestat(path.stat(), status)
    except OSError:
        return False
