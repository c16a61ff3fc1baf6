"""Lines of a text: the only module that defines line breaks."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

#: YAML and the language server protocol agree on these three; U+2028, U+0085 and others that
#: `str.splitlines` knows are characters like any other.
LINE_BREAK = re.compile(r"\r\n|\n|\r")
#: The approximate size of chunks in characters, for texts that are not split otherwise.
_CHUNK = 4096


class Chunk:
    """A stretch of a text that starts a line and ends with `\\n`, unless it is the last one."""

    __slots__ = ("_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts: Sequence[int] | None = None

    @property
    def starts(self) -> Sequence[int]:
        """The start of each line; computed on first use, since valid files need none."""
        if self._starts is None:
            ends = map(re.Match.end, LINE_BREAK.finditer(self.text))
            self._starts = array("I", chain((0,), ends))
        return self._starts

    @property
    def breaks(self) -> int:
        """The number of line breaks."""
        if self._starts is not None:
            return len(self._starts) - 1
        text = self.text
        return len(LINE_BREAK.findall(text)) if "\r" in text else text.count("\n")


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a text for people: lines and columns from 1, columns in code points."""

    line: int
    column: int
    end_line: int
    end_column: int


class Lines:
    """A text, and an index from its offsets to lines and columns, counted from 0, in code points.

    It is immutable: an edited text is a new object that shares the unchanged chunks.

    Args:
        text: the text; None if it is not available.
        chunks: its chunks, which are not empty unless there is only one.
    """

    __slots__ = ("_breaks", "_first_lines", "_sizes", "_starts", "_whole", "chunks")

    def __init__(self, text: str | None, chunks: Sequence[Chunk] = ()) -> None:
        self._whole = text
        self.chunks = tuple(chunks) or (Chunk(text or ""),)
        self._sizes: list[int] | None = None
        self._breaks: list[int] | None = None
        self._starts: list[int] | None = None
        self._first_lines: list[int] | None = None

    def __str__(self) -> str:
        if self._whole is None:
            self._whole = "".join([chunk.text for chunk in self.chunks])
        return self._whole

    @property
    def size(self) -> int:
        """The number of characters."""
        return self.starts[-1] + len(self.chunks[-1].text)

    @property
    def sizes(self) -> list[int]:
        """The number of characters of each chunk."""
        if self._sizes is None:
            self._sizes = [len(chunk.text) for chunk in self.chunks]
        return self._sizes

    @property
    def breaks(self) -> list[int]:
        """The number of line breaks of each chunk."""
        if self._breaks is None:
            self._breaks = [chunk.breaks for chunk in self.chunks]
        return self._breaks

    @property
    def starts(self) -> list[int]:
        """The start of each chunk."""
        if self._starts is None:
            self._starts = [0, *accumulate(self.sizes[:-1])]
        return self._starts

    @property
    def first_lines(self) -> list[int]:
        """The number of the first line of each chunk."""
        if self._first_lines is None:
            self._first_lines = [0, *accumulate(self.breaks[:-1])]
        return self._first_lines

    def __len__(self) -> int:
        return self.first_lines[-1] + len(self.chunks[-1].starts)

    def position(self, offset: int) -> tuple[int, int]:
        """Return (line, column) of an offset; one outside the text is clamped."""
        offset = max(0, min(offset, self.size))
        number = bisect_right(self.starts, offset) - 1
        starts = self.chunks[number].starts
        offset -= self.starts[number]
        line = bisect_right(starts, offset) - 1
        return self.first_lines[number] + line, offset - starts[line]

    def number(self, offset: int) -> int:
        """Return the number of the line of an offset, from 1."""
        offset = max(offset, 0)
        number = bisect_right(self.starts, offset) - 1
        starts = self.chunks[number].starts
        return self.first_lines[number] + bisect_right(starts, offset - self.starts[number])

    def place(self, span: tuple[int, int]) -> Place:
        """Return the place of a stretch of the text."""
        line, column = self.position(span[0])
        end_line, end_column = self.position(span[1])
        return Place(line + 1, column + 1, end_line + 1, end_column + 1)

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a place; a column after the line's end is the line's end."""
        if line >= len(self):
            return self.size
        line = max(line, 0)
        return self.start(line) + min(max(column, 0), len(self.text(line)))

    def start(self, line: int) -> int:
        """Return the offset of the start of a line."""
        number = self._chunk_of(line)
        return self.starts[number] + self.chunks[number].starts[line - self.first_lines[number]]

    def text(self, line: int) -> str:
        """Return a line without its break."""
        number = self._chunk_of(line)
        chunk = self.chunks[number]
        starts = chunk.starts
        line -= self.first_lines[number]
        end = starts[line + 1] if line + 1 < len(starts) else len(chunk.text)
        return chunk.text[starts[line] : end].rstrip("\r\n")

    def slice(self, start: int, end: int) -> str:
        """Return a stretch of the text."""
        if self._whole is not None:
            return self._whole[start:end]
        number = max(bisect_right(self.starts, start) - 1, 0)
        at = self.starts[number]
        text = self.chunks[number].text[start - at : end - at]
        while at + self.sizes[number] < end and number + 1 < len(self.chunks):
            number += 1
            at = self.starts[number]
            text += self.chunks[number].text[: end - at]
        return text

    def character(self, offset: int) -> str:
        """Return the character at an offset; empty at the end of the text."""
        number = bisect_right(self.starts, offset) - 1
        start = self.starts[number]
        return self.chunks[number].text[offset - start : offset - start + 1]

    def _chunk_of(self, line: int) -> int:
        return bisect_right(self.first_lines, line) - 1

    def replaced(self, start: int, end: int, new: str) -> Lines:
        """Return the text with a stretch replaced."""
        chunks, starts = self.chunks, self.starts
        first = bisect_right(starts, start) - 1
        last = max(bisect_left(starts, end) - 1, first)
        before = chunks[first].text[: start - starts[first]]
        text = before + new + chunks[last].text[end - starts[last] :]
        after = last + 1
        if after < len(chunks) and text and not text.endswith("\n"):
            text += chunks[after].text
            after += 1
        return self.with_chunks(first, after, cut(text))

    def become(self, text: str) -> Lines:
        """Return another text that shares the equal chunks at the start and the end.

        It makes clients cheap that send the whole text for each change.
        """
        first, start = 0, 0
        while first < len(self.chunks) and text.startswith(self.chunks[first].text, start):
            start += len(self.chunks[first].text)
            first += 1
        after, end = len(self.chunks), len(text)
        while after > first and text.endswith(self.chunks[after - 1].text, start, end):
            after -= 1
            end -= len(self.chunks[after].text)
        between = self.starts[after] if after < len(self.chunks) else self.size
        before = self.starts[first] if first < len(self.chunks) else self.size
        return self.replaced(before, between, text[start:end])

    def with_chunks(self, first: int, after: int, new: Iterable[Chunk]) -> Lines:
        """Return the text with a range of chunks replaced."""
        inserted = [it for it in new if it.text]
        chunks = (*self.chunks[:first], *inserted, *self.chunks[after:])
        if not chunks:
            return Lines("")
        changed = Lines(None, chunks)
        sizes, breaks = self.sizes, self.breaks
        changed._sizes = [*sizes[:first], *(len(it.text) for it in inserted), *sizes[after:]]
        changed._breaks = [*breaks[:first], *(it.breaks for it in inserted), *breaks[after:]]
        return changed


def cut(text: str) -> list[Chunk]:
    """Split a text into chunks that are edited one by one."""
    chunks: list[Chunk] = []
    start = 0
    while start < len(text):
        end = text.find("\n", start + _CHUNK) + 1 or len(text)
        chunks.append(Chunk(text[start:end]))
        start = end
    return chunks
