"""Searching the names of a workspace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import nsmallest
from pathlib import Path

from suitecase.editor.index.summary import Found, Summary
from suitecase.editor.navigation.workspace_view import WorkspaceView
from suitecase.schema.key_roles import Kind
from suitecase.text.node import Span

#: Nobody reads more; typing on narrows the search.
MOST = 500
_KINDS = frozenset(
    [
        *(Kind.CASE, Kind.TARGET, Kind.EVALUATOR, Kind.RUBRIC, Kind.METRIC, Kind.SLICE),
        *(Kind.TEST, Kind.PROVIDER, Kind.PROMPT_LABEL),
    ]
)


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """A definition; `container` is the display name of its case or file."""

    name: str
    kind: Kind
    container: str
    path: Path
    span: Span


def workspace_symbols(surroundings: WorkspaceView, query: str) -> list[NamedPlace]:
    """Return the names that contain a query's letters in order, the best match first.

    Raises:
        GivenUpError: the answer is no longer needed.
    """
    letters = query.replace(" ", "").casefold()
    ranked = (
        (rank, number, it)
        for number, it in enumerate(_all(surroundings))
        if (rank := _rank(it.name, letters)) is not None
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
        for occurrence_in_file in summary:
            occurrence = occurrence_in_file.occurrence
            if (
                occurrence.defines
                and occurrence.kind in _KINDS
                and occurrence_in_file.span not in seen
            ):
                seen.add(occurrence_in_file.span)
                in_case = occurrence.kind is not Kind.CASE and occurrence.alias is None
                case = cases.get(occurrence_in_file.part.number) if in_case else None
                container = f"{case} in {file}" if case else file
                yield NamedPlace(
                    occurrence.name, occurrence.kind, container, path, occurrence_in_file.span
                )


def _case_names(summary: Summary) -> dict[str | int, str]:
    return {found.part.number: found.occurrence.name for found in _cases(summary)}


def _cases(summary: Summary) -> Iterator[Found]:
    return (it for it in summary if it.occurrence.kind is Kind.CASE and it.occurrence.defines)


def _rank(name: str, letters: str) -> tuple[int, int] | None:
    """Return the rank of a name for a query, lower is better; None if it does not match."""
    folded = name.casefold()
    place = folded.find(letters)
    if place >= 0:
        starts_word = place == 0 or not folded[place - 1].isalnum()
        return (0 if folded == letters else 1 if place == 0 else 2 if starts_word else 3, len(name))
    at = -1
    for character in letters:
        at = folded.find(character, at + 1)
        if at < 0:
            return None
    return 4, len(name)
