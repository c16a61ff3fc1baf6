"""Results of predicates for each part of a text, kept from version to version."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")
U = TypeVar("U")
V = TypeVar("V")


class Change(NamedTuple):
    """The replaced parts of a version: those from `first` to before `before` are now those from
    `first` to before `now`.
    """

    first: int
    before: int
    now: int

    def then(self, later: Change) -> Change:
        """Return this change combined with a later one."""
        end = max(self.now, later.before)
        return Change(
            min(self.first, later.first),
            end + self.before - self.now,
            end + later.now - later.before,
        )


@dataclass(slots=True)
class _Known:
    """The numbers of the parts that a predicate matches, with its results, before `since`."""

    numbers: list[int]
    values: list[Any]
    since: Change | None = None


class CaseIndex(Generic[T]):
    """Applies predicates to parts, only once to each part until it changes.

    Args:
        parts: the parts.
        known: the results so far.
        step: maps a part to the argument of predicates.
    """

    def __init__(
        self,
        parts: Sequence[Any],
        known: dict[Any, _Known] | None = None,
        step: Callable[[Any], T] | None = None,
    ) -> None:
        self._parts = parts
        self._known: dict[Any, _Known] = {} if known is None else known
        self._step = step

    def changed(self, parts: Sequence[Any], change: Change) -> CaseIndex[T]:
        """Return the index of a later version.

        Args:
            parts: its parts; all except the changed ones are the same objects.
            change: the changed parts.
        """
        known = {
            key: _Known(it.numbers, it.values, it.since.then(change) if it.since else change)
            for key, it in self._known.items()
        }
        return CaseIndex(parts, known, self._step)

    def through(self, step: Callable[[T], U]) -> CaseIndex[U]:
        """Return the index of values that are mapped from the parts one by one."""
        return CaseIndex(self._parts, self._known, step)

    def where(self, look: Callable[[T], V | None]) -> list[tuple[int, V]]:
        """Return the numbers of the parts that a predicate matches, with its results.

        Args:
            look: a function of the part alone; a false result is no match.
        """
        known = self._of(look)
        return list(zip(known.numbers, known.values, strict=True))

    def values(self, look: Callable[[T], V | None]) -> list[V]:
        """Return the results of a predicate without the numbers of the parts."""
        return self._of(look).values

    def numbers(self, look: Callable[[T], object]) -> list[int]:
        """Return the numbers of the parts that a predicate matches."""
        return self._of(look).numbers

    def any(self, look: Callable[[T], V | None]) -> bool:
        """Whether a predicate matches any of the parts."""
        return bool(self._of(look).numbers)

    def _of(self, look: Callable[[T], Any]) -> _Known:
        key = (self._step, look)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._look(look, 0, len(self._parts))
        elif known.since is not None:
            known = self._known[key] = self._brought_up(look, known, known.since)
        return known

    def _look(self, look: Callable[[T], Any], first: int, end: int) -> _Known:
        found = _Known([], [])
        step = self._step
        for number in range(first, end):
            part = self._parts[number]
            value = look(step(part) if step is not None else part)
            if value:
                found.numbers.append(number)
                found.values.append(value)
        return found

    def _brought_up(self, look: Callable[[T], Any], known: _Known, change: Change) -> _Known:
        low = bisect_left(known.numbers, change.first)
        high = bisect_left(known.numbers, change.before)
        new = self._look(look, change.first, change.now)
        after = known.numbers[high:]
        moved = change.now - change.before
        if moved:
            after = [it + moved for it in after]
        return _Known(
            [*known.numbers[:low], *new.numbers, *after],
            [*known.values[:low], *new.values, *known.values[high:]],
        )
