"""Documents of which no tree is kept: an item is parsed when it is looked at, and forgotten.

A text of 100,000 cases has trees of some gigabytes, and what checks it once looks at one case after
the other. Where an item is asked for again, it is parsed again, with the same result.
"""

from __future__ import annotations

import collections.abc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, TypeVar, overload

from suitecase.text.case_index import Asked, CaseIndex, Change, Known
from suitecase.text.document import Content, Document, Pieces
from suitecase.text.node import Mapping, Scalar
from suitecase.text.node import Sequence as Listed
from suitecase.text.segment import Split

T = TypeVar("T")
U = TypeVar("U")
V = TypeVar("V")
#: So many items are kept that were asked for last.
_KEPT = 64
#: Of a predicate whose results are parts of trees, so many are kept; of more, none is.
_TREES_KEPT = 1000


#: Is given each item in order, while it is parsed: its number, where it starts, and its content.
Visit = Callable[[int, int, Content], None]


@dataclass(frozen=True, slots=True)
class Expected:
    """What is going to be asked about the items of a text.

    Attributes:
        looks: the predicates, each with whether its results are asked for, too: they are applied to an item
            while it is parsed. One that is not expected costs another pass over the text.
        first: the contents of the first items as far as they are parsed already; they are kept.
        visit: visits each item once, when its predicates have been applied.
        parts: where the parts of the text are, if that is known.
    """

    looks: collections.abc.Mapping[Asked, bool] = field(default_factory=dict)
    first: Sequence[Content] = ()
    visit: Visit | None = None
    parts: Split | None = None


class PassingContent(Content):
    """A content that is parsed when something of it but its text is asked for."""

    __slots__ = ("_parse",)

    def __init__(self, text: str, parse: Callable[[str], Content]) -> None:
        self.text = text
        self.derived = {}
        self._parse = parse

    def __getattr__(self, name: str) -> Any:
        # Only what is not set arrives here.
        if name.startswith("_") or name not in Content.__slots__:
            raise AttributeError(name)
        parsed = self._parse(self.text)
        for slot in Content.__slots__:
            if slot not in ("text", "derived"):
                setattr(self, slot, getattr(parsed, slot))
        return getattr(self, name)


class PassingContents(Sequence[Content]):
    """The contents of items, of which only a few are kept.

    Args:
        starts: where each item starts.
        text_of: returns the text of an item by its number.
        parse: returns the content of a text.
        expected: what is going to be asked about them.
    """

    __slots__ = ("_kept", "_parse", "_text_of", "expected", "starts", "visited")

    def __init__(
        self,
        starts: Sequence[int],
        text_of: Callable[[int], str],
        parse: Callable[[str], Content],
        expected: Expected,
    ) -> None:
        self.expected = expected
        self.starts = starts
        self._text_of = text_of
        self._parse = parse
        self._kept: dict[int, Content] = {}
        #: Whether a pass has gone through them.
        self.visited = False

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, number: int) -> Content: ...
    @overload
    def __getitem__(self, number: slice) -> list[Content]: ...
    def __getitem__(self, number: int | slice) -> Content | list[Content]:
        if isinstance(number, slice):
            return [self[it] for it in range(*number.indices(len(self)))]
        if number < 0:
            number += len(self)
        if not 0 <= number < len(self):
            raise IndexError(number)
        kept = self._kept
        content = kept.pop(number, None)
        if content is None:
            text = self._text_of(number)
            first = self.expected.first
            if number < len(first) and first[number].text == text:
                return first[number]
            content = PassingContent(text, self._parse)
            if len(kept) >= _KEPT:
                # What is derived from a content refers to it, and would stay with it.
                kept.pop(next(iter(kept))).derived.clear()
        kept[number] = content
        return content


class PassingPieces(Pieces):
    """The pieces of items, of which only a few are kept."""

    __slots__ = ()

    contents: PassingContents

    def new_index(self) -> CaseIndex[Content]:
        return PassingIndex(self.contents)


