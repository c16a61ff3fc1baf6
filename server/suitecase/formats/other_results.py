"""Results that other tools have written, read as if they were results files of ours.

A file of another tool is written as a results file into a temporary folder, and read there. So it is read by
the same code, which goes through files of any size and keeps no records.
"""

from __future__ import annotations

import atexit
from importlib import import_module
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from suitecase_evaluators.temporary_folders import TemporaryFolder

#: The modules that read the results of other tools, imported when a file is not one of ours.
_READERS = ("suitecase.formats.promptfoo.running.outputs.records_file",)
#: What is read beside results files of ours, for messages.
READ_TOO = "what `promptfoo eval -o out.json` writes"
#: So much of a file says whose it is.
_BEGINNING = 64 * 1024
#: By path, when it was changed, and its size, the file that it was written as.
_written: dict[tuple[Path, int, int], Path] = {}
_folder: TemporaryFolder | None = None


class UnreadableResultsError(Exception):
    """A file of another tool cannot be read as results; `message` is shown to users."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


class ReadsResults(Protocol):
    """What a format has if the results of its tool can be read."""

    def is_output(self, path: Path, beginning: bytes) -> bool:
        """Whether a file is read by this module, by its name and its beginning."""
        ...

    def write_records(self, path: Path, file: BinaryIO) -> None:
        """Write what a file says as lines of a results file.

        Raises:
            UnreadableResultsError: it is not what the tool writes.
            OSError: it cannot be read, or the lines not be written.
        """
        ...


def results_file(path: Path) -> Path:
    """Return the results file that has what a file says: itself, unless another tool has written it.

    Raises:
        UnreadableResultsError: it cannot be read as results.
        OSError: it cannot be read.
    """
    if not path.is_file():
        return path  # a pipe is read once, and what is missing is reported by who reads it
    status = path.stat()
    key = path.absolute(), status.st_mtime_ns, status.st_size
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


def _place() -> Path:
    global _folder
    if _folder is None:
        _folder = TemporaryFolder.make()
        atexit.register(_folder.remove)
    return _folder.path / f"{len(_written)}.jsonl"
