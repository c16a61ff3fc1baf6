"""The places that name what is named at a place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from suitecase.ide.index.summary import Found, Summary
from suitecase.ide.navigation.symbol import Symbol, Use, file_symbol, symbol_at, uses_of
from suitecase.ide.navigation.workspace_view import Place, WorkspaceView
from suitecase.syntax.node import Span


class Highlight(NamedTuple):
    """A place in a document; `defines` says that the name is given there."""

    span: Span
    defines: bool


def references(
    surroundings: WorkspaceView, summary: Summary, offset: int, *, with_definition: bool
) -> list[Place]:
    """Return every place of the workspace that names what is named at an offset of a file.

    In a file that is a prompt, or sent as it is, where nothing is named: the places that name it.

    Raises:
        GivenUpError: nobody waits for the answer any more.
    """
    symbol = _symbol(surroundings, summary, summary.at(offset))
    if symbol is None:
        return []
    files = [*surroundings.all()]
    if all(it is not summary for it in files):
        files.append(summary)
    uses = uses_of(surroundings, symbol, files).places
    return _sorted(it for it in uses if with_definition or not it.found.occurrence.defines)


def highlights(surroundings: WorkspaceView, summary: Summary, offset: int) -> list[Highlight]:
    """Return every place of a document that names what is named at an offset of it."""
    found = summary.at(offset)
    symbol = symbol_at(surroundings, summary, found) if found is not None else None
    if symbol is None:
        return []
    here = (it for it in uses_of(surroundings, symbol, [summary]).places if it.summary is summary)
    defining = {
        span: it.found.occurrence.defines and span == it.found.span
        for it in here
        for span in (it.found.at, it.found.span)
    }
    return [Highlight(span, defines) for span, defines in sorted(defining.items())]


def _symbol(surroundings: WorkspaceView, summary: Summary, found: Found | None) -> Symbol | None:
    if found is not None:
        return symbol_at(surroundings, summary, found)
    return file_symbol(summary.path) if summary.kind == "text" and summary.path else None


def _sorted(uses: Iterable[Use]) -> list[Place]:
    # What is read through an alias stands at the alias and at its anchor.
    found = {Place(it.summary.path, span) for it in uses for span in (it.found.at, it.found.span)}
    return sorted(found, key=lambda it: (str(it.path or ""), it.span))
