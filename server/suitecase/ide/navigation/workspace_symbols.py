"""The names of a workspace, found by parts of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import nsmallest
from pathlib import Path

from suitecase.ide.index.occurrence import Kind
from suitecase.ide.index.summary import Found, Summary
from suitecase.ide.navigation.workspace_view import WorkspaceView
from suitecase.syntax.node import Span

#: Nobody reads more; whoever types on gets the next best.
MOST = 500
_KINDS = (Kind.CASE, Kind.TARGET, Kind.EVALUATOR, Kind.RUBRIC)


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """A name where it is given; `container` is the case or the file it belongs to, for people."""

    name: str
    kind: Kind
    container: str
    path: Path
    span: Span


def workspace_symbols(surroundings: WorkspaceView, query: str) -> list[NamedPlace]:
    """Return the names that hold the letters of a query in their order, the nearest first.

    Raises:
        GivenUpError: nobody waits for the answer any more.
    """
    wanted = query.replace(" ", "").casefold()
    ranked = (
        (rank, number, it)
        for number, it in enumerate(_all(surroundings))
        if (rank := _rank(it.name, wanted)) is not None
    )
    return [it for _, _, it in nsmallest(MOST, ranked, key=lambda it: it[:2])]


def _all(surroundings: WorkspaceView) -> Iterator[NamedPlace]:
    root = surroundings.workspace.root
    for summary in surroundings.all():
        path = summary.path
        if path is None:
            continue
        inside = path.is_relative_to(root)
        file = path.relative_to(root).as_posix() if inside else path.name
        cases = _case_names(summary)
        seen: set[Span] = set()
        for found in summary:
            it = found.occurrence
            if it.defines and it.kind in _KINDS and found.span not in seen:
                seen.add(found.span)
                in_case = it.kind is not Kind.CASE and it.alias is None
                case = cases.get(found.part.number) if in_case else None
                container = f"{case} in {file}" if case else file
                yield NamedPlace(it.name, it.kind, container, path, found.span)


def _case_names(summary: Summary) -> dict[str | int, str]:
    return {found.part.number: found.occurrence.name for found in _cases(summary)}


def _cases(summary: Summary) -> Iterator[Found]:
    return (it for it in summary if it.occurrence.kind is Kind.CASE and it.occurrence.defines)


def _rank(name: str, wanted: str) -> tuple[int, int] | None:
    """Return how near a name is to what is looked for, less is nearer; None for another name."""
    folded = name.casefold()
    place = folded.find(wanted)
    if place >= 0:
        starts_word = place == 0 or not folded[place - 1].isalnum()
        return (0 if folded == wanted else 1 if place == 0 else 2 if starts_word else 3, len(name))
    at = -1
    for character in wanted:
        at = folded.find(character, at + 1)
        if at < 0:
            return None
    return 4, len(name)
