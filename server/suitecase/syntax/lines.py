"""Lines of a text: the only place that knows what a line break is."""

from __future__ import annotations

import re
from bisect import bisect_right

#: YAML and the language server protocol agree on these three; U+2028, U+0085 and others that
#: `str.splitlines` knows are characters like any other.
LINE_BREAK = re.compile(r"\r\n|\n|\r")


class Lines:
    """An index from offsets to lines and columns, both counted from 0, in code points."""

    __slots__ = ("_known", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._known: list[int] | None = None

    @property
    def _starts(self) -> list[int]:
        """Where each line starts; counted when a place is first asked for, as in sound files none is."""
        if self._known is None:
            self._known = [0, *(it.end() for it in LINE_BREAK.finditer(self._text))]
        return self._known

    def __len__(self) -> int:
        return len(self._starts)

    def position(self, offset: int) -> tuple[int, int]:
        """Return (line, column) of an offset; one outside the text is moved to its nearer end."""
        offset = max(0, min(offset, len(self._text)))
        line = bisect_right(self._starts, offset) - 1
        return line, offset - self._starts[line]

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a place; a column beyond the line's end is the line's end."""
        if line >= len(self._starts):
            return len(self._text)
        line = max(line, 0)
        return min(self._starts[line] + max(column, 0), self._starts[line] + len(self.text(line)))

    def start(self, line: int) -> int:
        """Return the offset at which a line starts."""
        return self._starts[line]

    def text(self, line: int) -> str:
        """Return a line without its break."""
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self._text)
        return self._text[self._starts[line] : end].rstrip("\r\n")
