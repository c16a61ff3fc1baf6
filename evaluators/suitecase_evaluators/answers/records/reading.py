"""Reads results files, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.record_file import LineFilter

#: How the name of a file of figures ends, which stands beside a results file.
FIGURES = ".figures.jsonl"


def may_be_results(path: Path) -> bool:
    """Whether a file with JSON lines may be a results file, by its name."""
    return not path.name.endswith(FIGURES)


def read_records(path: Path, shown: LineFilter | None = None) -> Iterator[ResultRecord]:
    """Yield the records of a results file; other lines are left out.

    Such a line is the last one before a crash, which the next run closed off.

    Args:
        path: the results file.
        shown: what each line passes through; None to take them as they are.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as lines:
        for line in lines:
            record = ResultRecord.parse(shown(line) if shown else line)
            if record is not None:
                yield record


def numbered_records(path: Path) -> Iterator[tuple[int, ResultRecord | None]]:
    """Yield each line's number, from 0, with its record; None for a line that is not one.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as lines:
        for number, line in enumerate(lines):
            yield number, ResultRecord.parse(line)
