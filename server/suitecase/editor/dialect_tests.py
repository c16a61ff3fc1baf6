"""The tests of another tool's suite, as units that an editor runs.

A test has a row for each prompt, provider and combination of variables; an editor shows them at the
test, as one case.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol, overload

from suitecase.format.dialect import DialectFile, NamedTest
from suitecase.format.workspace import Folder
from suitecase.text.cache import Cache
from suitecase.text.case_index import CaseIndex
from suitecase.text.document import Content, Document
from suitecase.text.node import Mapping as Tree
from suitecase.text.node import Scalar, Span

#: The keys that name a test.
_NAMING = ("id", "description")


@dataclass(frozen=True, slots=True)
class GradedPlace:
    """The place of what an evaluator grades by.

    Attributes:
        span: the place in the file of the test, or in the suite if it is shared; None if it is in another file.
        is_shared: whether it also grades other tests.
        members: the places of its members, if it is a composite.
        items: the places of the items that it grades one by one, by id.
    """

    span: Span | None
    is_shared: bool = False
    members: tuple[GradedPlace, ...] = ()
    items: Mapping[str, Span] = field(default_factory=dict)


class TestElsewhere(Protocol):
    """A test that a suite names, and that is written in another file."""

    @property
    def path(self) -> Path:
        """The file."""
        ...

    @property
    def text(self) -> str:
        """The text of the file, in which its places are."""
        ...

    @property
    def entry(self) -> Span:
        """The place in the suite that names the file."""
        ...

    @property
    def name_span(self) -> Span:
        """The place in the file of its name, or of its beginning if it has no name."""
        ...

    @property
    def content(self) -> Content | None:
        """Its text and tree; None for a row of a table."""
        ...

    @property
    def said(self) -> Any:
        """What it says, as plain values."""
        ...

    def graded(self, count: int) -> Sequence[GradedPlace]:
        """Return the place of what each evaluator grades by; see `DialectTests.graded`."""
        ...


class FindsPlaces(Protocol):
    """The part of `DialectFeatures` that finds these places."""

    def graded(self, file: DialectFile, number: int, count: int) -> Sequence[GradedPlace]: ...
    def elsewhere(
        self, file: DialectFile, folder: Folder, named: Sequence[NamedTest]
    ) -> Mapping[str, TestElsewhere]: ...


class TestName(NamedTuple):
    """The name of a test, and its place in the test's source text."""

    text: str
    span: Span


@dataclass(slots=True, eq=False)
class DialectTest:
    """A test; `id` is None if the entry is not a test, such as the name of a file."""

    content: Content
    node: Tree | None
    id: TestName | None


class DialectTests:
    """The tests of a file; a `RunnableCases`.

    Args:
        file: the file.
        folder: its folder.
        features: the features of its dialect.
    """

    def __init__(self, file: DialectFile, folder: Folder, features: FindsPlaces) -> None:
        self.file = file
        self._folder = folder
        self._features = features

    @property
    def document(self) -> Document:
        return self.file.document

    @property
    def head(self) -> Any:
        return self.file.head

    @property
    def case_index(self) -> CaseIndex[Any]:
        return self.file.case_index

    @property
    def noun(self) -> str:
        return self.file.dialect.noun

    @cached_property
    def _named(self) -> Sequence[NamedTest]:
        return self.file.named_tests(self._folder)

    @property
    def case_ids(self) -> tuple[str, ...]:
        return tuple([it.name for it in self._named])

    @cached_property
    def names(self) -> dict[int, str]:
        """The names of the tests in the document, by number."""
        return {number: name for name, number in self._named if number is not None}

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in self.names.items()}

    @cached_property
    def elsewhere(self) -> Mapping[str, TestElsewhere]:
        """The tests that are written in other files, by name."""
        if all(it.number is not None for it in self._named):
            return {}
        return self._features.elsewhere(self.file, self._folder, self._named)

    @property
    def cases(self) -> Sequence[DialectTest]:
        return _Tests(self)

    def named_cases(self) -> Sequence[tuple[int, str]]:
        return [*self.names.items()]

    def case_named(self, case_id: str) -> int | None:
        return self._numbers.get(case_id)

    def place(self, number: int, span: Span) -> Span:
        return self.document.cases[number].absolute(span)

    def head_place(self, span: Span) -> Span:
        return self.document.head.absolute(span)

    def graded(self, number: int, count: int) -> Sequence[GradedPlace]:
        """Return the place in the document of what each evaluator of a test grades by.

        Args:
            number: the number of the test.
            count: how many evaluators graded it; the result is empty if the test has others now.
        """
        return self._features.graded(self.file, number, count)


_TESTS: Cache[DialectTest] = Cache()


class _Tests(Sequence[DialectTest]):
    """The tests; each is built when it is first read, and stays the same object until its text changes."""

    def __init__(self, tests: DialectTests) -> None:
        self._contents = tests.document.cases.contents
        self._names = tests.names

    def __len__(self) -> int:
        return len(self._contents)

    def __iter__(self) -> Iterator[DialectTest]:
        return (self[number] for number in range(len(self)))

    @overload
    def __getitem__(self, number: int) -> DialectTest: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[DialectTest]: ...
    def __getitem__(self, number: int | slice) -> DialectTest | Sequence[DialectTest]:
        if isinstance(number, slice):
            return [self[it] for it in range(*number.indices(len(self)))]
        content, name = self._contents[number], self._names.get(number)
        known = _TESTS.get(content)
        if known is None or (known.id.text if known.id is not None else None) != name:
            known = _test(content, name)
            _TESTS.set(content, known)
        return known


def _test(content: Content, name: str | None) -> DialectTest:
    node = content.node if isinstance(content.node, Tree) and not content.broken else None
    if node is None or name is None:
        return DialectTest(content, node, None)
    return DialectTest(content, node, TestName(name, named_at(node)))


def named_at(node: Tree) -> Span:
    """Return the place of a test's name, or of its first key if it has no name."""
    for key in _NAMING:
        found = node.get(key)
        if isinstance(found, Scalar) and found.text.strip():
            return found.span
    keys = [entry.key.span for _, entry in node if not entry.merged]
    return min(keys, default=Span(node.start, node.start))
