"""What an editor runs of a document: the cases of a suite, or the tests of another tool's suite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from suitecase.syntax.case_index import CaseIndex
from suitecase.syntax.document import Content, Document
from suitecase.syntax.node import Mapping, Span


class CaseName(Protocol):
    """What a case is called, and where that stands in its text."""

    @property
    def text(self) -> str: ...
    @property
    def span(self) -> Span: ...


class RunnableCase(Protocol):
    """A case, or a test. `id` is None if it cannot be run by name; `node` if it does not parse."""

    @property
    def content(self) -> Content: ...
    @property
    def node(self) -> Mapping | None: ...
    @property
    def id(self) -> CaseName | None: ...


class RunnableHead(Protocol):
    """What the cases have in common."""

    @property
    def content(self) -> Content: ...
    @property
    def node(self) -> Mapping | None: ...


class RunnableCases(Protocol):
    """The cases of a document: a `ParsedSuite`, or `DialectTests`.

    Lenses, results, diagnostics and test explorers know documents by this alone.
    """

    @property
    def document(self) -> Document: ...
    @property
    def head(self) -> RunnableHead: ...
    @property
    def cases(self) -> Sequence[RunnableCase]:
        """The cases in the document, in its order."""
        ...

    @property
    def case_index(self) -> CaseIndex[Any]:
        """What is to be said of them one by one, of their text alone."""
        ...

    @property
    def case_ids(self) -> tuple[str, ...]:
        """The names of all cases that a run has, also of those in other files."""
        ...

    @property
    def noun(self) -> str:
        """What people call one of them: `case`, `test`."""
        ...

    def named_cases(self) -> Sequence[tuple[int, str]]:
        """Return the numbers of the cases in the document that have a name, with it."""
        ...

    def case_named(self, case_id: str) -> int | None:
        """Return the number of the first case with a name."""
        ...

    def place(self, number: int, span: Span) -> Span:
        """Return the place in the document of a place in a case."""
        ...

    def head_place(self, span: Span) -> Span:
        """Return the place in the document of a place in the head."""
        ...
