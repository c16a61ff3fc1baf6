"""Suppression comments: `# suitecase: ignore[SC201] why`.

Such a comment applies to

- the findings that start on its line, if it follows other content;
- a whole case, if it is on its own line directly above the case's item;
- the whole file, if it is on its own line before any key;
- otherwise the next line with content.

A finding inside a text of several lines, which cannot contain comments, counts as if it also
started on the first line of that text.

A data set is JSON, which has no comments. There a case has a key instead, `"x-suitecase":
"ignore[SC214] why"`. Comments in its sidecar apply to the sidecar.

In text that does not parse, comments cannot be recognized, so findings there cannot be suppressed.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from suitecase.format.comments import (
    JSON_KEY,
    MARK,
    Comment,
    comments,
    key_comment,
    scalars_in,
)
from suitecase.text.cache import Cache
from suitecase.text.document import Content, Document, Piece
from suitecase.text.lines import Lines
from suitecase.text.node import Mapping, Span

_MARKER = r"(?:---(?=[ \t\r\n]|\Z)|%)"

Scope = Literal["line", "case", "file"]


@dataclass(frozen=True, slots=True)
class Suppression:
    """A suppression comment in its document.

    `reach` is the stretch of the document whose findings it suppresses, from the start of a line to
    the start of another.
    """

    comment: Comment
    piece: Piece
    scope: Scope
    reach: Span


@dataclass(frozen=True, slots=True, eq=False)
class UsedSuppression:
    """A suppression and its effect: the subject of the rules on suppressions.

    `used` are the names that suppressed something, `defied` those of errors that cannot be
    suppressed; `removal` is the stretch to delete in order to remove the comment; all places are
    relative to the start of the document.
    """

    suppression: Suppression
    used: frozenset[str]
    names: tuple[tuple[str, Span], ...] | None
    span: Span
    removal: Span
    defied: frozenset[str] = frozenset()
    #: How many comments of the document come before it.
    before: int = 0


class Suppressions:
    """The suppressions of a document."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._is_json = is_json(document)
        self.all = tuple(_in_json(document) if self._is_json else _placed(document))
        #: The suppressions by their reach, of each scope in the order of their places.
        self._by_reach: dict[Scope, dict[Span, list[Suppression]]] = {}
        for it in self.all:
            self._by_reach.setdefault(it.scope, {}).setdefault(it.reach, []).append(it)
        self._reaches: dict[Scope, list[Span]] = {
            scope: sorted(it) for scope, it in self._by_reach.items()
        }

    def __bool__(self) -> bool:
        return bool(self.all)

    def silencing(self, start: int) -> list[Suppression]:
        """Return the suppressions of findings that start at an offset of the document."""
        return [it for group in self.groups_silencing(start) for it in group]

    def groups_silencing(self, start: int) -> list[Sequence[Suppression]]:
        """Return the suppressions of findings that start at an offset, grouped by their reach."""
        if self._piece_at(start).content.broken:
            return []
        places = sorted({start, self.text_around(start).start})
        found: dict[int, Sequence[Suppression]] = {}
        for scope, reaches in self._reaches.items():
            for place in places:
                # Within one scope, reaches do not overlap unless they are equal.
                number = bisect_right(reaches, place, key=lambda suppression: suppression.start) - 1
                if number >= 0 and place < reaches[number].end:
                    found[id(reaches[number])] = self._by_reach[scope][reaches[number]]
        return list(found.values())

    def used(
        self,
        suppression: Suppression,
        names: frozenset[str],
        defied: frozenset[str] = frozenset(),
        before: int = 0,
    ) -> UsedSuppression:
        """Return a suppression with its effect, in places of the document."""
        comment, piece = suppression.comment, suppression.piece
        span = piece.absolute(comment.span)
        named = comment.names and tuple((name, piece.absolute(at)) for name, at in comment.names)
        without = removal(self._document, span)
        if self._is_json:
            without = _entry_removal(piece, comment.span)
        return UsedSuppression(suppression, names, named, span, without, defied, before)

    def text_around(self, offset: int) -> Span:
        """Return the text of several lines at an offset, otherwise the offset alone."""
        piece = self._piece_at(offset)
        texts = _long_texts(piece.content)
        number = bisect_left(texts, offset, key=lambda text: piece.offset(text.start)) - 1
        around = piece.absolute(texts[number]) if number >= 0 else None
        return around if around and offset < around.end else Span(offset, offset)

    def can_stand(self, offset: int) -> bool:
        """Whether findings at an offset can be suppressed: the text there parses.

        In a data set, the case must be an object.
        """
        piece = self._piece_at(offset)
        if self._is_json and not isinstance(piece.node, Mapping):
            return False
        return not piece.content.broken

    def _piece_at(self, offset: int) -> Piece:
        document = self._document
        number = document.case_at(offset) if document.segmented else None
        return document.head if number is None else document.cases[number]


def is_json(document: Document) -> bool:
    """Whether a document is a data set, with a JSON case on each line."""
    return document.list_key is None and bool(document.cases) and not document.root_list


def _in_json(document: Document) -> Iterator[Suppression]:
    """Yield the suppressions in the cases of a data set."""
    for number, comment in document.case_index.where(_key_comment):
        piece = document.cases[number]
        reach = piece.absolute(Span(0, len(piece.content.text) + 1))
        yield Suppression(comment, piece, "case", reach)


