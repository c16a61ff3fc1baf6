"""Reads results written by other tools as results files.

A file of another tool is converted to a results file in a temporary folder. So the same code reads it, which
handles files of any size and keeps no records.
"""

from __future__ import annotations

import atexit
from importlib import import_module
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from suitecase.text.working_directory import absolute_path
from suitecase_evaluators.system.path_kinds import is_file
from suitecase_evaluators.system.temporary_folders import TemporaryFolder

#: The modules that read the results of other tools, imported if a file is not a results file.
_READERS = ("suitecase.formats.promptfoo.running.outputs.records_file",)
#: What is read besides results files, for messages.
READ_TOO = "what `promptfoo eval -o out.json` writes"
#: The part of a file that identifies the tool that wrote it.
_BEGINNING = 64 * 1024
#: By path, modification time and size: the converted file.
_written: dict[tuple[Path, int, int], Path] = {}
_folder: TemporaryFolder | None = None


class UnreadableResultsError(Exception):
    """A file of another tool cannot be read as results; `message` is shown to users."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


class ReadsResults(Protocol):
    """The interface of modules that read the results of a tool."""

    def is_output(self, path: Path, beginning: bytes) -> bool:
        """Whether this module reads a file, judging by its name and its beginning."""
        ...

    def write_records(self, path: Path, file: BinaryIO) -> None:
        """Write the results of a file as lines of a results file.

        Raises:
            UnreadableResultsError: it is not what the tool writes.
            OSError: it cannot be read, or the lines cannot be written.
        """
        ...


def results_file(path: Path) -> Path:
    """Return the results file for a file: itself, unless another tool has written it.

    Raises:
        UnreadableResultsError: it cannot be read as results.
        OSError: it cannot be read.
    """
    if not is_file(path):
        return path  # a pipe can be read only once, and the reader reports a missing file
    status = path.stat()
    key = absolute_path(path), status.st_mtime_ns, status.st_size
    if key in _written:
        return _written[key]
    with path.open("rb") as file:
        beginning = file.read(_BEGINNING)
    if b'"eval_id"' in beginning.partition(b"\n")[0]:
        return path
    for name in _READERS:
        reader = cast("ReadsResults", import_module(name))
        if reader.is_output(path, beginning):
            own = _place()
            with own.open("wb") as file:
                reader.write_records(path, file)
            _written[key] = own
            return own
    return path


def remove_copies() -> None:
    """Remove the results files that other tools' files were converted to; those who have one open keep it."""
    global _folder
    _written.clear()
    if _folder is not None:
        _folder.remove()
        _folder = None


def _place() -> Path:
    global _folder
    if _folder is None:
        _folder = TemporaryFolder.make()
        atexit.register(remove_copies)
    return _folder.path / f"{len(_written)}.jsonl"
