"""Results of predicates for each part of a text, kept from version to version."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")
U = TypeVar("U")
V = TypeVar("V")

#: Of more predicates than this, the results of those that were not asked for lately are not kept.
_MOST = 64
#: A predicate with the function that maps a part to its argument.
Asked = tuple[Callable[[Any], Any] | None, Callable[[Any], Any]]


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
class Known:
    """The numbers of the parts that a predicate matches, with its results, before `since`."""

    numbers: list[int]
    values: Sequence[Any]
    since: Change | None = None


def known_of(parts: Iterable[Sequence[Any]], looks: Mapping[Asked, bool]) -> dict[Any, Known]:
    """Apply predicates to parts, all of them to some parts at a time. One that fails has no results.

    Args:
        parts: the parts, in stretches.
        looks: the predicates.
    """
    results: dict[Asked, tuple[list[int], list[Any]]] = {key: ([], []) for key in looks}
    steps = list(dict.fromkeys(step for step, _ in looks))
    first = 0
    for some in parts:
        for step in steps:
            subjects = list(enumerate(some if step is None else map(step, some), first))
            for key in [result for result in results if result[0] is step]:
                numbers, values = results[key]
                look = key[1]
                try:
                    for number, subject in subjects:
                        value = look(subject)
                        if value:
                            numbers.append(number)
                            values.append(value)
                except Exception:  # noqa: BLE001 - who asks for it handles that it fails
                    del results[key]
        first += len(some)
    return {key: Known(*it) for key, it in results.items()}


class CaseIndex(Generic[T]):
    """Applies predicates to parts, only once to each part until it changes.

    Args:
        parts: the parts.
        known: the results so far.
        step: maps a part to the argument of predicates.
        asked: receives what is asked; by default this index alone knows it.
        asked_now: receives what was asked last that may change while the part does not, by what it is
            asked among.
    """

    def __init__(
        self,
        parts: Sequence[Any],
        known: dict[Any, Known] | None = None,
        step: Callable[[Any], T] | None = None,
        asked: dict[Asked, bool] | None = None,
        asked_now: dict[Asked, Asked] | None = None,
    ) -> None:
        self._parts = parts
        self._known: dict[Any, Known] = {} if known is None else known
        self._step = step
        #: Each predicate that was asked for, with whether its results were.
        self.asked: dict[Asked, bool] = {} if asked is None else asked
        self._asked_now: dict[Asked, Asked] = {} if asked_now is None else asked_now

    @property
    def lasting(self) -> Mapping[Asked, bool]:
        """The predicates that were asked for and depend on the part alone."""
        now = set(self._asked_now.values())
        return {key: it for key, it in self.asked.items() if key not in now}

    def changed(self, parts: Sequence[Any], change: Change) -> CaseIndex[T]:
        """Return the index of a later version.

        Args:
            parts: its parts; all except the changed ones are the same objects.
            change: the changed parts.
        """
        known = {
            key: Known(it.numbers, it.values, it.since.then(change) if it.since else change)
            for key, it in self._known.items()
            if len(self._known) <= _MOST or key in self.asked
        }
        return CaseIndex(parts, known, self._step)

    def through(self, step: Callable[[T], U]) -> CaseIndex[U]:
        """Return the index of values that are mapped from the parts one by one."""
        return CaseIndex(self._parts, self._known, step, self.asked, self._asked_now)

    def subject(self, part: Any) -> T:
        """Return what predicates are applied to, of a part."""
        subject: T = part if self._step is None else self._step(part)
        return subject

    def where(self, look: Callable[[T], V | None]) -> Sequence[tuple[int, V]]:
        """Return the numbers of the parts that a predicate matches, with its results.

        Args:
            look: a function of the part alone; a false result is no match.
        """
        known = self._of(look)
        return list(zip(known.numbers, known.values, strict=True))

    def values(self, look: Callable[[T], V | None]) -> Sequence[V]:
        """Return the results of a predicate without the numbers of the parts."""
        return self._of(look).values

    def of_each(self, make: Callable[[T], V]) -> Sequence[V]:
        """Return what a function makes of each part, which is never false."""
        return self._brought(make).values

    def numbers(self, look: Callable[[T], object]) -> list[int]:
        """Return the numbers of the parts that a predicate matches."""
        return self._of(look, with_values=False).numbers

    def any(self, look: Callable[[T], V | None]) -> bool:
        """Whether a predicate matches any of the parts."""
        return bool(self._of(look, with_values=False).numbers)

    def where_now(
        self, among: Callable[[T], object], look: Callable[[T], V | None]
    ) -> Iterator[tuple[int, V]]:
        """Yield the numbers of the parts that a predicate matches, with its results, which are not kept.

        Args:
            among: matches every part that `look` matches; its results are kept.
            look: a function of the part, and of what may change while the part does not.
        """
        # What was asked before may hold files as they were then.
        before = self._asked_now.get((self._step, among))
        if before is not None:
            self.asked.pop(before, None)
        self.asked[self._step, look] = True
        self._asked_now[self._step, among] = (self._step, look)
        for number in self.numbers(among):
            part = self._parts[number]
            value = look(self._step(part) if self._step is not None else part)
            if value:
                yield number, value

    def _of(self, look: Callable[[T], Any], *, with_values: bool = True) -> Known:
        key = (self._step, look)
        self.asked[key] = with_values or self.asked.get(key, False)
        return self._brought(look)

    def _brought(self, look: Callable[[T], Any]) -> Known:
        key = (self._step, look)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._look(look, 0, len(self._parts))
        elif known.since is not None:
            known = self._known[key] = self._brought_up(look, known, known.since)
        return known

    def _look(self, look: Callable[[T], Any], first: int, end: int) -> Known:
        numbers: list[int] = []
        values: list[Any] = []
        step = self._step
        for number in range(first, end):
            part = self._parts[number]
            value = look(step(part) if step is not None else part)
            if value:
                numbers.append(number)
                values.append(value)
        return Known(numbers, values)

    def _brought_up(self, look: Callable[[T], Any], known: Known, change: Change) -> Known:
        low = bisect_left(known.numbers, change.first)
        high = bisect_left(known.numbers, change.before)
        new = self._look(look, change.first, change.now)
        after = known.numbers[high:]
        moved = change.now - change.before
        if moved:
            after = [it + moved for it in after]
        return Known(
            [*known.numbers[:low], *new.numbers, *after],
            [*known.values[:low], *new.values, *known.values[high:]],
        )
