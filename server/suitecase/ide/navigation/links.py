"""The files that a document names, each at its name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from suitecase.ide.index.occurrence import Kind, Occurrence
from suitecase.ide.index.summary import Part, Summary
from suitecase.ide.navigation.workspace_view import WorkspaceView
from suitecase.syntax.node import Span

#: How a file is named: as what, by which name, and in which folder its path starts.
Reference = tuple[Kind, str, str | None]
#: The files that references lead to.
Targets = Mapping[Reference, Path]


@dataclass(frozen=True, slots=True)
class Link:
    """A name of a file that is there."""

    span: Span
    path: Path


def targets(surroundings: WorkspaceView, summary: Summary) -> Targets:
    """Return the files that a document names; what leads nowhere, or out of the workspace, is none."""
    found: dict[Reference, Path | None] = {}
    for it in summary:
        reference = _reference(it.occurrence)
        if it.occurrence.kind.is_file and reference not in found:
            found[reference] = surroundings.file_at(summary, it)
    return {reference: path for reference, path in found.items() if path is not None}


def links(summary: Summary, known: Targets) -> Iterator[Link]:
    """Yield the names of files in a document, each place once."""
    seen: set[Span] = set()
    for part in summary.parts:
        for it in links_of_part(part, known):
            span = it.span.shifted(part.start)
            if span not in seen:
                seen.add(span)
                yield Link(span, it.path)


def links_of_part(part: Part, known: Targets) -> Iterator[Link]:
    """Yield the names of files in a part of a document, with places that count from its start."""
    seen: set[Span] = set()
    for it in part.occurrences:
        path = known.get(_reference(it)) if it.kind.is_file else None
        if path is not None and it.span not in seen:
            seen.add(it.span)
            yield Link(it.span, path)


def _reference(occurrence: Occurrence) -> Reference:
    return occurrence.kind, occurrence.name, occurrence.starts_in
