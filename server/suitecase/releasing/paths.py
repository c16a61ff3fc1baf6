"""Replacing the paths of this machine, which tell who runs what where."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

#: What stands in the place of a path of a machine.
PATH = "[path]"
#: A path from the root of a file system, in the words of a program or an operating system. What
#: follows a letter, a dot or a slash is a part of a relative path or of an address.
_ABSOLUTE = re.compile(
    r"(?<![\w.:/\\~\]>-])(?:[A-Za-z]:[\\/](?:[^\s\\/'\"`:*?<>|]+[\\/])*|/(?:[\w.@+~-]+/)+)"
    r"([\w.@+~-]*)"
)


class PathRedactor:
    """Replaces paths: those of the workspace by relative ones, and those of this machine by `[path]`.

    Args:
        root: the root of the workspace.
    """

    def __init__(self, root: Path) -> None:
        replaced: dict[str, str] = {}
        for folder in (root, root.resolve()):
            _add(replaced, folder, ".")
        for folder in _folders_of_machine():
            _add(replaced, folder, PATH)
            _add(replaced, folder.resolve(), PATH)
        self._replaced = replaced
        names = sorted(map(re.escape, replaced), key=len, reverse=True)
        # A path that only starts with the same letters is another one.
        self._known = re.compile(rf"(?:{'|'.join(names)})(?![\w.-])") if names else None

    def __call__(self, text: str) -> str:
        """Return a text without the paths of this machine."""
        if self._known is None or not ("/" in text or "\\" in text):
            return text
        return self._known.sub(lambda it: self._replaced[it[0]], text)

    def of_program(self, text: str) -> str:
        """Return what a program or its command line says, without absolute paths of any machine."""
        return _ABSOLUTE.sub(lambda it: f"{PATH}/{it[1]}" if it[1] else PATH, self(text))


def _add(replaced: dict[str, str], folder: Path, by: str) -> None:
    # A folder directly below the root, such as `/tmp`, is part of many other texts.
    if len(folder.parts) > 2 or (len(folder.parts) > 1 and by == "."):
        replaced.setdefault(str(folder), by)
        replaced.setdefault(folder.as_posix(), by)


def _folders_of_machine() -> Iterable[Path]:
    yield from map(Path, (sys.prefix, sys.base_prefix, tempfile.gettempdir()))
    home = os.path.expanduser("~")  # noqa: PTH111 - `Path.home` raises where there is none
    if home != "~":
        yield Path(home)
