"""The numbers of one measure over the answers of a run, which most answers have.

Verdicts are two numbers and scores a few, so that most columns take a byte for each answer.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator

#: With so many different numbers, codes take two bytes each; with more than that of these, there are none.
_MOST_OF_A_BYTE, _MOST_OF_TWO = 1 << 8, 1 << 16


class Column:
    """The numbers of one measure, each with its answer."""

    __slots__ = ("_codes", "_known", "_numbers", "_rows", "_values")

    def __init__(self) -> None:
        #: The answers; None as long as the first, second, ... number is of that answer.
        self._rows: array[int] | None = None
        #: By answer, the place of its number among those that occur; None where they are too many.
        self._codes: array[int] | None = array("B")
        self._known: dict[float, int] = {}
        self._numbers = array("d")
        #: The numbers themselves, where they have no codes.
        self._values = array("d")

    def __len__(self) -> int:
        return len(self._values if self._codes is None else self._codes)

    def add(self, row: int, value: float) -> None:
        """Add the number of an answer."""
        if self._rows is not None:
            self._rows.append(row)
        elif row != len(self):
            self._rows = array("I", range(len(self)))
            self._rows.append(row)
        if self._codes is None:
            self._values.append(value)
            return
        # One that is not a number does not equal itself.
        key = value if value == value else None  # noqa: PLR0124
        code = self._known.get(key)  # type: ignore[arg-type]
        if code is None:
            code = self._new(value)
            if self._codes is None:
                self._values.append(value)
                return
            self._known[key] = code  # type: ignore[index]
        self._codes.append(code)

    def _new(self, value: float) -> int:
        """Return the code of a number that has not occurred, after making place for it."""
        code = len(self._numbers)
        if code == _MOST_OF_A_BYTE and self._codes is not None:
            self._codes = array("H", self._codes)
        elif code == _MOST_OF_TWO:
            self._values = self.values
            self._codes = None
            self._known = {}
        self._numbers.append(value)
        return code

    @property
    def rows(self) -> array[int]:
        """The answers."""
        return self._rows if self._rows is not None else array("I", range(len(self)))

    @property
    def values(self) -> array[float]:
        """The number of each of these answers."""
        if self._codes is None:
            return self._values
        return array("d", map(self._numbers.__getitem__, self._codes))

    @property
    def different(self) -> Iterator[float]:
        """The numbers that occur, each at least once."""
        return iter(self._values if self._codes is None else self._numbers)

    def take(self, other: Column, first: int, codes: list[int] | None = None) -> None:
        """Add the numbers of another column, whose first answer is `first` here.

        Args:
            codes: what numbers of labels are here.
        """
        for row, value in zip(other.rows, other.values, strict=True):
            is_label = codes is not None and value - value == 0  # it is finite
            self.add(first + row, float(codes[int(value)]) if codes and is_label else value)
