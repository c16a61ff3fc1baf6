"""Reads results files, line by line."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path
from stat import S_ISBLK, S_ISCHR
from typing import BinaryIO

from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.record_file import LineFilter

#: How the name of a file of figures ends, which stands beside a results file.
FIGURES = ".figures.jsonl"


def may_be_results(path: Path) -> bool:
    """Whether a file with JSON lines may be a results file, by its name."""
    return not path.name.endswith(FIGURES)


def open_results(path: Path) -> BinaryIO:
    """Open a results file, or a pipe; a device, such as `/dev/zero`, might never end.

    Raises:
        OSError: it cannot be opened, or is a device.
    """
    mode = path.stat().st_mode
    if S_ISCHR(mode) or S_ISBLK(mode):
        raise OSError(errno.EINVAL, "it is a device, not a file", str(path))
    return path.open("rb")


def read_records(path: Path, shown: LineFilter | None = None) -> Iterator[ResultRecord]:
    """Yield the records of a results file; other lines are left out.

    Such a line is the last one before a crash, which the next run closed off.

    Args:
        path: the results file.
        shown: what each line passes through; None to take them as they are.

    Raises:
        OSError: the file cannot be read.
    """
    with open_results(path) as lines:
        for line in lines:
            record = ResultRecord.parse(shown(line) if shown else line)
            if record is not None:
                yield record


def numbered_records(path: Path) -> Iterator[tuple[int, ResultRecord | None]]:
    """Yield each line's number, from 0, with its record; None for a line that is not one.

    Raises:
        OSError: the file cannot be read.
    """
    with open_results(path) as lines:
        for number, line in enumerate(lines):
            yield number, ResultRecord.parse(line)
