"""The files that a document names, each at its name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from suitecase.ide.index.summary import Summary
from suitecase.ide.navigation.surroundings import Surroundings
from suitecase.syntax.node import Span


@dataclass(frozen=True, slots=True)
class Link:
    """A name of a file that is there."""

    span: Span
    path: Path


def links(surroundings: Surroundings, summary: Summary) -> Iterator[Link]:
    """Yield the names of files in a document; what leads nowhere, or out of the workspace, is none."""
    seen: set[Span] = set()
    for found in summary:
        path = surroundings.file_at(summary, found) if found.occurrence.kind.is_file else None
        if path is not None and found.span not in seen:
            seen.add(found.span)
            yield Link(found.span, path)
