"""Printing lines to standard output, on terminals and in any encoding."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable
from typing import IO, Any
from unicodedata import combining, east_asian_width

import click

from suitecase.cli.output.formatter import Aside, Line
from suitecase.installation import is_installed

#: Lines that are written together.
_AT_ONCE = 500
#: Columns where the output is not a terminal, and the most that are used of one.
WIDTH = 100
#: Characters that would move a terminal's cursor or change its colors.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Printer:
    """Prints lines; their pieces are styled where somebody looks at a terminal.

    Attributes:
        console: a `rich.console.Console`, None where that is not a terminal.
    """

    def __init__(self, *, styled: bool = False, to: IO[str] | None = None) -> None:
        """
        Args:
            styled: whether lines will have pieces with styles.
            to: where lines are printed, without styles; None for standard output.
        """
        self._to = to
        self.console: Any = None
        if styled and is_styled() and is_installed("rich"):
            from rich.console import Console

            self.console = Console(highlight=False, soft_wrap=True)
        # What the encoding lacks is shown as its number rather than ending the command.
        reconfigure = getattr(sys.stdout, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")

    def print_all(self, lines: Iterable[Line], *, aside: bool = False) -> None:
        """Print lines, some at a time: each call costs more than a line."""
        waiting: list[str] = []
        for line in lines:
            if isinstance(line, str) and not isinstance(line, Aside):
                waiting.append(line)
                if len(waiting) < _AT_ONCE:
                    continue
            if waiting:
                self.print("\n".join(waiting), aside=aside)
                waiting = []
            if isinstance(line, Aside) or not isinstance(line, str):
                self.print(line, aside=aside)
        if waiting:
            self.print("\n".join(waiting), aside=aside)

    def print(self, line: Line, *, aside: bool = False) -> None:
        """Print a line; on standard error if it is `aside`, or an `Aside`."""
        if isinstance(line, str):
            if self._to is None or aside or isinstance(line, Aside):
                click.echo(line, err=aside or isinstance(line, Aside))
            else:
                click.echo(line, file=self._to, color=False)
            return
        parts = [(without_controls(text), style) for text, style in line]
        if self.console is None or self._to is not None:
            plain = "".join(text for text, _ in parts).rstrip()
            click.echo(plain, file=self._to, color=None if self._to is None else False)
            return
        from rich.text import Text

        self.console.print(Text.assemble(*parts))


def is_styled() -> bool:
    """Whether standard output is a terminal that shows styles."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def columns() -> int:
    """Return how many columns of standard output are used."""
    if not is_styled():
        return WIDTH
    from shutil import get_terminal_size

    return min(WIDTH, get_terminal_size().columns)


def cells(text: str) -> int:
    """Return how many columns of a terminal a text takes: some characters take two or none."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(it) else 2 if east_asian_width(it) in "WF" else 1 for it in text)


def json_text(value: Any, indent: int | None = None) -> str:
    """Return JSON that standard output can hold."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    return json.dumps(value, indent=indent, ensure_ascii=encoding != "utf8")


def without_controls(text: str) -> str:
    """Return a text of others that does not steer the terminal it is shown on."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
