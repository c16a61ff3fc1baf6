"""What formats have in common: a suite as values, and what was noted on the way to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from suitecase.text.lines import Lines
from suitecase.text.node import Span


@dataclass(frozen=True, slots=True)
class Note:
    """Something to be told about a conversion.

    `line` and `column` count from 1 and are places of the source, or of its sidecar where
    `in_sidecar` says so; a line of 0 means the file as a whole.
    """

    message: str
    line: int = 0
    column: int = 0
    in_sidecar: bool = False


def note_on_other_file(shown: str, line: int, message: str) -> Note:
    """Return a note about a place in a file that the source names; `shown` is its path."""
    return Note(f"{shown}:{line}: {message}")


class RefusedError(Exception):
    """A suite that cannot be converted; `notes` say why, each at its place."""

    def __init__(self, notes: Iterable[Note]) -> None:
        self.notes = tuple(notes)
        super().__init__("; ".join(note.message for note in self.notes))


class UnchosenPromptError(Exception):
    """A library has several prompts, or not the one that is wanted; `message` is for people."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(slots=True)
class Portable:
    """A suite in the current format, as values.

    Attributes:
        name: what results call it where it does not say so itself; empty where it has no file.
        head: everything but its cases, by key.
        cases: the cases, in their order.
        places: where each case starts in the source, as (line, column).
        notes: what was lost or changed already.
    """

    name: str
    head: dict[str, Any]
    cases: list[dict[str, Any]]
    places: list[tuple[int, int]]
    notes: list[Note] = field(default_factory=list)


class Notes:
    """Makes notes with places in a text."""

    def __init__(self, lines: Lines, *, in_sidecar: bool = False) -> None:
        self._lines = lines
        self._in_sidecar = in_sidecar

    def at(self, span: Span, message: str) -> Note:
        place = self._lines.place(span)
        return Note(message, place.line, place.column, self._in_sidecar)


#: Of the lines that one note is about this many are named.
_LINES_NAMED = 20


def on_lines(lines: Sequence[int]) -> str:
    """Name lines: `line 3`, `lines 3, 8 and 12`."""
    numbers = [f"{line}" for line in dict.fromkeys(lines)]
    if len(numbers) == 1:
        return f"line {numbers[0]}"
    if len(numbers) > _LINES_NAMED:
        more = len(numbers) - _LINES_NAMED
        return f"lines {', '.join(numbers[:_LINES_NAMED])} and {more:,} more"
    return f"lines {', '.join(numbers[:-1])} and {numbers[-1]}"
