"""Long texts of lines, compressed in memory: what is checked once is looked at from one end to the other."""

from __future__ import annotations

import zlib
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from suitecase.text.lines import Chunk, Lines

#: Characters of a chunk, about.
_CHUNK = 256 * 1024


class _PackedChunk(Chunk):
    """A chunk whose text is unpacked when it is asked for."""

    __slots__ = ("packed",)

    def __init__(self, text: str) -> None:
        self._starts = None
        self.packed = zlib.compress(text.encode("utf-8", "surrogatepass"), 1)

    def __getattr__(self, name: str) -> Any:
        # The slot of the text is never set.
        if name != "text":
            raise AttributeError(name)
        return _unpacked(self.packed)


@lru_cache(maxsize=4)
def _unpacked(packed: bytes) -> str:
    return zlib.decompress(packed).decode("utf-8", "surrogatepass")


class PackedLines(Lines):
    """A text whose chunks are compressed. As a whole it is made anew whenever it is asked for.

    Args:
        texts: its chunks, each of which but the last ends a line.
    """

    __slots__ = ()

    def __init__(self, texts: Iterable[str]) -> None:
        chunks: list[_PackedChunk] = []
        sizes: list[int] = []
        breaks: list[int] = []
        for text in texts:
            chunks.append(_PackedChunk(text))
            sizes.append(len(text))
            breaks.append(Chunk(text).breaks)
        super().__init__(None, chunks)
        if chunks:
            self._sizes, self._breaks = sizes, breaks

    def __str__(self) -> str:
        return "".join([chunk.text for chunk in self.chunks])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PackedLines):
            return NotImplemented
        return [_content(chunk) for chunk in self.chunks] == [
            _content(chunk) for chunk in other.chunks
        ]

    __hash__ = None  # type: ignore[assignment]


def _content(chunk: Chunk) -> bytes | str:
    return chunk.packed if isinstance(chunk, _PackedChunk) else chunk.text


def packed_lines(content: Iterable[bytes]) -> PackedLines:
    """Return the text of a file, of which no more than a chunk is in memory at a time.

    Args:
        content: the bytes of the file, in pieces of any size.

    Raises:
        UnicodeDecodeError: they are not UTF-8; `start` counts from the start of the file.
    """
    return PackedLines(_whole_lines(_decoded(content)))


def _decoded(content: Iterable[bytes]) -> Iterator[str]:
    decoder = getincrementaldecoder("utf-8")()
    before = 0
    for piece, is_last in _marking_last(content):
        left = len(decoder.getstate()[0])
        try:
            yield decoder.decode(piece, is_last)
        except UnicodeDecodeError as error:
            error.start += before - left
            raise
        before += len(piece)


def _marking_last(content: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    for piece in content:
        yield piece, False
    yield b"", True


def _whole_lines(texts: Iterable[str]) -> Iterator[str]:
    """Yield a text in stretches that end with a line break, except for the last one."""
    waiting: list[str] = []
    size = 0
    for text in texts:
        waiting.append(text)
        size += len(text)
        end = text.rfind("\n") + 1
        if size >= _CHUNK and end:
            rest = text[end:]
            waiting[-1] = text[:end]
            yield "".join(waiting)
            waiting, size = [rest], len(rest)
    last = "".join(waiting)
    if last:
        yield last
