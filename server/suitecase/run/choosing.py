"""Selecting the cases to run: by id, pattern, tag, or previous result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from suitecase.run.candidates import Candidate, CandidateList
from suitecase.run.previous_results import FailedCases, failed_cases, why_unread
from suitecase.run.protocol import Failed, RunRequest
from suitecase.text.near_names import nearest
from suitecase.text.plural import first_of

#: The number of ids in messages.
NAMED_CASES = 8


def named(ids: Iterable[str], most: int = NAMED_CASES) -> str:
    """Return ids as text for messages, at most `most` of them."""
    return first_of([f"`{it}`" for it in ids], most)


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


def chosen_cases(listed: CandidateList, request: RunRequest, suite_path: str) -> Chosen | Failed:
    """Return the cases that a request selects, or why there are none.

    A case has to match each kind of filter, and within a kind any of its values.

    Args:
        listed: the cases of the suite.
        suite_path: the suite's path as in its records.
    """
    numbers: Sequence[int] = range(len(listed))
    ids_of_suite = listed.ids

    def where(matches: Callable[[Candidate], bool]) -> Sequence[int]:
        return [number for number in numbers if matches(listed[number])]

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
        ways.append("the tag " + " or ".join(f"`{tag}`" for tag in request.tags))
        tag_set = frozenset(request.tags)
        numbers = where(lambda it: not it.readable or not tag_set.isdisjoint(it.tags))
    if request.failed_in is not None:
        try:
            failed = failed_cases(Path(request.failed_in), suite_path, request.failed_target)
        except OSError as error:
            return Failed(message=why_unread(Path(request.failed_in), error), kind="usage")
        if failed is None:
            whose = f" of `{request.failed_target}`" if request.failed_target else ""
            return Failed(
                message=f"{suite_path} has no results{whose} in {request.failed_in}, so there are no "
                "failures to rerun; run it without --failed first",
                kind="unchosen",
            )
        if failed.newer is not None:
            return Failed(message=f"{failed.path}: {failed.newer}", kind="usage")
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
            tags = dict.fromkeys(tag for item in listed for tag in item.tags)
            hint = f"; its tags are {named(tags)}" if tags else "; its cases have no tags"
        return Failed(message=f"{suite_path} has no case with {how}{hint}", kind="unchosen")
    if limited:
        how += f", the first {len(numbers):,} of {selected:,} (--limit)"
    count = f"{len(numbers):,} of {len(listed):,}"
    chosen = named(it.id or f"line {it.line}" for it in map(listed.__getitem__, numbers))
    choice = f"{suite_path}: selected {count} cases, with {how}: {chosen}"
    return Chosen(numbers, choice, failed)
