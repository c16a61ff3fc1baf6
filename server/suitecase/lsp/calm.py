"""Holding findings back while their cause is being written: what is half typed is not wrong yet.

While keys come, only what was shown before they came is still shown, as long as it is found. What
is found beside it follows from what is being written, wherever it stands, and waits: for a pause,
for a save, or for an edit somewhere else.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from suitecase.lsp.documents import OpenDocument
from suitecase.rule import Finding, Origin
from suitecase.syntax.lines import Lines
from suitecase.syntax.node import Span
from suitecase.syntax.replaced import Replaced

#: Where a finding starts, its code and its message.
_Mark = tuple[int, str, str]


def _mark(found: Finding) -> _Mark:
    return found.span.start, found.code, found.message


@dataclass(slots=True)
class _File:
    """What is known of a file at the screen, and what is held back; both move with its text.

    What was found in a case that is untouched since is recognized by its origin.
    """

    known: list[_Mark] = field(default_factory=list)
    origins: set[Origin] = field(default_factory=set)
    held: list[_Mark] = field(default_factory=list)

    def show(self, found: Iterable[Finding]) -> None:
        """Note that all of this is shown, and nothing more."""
        found = list(found)
        self.known = sorted(map(_mark, found))
        self.origins = {it.origin for it in found if it.origin is not None}

    def knows(self, found: Finding, line: Span | None) -> bool:
        """Whether a finding was shown before.

        It may say so in other words by now, unless it is on the line that is being written.
        """
        start, code, message = _mark(found)
        first = bisect_left(self.known, (start, code, ""))
        for mark in self.known[first:]:
            if mark[:2] != (start, code):
                return False
            if mark[2] == message or line is None or not line.start <= start <= line.end:
                return True
        return False

    def move(self, edit: Replaced) -> None:
        """Move all places with the text; what was found in the stretch is forgotten."""
        self.known = _moved(self.known, edit)
        self.held = _moved(self.held, edit)


def _moved(marks: list[_Mark], edit: Replaced) -> list[_Mark]:
    start, end, _ = edit
    # What is replaced from its first character on stays where it is; before what is typed in front
    # of it, it goes along.
    first = bisect_left(marks, (start + 1 if end > start else start, "", ""))
    behind = bisect_left(marks, (end, "", ""), lo=first)
    shift = edit.shift
    return marks[:first] + [(at + shift, code, said) for at, code, said in marks[behind:]]


@dataclass(slots=True)
class _Stretch:
    """A part of a text that moves with it, and grows with what is written in it."""

    start: int
    end: int

    def move(self, edit: Replaced) -> None:
        """Go along with an edit; what touches the stretch belongs to it."""
        if edit.end < self.start:
            self.start += edit.shift
            self.end += edit.shift
        elif edit.start <= self.end:
            self.start = min(self.start, edit.start)
            self.end = max(self.end, edit.end) + edit.shift

    def touches(self, edit: Replaced) -> bool:
        return edit.start <= self.end and self.start <= edit.end

    def __contains__(self, offset: int) -> bool:
        return self.start <= offset <= self.end

    def include(self, other: Span) -> None:
        self.start, self.end = min(self.start, other.start), max(self.end, other.end)


@dataclass(slots=True)
class _Writing:
    """Where someone writes.

    Attributes:
        place: the stretch of the text that is one place: some lines, or a case.
        cursor: where the last edit ended.
        inserted: what came in as several lines at once, such as the places of a snippet, which are
            then filled in one after the other.
        case: the number of the case that is written, None in the head.
        is_placed: whether `case` is known: the text could be read.
        is_broken: whether the text cannot be read as it is.
    """

    document: OpenDocument
    place: _Stretch
    cursor: int
    inserted: _Stretch | None = None
    case: int | None = None
    is_placed: bool = False
    is_broken: bool = False

    @classmethod
    def at(cls, document: OpenDocument, edits: Sequence[Replaced]) -> _Writing:
        """Return what begins with some edits, one after the other: the lines they are in."""
        first, *others = edits
        place = _Stretch(first.start, first.new_end)
        for edit in others:
            place.include(Span(edit.start, edit.end))
            place.move(edit)
        lines = document.lines
        last = lines.position(place.end)[0]
        place.include(_line(lines, lines.position(place.start)[0]))
        place.include(_line(lines, last))
        begun = cls(document, place, place.end)
        begun._note(edits)
        return begun

    def go_on(self, edits: Sequence[Replaced]) -> None:
        """Go along with further edits of the document, one after the other."""
        for edit in edits:
            self.place.move(edit)
            if self.inserted is not None:
                self.inserted = self.inserted if self.inserted.touches(edit) else None
            if self.inserted is not None:
                self.inserted.move(edit)
        self._note(edits)

    def _note(self, edits: Sequence[Replaced]) -> None:
        """Note where the cursor is, and what came in at once."""
        self.cursor = edits[-1].new_end
        (*_, last) = edits
        lines = self.document.lines
        number, column = lines.position(last.new_end)
        # A line break with the indentation behind it is a key like others.
        if lines.position(last.start)[0] < number and lines.text(number)[:column].strip():
            self.inserted = self.inserted or _Stretch(last.start, last.new_end)
            self.inserted.include(Span(last.start, last.new_end))

    @property
    def line(self) -> Span:
        """The line that the cursor is on."""
        lines = self.document.lines
        return _line(lines, lines.position(self.cursor)[0])

    def holds(self, mark: _Mark) -> bool:
        """Whether a finding in the document lies in what is being written."""
        at = mark[0]
        return at in self.place or (self.inserted is not None and at in self.inserted)


def _line(lines: Lines, number: int) -> Span:
    start = lines.start(number)
    return Span(start, start + len(lines.text(number)))


class Calm:
    """Decides what is shown while someone writes.

    `released` is told the addresses of the files of which more is to be shown now, and is called
    with none too when the writing is over.

    Args:
        pause: returns after how many seconds without a key all is shown; 0 holds nothing back.
    """

    def __init__(self, pause: Callable[[OpenDocument], float]) -> None:
        self.released: Callable[[Collection[str]], None] = lambda _: None
        self._pause = pause
        self._files: dict[str, _File] = {}
        self._writing: _Writing | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._over = asyncio.Event()
        self._over.set()

    @property
    def is_writing(self) -> bool:
        """Whether keys came a moment ago."""
        return self._writing is not None

    async def over(self) -> None:
        """Wait until nobody writes."""
        await self._over.wait()

    def opened(self, document: OpenDocument) -> None:
        """Show all there is: someone turned elsewhere. An empty text is about to be written."""
        self.end()
        if self._pause(document) > 0 and _is_blank(document.lines):
            self._begin(document, [Replaced(0, 0, 0)])

    def edited(self, document: OpenDocument, before: Lines, edits: Sequence[Replaced]) -> None:
        """Take in that a document was edited.

        Args:
            document: the document, as it is now.
            before: the text as it was.
            edits: what was changed, one after the other.
        """
        if not edits or self._pause(document) <= 0:
            self.end()
            return
        file = self._files.setdefault(document.uri, _File())
        for edit in edits:
            file.move(edit)
        if _is_blank(before):
            file.known.clear()
        writing = self._writing
        if writing is None:
            self._begin(document, edits)
        elif writing.document is document and any(map(writing.place.touches, edits)):
            writing.go_on(edits)
            self._start_timer(document)
        else:
            self._begin(document, edits)
            self._find_case()
            self._move_on()

    def _begin(self, document: OpenDocument, edits: Sequence[Replaced]) -> None:
        self._writing = _Writing.at(document, edits)
        self._over.clear()
        self._start_timer(document)

    def _start_timer(self, document: OpenDocument) -> None:
        if self._timer is not None:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._pause(document), self.end)

    def end(self) -> None:
        """Show all there is."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._writing is not None:
            self._writing = None
            self._over.set()
            self._move_on()

    def _move_on(self) -> None:
        """Let through what is held back elsewhere than where someone writes now."""
        writing = self._writing
        released: list[str] = []
        for uri, file in self._files.items():
            is_here = writing is not None and writing.document.uri == uri
            held = [it for it in file.held if is_here and writing and writing.holds(it)]
            if len(held) < len(file.held):
                file.known = sorted({*file.known, *file.held} - {*held})
                file.held = held
                if not is_here:  # which is about to be shown in any case
                    released.append(uri)
        if released or writing is None:
            self.released(released)

    def shown(
        self, uri: str, found: list[Finding], document: OpenDocument | None = None
    ) -> list[Finding]:
        """Return what to show of a file now, of all that is found in it.

        Args:
            uri: the address of the file.
            found: all that is found in it.
            document: the file where it is open.
        """
        file = self._files.setdefault(uri, _File())
        writing = self._writing
        if writing is None:
            file.held = []
            file.show(found)
            return found
        line = None
        if document is writing.document:
            writing.is_broken = any(it.rule.unreadable for it in found)
            self._find_case()
            line = writing.line
        shown = [it for it in found if it.origin in file.origins or file.knows(it, line)]
        file.held = (
            sorted(set(map(_mark, found)) - set(map(_mark, shown)))
            if len(shown) < len(found)
            else []
        )
        if len(shown) < len(file.known) and not writing.is_broken:
            # Gone is gone: where it is found again, it is new. Of a text that cannot be read it is
            # not known what is gone.
            file.show(shown)
        return shown

    def _find_case(self) -> None:
        """Find out in which case someone writes; where it is another one than before, move on."""
        writing = self._writing
        found = _case_at(writing.document, writing.cursor) if writing is not None else None
        if writing is None or found is None:
            return
        case, extent = found
        moved_on = writing.is_placed and case != writing.case
        writing.is_placed, writing.case = True, case
        if moved_on:
            line = writing.line
            writing.place = _Stretch(line.start, line.end)
        if extent is not None:
            writing.place.include(extent)
        if moved_on:
            self._move_on()

    def forget(self, uri: str) -> None:
        """Drop what is known of a file that was closed."""
        self._files.pop(uri, None)


def _case_at(document: OpenDocument, offset: int) -> tuple[int | None, Span | None] | None:
    """Return the number of a case and where it stands, two None for the head.

    Returns:
        None where it cannot be known.
    """
    if document.has_lines_of_json:
        number = document.lines.position(offset)[0]
        return number, _line(document.lines, number)
    read = document.parsed_alone.document if document.is_suite else None
    if read is None or not read.segmented or read.broken:
        return None
    case = read.cases.at(offset)
    if case is None:
        case = read.cases.at(max(offset - 1, 0))
    if case is None:
        return None, None
    piece = read.cases[case]
    return case, Span(piece.start, piece.start + len(piece.content.text))


def _is_blank(lines: Lines) -> bool:
    return not any(it.text.strip() for it in lines.chunks)
