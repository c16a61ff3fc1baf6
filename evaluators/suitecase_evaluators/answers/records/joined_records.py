"""Records of several results files as one sequence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import overload

from suitecase_evaluators.answers.records.record import ResultRecord


class JoinedRecords(Sequence[ResultRecord]):
    """The records of several sequences, one after the other; none of them is kept."""

    def __init__(self, parts: Sequence[Sequence[ResultRecord]]) -> None:
        self._parts = parts

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    @overload
    def __getitem__(self, place: int, /) -> ResultRecord: ...
    @overload
    def __getitem__(self, place: slice, /) -> JoinedRecords: ...
    def __getitem__(self, place: int | slice, /) -> ResultRecord | JoinedRecords:
        if isinstance(place, slice):
            start, stop, step = place.indices(len(self))
            if step != 1:
                raise ValueError("only neighboring records can be taken")
            return JoinedRecords(list(self._slices(start, stop)))
        at = place + len(self) if place < 0 else place
        for part in self._parts:
            if 0 <= at < len(part):
                return part[at]
            at -= len(part)
        raise IndexError(place)

    def __iter__(self) -> Iterator[ResultRecord]:
        return chain.from_iterable(self._parts)

    def _slices(self, start: int, stop: int) -> Iterator[Sequence[ResultRecord]]:
        for part in self._parts:
            if start < len(part) and stop > 0:
                yield part[max(start, 0) : stop]
            start, stop = start - len(part), stop - len(part)
