"""The part of a suite around a selection, and proposals for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from suitecase.editor.place import within
from suitecase.format.rule import Edit
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.text.document import Piece
from suitecase.text.node import Entry, Span

#: LSP code action kinds that editors show in menus of their own.
Kind = Literal["refactor.rewrite", "refactor.extract", "refactor.inline"]


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to create, and its text."""

    path: Path
    text: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """Edits of a part's own text, with the title an editor shows.

    `adds` marks a proposal that adds meaning, so that the meaning is not compared. `stands_for` is
    a file name in the suite and the text it stands for. `created` is a file to create along with
    the edits.
    """

    title: str
    kind: Kind
    edits: tuple[Edit, ...]
    adds: bool = False
    stands_for: tuple[str, str] | None = None
    created: NewFile | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A case, or the head if `number` is None, and the selection as a span of its text."""

    suite: ParsedSuite
    number: int | None
    written: ParsedCase | ParsedHead
    piece: Piece
    selection: Span
    text: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", self.written.source)

    @property
    def is_json(self) -> bool:
        """Whether the part is a line of a data set: JSON, with quoted keys and strings."""
        return self.suite.kind == "dataset"

    def touches(self, span: Span) -> bool:
        """Whether the selection touches a span of the part's text."""
        return span.start <= self.selection.end and self.selection.start <= span.end

    def touches_entry(self, entry: Entry) -> bool:
        """Whether the selection touches a key or its value."""
        return self.touches(Span(entry.key.start, max(entry.key.end, entry.value.end)))


def part_at(suite: ParsedSuite, selection: Span) -> Part | None:
    """Return the part a selection begins in; None if it does not parse or is not a suite's."""
    if suite.kind == "suite" and suite.document.list_key is None:
        return None
    number = suite.document.case_at(selection.start)
    if number is None and suite.kind == "dataset":
        number = suite.document.case_at(selection.start - 1)  # after the last brace
        if number is None:
            return None
    parsed: ParsedCase | ParsedHead = suite.head if number is None else suite.cases[number]
    piece = suite.document.head if number is None else suite.document.cases[number]
    if parsed.content.broken or parsed.node is None:
        return None
    start, end = (within(piece, it) for it in selection)
    return Part(suite, number, parsed, piece, Span(start, max(start, end)))
