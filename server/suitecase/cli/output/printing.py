"""Printing lines to standard output, on terminals and in any encoding."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import IO, Any
from unicodedata import combining, east_asian_width

from suitecase.cli.output.formatter import Aside
from suitecase.cli.output.terminal import echo, is_colored, is_terminal, outliving_its_output
from suitecase.installation import is_installed
from suitecase.text.encoders import json_text as encoder
from suitecase.text.encoders.terminal import Block, Line, encoded_line, encoded_segments

#: Lines that are written together.
_AT_ONCE = 500
#: Columns where the output is not a terminal, and the most that are used of one.
WIDTH = 100


class Printer:
    """Prints lines; their pieces are styled where somebody looks at a terminal.

    Attributes:
        console: a `rich.console.Console`, None where that is not a terminal.
    """

    def __init__(
        self, *, styled: bool = False, document: bool = False, to: IO[str] | None = None
    ) -> None:
        """
        Args:
            styled: whether lines will have pieces with styles.
            document: whether lines are parts of a document for programs: the encoder of its medium has
                been applied to all texts in it, so line ends are meant.
            to: where lines are printed, without styles; None for standard output.
        """
        self._document = document
        self._to = to
        self.console: Any = None
        if styled and is_terminal(sys.stdout) and is_installed("rich"):
            self.console = rich_console(sys.stdout)

    def print_all(self, lines: Iterable[Line], *, aside: bool = False) -> None:
        """Print lines, some at a time: each call costs more than a line."""
        waiting: list[str] = []
        for line in lines:
            if isinstance(line, str) and not isinstance(line, Aside):
                waiting.append(encoded_line(Block(line) if self._document else line))
                if len(waiting) < _AT_ONCE:
                    continue
            if waiting:
                self.print(Block("\n".join(waiting)), aside=aside)
                waiting = []
            if isinstance(line, Aside) or not isinstance(line, str):
                self.print(line, aside=aside)
        if waiting:
            self.print(Block("\n".join(waiting)), aside=aside)

    def print(self, line: Line, *, aside: bool = False) -> None:
        """Print a line; on standard error if it is `aside`, or an `Aside`."""
        if isinstance(line, str) or self.console is None or self._to is not None:
            aside = aside or isinstance(line, Aside)
            if self._document and isinstance(line, str) and not isinstance(line, Aside):
                line = Block(line)
            echo(line, err=aside, to=None if aside else self._to)
            return
        from rich.text import Text

        with outliving_its_output():
            self.console.print(Text.assemble(*encoded_segments(line)))


def rich_console(stream: Any, *, soft_wrap: bool = True) -> Any:
    """Return a `rich.console.Console` of a terminal, which shows no styles where none are wanted."""
    from rich.console import Console  # noqa: TID251 - the one place

    return Console(
        file=stream,
        highlight=False,
        soft_wrap=soft_wrap,
        color_system="auto" if is_colored(stream) else None,
    )


def columns() -> int:
    """Return how many columns of standard output are used."""
    if not is_terminal(sys.stdout):
        return WIDTH
    from shutil import get_terminal_size

    return min(WIDTH, get_terminal_size().columns)


def cells(text: str) -> int:
    """Return how many columns of a terminal a text takes: some characters take two or none."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(it) else 2 if east_asian_width(it) in "WF" else 1 for it in text)


def json_text(value: Any, indent: int | None = None) -> Block:
    """Return JSON that standard output can hold."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    return encoder.json_text(value, indent, ascii_only=encoding != "utf8")
