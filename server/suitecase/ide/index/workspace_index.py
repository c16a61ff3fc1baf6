"""The suites of a workspace, and the names in them: looked up when someone first asks.

What was read of a file is kept until the file changes. The index is for a thread that may wait for
the disk; several may use it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from suitecase.ide.index.summary import Summary, summary_of, summary_of_text
from suitecase.suite.configuration import find_configuration
from suitecase.suite.discovery import suites_in
from suitecase.suite.reading import DATASET, parse_document
from suitecase.suite.workspace import Unreadable, Workspace, read_text

#: A workspace of more suites is a folder that was opened by mistake; the first are looked at.
MAX_FILES = 10_000
_YAML = (".yaml", ".yml")


class _Kept(NamedTuple):
    """A summary, and what tells whether the file is still the one it was made of."""

    stamp: tuple[int, int]
    summary: Summary


class GivenUpError(Exception):
    """Nobody waits for the answer any more."""


class WorkspaceIndex:
    """The suites, data sets, sidecars and targets files below a root, each with its summary.

    `is_complete` says whether all of them are known; it is for after `files` was asked.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.is_complete = True
        self._files: tuple[Path, ...] | None = None
        self._kept: dict[Path, _Kept] = {}
        self._lock = threading.Lock()

    def outdate(self) -> None:
        """Look for files anew when someone asks next: some have come, gone or changed."""
        self._files = None

    def files(self, is_over: Callable[[], bool] = lambda: False) -> tuple[Path, ...]:
        """Return all files of the workspace that belong to suites, in the order of their paths.

        Args:
            is_over: says that nobody waits for the answer any more.

        Raises:
            GivenUpError: nobody does.
        """
        with self._lock:
            found = self._files
            if found is None:
                found = tuple(islice(self._walk(is_over), MAX_FILES + 1))
                self.is_complete = len(found) <= MAX_FILES
                self._files = found = found[:MAX_FILES]
                known = frozenset(found)
                self._kept = {it: kept for it, kept in [*self._kept.items()] if it in known}
            return found

    def _walk(self, is_over: Callable[[], bool]) -> Iterator[Path]:
        workspace = Workspace(self.root)
        for path in suites_in(self.root, lambda folder: find_configuration(workspace, folder)):
            if is_over():
                raise GivenUpError
            yield path

    def summary(self, path: Path) -> Summary | None:
        """Return the summary of a file as it is on the disk; None where it cannot be read."""
        try:
            stat = os.stat(path)  # noqa: PTH116 - a third of the time, for each file of a workspace
        except (OSError, ValueError):
            self._kept.pop(path, None)
            return None
        stamp = (stat.st_mtime_ns, stat.st_size)
        kept = self._kept.get(path)
        if kept is None or kept.stamp != stamp:
            text = text_of(path, self.root)
            if text is None:
                return None
            kept = self._kept[path] = _Kept(stamp, summary_of_file(path, text, self.root))
        return kept.summary


def summary_of_file(path: Path, text: str, root: Path) -> Summary:
    """Return the summary of a text as that of a file."""
    if path.suffix not in (*_YAML, DATASET):
        return summary_of_text(path, text)
    return summary_of(path, parse_document(path, text, Workspace(root)))


def text_of(path: Path, root: Path) -> str | None:
    """Return the text of a file as an editor has it, without a byte order mark; None without one.

    There is none where a link leads to it out of the workspace with that root.
    """
    text = read_text(path, within=root)
    return None if isinstance(text, Unreadable) else text.removeprefix("\ufeff")
