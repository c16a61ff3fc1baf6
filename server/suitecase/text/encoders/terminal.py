"""Lines for terminals and logs.

A line is text that is not trusted: `encoded_line` makes the only text that may be written to a stream.
Styles are data beside the text, so an escape sequence in the text is never one of ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NewType

from suitecase.text.encoders.visible import visible

#: Text that may be written to a terminal or a log. Only this module makes it.
TerminalText = NewType("TerminalText", str)
#: A piece of a line, and its style: words of `rich` such as `bold red`.
Segment = tuple[str, str]
#: A line of output: its text, or its pieces. All of it may be anybody's.
Line = str | Sequence[Segment]

#: Stands before each further line of a text that should have been one, so that none looks like ours.
_CONTINUED = "\n    "
_CODES = {
    "bold": 1,
    "dim": 2,
    "underline": 4,
    "red": 31,
    "green": 32,
    "yellow": 33,
    "blue": 34,
    "magenta": 35,
    "cyan": 36,
}
_RESET = "\x1b[0m"


class Block(str):
    """A text of several lines whose line ends are meant."""

    __slots__ = ()


def encoded_line(line: Line, *, styled: bool = False) -> TerminalText:
    """Return a line as it may be written.

    Args:
        line: the line. Line ends in it are kept only in a `Block`; elsewhere what follows one is
            indented.
        styled: whether its styles are shown, as escape sequences.
    """
    if isinstance(line, str):
        return TerminalText(_encoded(line))
    if not styled:
        return TerminalText("".join(text for text, _ in encoded_segments(line)).rstrip())
    return TerminalText(
        "".join(_with_style(*encoded_segment) for encoded_segment in encoded_segments(line))
    )


def encoded_segments(line: Sequence[Segment]) -> list[Segment]:
    """Return the pieces of a line with their texts encoded, for a display that styles them itself."""
    return [(_encoded(text), style) for text, style in line]


def plain_line(line: Line) -> str:
    """Return the text of a line, without its styles and not encoded."""
    return line if isinstance(line, str) else "".join(text for text, _ in line)


def _encoded(text: str) -> str:
    shown = visible(text)
    return shown if isinstance(text, Block) or "\n" not in shown else _indented(shown)


def _indented(text: str) -> str:
    return text.rstrip("\n").replace("\n", _CONTINUED) + "\n" * text.endswith("\n")


def _with_style(text: str, style: str) -> str:
    codes = ";".join(str(_CODES[word]) for word in style.split())
    return f"\x1b[{codes}m{text}{_RESET}" if codes and text else text
