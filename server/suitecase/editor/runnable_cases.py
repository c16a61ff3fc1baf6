"""The units of a document that an editor runs: cases, or tests of another tool's suite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from suitecase.text.case_index import CaseIndex
from suitecase.text.document import Content, Document
from suitecase.text.node import Mapping, Span


class CaseName(Protocol):
    """The name of a case, and its place in the case's source text."""

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

    Lenses, results, diagnostics and test explorers depend on this interface alone.
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
        """Values that are derived from the text of each case alone."""
        ...

    @property
    def case_ids(self) -> tuple[str, ...]:
        """The names of all cases of a run, including those in other files."""
        ...

    @property
    def noun(self) -> str:
        """The word for one of them: `case` or `test`."""
        ...

    def named_cases(self) -> Sequence[tuple[int, str]]:
        """Return the number and the name of each case in the document that has a name."""
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