def _key_comment(content: Content) -> Comment | None:
    return key_comment(content) if JSON_KEY in content.text else None


def _entry_removal(piece: Piece, span: Span) -> Span:
    """Return the stretch to remove an entry of a JSON object, with the comma before or after it."""
    text = piece.content.text
    before = text[: span.start].rstrip(" \t")
    if before.endswith(","):
        return piece.absolute(Span(len(before) - 1, span.end))
    rest = text[span.end :]
    after = len(rest) - len(rest.lstrip(" \t"))
    if rest[after : after + 1] == ",":
        after += 1
        after += len(rest[after:]) - len(rest[after:].lstrip(" \t"))
    return piece.absolute(Span(span.start, span.end + after))


def removal(document: Document, span: Span) -> Span:
    """Return the stretch to remove a comment: its whole line, or with the blanks before it."""
    lines = document.lines
    line, column = lines.position(span.start)
    start = lines.start(line)
    before = lines.text(line)[:column]
    if before.strip(" \t\ufeff") == "":
        end = lines.start(line + 1) if line + 1 < len(lines) else lines.size
        return Span(start + before.startswith("\ufeff"), end)
    return Span(start + len(before.rstrip(" \t")), span.end)


def _long_texts(content: Content) -> list[Span]:
    """Return the texts of several lines in a piece, cached with it."""
    return _LONG_TEXTS.of(content, _find_long_texts, content)


_LONG_TEXTS: Cache[list[Span]] = Cache()


def _find_long_texts(content: Content) -> list[Span]:
    texts = scalars_in(content.node)
    return sorted(text.span for text in texts if "\n" in content.text[text.start : text.end])


def _placed(document: Document) -> Iterator[Suppression]:
    """Yield the suppressions in a suite; most suites have none."""
    contents = _LinesWithContent(document.lines)
    for comment in comments(document.head.content) if MARK in document.head.content.text else ():
        yield _suppression(document, document.head, comment, contents)
    if document.segmented:
        for number, found in document.case_index.where(_comments):
            for comment in found:
                yield _suppression(document, document.cases[number], comment, contents)


class _LinesWithContent:
    """The lines of a text with more than a comment; each is examined once."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._next: dict[int, int] = {}

    @cached_property
    def first_key(self) -> int:
        """The first line with a key, or the one after the last line."""
        lines = self._lines
        return next(
            (number for number in range(len(lines)) if _has_key(lines.text(number))), len(lines)
        )

    def after(self, line: int) -> int:
        """Return the next line with content after a line, or the one after the last line."""
        passed: list[int] = []
        at = line + 1
        while at < len(self._lines):
            if at in self._next:
                at = self._next[at]
                break
            if _has_content(self._lines.text(at)):
                break
            passed.append(at)
            at += 1
        self._next.update(dict.fromkeys(passed, at))
        return at


def _comments(content: Content) -> tuple[Comment, ...]:
    return comments(content) if MARK in content.text else ()


def _suppression(
    document: Document, piece: Piece, comment: Comment, contents: _LinesWithContent
) -> Suppression:
    lines = document.lines
    line = lines.position(piece.absolute(comment.span).start)[0]
    if not comment.alone:
        return Suppression(comment, piece, "line", _line_span(document, line))
    if line <= contents.first_key:
        return Suppression(comment, piece, "file", Span(0, document.lines.size + 1))
    following = contents.after(line)
    case = case_on(document, following)
    if case is not None:
        return Suppression(comment, piece, "case", case)
    return Suppression(comment, piece, "line", _line_span(document, following))


def _line_span(document: Document, line: int) -> Span:
    lines = document.lines
    end = lines.size + 1
    if line >= len(lines):
        return Span(end, end)
    return Span(lines.start(line), lines.start(line + 1) if line + 1 < len(lines) else end)


def _has_content(line: str) -> bool:
    bare = line.strip("\ufeff \t")
    return bare != "" and not bare.startswith("#")


def _has_key(line: str) -> bool:
    return _has_content(line) and not re.match(_MARKER, line.lstrip("\ufeff"))


def case_on(document: Document, line: int) -> Span | None:
    """Return the stretch of the case whose item starts on a line, from 0."""
    lines = document.lines
    if line >= len(lines):
        return None
    if document.segmented:
        number = document.cases.at(lines.start(line))
        piece = document.cases[number] if number is not None else None
        if piece is None or piece.start != lines.start(line):
            return None
        return Span(piece.start, piece.start + len(piece.content.text))
    return _CASES_BY_LINE.of(document.head.content, _cases_by_line, document).get(line)


#: The stretch of each case by the line where its item starts, in a text parsed as a whole.
_CASES_BY_LINE: Cache[dict[int, Span]] = Cache()


def _cases_by_line(document: Document) -> dict[int, Span]:
    """Return the stretch of each case by the line where its item starts, in a text parsed whole."""
    text, spans = document.text, dict[int, Span]()
    for content in document.cases.contents:
        if content.node is not None:
            start = content.node.start
            before = start
            while before and text[before - 1].isspace():
                before -= 1
            if text[before - 1 : before] == "-":
                start = before - 1
            spans.setdefault(document.lines.position(start)[0], Span(start, content.node.end + 1))
    return spans
