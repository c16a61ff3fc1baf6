"""Selecting the cases to run: by id, pattern, tag, or previous result."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Protocol, overload

from suitecase.near_names import nearest
from suitecase.rules.target_usage import target_of
from suitecase.run.previous_results import FailedCases, failed_cases
from suitecase.run.protocol import Failed, RunRequest
from suitecase.suite.parsed import ParsedCase, ParsedSuite
from suitecase.syntax import node as nodes
from suitecase.syntax.node import Scalar, Span

#: The number of ids in messages.
NAMED_CASES = 8


def named(ids: Iterable[str], most: int = NAMED_CASES) -> str:
    """Return ids as text for messages, at most `most` of them."""
    listed = list(ids)
    rest = f" and {len(listed) - most:,} more" if len(listed) > most else ""
    return ", ".join(f"`{it}`" for it in listed[:most]) + rest


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


class Candidates(Sequence[Candidate]):
    """The cases of a suite, including those with errors, in some bytes for each."""

    def __init__(self, suite: ParsedSuite) -> None:
        self._facts = suite.case_index.values(_facts)
        starts = (it.start for it in self._facts)
        self._lines = array(
            "L", (suite.line(*it) for it in enumerate(Span(at, at) for at in starts))
        )

    def __len__(self) -> int:
        return len(self._facts)

    @overload
    def __getitem__(self, number: int) -> Candidate: ...
    @overload
    def __getitem__(self, number: slice) -> list[Candidate]: ...
    def __getitem__(self, number: int | slice) -> Candidate | list[Candidate]:
        if isinstance(number, slice):
            return [self[it] for it in range(*number.indices(len(self)))]
        facts = self._facts[number]
        return Candidate(number, self._lines[number], facts.id, facts.tags, facts.readable)

    def target_at(self, number: int) -> Span | None:
        """Return where a case names its target, in the text of the case."""
        return self._facts[number].target

    @property
    def ids(self) -> list[str]:
        """The ids of the cases that have one."""
        return [it.id for it in self._facts if it.id is not None]


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
        yield from (it.text for it in tags.items if isinstance(it, Scalar))


@dataclass(frozen=True, slots=True)
class Chosen:
    """The selected cases, in the order of the suite.

    Cases that do not parse are included unless the request lists ids.

    Attributes:
        numbers: their numbers in the suite.
        choice: how they were selected, for users; None for all cases or a list of ids.
        failed: the previous failures, if the selection uses them.
    """

    numbers: Sequence[int]
    choice: str | None = None
    failed: FailedCases | None = None


class Listed(Protocol):
    """The cases that are selected from."""

    @property
    def ids(self) -> Sequence[str]:
        """The ids of the cases that have one."""
        ...

    def __len__(self) -> int: ...
    def __getitem__(self, number: int, /) -> Candidate: ...
    def __iter__(self) -> Iterator[Candidate]: ...


def chosen_cases(listed: Listed, request: RunRequest, suite_path: str) -> Chosen | Failed:
    """Return the cases that a request selects, or why there are none.

    A case has to match each kind of filter, and within a kind any of its values.

    Args:
        listed: the cases of the suite.
        suite_path: the suite's path as in its records.
    """
    numbers: Sequence[int] = range(len(listed))
    ids_of_suite = listed.ids

    def where(matches: Callable[[Candidate], bool]) -> Sequence[int]:
        return [it for it in numbers if matches(listed[it])]

    if request.cases is not None:
        known = frozenset(ids_of_suite)
        for name in request.cases:
            if name not in known:
                suggestion = nearest(name, ids_of_suite)
                hint = (
                    f"did you mean `{suggestion}`?"
                    if suggestion
                    else f"it has {named(ids_of_suite)}"
                )
                return Failed(message=f"{suite_path} has no case `{name}`; {hint}", kind="usage")
        wanted = frozenset(request.cases)
        numbers = where(lambda it: it.id in wanted)
    failed: FailedCases | None = None
    ways: list[str] = []
    if request.filters:
        ways.append("an id like " + " or ".join(f"`{it}`" for it in request.filters))
        numbers = where(
            lambda it: (
                not it.readable
                or (it.id is not None and any(fnmatchcase(it.id, glob) for glob in request.filters))
            )
        )
    if request.tags:
        ways.append("the tag " + " or ".join(f"`{it}`" for it in request.tags))
        tag_set = frozenset(request.tags)
        numbers = where(lambda it: not it.readable or not tag_set.isdisjoint(it.tags))
    if request.failed_in is not None:
        failed = failed_cases(Path(request.failed_in), suite_path, request.failed_target)
        if failed is None:
            whose = f" of `{request.failed_target}`" if request.failed_target else ""
            return Failed(
                message=f"{suite_path} has no results{whose} in {request.failed_in}, so there are no "
                "failures to rerun; run it without --failed first",
                kind="unchosen",
            )
        ways.append(f"a last result in {failed.path} that is not a pass")
        ids = failed.cases
        numbers = where(lambda it: not it.readable or it.id in ids)
    selected = len(numbers)
    numbers = numbers[: request.limit]
    limited = len(numbers) < selected
    if not ways:
        left_out = selected - len(numbers)
        choice = (
            f"{suite_path}: the first {len(numbers):,} of {selected:,} cases; {left_out:,} left out "
            "(--limit)"
        )
        return Chosen(numbers, choice if limited else None)
    how = " and ".join(ways)
    if not numbers:
        hint = f"; it has {named(ids_of_suite)}" if request.filters else ""
        if request.tags and not request.filters:
            tags = dict.fromkeys(tag for it in listed for tag in it.tags)
            hint = f"; its tags are {named(tags)}" if tags else "; its cases have no tags"
        return Failed(message=f"{suite_path} has no case with {how}{hint}", kind="unchosen")
    if limited:
        how += f", the first {len(numbers):,} of {selected:,} (--limit)"
    count = f"{len(numbers):,} of {len(listed):,}"
    chosen = named(it.id or f"line {it.line}" for it in map(listed.__getitem__, numbers))
    choice = f"{suite_path}: selected {count} cases, with {how}: {chosen}"
    return Chosen(numbers, choice, failed)
