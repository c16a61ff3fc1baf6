"""Text inside a scalar, and where in the file each of its characters stands."""

from __future__ import annotations

from bisect import bisect_right

from suitecase.syntax.node import Scalar, Span

_ESCAPE_LENGTHS = {"x": 4, "u": 6, "U": 10}


class Embedded:
    """The text of a scalar, with the way back from its offsets to the file's.

    Works for every style: quotes, escapes, indentation and folded lines are what stands in the
    file and not in the text. What an alias stands for is all at the alias.
    """

    def __init__(self, scalar: Scalar, source: str) -> None:
        self._scalar = scalar
        self._anchors = _align(scalar, source)

    def span(self, start: int, end: int) -> Span:
        """Return where in the source a stretch of the text stands, at least a character long."""
        first = self._offset(start)
        last = self._offset(max(end - 1, start))
        return Span(first, min(max(last + 1, first + 1), max(self._scalar.end, first + 1)))

    def _offset(self, place: int) -> int:
        if not self._anchors:
            return self._scalar.start
        index = bisect_right(self._anchors, place, key=lambda anchor: anchor[0]) - 1
        if index < 0:
            return self._anchors[0][1]
        at, offset = self._anchors[index]
        return min(offset + (place - at), max(self._scalar.end - 1, self._scalar.start))


def _align(scalar: Scalar, source: str) -> list[tuple[int, int]]:
    """Return (offset in the text, offset in the source) wherever the two begin to run together.

    Only blanks and quoting differ between text and source, so each other character of the text is
    found by going forward in the source.
    """
    text, at = scalar.text, scalar.start
    if source.startswith("*", at):
        return []  # an alias: no other scalar starts so
    if scalar.style in ("|", ">"):
        header_end = source.find("\n", at, scalar.end)
        at = header_end + 1 if header_end >= 0 else scalar.end
    elif scalar.style:
        at += 1
    anchors: list[tuple[int, int]] = []
    shift: int | None = None
    for place, char in enumerate(text):
        if char.isspace():
            if scalar.style == '"' and source[at : at + 1] == "\\":
                anchors.append((place, at))
                at, shift = at + _escape_length(source, at), None
            elif scalar.style != '"' or source[at : at + 1].isspace():
                shift = None
                if source[at : at + 1] == char:
                    anchors.append((place, at))
                    at += 1
            continue
        while at < scalar.end and source[at].isspace():
            at, shift = at + 1, None
        if scalar.style == '"' and source[at : at + 1] == "\\":
            while source[at : at + 2] in ("\\\n", "\\\r"):
                at += 2
                while at < scalar.end and source[at].isspace():
                    at += 1
            if source[at : at + 1] == "\\":
                anchors.append((place, at))
                at, shift = at + _escape_length(source, at), None
                continue
        if at - place != shift:
            shift = at - place
            anchors.append((place, at))
        at += 2 if scalar.style == "'" and char == "'" else 1
        if scalar.style == "'" and char == "'":
            shift = None
    return anchors


def _escape_length(source: str, at: int) -> int:
    return _ESCAPE_LENGTHS.get(source[at + 1 : at + 2], 2)
