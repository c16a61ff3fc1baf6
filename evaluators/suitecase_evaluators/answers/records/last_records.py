"""Which records count: the last one of each case, target and repeat of a suite.

Runs have millions of answers where each case is asked many times, so that what is kept of a record is
4 bytes; what is kept of a case is its id.
"""

from __future__ import annotations

from array import array

#: In an array of numbers, so many places may be free for each that is taken.
_MOST_FREE = 64


class Numbers:
    """A number for each repeat of each case, both of which are numbers from 0.

    Repeats that stand close to each other, as those that Suitecase writes, take 4 bytes.
    """

    __slots__ = ("_elsewhere", "_further", "_of_first")

    def __init__(self) -> None:
        #: By case, one more than the number of its first repeat; 0 if there is none.
        self._of_first = array("I")
        #: By case, the same for each of its further repeats.
        self._further: dict[int, array[int]] = {}
        #: Of records of other tools, whose repeats may be any numbers.
        self._elsewhere: dict[tuple[int, int], int] = {}

    def get(self, case: int, repeat: int) -> int | None:
        """Return the number of a repeat; None if it has none."""
        found = 0
        if repeat == 1:
            found = self._of_first[case] if case < len(self._of_first) else 0
        elif repeat >= 0 and case in self._further:
            places = self._further[case]
            found = places[repeat] if repeat < len(places) else 0
        if not found and self._elsewhere:
            return self._elsewhere.get((case, repeat))
        return found - 1 if found else None

    def put(self, case: int, repeat: int, number: int) -> int | None:
        """Set the number of a repeat, and return the one that it had."""
        before = self.get(case, repeat)
        if repeat == 1:
            _extend(self._of_first, case + 1)
            self._of_first[case] = number + 1
            return before
        places = self._further.get(case)
        taken = 0 if places is None else len(places)
        if (case, repeat) in self._elsewhere or not 0 <= repeat < 2 * taken + _MOST_FREE:
            self._elsewhere[case, repeat] = number
            return before
        if places is None:
            places = self._further[case] = array("I")
        _extend(places, repeat + 1)
        places[repeat] = number + 1
        return before


def _extend(places: array[int], size: int) -> None:
    if len(places) < size:
        places.extend([0] * (size - len(places)))


class LastRecords:
    """The number of the last record of each suite, case, target and repeat."""

    def __init__(self) -> None:
        #: By suite and target, the numbers of cases by id.
        self._cases: dict[tuple[str, str], dict[str, int]] = {}
        self._cases_in_all = 0
        self._numbers = Numbers()
        #: How many records there are that count.
        self.counted = 0

    def put(self, suite: str, case: str, target: str, repeat: int, number: int) -> int | None:
        """Take note of a record by its number, and return the number of the one that it replaces."""
        cases = self._cases.get((suite, target))
        if cases is None:
            cases = self._cases[suite, target] = {}
        place = cases.get(case)
        if place is None:
            place = cases[case] = self._cases_in_all
            self._cases_in_all += 1
        before = self._numbers.put(place, repeat, number)
        self.counted += before is None
        return before

    def get(self, suite: str, case: str, target: str, repeat: int) -> int | None:
        """Return the number of the last record of an answer; None if there is none."""
        place = self._cases.get((suite, target), {}).get(case)
        return None if place is None else self._numbers.get(place, repeat)
