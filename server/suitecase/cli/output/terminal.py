"""Writes lines to standard output and standard error. Nothing else in the package does."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import click

from suitecase.text.encoders.terminal import Block, Line, TerminalText, encoded_line


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
    with outliving_its_output():
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


#: By whether it is standard error, why a stream takes nothing any more.
_LOST: dict[bool, OSError] = {}


def output_is_closed() -> bool:
    """Whether nobody reads standard output any more, as after `| head`."""
    return isinstance(_LOST.get(False), BrokenPipeError)


def unwritten_output() -> OSError | None:
    """Return why a part of standard output could not be written, such as a full disk.

    None also where its reader has closed it, who has what they want.
    """
    error = _LOST.get(False)
    return None if isinstance(error, BrokenPipeError) else error


@contextmanager
def outliving_its_output(*, err: bool = False) -> Iterator[None]:
    """Go on where a stream cannot be written: what it would show is lost, and not what a command does.

    A run that costs money is not to end because the reader of a pipe has, a disk is full or a file may not grow.

    Args:
        err: whether standard error is written.
    """
    try:
        yield
    except OSError as error:
        _LOST.setdefault(err, error)
        _discard(err=err)


def _discard(*, err: bool) -> None:
    """Let a stream write to nowhere from here on, also what it has in its buffer."""
    stream = sys.stderr if err else sys.stdout
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, stream.fileno())
    except (OSError, ValueError):  # not a file
        setattr(sys, "stderr" if err else "stdout", open(os.devnull, "w"))  # noqa: SIM115, PTH123
    finally:
        os.close(nowhere)


def _write(text: TerminalText, *, err: bool, nl: bool) -> None:
    stream = sys.stderr if err else sys.stdout
    encoding = getattr(stream, "encoding", None) or "utf-8"
    # What the encoding lacks is shown as its number rather than ending the command.
    shown = text.encode(encoding, "backslashreplace").decode(encoding)
    with outliving_its_output(err=err):
        click.echo(shown, err=err, nl=nl, color=True)  # noqa: TID251 - the one place
