"""Debouncing findings while the user types: half-typed text is not wrong yet.

While edits arrive, only findings that were shown before the edits stay, for as long as they still
apply. New findings follow from the text being typed, wherever they are, and are held back until a
pause, a save, or an edit somewhere else.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from suitecase.checking.findings import At
from suitecase.format.rule import Origin
from suitecase.lsp.documents import OpenDocument
from suitecase.text.lines import Lines
from suitecase.text.node import Span
from suitecase.text.replaced import Replaced

#: Where a finding starts, its code and its message.
_Mark = tuple[int, str, str]


def _mark(at: At) -> _Mark:
    return at.offset, at.finding.code, at.finding.message


@dataclass(slots=True)
class _File:
    """What is shown for a file and what is held back; both move with its text.

    Findings of an unchanged case are recognized by their origin.
    """

    shown_marks: list[_Mark] = field(default_factory=list)
    origins: set[Origin] = field(default_factory=set)
    held_back: list[_Mark] = field(default_factory=list)

    def show(self, findings: Sequence[At]) -> None:
        """Record that exactly these findings are shown."""
        self.shown_marks = sorted(map(_mark, findings))
        self.origins = {
            finding.finding.origin for finding in findings if finding.finding.origin is not None
        }

    def was_shown(self, finding: At, line: Span | None) -> bool:
        """Whether a finding was shown before.

        Its message may have changed since, unless it is on the line being edited.
        """
        start, code, message = _mark(finding)
        first = bisect_left(self.shown_marks, (start, code, ""))
        for mark in self.shown_marks[first:]:
            if mark[:2] != (start, code):
                return False
            if mark[2] == message or line is None or not line.start <= start <= line.end:
                return True
        return False

    def move(self, edit: Replaced) -> None:
        """Move all positions with the text; findings in the replaced range are dropped."""
        self.shown_marks = _moved(self.shown_marks, edit)
        self.held_back = _moved(self.held_back, edit)


def _moved(marks: list[_Mark], edit: Replaced) -> list[_Mark]:
    start, end, _ = edit
    # A mark at the start of replaced text stays; a mark at the point of an insertion moves along.
    first = bisect_left(marks, (start + 1 if end > start else start, "", ""))
    after = bisect_left(marks, (end, "", ""), lo=first)
    shift = edit.shift
    return marks[:first] + [
        (offset + shift, code, message) for offset, code, message in marks[after:]
    ]


@dataclass(slots=True)
class _Region:
    """A range of a text that moves with it, and grows with what is typed in it."""

    start: int
    end: int

    def move(self, edit: Replaced) -> None:
        """Adjust to an edit; an edit that touches the region becomes part of it."""
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
    """Where the user is typing.

    Attributes:
        place: the region being edited: some lines, or a case.
        cursor: where the last edit ended.
        inserted: text that was inserted as several lines at once, such as a snippet whose
            placeholders are then filled in one by one.
        case: the number of the case being edited, None in the head.
        is_placed: whether `case` is known, that is, the text could be parsed.
        is_broken: whether the text currently does not parse.
    """

    document: OpenDocument
    place: _Region
    cursor: int
    inserted: _Region | None = None
    case: int | None = None
    is_placed: bool = False
    is_broken: bool = False

    @classmethod
    def at(cls, document: OpenDocument, edits: Sequence[Replaced]) -> _Writing:
        """Return the state that begins with some consecutive edits: the lines they touch."""
        first, *others = edits
        place = _Region(first.start, first.new_end)
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
        """Adjust to further consecutive edits of the document."""
        for edit in edits:
            self.place.move(edit)
            if self.inserted is not None:
                self.inserted = self.inserted if self.inserted.touches(edit) else None
            if self.inserted is not None:
                self.inserted.move(edit)
        self._note(edits)

    def _note(self, edits: Sequence[Replaced]) -> None:
        """Record where the cursor is, and text that was inserted at once."""
        self.cursor = edits[-1].new_end
        (*_, last) = edits
        lines = self.document.lines
        number, column = lines.position(last.new_end)
        # A line break with indentation after it is a keystroke like any other.
        if lines.position(last.start)[0] < number and lines.text(number)[:column].strip():
            self.inserted = self.inserted or _Region(last.start, last.new_end)
            self.inserted.include(Span(last.start, last.new_end))

    @property
    def line(self) -> Span:
        """The line the cursor is on."""
        lines = self.document.lines
        return _line(lines, lines.position(self.cursor)[0])

    def contains(self, mark: _Mark) -> bool:
        """Whether a finding in the document lies in the region being edited."""
        offset = mark[0]
        return offset in self.place or (self.inserted is not None and offset in self.inserted)


def _line(lines: Lines, number: int) -> Span:
    start = lines.start(number)
    return Span(start, start + len(lines.text(number)))


class Calm:
    """Decides which findings are shown while the user types.

    `released` is called with the URIs of the files that have more findings to show, and with none
    when typing has ended.

    Args:
        pause: returns the seconds without an edit after which all findings are shown; 0 disables
            the debounce.
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
        """Whether the document was edited a moment ago."""
        return self._writing is not None

    async def over(self) -> None:
        """Wait until the user stops typing."""
        await self._over.wait()

    def opened(self, document: OpenDocument) -> None:
        """Show all findings: the user turned elsewhere. Debounce an empty text, which is about to
        be filled.
        """
        self.end()
        if self._pause(document) > 0 and _is_blank(document.lines):
            self._begin(document, [Replaced(0, 0, 0)])

    def edited(self, document: OpenDocument, before: Lines, edits: Sequence[Replaced]) -> None:
        """Register edits of a document.

        Args:
            document: the document after the edits.
            before: its text before them.
            edits: the consecutive edits.
        """
        if not edits or self._pause(document) <= 0:
            self.end()
            return
        file = self._files.setdefault(document.uri, _File())
        for edit in edits:
            file.move(edit)
        if _is_blank(before):
            file.shown_marks.clear()
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
        """Show all findings."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._writing is not None:
            self._writing = None
            self._over.set()
            self._move_on()

    def _move_on(self) -> None:
        """Release what is held back outside the region being edited."""
        writing = self._writing
        released: list[str] = []
        for uri, file in self._files.items():
            is_here = writing is not None and writing.document.uri == uri
            still_held_back = [
                it for it in file.held_back if is_here and writing and writing.contains(it)
            ]
            if len(still_held_back) < len(file.held_back):
                file.shown_marks = sorted({*file.shown_marks, *file.held_back} - {*still_held_back})
                file.held_back = still_held_back
                if not is_here:  # the current file is published in any case
                    released.append(uri)
        if released or writing is None:
            self.released(released)

    def visible(
        self, uri: str, findings: list[At], document: OpenDocument | None = None
    ) -> list[At]:
        """Return the findings to show for a file now, of all findings in it.

        Args:
            uri: the URI of the file.
            findings: all its findings.
            document: the file, if it is open.
        """
        if not findings and document is None:
            self.forget(uri)
            return findings
        file = self._files.setdefault(uri, _File())
        writing = self._writing
        if writing is None:
            file.held_back = []
            file.show(findings)
            return findings
        line = None
        if document is writing.document:
            writing.is_broken = any(finding.finding.rule.unreadable for finding in findings)
            self._find_case()
            line = writing.line
        origins = file.origins
        visible = [
            finding
            for finding in findings
            if finding.finding.origin in origins or file.was_shown(finding, line)
        ]
        file.held_back = (
            sorted(set(map(_mark, findings)) - set(map(_mark, visible)))
            if len(visible) < len(findings)
            else []
        )
        if len(visible) < len(file.shown_marks) and not writing.is_broken:
            # What has disappeared is new when it comes back. While the text does not parse, nobody
            # knows what has disappeared.
            file.show(visible)
        return visible

    def _find_case(self) -> None:
        """Find the case being edited; when it changes, release the findings of the previous one."""
        writing = self._writing
        located = _case_at(writing.document, writing.cursor) if writing is not None else None
        if writing is None or located is None:
            return
        case, extent = located
        moved_on = writing.is_placed and case != writing.case
        writing.is_placed, writing.case = True, case
        if moved_on:
            line = writing.line
            writing.place = _Region(line.start, line.end)
        if extent is not None:
            writing.place.include(extent)
        if moved_on:
            self._move_on()

    def forget(self, uri: str) -> None:
        """Drop the state of a file that was closed."""
        self._files.pop(uri, None)


def _case_at(document: OpenDocument, offset: int) -> tuple[int | None, Span | None] | None:
    """Return the number of a case and its span; both are None in the head.

    Returns:
        None if unknown.
    """
    if document.has_lines_of_json:
        number = document.lines.position(offset)[0]
        return number, _line(document.lines, number)
    is_parsed = document.dialect_file is not None or document.is_suite
    parsed = document.syntax if is_parsed else None
    if parsed is None or not parsed.segmented or parsed.broken:
        return None
    case = parsed.cases.at(offset)
    if case is None:
        case = parsed.cases.at(max(offset - 1, 0))
    if case is None:
        return None, None
    piece = parsed.cases[case]
    return case, Span(piece.start, piece.start + len(piece.content.text))


def _is_blank(lines: Lines) -> bool:
    return not any(chunk.text.strip() for chunk in lines.chunks)
