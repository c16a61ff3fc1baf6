"""Links from file names in a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from suitecase.editor.index.occurrence import Occurrence, Part
from suitecase.editor.index.summary import Summary
from suitecase.editor.navigation.workspace_view import WorkspaceView
from suitecase.schema.key_roles import Kind
from suitecase.text.node import Span

#: A reference to a file: its kind, its name, and the folder its path starts in.
Reference = tuple[Kind, str, str | None]
#: The files that references resolve to.
Targets = Mapping[Reference, Path]


@dataclass(frozen=True, slots=True)
class Link:
    """A name of an existing file."""

    span: Span
    path: Path


def targets(surroundings: WorkspaceView, summary: Summary) -> Targets:
    """Return the files a document names; names without a file in the workspace are left out."""
    resolved: dict[Reference, Path | None] = {}
    for occurrence_in_file in summary:
        reference = _reference(occurrence_in_file.occurrence)
        if occurrence_in_file.occurrence.kind.is_file and reference not in resolved:
            resolved[reference] = surroundings.file_at(summary, occurrence_in_file)
    return {reference: path for reference, path in resolved.items() if path is not None}


def links(summary: Summary, existing: Targets) -> Iterator[Link]:
    """Yield the links of a document, without duplicates."""
    seen: set[Span] = set()
    for part in summary.parts:
        for link in links_of_part(part, existing):
            span = link.span.shifted(part.start)
            if span not in seen:
                seen.add(span)
                yield Link(span, link.path)


def links_of_part(part: Part, existing: Targets) -> Iterator[Link]:
    """Yield the links of a part of a document, with spans relative to its start."""
    seen: set[Span] = set()
    for occurrence in part.occurrences:
        path = existing.get(_reference(occurrence)) if occurrence.kind.is_file else None
        if path is not None and occurrence.span not in seen:
            seen.add(occurrence.span)
            yield Link(occurrence.span, path)


def _reference(occurrence: Occurrence) -> Reference:
    return occurrence.kind, occurrence.name, occurrence.starts_in
