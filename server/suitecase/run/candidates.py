"""The cases that a run can select from, with and without errors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, overload

from suitecase.checking.rules.target_usage import target_of
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedSuite
from suitecase.text import node as nodes
from suitecase.text.node import Scalar, Span


@dataclass(frozen=True, slots=True)
class Candidate:
    """A case of the suite, as far as it parses.

    Attributes:
        number: its index in the suite.
        line: the line it starts on, from 1.
        id: None if it has none or it cannot be parsed.
        readable: whether its text parses.
    """

    number: int
    line: int
    id: str | None
    tags: tuple[str, ...]
    readable: bool


class CandidateList(Sequence[Candidate], ABC):
    """The cases that a run can select from; a candidate is built when it is read."""

    @property
    @abstractmethod
    def ids(self) -> Sequence[str]:
        """The ids of the cases that have one."""

    @abstractmethod
    def candidate(self, number: int) -> Candidate:
        """Return a case by its index."""

    @overload
    def __getitem__(self, number: int) -> Candidate: ...
    @overload
    def __getitem__(self, number: slice) -> list[Candidate]: ...
    def __getitem__(self, number: int | slice) -> Candidate | list[Candidate]:
        if isinstance(number, slice):
            return [self.candidate(it) for it in range(*number.indices(len(self)))]
        return self.candidate(number)


class Candidates(CandidateList):
    """The cases of a suite, including those with errors, in some bytes for each."""

    def __init__(self, suite: ParsedSuite) -> None:
        self._facts = suite.case_index.values(_facts)
        starts = (fact.start for fact in self._facts)
        self._lines = array(
            "L", (suite.line(*it) for it in enumerate(Span(at, at) for at in starts))
        )

    def __len__(self) -> int:
        return len(self._facts)

    def candidate(self, number: int) -> Candidate:
        facts = self._facts[number]
        return Candidate(number, self._lines[number], facts.id, facts.tags, facts.readable)

    def target_at(self, number: int) -> Span | None:
        """Return where a case names its target, in the text of the case."""
        return self._facts[number].target

    @property
    def ids(self) -> list[str]:
        """The ids of the cases that have one."""
        return [fact.id for fact in self._facts if fact.id is not None]


class _Facts(NamedTuple):
    id: str | None
    tags: tuple[str, ...]
    readable: bool
    start: int
    target: Span | None


def _facts(case: ParsedCase) -> _Facts:
    node = case.node
    name = case.id.text if case.id is not None else None
    target = target_of(case)
    if case.model is not None:
        name = case.model.id
    return _Facts(
        name or None,
        _shared_tags(tuple(_tags(case))),
        node is not None and not case.content.broken,
        0 if node is None else node.start,
        None if target is None else target.span,
    )


@lru_cache(maxsize=1024)
def _shared_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Return the same object for the same tags."""
    return tags


def _tags(case: ParsedCase) -> Iterator[str]:
    if case.model is not None:
        yield from case.model.tags or ()
        return
    tags = case.node.get("tags") if case.node is not None else None
    if isinstance(tags, nodes.Sequence):
        yield from (item.text for item in tags.items if isinstance(item, Scalar))
