"""The references to the name at a position."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from suitecase.editor.index.summary import Found, Summary
from suitecase.editor.navigation.linked_suites import linked_name, name_at
from suitecase.editor.navigation.symbol import Symbol, Use, file_symbol, symbol_at, uses_of
from suitecase.editor.navigation.workspace_view import Place, WorkspaceView
from suitecase.text.node import Span


class Highlight(NamedTuple):
    """A span in a document; `defines` is whether it is a definition."""

    span: Span
    defines: bool


def references(
    surroundings: WorkspaceView, summary: Summary, offset: int, *, with_definition: bool
) -> list[Place]:
    """Return all references in the workspace to the name at an offset of a file.

    Elsewhere in a prompt or other referenced file: the references to the file.

    Raises:
        GivenUpError: the answer is no longer needed.
    """
    linked = linked_name(surroundings, summary, offset)
    if linked is not None:
        shown = (use for use in linked.uses if with_definition or not use.found.occurrence.defines)
        return _sorted(shown)
    symbol = _symbol(surroundings, summary, summary.at(offset))
    if symbol is None:
        return []
    files = [*surroundings.all()]
    if all(file is not summary for file in files):
        files.append(summary)
    uses = uses_of(surroundings, symbol, files).places
    return _sorted(use for use in uses if with_definition or not use.found.occurrence.defines)


def highlights(surroundings: WorkspaceView, summary: Summary, offset: int) -> list[Highlight]:
    """Return all occurrences in a document of the name at an offset.

    Raises:
        GivenUpError: the answer is no longer needed.
    """
    use = name_at(surroundings, summary, offset)
    if use is not None:
        own, found = use
        shown = own.named(found.occurrence.kind, found.occurrence.name)
        # What is read through an alias and at its anchor stands in one place.
        return list(dict.fromkeys(Highlight(place.at, place.occurrence.defines) for place in shown))
    occurrence = summary.at(offset)
    symbol = symbol_at(surroundings, summary, occurrence) if occurrence is not None else None
    if symbol is None:
        return []
    uses = (
        place
        for place in uses_of(surroundings, symbol, [summary]).places
        if place.summary is summary
    )
    defining = {
        span: it.found.occurrence.defines and span == it.found.span
        for it in uses
        for span in (it.found.at, it.found.span)
    }
    return [Highlight(span, defines) for span, defines in sorted(defining.items())]


def _symbol(
    surroundings: WorkspaceView, summary: Summary, occurrence: Found | None
) -> Symbol | None:
    if occurrence is not None:
        return symbol_at(surroundings, summary, occurrence)
    return file_symbol(summary.path) if summary.kind == "text" and summary.path else None


def _sorted(uses: Iterable[Use]) -> list[Place]:
    # A value read through an alias occurs at the alias and at its anchor.
    places = {
        Place(use.summary.path, span) for use in uses for span in (use.found.at, use.found.span)
    }
    return sorted(places, key=lambda it: (str(it.path or ""), it.span))
