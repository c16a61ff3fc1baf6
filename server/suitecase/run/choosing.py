"""Selecting the cases to run: by id, pattern, tag, or previous result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from suitecase.near_names import nearest
from suitecase.run.previous_results import FailedCases, failed_cases
from suitecase.run.protocol import Failed, RunRequest
from suitecase.suite.parsed import ParsedCase, ParsedSuite
from suitecase.syntax.node import Scalar, Sequence, Span

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


def candidates(suite: ParsedSuite) -> Iterator[Candidate]:
    """Yield the cases of a suite, including those with errors."""
    for number, case in enumerate(suite.cases):
        node = case.node
        readable = node is not None and not case.content.broken
        name = case.id.text if case.id is not None else None
        if case.model is not None:
            name = case.model.id
        line = suite.line(number, node.span if node is not None else Span(0, 0))
        yield Candidate(number, line, name or None, tuple(_tags(case)), readable)


def _tags(case: ParsedCase) -> Iterator[str]:
    if case.model is not None:
        yield from case.model.tags or ()
        return
    tags = case.node.get("tags") if case.node is not None else None
    if isinstance(tags, Sequence):
        yield from (it.text for it in tags.items if isinstance(it, Scalar))


@dataclass(frozen=True, slots=True)
class Chosen:
    """The selected cases, in the order of the suite.

    Cases that do not parse are included unless the request lists ids.

    Attributes:
        choice: how they were selected, for users; None for all cases or a list of ids.
        failed: the previous failures, if the selection uses them.
    """

    cases: tuple[Candidate, ...]
    choice: str | None = None
    failed: FailedCases | None = None


def chosen_cases(
    listed: tuple[Candidate, ...], request: RunRequest, suite_path: str
) -> Chosen | Failed:
    """Return the cases that a request selects, or why there are none.

    A case has to match each kind of filter, and within a kind any of its values.

    Args:
        listed: the cases of the suite.
        suite_path: the suite's path as in its records.
    """
    cases = listed
    ids_of_suite = [case.id for case in cases if case.id is not None]
    if request.cases is not None:
        for name in request.cases:
            if name not in ids_of_suite:
                suggestion = nearest(name, ids_of_suite)
                hint = (
                    f"did you mean `{suggestion}`?"
                    if suggestion
                    else f"it has {named(ids_of_suite)}"
                )
                return Failed(message=f"{suite_path} has no case `{name}`; {hint}", kind="usage")
        cases = tuple(case for case in cases if case.id in request.cases)
    failed: FailedCases | None = None
    ways: list[str] = []
    if request.filters:
        ways.append("an id like " + " or ".join(f"`{it}`" for it in request.filters))
        cases = tuple(
            it
            for it in cases
            if not it.readable
            or (it.id is not None and any(fnmatchcase(it.id, glob) for glob in request.filters))
        )
    if request.tags:
        ways.append("the tag " + " or ".join(f"`{it}`" for it in request.tags))
        tag_set = frozenset(request.tags)
        cases = tuple(it for it in cases if not it.readable or not tag_set.isdisjoint(it.tags))
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
        cases = tuple(it for it in cases if not it.readable or it.id in failed.cases)
    selected = len(cases)
    cases = cases[: request.limit]
    limited = len(cases) < selected
    if not ways:
        left_out = selected - len(cases)
        choice = (
            f"{suite_path}: the first {len(cases):,} of {selected:,} cases; {left_out:,} left out "
            "(--limit)"
        )
        return Chosen(cases, choice if limited else None)
    how = " and ".join(ways)
    if not cases:
        hint = f"; it has {named(ids_of_suite)}" if request.filters else ""
        if request.tags and not request.filters:
            tags = dict.fromkeys(tag for it in listed for tag in it.tags)
            hint = f"; its tags are {named(tags)}" if tags else "; its cases have no tags"
        return Failed(message=f"{suite_path} has no case with {how}{hint}", kind="unchosen")
    if limited:
        how += f", the first {len(cases):,} of {selected:,} (--limit)"
    count = f"{len(cases):,} of {len(listed):,}"
    ids = named(it.id or f"line {it.line}" for it in cases)
    choice = f"{suite_path}: selected {count} cases, with {how}: {ids}"
    return Chosen(cases, choice, failed)
