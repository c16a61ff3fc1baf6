"""The records of a results file that count, read again whenever they are asked for.

What is kept of a record is where its line starts, so that files of any size can be looked through.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import overload

from suitecase_evaluators.answers.records.record import ResultRecord

#: Returns a line of a results file as it may be shown: without secrets, for example.
LineFilter = Callable[[bytes], bytes]


def lines_with_offsets(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file with the number of the byte at which each starts.

    Raises:
        OSError: the file cannot be read.
    """
    offset = 0
    with path.open("rb") as lines:
        for line in lines:
            yield offset, line
            offset += len(line)


class ChangedFileError(OSError):
    """A results file was removed, or changed, while it was read; `message` is shown to users."""

    def __init__(self, path: Path, why: str) -> None:
        self.message = f"{path}: changed while it was read: {why}"
        super().__init__(self.message)


class RecordFile(Sequence[ResultRecord]):
    """Records of a results file, each of which is read when it is asked for.

    Going through all of them reads the file once and keeps none of them. Where a record is not there
    any more, `ChangedFileError` is raised.
    """

    def __init__(self, path: Path, offsets: Sequence[int], shown: LineFilter | None = None) -> None:
        """
        Args:
            path: the results file.
            offsets: where the line of each record starts, in ascending order.
            shown: what each line passes through; None to take them as they are.
        """
        self.path = path
        self._shown = shown
        self._offsets = offsets if isinstance(offsets, array) else array("Q", offsets)

    def __len__(self) -> int:
        return len(self._offsets)

    @overload
    def __getitem__(self, place: int, /) -> ResultRecord: ...
    @overload
    def __getitem__(self, place: slice, /) -> RecordFile: ...
    def __getitem__(self, place: int | slice, /) -> ResultRecord | RecordFile:
        if isinstance(place, slice):
            return RecordFile(self.path, self._offsets[place], self._shown)
        (found,) = self.at([self._offsets[place]])
        return found

    def __iter__(self) -> Iterator[ResultRecord]:
        return self.at(self._offsets)

    @property
    def offsets(self) -> Sequence[int]:
        """Where the line of each record starts, which `at` takes."""
        return self._offsets

    def at(self, offsets: Sequence[int]) -> Iterator[ResultRecord]:
        """Yield the records whose lines start at these bytes, in any order.

        Raises:
            ChangedFileError: a record is not there any more.
        """
        for line in self._lines_at(offsets):
            record = ResultRecord.parse(line)
            if record is None:
                raise _gone(self.path)
            yield record

    def lines(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        """Yield the lines of the records from one place to another, as they are in the file or are shown.

        Raises:
            ChangedFileError: a record is not there any more.
        """
        for line in self._lines_at(self._offsets[start:stop]):
            yield line if line.endswith(b"\n") else line + b"\n"

    def _lines_at(self, offsets: Sequence[int]) -> Iterator[bytes]:
        try:
            with self.path.open("rb") as file:
                end = 0
                for offset in offsets:
                    if offset != end:
                        file.seek(offset)
                    line = file.readline()
                    if not line:
                        raise _gone(self.path)
                    end = offset + len(line)
                    yield line if self._shown is None else self._shown(line)
        except OSError as error:
            if isinstance(error, ChangedFileError):
                raise
            raise ChangedFileError(self.path, error.strerror or str(error)) from error


def _gone(path: Path) -> ChangedFileError:
    return ChangedFileError(path, "a result that it had is gone")


def lines_of(
    records: Sequence[ResultRecord], start: int = 0, stop: int | None = None
) -> Iterator[bytes]:
    """Yield records from one place to another as lines; those of a file as they are in it."""
    if isinstance(records, RecordFile):
        yield from records.lines(start, stop)
    else:
        for record in records[start:stop]:
            yield record.line()
