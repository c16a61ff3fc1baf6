"""The value of each case of a figure, by its id, without an object for each."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, Sequence, ValuesView
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from suitecase.figures.cells import Floats, Mask


class CaseValues(Mapping[str, float]):
    """The values of the cases that have a part in a figure, in the order of the cases."""

    def __init__(self, ids: Sequence[str], values: Floats, used: Mask) -> None:
        self._ids = ids
        self._places: NDArray[np.intp] = np.flatnonzero(used)
        self._values: Floats = values[self._places]

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[str]:
        for place in self._places:
            yield self._ids[int(place)]

    def __getitem__(self, case: str) -> float:
        return float(self._values[self._place_of[case]])

    def items(self) -> ItemsView[str, float]:
        return _Items(self)

    def values(self) -> ValuesView[float]:
        return _Values(self)

    def numbers(self) -> list[float]:
        """Return the values."""
        found: list[float] = self._values.tolist()
        return found

    @cached_property
    def _place_of(self) -> dict[str, int]:
        return {case: at for at, case in enumerate(self)}


class _Values(ValuesView[float]):
    """The values without looking each up by its case."""

    _mapping: CaseValues

    def __iter__(self) -> Iterator[float]:
        return iter(self._mapping.numbers())


class _Items(ItemsView[str, float]):
    """The cases and values, without looking each up."""

    _mapping: CaseValues

    def __iter__(self) -> Iterator[tuple[str, float]]:
        return zip(self._mapping, self._mapping.numbers(), strict=True)
