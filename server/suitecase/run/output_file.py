"""Whether a file may take results: it holds results already, or nothing, and is not an input."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

#: What each record of ours, and of other tools, has one of beside its `eval_id`.
_GRADES = ("schema_version", "score", "verdict")
#: How the line starts of a record that was cut short.
_OURS = b'{"schema_version": '


class UnusableOutputError(Exception):
    """Results cannot be written to a file without harm; `message` is for people."""

    def __init__(self, path: Path, why: str) -> None:
        self.message = (
            f"results cannot be written to {path}: {why}; name another file with --output"
        )
        super().__init__(self.message)


def check_output(path: Path, inputs: Iterable[Path]) -> None:
    """Refuse a file that appending results would spoil; one that is not there yet is fine.

    Args:
        inputs: the files that the run reads.

    Raises:
        UnusableOutputError: it is an input, holds something other than results, or is not a file.
    """
    try:
        status = path.stat()
    except OSError:
        return  # whoever opens it says what is wrong
    for source in inputs:
        with suppress(OSError):
            if source.samefile(path):
                raise UnusableOutputError(path, "the run reads it")
    if stat.S_ISCHR(status.st_mode):
        return  # such as /dev/null
    if not stat.S_ISREG(status.st_mode):
        raise UnusableOutputError(path, "it is not a file that can be appended to")
    try:
        with path.open("rb") as file:
            line = next((source for source in file if source.strip()), b"")
    except OSError:
        return
    if line and not _is_result(line):
        raise UnusableOutputError(path, "it holds something other than results")


def _is_result(line: bytes) -> bool:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return line.startswith(_OURS) or _OURS.startswith(line.strip())
    has_id = isinstance(record, dict) and isinstance(record.get("eval_id"), str)
    return has_id and any(it in record for it in _GRADES)
