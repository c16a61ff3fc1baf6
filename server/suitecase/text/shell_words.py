"""Texts as words of a command line, for commands that people copy from a message."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterable

#: What neither the command prompt nor PowerShell takes for anything but itself.
_PLAIN_ON_WINDOWS = re.compile(r"[\w:.,/\\+=@-]+")


def shell_word(text: str, *, windows: bool = sys.platform == "win32") -> str:
    """Return a text as one word of a command line: for `sh`, or for the shells of Windows.

    Args:
        text: such as a path or the id of a case.
        windows: quote for the command prompt and PowerShell, which both know double quotes alone.
    """
    if not windows:
        return shlex.quote(text)
    if _PLAIN_ON_WINDOWS.fullmatch(text):
        return text
    # Backslashes before a quote escape it, and so do those at the end.
    escaped = re.sub(r'(?<!\\)(\\*+)"', r'\1\1\\"', text)
    return '"' + re.sub(r"(?<!\\)(\\++)$", r"\1\1", escaped) + '"'


def shell_command(words: Iterable[str]) -> str:
    """Return a command as it is typed into a shell."""
    return " ".join(shell_word(word) for word in words)
