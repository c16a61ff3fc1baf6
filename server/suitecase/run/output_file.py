"""Checks that results may be appended to a file: it is empty or has results, and is no input."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

#: Besides `eval_id`, each record has one of these, including those of other tools.
_GRADES = ("schema_version", "score", "verdict")
#: The start of a truncated record.
_OURS = b'{"schema_version": '


class UnusableOutputError(Exception):
    """Appending results would damage a file; `message` is shown to users."""

    def __init__(self, path: Path, why: str) -> None:
        self.message = (
            f"results cannot be written to {path}: {why}; name another file with --output"
        )
        super().__init__(self.message)


def check_output(path: Path, inputs: Iterable[Path]) -> None:
    """Reject a file that appending results would damage; it may be missing.

    Args:
        inputs: the files that the run reads.

    Raises:
        UnusableOutputError: it is an input, contains something other than results, or is not a
            regular file.
    """
    try:
        status = path.stat()
    except OSError:
        return  # opening it reports the error
    for source in inputs:
        with suppress(OSError):
            if source.samefile(path):
                raise UnusableOutputError(path, "it is an input of the run")
    if stat.S_ISCHR(status.st_mode):
        return  # such as /dev/null
    if not stat.S_ISREG(status.st_mode):
        raise UnusableOutputError(path, "it is not a regular file")
    try:
        with path.open("rb") as file:
            line = next((source for source in file if source.strip()), b"")
    except OSError:
        return
    if line and not _is_result(line):
        raise UnusableOutputError(path, "it contains something other than results")


def _is_result(line: bytes) -> bool:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return line.startswith(_OURS) or _OURS.startswith(line.strip())
    has_id = isinstance(record, dict) and isinstance(record.get("eval_id"), str)
    return has_id and any(grade in record for grade in _GRADES)
