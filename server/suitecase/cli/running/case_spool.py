"""Graded cases that are printed later, in the order of the suite, without all of them in memory."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from math import isnan, nan
from typing import IO, overload

from suitecase.cli.running.graded_case import GradedCase
from suitecase.cli.suite_argument import SuiteArgument
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.status import GRAVEST_FIRST, Status

#: What is spooled stays in memory up to so many bytes.
_IN_MEMORY = 8 * 1024 * 1024
_STATUSES = tuple(Status)


class CaseSpool:
    """Records as lines of a temporary file, which has no name and goes with the process."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._end = 0
        #: Lines that could not be written, as where the disk is full.
        self._unwritten: dict[int, bytes] = {}

    def add(self, record: ResultRecord) -> int:
        """Keep a record; return where it is."""
        line, place = record.line(), self._end
        if self._file is None:
            import tempfile

            self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - it goes with this
        try:
            self._file.seek(place)
            self._file.write(line)
            # Else a full disk would be noticed by whoever reads next.
            self._file.flush()
        except OSError:
            self._unwritten[place] = line
        self._end += len(line)
        return place

    def read(self, place: int) -> ResultRecord:
        """Return a record that was kept."""
        line = self._unwritten.get(place)
        if line is None and self._file is not None:
            self._file.seek(place)
            line = self._file.readline()
        record = ResultRecord.parse(line or b"")
        if record is None:
            raise LookupError(f"no record was kept at {place}")
        return record

    def close(self) -> None:
        """Remove what is kept; safe to call twice."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self._unwritten.clear()
        self._end = 0


class SpooledCases(Sequence[GradedCase]):
    """The graded cases of a suite in its order, each of which is read when it is asked for."""

    def __init__(self, suite: SuiteArgument, spool: CaseSpool) -> None:
        self._suite = suite
        self._spool = spool
        self._places = array("Q")
        self._seconds = array("d")
        self._kept = bytearray()
        self._of_status = bytearray()
        #: By case, as they came: its place in the order of the suite.
        self._order = array("Q")
        #: One more than the last of these places.
        self.end = 0
        self._sorted: Sequence[int] | None = None

    def add(self, case: GradedCase, order: int) -> None:
        """Keep a case, which has a place in the order of the suite."""
        self._places.append(self._spool.add(case.record))
        self._seconds.append(nan if case.seconds is None else case.seconds)
        self._kept.append(case.kept)
        self._of_status.append(_STATUSES.index(case.record.status))
        self._order.append(order)
        self.end = max(self.end, order + 1)
        self._sorted = None

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int, /) -> GradedCase: ...
    @overload
    def __getitem__(self, place: slice, /) -> Sequence[GradedCase]: ...
    def __getitem__(self, place: int | slice, /) -> GradedCase | Sequence[GradedCase]:
        if isinstance(place, slice):
            return [self._case(it) for it in self._in_order()[place]]
        return self._case(self._in_order()[place])

    @property
    def statuses(self) -> Counter[Status]:
        """How many cases have each status."""
        counts = {status: self._of_status.count(at) for at, status in enumerate(_STATUSES)}
        return Counter({it: number for it, number in counts.items() if number})

    def of_status(self, status: Status) -> Iterator[GradedCase]:
        """Yield the cases with a status."""
        wanted = _STATUSES.index(status)
        return (
            self._case(number) for number in self._in_order() if self._of_status[number] == wanted
        )

    def gravest(self) -> dict[str, int]:
        """Return for each case where it has the gravest status; of equal ones the earliest."""
        rank = {_STATUSES.index(status): at for at, status in enumerate(GRAVEST_FIRST)}
        found: dict[str, int] = {}
        for place, at in enumerate(self._in_order()):
            case = self._case(at).record.eval_id
            known = found.get(case)
            if known is None or rank[self._of_status[at]] < rank[self._status_at(known)]:
                found[case] = place
        return found

    def _status_at(self, place: int) -> int:
        return self._of_status[self._in_order()[place]]

    def _case(self, at: int) -> GradedCase:
        seconds = self._seconds[at]
        return GradedCase(
            self._suite,
            self._spool.read(self._places[at]),
            None if isnan(seconds) else seconds,
            kept=bool(self._kept[at]),
        )

    def _in_order(self) -> Sequence[int]:
        if self._sorted is None:
            order = self._order
            self._sorted = array("I", sorted(range(len(order)), key=order.__getitem__))
        return self._sorted
