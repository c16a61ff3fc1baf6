"""A document of headings, paragraphs, lists and tables, as Markdown or for a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from suitecase.text.encoders.visible import visible


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph; what is between backquotes is code."""

    text: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A list."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Paragraph | Listing | Grid


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what is under it."""

    title: str
    blocks: tuple[Block, ...]

    def mapped(self, text: Callable[[str], str]) -> Section:
        """Return the section with each of its texts replaced."""
        return replace(self, blocks=tuple(_mapped(block, text) for block in self.blocks))


def _mapped(block: Block, text: Callable[[str], str]) -> Block:
    match block:
        case Paragraph():
            return Paragraph(text(block.text))
        case Listing():
            return Listing(tuple(map(text, block.items)))
        case Grid():
            return Grid(block.head, tuple(tuple(map(text, row)) for row in block.rows))


def markdown(title: str, sections: Sequence[Section]) -> str:
    """Return a document as Markdown."""
    return "\n".join(_lines(title, sections))


def _lines(title: str, sections: Sequence[Section]) -> Iterator[str]:
    yield f"# {_plain(title)}"
    for section in sections:
        yield ""
        yield f"## {_plain(section.title)}"
        for block in section.blocks:
            yield ""
            match block:
                case Paragraph():
                    yield _plain(block.text)
                case Listing():
                    yield from (f"- {_plain(item)}" for item in block.items)
                case Grid():
                    yield _row(block.head)
                    yield _row(["---"] * len(block.head))
                    yield from map(_row, block.rows)
    yield ""


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_plain(cell).replace('|', chr(92) + '|') for cell in cells)} |"


#: What Markdown would take for markup. Backquotes mark code, here and there.
_MARKUP = re.compile(r"[\\*_\[\]<>#]")


def _plain(text: str) -> str:
    """Return a text on one line, in which only what is between backquotes is marked."""
    parts = visible(" ".join(text.split())).split("`")
    if len(parts) % 2 == 0:  # a backquote on its own
        parts = ["'".join(parts)]
    escaped = (
        it if at % 2 else _MARKUP.sub(lambda mark: f"\\{mark[0]}", it)
        for at, it in enumerate(parts)
    )
    return "`".join(escaped)
