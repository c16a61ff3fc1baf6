"""Results files: a JSON object a line, written as the cases are graded."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

#: Where results go, under the root of the workspace, unless something else is said.
DEFAULT_FOLDER = Path(".suitecase", "results")
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")


class ResultsError(Exception):
    """A results file cannot be written; `message` is for people."""

    def __init__(self, path: Path, error: OSError) -> None:
        self.message = (
            f"the results file {path} cannot be written: {error.strerror or error}; name another "
            "one with --output, or write none with --no-results"
        )
        super().__init__(self.message)


class ResultsFile:
    """A results file that is appended to.

    Each record is handed to the operating system before `append` returns, so that the end of this
    process, however sudden, loses at most the record it was writing.
    """

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path = path
        self._file = file

    @classmethod
    def open(cls, path: Path) -> ResultsFile:
        """Open a file for appending; it and its folders are made where they are missing.

        A last line that was cut short by a crash is closed off, so that it spoils no record.

        Raises:
            ResultsError: it cannot be written.
        """
        try:
            _make_folder(path.parent)
            file = path.open("ab", buffering=0)
            try:
                if file.tell() and not _ends_with_newline(path):
                    file.write(b"\n")
            except OSError:
                file.close()
                raise
        except OSError as error:
            raise ResultsError(path, error) from error
        return cls(path, file)

    def append(self, record: Mapping[str, Any]) -> None:
        """Write a record.

        Raises:
            ResultsError: it cannot be written, or not in full: the disk is full.
        """
        line = memoryview(json.dumps(record, ensure_ascii=False, allow_nan=False).encode() + b"\n")
        try:
            while line:
                line = line[self._file.write(line) :]
        except OSError as error:
            raise ResultsError(self.path, error) from error

    def close(self) -> None:
        """Close the file; safe to call twice."""
        self._file.close()


def results_path(given: str, dataset: str, now: datetime | None = None) -> Path:
    """Return the file that `given` means: itself, or a new one in the folder that it is.

    The new one is named after the data set and the time.
    """
    path = Path(given)
    if not (given.endswith(("/", os.sep)) or path.is_dir()):
        return path
    moment = (now or datetime.now(UTC)).astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    stem = _NOT_IN_NAMES.sub("-", dataset).strip("-.")[:100] or "suite"
    found = path / f"{stem}-{moment}.jsonl"
    number = 2
    while found.exists():
        found = path / f"{stem}-{moment}-{number}.jsonl"
        number += 1
    return found


def read_results(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a results file; lines that are none are left out.

    Such a line is the last one before a crash, which the next run closed off.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as lines:
        for line in lines:
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(record, dict) and isinstance(record.get("eval_id"), str):
                yield record


def _make_folder(folder: Path) -> None:
    if folder.is_dir():
        return
    folder.mkdir(parents=True, exist_ok=True)
    if folder.parts[-2:] == DEFAULT_FOLDER.parts:
        # Answers and prompts are nobody's to commit by accident.
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")


def _ends_with_newline(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
