"""Writes lines to standard output and standard error. Nothing else in the package does."""

from __future__ import annotations

import os
import sys
from typing import IO, Any

import click

from suitecase.encoders.terminal import Block, Line, TerminalText, encoded_line


def echo(line: Line = "", *, err: bool = False, nl: bool = True, to: IO[str] | None = None) -> None:
    """Print a line, encoded, with its styles where they are shown.

    Args:
        line: the line; a `Block` may have several.
        err: print to standard error.
        nl: end the line.
        to: a text that is collected for a file, in place of standard output; it has no styles.
    """
    if to is not None:
        to.write(encoded_line(line) + "\n" * nl)
        return
    stream = sys.stderr if err else sys.stdout
    styled = not isinstance(line, str) and is_colored(stream)
    _write(encoded_line(line, styled=styled), err=err, nl=nl)


def write_document(text: str) -> None:
    """Write a document to standard output: exactly for a program, and encoded on a terminal."""
    if sys.stdout.isatty():
        _write(encoded_line(Block(text)), err=False, nl=False)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8"))
    sys.stdout.flush()


def is_terminal(stream: Any) -> bool:
    """Whether a stream is a terminal that can move its cursor."""
    return bool(stream.isatty()) and os.environ.get("TERM") != "dumb"


def is_colored(stream: Any) -> bool:
    """Whether styles are shown on a stream: on a terminal, unless the environment says otherwise.

    `NO_COLOR` (https://no-color.org) and `FORCE_COLOR` (https://force-color.org) count if they are
    not empty; the former wins.
    """
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or is_terminal(stream)


def _write(text: TerminalText, *, err: bool, nl: bool) -> None:
    stream = sys.stderr if err else sys.stdout
    encoding = getattr(stream, "encoding", None) or "utf-8"
    # What the encoding lacks is shown as its number rather than ending the command.
    shown = text.encode(encoding, "backslashreplace").decode(encoding)
    click.echo(shown, err=err, nl=nl, color=True)  # noqa: TID251 - the one place
