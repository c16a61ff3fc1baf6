"""The text of a scalar, and the place in the file of each of its characters."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache

from suitecase.text.lines import LINE_BREAK
from suitecase.text.node import UNRESOLVED, Scalar, Span

_ESCAPE_LENGTHS = {"x": 4, "u": 6, "U": 10}
_BLANKS = " \t\r\n"
_BLANK_RUN = re.compile(r"[ \t\r\n]+")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|[\r\n])")
#: By style, what stands in the source as it is in the text.
_PLAIN_RUN = {
    "": re.compile(r"[^ \t\r\n]+"),
    "'": re.compile(r"[^' \t\r\n]+"),
    '"': re.compile(r"[^\\ \t\r\n]+"),
}


class Embedded:
    """The text of a scalar, with a mapping from its offsets to the file's.

    Works for every style: quotes, escapes, indentation and folded lines are in the file but not in
    the text. The whole value of an alias is at the alias.
    """

    def __init__(self, scalar: Scalar, source: str) -> None:
        self._scalar = scalar
        self._anchors = _align(scalar, source)

    def span(self, start: int, end: int) -> Span:
        """Return the span in the source of a stretch of the text, at least a character long."""
        first = self._offset(start)
        last = self._offset(max(end - 1, start))
        return Span(first, min(max(last + 1, first + 1), max(self._scalar.end, first + 1)))

    def place(self, offset: int) -> int:
        """Return the offset in the text of an offset in the source."""
        places = range(len(self._scalar.text) + 1)
        return max(bisect_right(places, offset, key=self._offset) - 1, 0)

    def _offset(self, place: int) -> int:
        if not self._anchors:
            return self._scalar.start
        index = bisect_right(self._anchors, place, key=lambda anchor: anchor[0]) - 1
        if index < 0:
            return self._anchors[0][1]
        at, offset = self._anchors[index]
        return min(offset + (place - at), max(self._scalar.end - 1, self._scalar.start))


@lru_cache(maxsize=8)
def embedded(scalar: Scalar, source: str) -> Embedded:
    """Return the text of a scalar with the mapping to the source; the last ones are cached, since
    callers look up many places in one text.
    """
    return Embedded(scalar, source)


def _align(scalar: Scalar, source: str) -> list[tuple[int, int]]:
    """Return (offset in the text, offset in the source) at the start of each common stretch."""
    if source.startswith("*", scalar.start):
        return []  # an alias: no other scalar starts so
    if scalar.style == UNRESOLVED:
        return [(0, scalar.start)]  # a template without quotes: its text is what stands there
    anchors: list[tuple[int, int]] = []
    align = _align_block if scalar.style in ("|", ">") else _align_flow
    for place, at in align(scalar, source):
        if not anchors or at - place != anchors[-1][1] - anchors[-1][0]:
            anchors.append((place, at))
    return anchors


def _align_block(scalar: Scalar, source: str) -> Iterator[tuple[int, int]]:
    """Yield the two offsets of each character.

    Only blanks differ between text and source, so every other character of the text is found by
    searching forward in the source.
    """
    header = _LINE.match(source, scalar.start, scalar.end)
    at = header.end() if header else scalar.end
    for place, char in enumerate(scalar.text):
        if char in _BLANKS:
            if source.startswith(char, at):
                yield place, at
                at += 1
            continue
        while at < scalar.end and source[at] in _BLANKS:
            at += 1
        yield place, at
        at += 1


def _align_flow(scalar: Scalar, source: str) -> Iterator[tuple[int, int]]:
    """Yield the two offsets of each stretch, by the rules of YAML 1.2.2, section 7.3.

    A line break is a blank, of several the first is none; in double quotes a backslash escapes.
    """
    quoted = bool(scalar.style)
    at, end, place = scalar.start + quoted, scalar.end - quoted, 0
    plain = _PLAIN_RUN[scalar.style if quoted else ""]
    while at < end:
        blanks = _BLANK_RUN.match(source, at, end)
        if run := plain.match(source, at, end):
            yield place, at
            place, at = place + run.end() - at, run.end()
        elif blanks:
            breaks = [match.start() for match in LINE_BREAK.finditer(source, at, blanks.end())]
            visible = breaks[1:] or breaks or range(at, blanks.end())
            for offset in visible:
                yield place, offset
                place += 1
            at = blanks.end()
        elif source[at] == "\\" and source[at + 1] in "\r\n":
            first = LINE_BREAK.match(source, at + 1)
            blanks = _BLANK_RUN.match(source, first.end() if first else at + 1, end)
            folded = LINE_BREAK.finditer(source, *blanks.span()) if blanks else ()
            for line_break in folded:
                yield place, line_break.start()
                place += 1
            at = blanks.end() if blanks else at + 2
        else:
            yield place, at
            place += 1
            at += 2 if source[at] == "'" else _ESCAPE_LENGTHS.get(source[at + 1], 2)