class PassingIndex(CaseIndex[T]):
    """Answers all that is expected to be asked about items in one pass over them.

    Args:
        parts: the contents.
        known: the results so far.
        step: maps a content to the argument of predicates.
        asked: receives what is asked.
        expected: what is going to be asked.
    """

    def __init__(
        self,
        parts: PassingContents,
        known: dict[Any, Known] | None = None,
        step: Callable[[Any], T] | None = None,
        asked: dict[Asked, bool] | None = None,
        expected: collections.abc.Mapping[Asked, bool] | None = None,
    ) -> None:
        super().__init__(parts, known, step, asked)
        self._contents = parts
        self._expected = parts.expected.looks if expected is None else expected

    def changed(self, parts: Sequence[Any], change: Change) -> CaseIndex[T]:
        # Results may be parts of trees that are made again, so a version that is kept starts anew.
        return CaseIndex(parts, step=self._step)

    def through(self, step: Callable[[T], U]) -> CaseIndex[U]:
        return PassingIndex(self._contents, self._known, step, self.asked, self._expected)

    def where(self, look: Callable[[T], V | None]) -> Sequence[tuple[int, V]]:
        known = self._of(look)
        values = known.values
        if isinstance(values, PassingValues):
            return PassingValues(known.numbers, lambda number: (number, values.make(number)))
        return list(zip(known.numbers, values, strict=True))

    def where_now(
        self, among: Callable[[T], object], look: Callable[[T], V | None]
    ) -> Iterator[tuple[int, V]]:
        yield from self.where(look)

    def _of(self, look: Callable[[T], Any], *, with_values: bool = True) -> Known:
        key = (self._step, look)
        self.asked[key] = with_values or self.asked.get(key, False)
        if not self._is_known(key, with_values=with_values):
            self._pass({**self._expected, key: with_values})
        return self._known[key]

    def _is_known(self, key: Asked, *, with_values: bool) -> bool:
        known = self._known.get(key)
        return known is not None and (not with_values or len(known.values) == len(known.numbers))

    def _pass(self, looks: collections.abc.Mapping[Asked, bool]) -> None:
        """Apply predicates to all items, as far as they are not known."""
        parts = self._contents
        due = {
            key: _Results(parts, *key) if with_values else _Numbers()
            for key, with_values in looks.items()
            if not self._is_known(key, with_values=with_values)
        }
        passes: dict[Any, list[Any]] = {}
        for (step, look), results in due.items():
            passes.setdefault(step, []).append((look, results.add))
        visit = None if parts.visited else parts.expected.visit
        for first in range(0, len(parts), _KEPT):
            some = list(enumerate(parts[first : first + _KEPT], first))
            # Each predicate looks at several, since its code is in the processor's caches then.
            for step, looks_of_step in passes.items():
                subjects = some if step is None else [(number, step(it)) for number, it in some]
                for look, add in looks_of_step:
                    for number, subject in subjects:
                        value = look(subject)
                        if value:
                            add(number, value)
            if visit is not None:
                for number, content in some:
                    visit(number, parts.starts[number], content)
        parts.visited = True
        self._known.update({key: results.known for key, results in due.items()})


class PassingValues(Sequence[V]):
    """Values of items that are made when they are asked for.

    Args:
        numbers: the numbers of the items.
        make: makes the value of an item by its number.
    """

    __slots__ = ("_numbers", "make")

    def __init__(self, numbers: Sequence[int], make: Callable[[int], V]) -> None:
        self._numbers = numbers
        self.make = make

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> V: ...
    @overload
    def __getitem__(self, index: slice) -> list[V]: ...
    def __getitem__(self, index: int | slice) -> V | list[V]:
        if isinstance(index, slice):
            return [self.make(it) for it in self._numbers[index]]
        return self.make(self._numbers[index])


class _Results:
    """The results of a predicate: kept, or made again where they would keep many trees."""

    def __init__(self, parts: PassingContents, step: Any, look: Callable[[Any], Any]) -> None:
        self.known = Known([], [])
        self._kept: list[Any] | None = []
        self._look = (
            (lambda number: look(parts[number]))
            if step is None
            else (lambda number: look(step(parts[number])))
        )
        self._holds_trees = False

    def add(self, number: int, value: Any) -> None:
        self.known.numbers.append(number)
        if self._kept is None:
            return
        if not self._kept:
            self._holds_trees = _holds_trees(value)
            self.known.values = self._kept
        self._kept.append(value)
        if self._holds_trees and len(self._kept) > _TREES_KEPT:
            self._kept = None
            self.known.values = PassingValues(self.known.numbers, self._look)


class _Numbers:
    """The numbers of the items that a predicate matches."""

    def __init__(self) -> None:
        self.known = Known([], ())

    def add(self, number: int, _value: Any) -> None:
        self.known.numbers.append(number)


def _holds_trees(value: Any) -> bool:
    """Whether a value consists of parts of trees, or refers to a content."""
    if isinstance(value, Mapping | Listed) or hasattr(value, "content"):
        return True
    if isinstance(value, tuple | list):
        return any(map(_holds_trees, value))
    if is_dataclass(value):
        values = [getattr(value, it.name) for it in fields(value)]
        return any(isinstance(it, Scalar) or _holds_trees(it) for it in values)
    return False


def values_of(document: Document, make: Callable[[Content], V]) -> Sequence[V]:
    """Return a value for each case of a document, which is kept with the case.

    Args:
        document: the document.
        make: makes a value that is not false, and keeps it with the content.
    """
    contents = document.cases.contents
    if isinstance(contents, PassingContents):
        return PassingValues(range(len(contents)), lambda number: make(contents[number]))
    return tuple(document.case_index.of_each(make))
