"""Conversion between LSP positions and text offsets; it happens only here.

LSP columns count code units of a negotiated encoding; offsets count code points.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lsprotocol import types

from suitecase.text.lines import Lines
from suitecase.text.node import Span


def _utf8_units(character: str) -> int:
    code = ord(character)
    return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4


def _utf16_units(character: str) -> int:
    return 2 if ord(character) > 0xFFFF else 1


_UNITS: dict[str, Callable[[str], int]] = {
    types.PositionEncodingKind.Utf8.value: _utf8_units,
    types.PositionEncodingKind.Utf16.value: _utf16_units,
}


class Positions:
    """The positions of one version of a text, in the units of an encoding.

    Args:
        lines: the text's lines.
        encoding: `utf-8`, `utf-16` or `utf-32`, as agreed with the client.
    """

    def __init__(self, lines: Lines, encoding: str) -> None:
        self.lines = lines
        self._units = _UNITS.get(encoding)

    def offset(self, position: types.Position) -> int:
        """Return the offset of a position.

        A position past the end of its line is the end of the line, one past the last line is the
        end of the text, and one inside a character is the start of that character.
        """
        if position.line >= len(self.lines):
            return self.lines.offset(position.line, 0)
        text = self.lines.text(position.line)
        if self._units is None or text.isascii():
            return self.lines.offset(position.line, position.character)
        remaining = position.character
        column = 0
        for character in text:
            remaining -= self._units(character)
            if remaining < 0:
                break
            column += 1
        return self.lines.offset(position.line, column)

    def position(self, offset: int) -> types.Position:
        """Return the position of an offset."""
        line, column = self.lines.position(offset)
        text = self.lines.text(line)
        column = min(column, len(text))  # between the two characters of a line break
        if self._units is None or text.isascii():
            return types.Position(line, column)
        return types.Position(line, sum(map(self._units, text[:column])))

    def range(self, span: Span) -> types.Range:
        """Return the range of a span."""
        return types.Range(self.position(span.start), self.position(span.end))

    def span(self, range_: types.Range) -> Span:
        """Return the span of a range; a reversed range is put in order."""
        start, end = self.offset(range_.start), self.offset(range_.end)
        return Span(min(start, end), max(start, end))


#: The initialization option; its values are those of `general.positionEncodings`.
OPTION = "positionEncoding"
_ENCODINGS = {it.value for it in types.PositionEncodingKind}


def declare_encoding(params: Any) -> None:
    """Apply the initialization option to the capabilities in the parameters of `initialize`.

    Some clients count bytes or characters, but do not let users change the capabilities they send;
    the option is for those. Anything else is left unchanged.

    Args:
        params: the parameters as received, of any type.
    """
    if not isinstance(params, dict) or not isinstance(params.get("capabilities"), dict):
        return
    options = params.get("initializationOptions")
    encoding = options.get(OPTION) if isinstance(options, dict) else None
    if isinstance(encoding, str) and encoding in _ENCODINGS:
        general = params["capabilities"].get("general")
        declared = general if isinstance(general, dict) else {}
        params["capabilities"]["general"] = {**declared, "positionEncodings": [encoding]}
