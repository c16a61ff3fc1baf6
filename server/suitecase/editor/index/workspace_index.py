"""An index of the suites of a workspace and the names in them, built on demand.

Summaries are cached until the file changes. The index may block on the disk, so it is used in
threads, several at a time.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from suitecase.editor.index.summary import Summary, summary_of, summary_of_text
from suitecase.format.configuration import find_configuration
from suitecase.format.dataset_files import DATASET
from suitecase.format.discovery import suites_in
from suitecase.format.reading import parse_document
from suitecase.format.workspace import Unreadable, Workspace, read_text

#: A workspace with more suites was opened by mistake; only the first are indexed.
MAX_FILES = 10_000
_YAML = (".yaml", ".yml")


class _CachedSummary(NamedTuple):
    """A summary, and the file's stamp when it was made."""

    stamp: tuple[int, int]
    summary: Summary


class GivenUpError(Exception):
    """The answer is no longer needed."""


class WorkspaceIndex:
    """The suites, data sets, sidecars and targets files of a workspace, each with its summary.

    `searched` are the folders of the workspace that are searched, by default all of it, and
    `is_complete` is whether all of them are known; it is valid after a call of `files`.
    """

    def __init__(self, root: Path, searched: tuple[Path, ...] = ()) -> None:
        self.root = root
        self.searched = searched or (root,)
        self.is_complete = True
        self._files: tuple[Path, ...] | None = None
        self._cache: dict[Path, _CachedSummary] = {}
        self._lock = threading.Lock()

    def outdate(self) -> None:
        """Search for files again at the next call: some were created, deleted or changed."""
        self._files = None

    def files(self, is_over: Callable[[], bool] = lambda: False) -> tuple[Path, ...]:
        """Return all files of the workspace that belong to suites, sorted by path.

        Args:
            is_over: returns whether the answer is no longer needed.

        Raises:
            GivenUpError: it is not.
        """
        with self._lock:
            paths = self._files
            if paths is None:
                paths = tuple(islice(self._walk(is_over), MAX_FILES + 1))
                self.is_complete = len(paths) <= MAX_FILES
                self._files = paths = paths[:MAX_FILES]
                current = frozenset(paths)
                self._cache = {it: cached for it, cached in [*self._cache.items()] if it in current}
            return paths

    def _walk(self, is_over: Callable[[], bool]) -> Iterator[Path]:
        if self.root == self.root.parent:
            return  # nobody's suites are everything on a disk, which would take minutes
        workspace = Workspace(self.root)
        seen: set[Path] = set()
        for searched in self.searched:
            for path in suites_in(
                searched,
                lambda folder: find_configuration(workspace, folder),
                root_of=lambda _: self.root,
            ):
                if is_over():
                    raise GivenUpError
                if path not in seen:
                    seen.add(path)
                    yield path

    def summary(self, path: Path) -> Summary | None:
        """Return the summary of a file on disk; None if it cannot be read."""
        try:
            stat = os.stat(path)  # noqa: PTH116 - a third of the time, for each file of a workspace
        except (OSError, ValueError):
            self._cache.pop(path, None)
            return None
        stamp = (stat.st_mtime_ns, stat.st_size)
        cached = self._cache.get(path)
        if cached is None or cached.stamp != stamp:
            text = text_of(path, self.root)
            if text is None:
                return None
            cached = self._cache[path] = _CachedSummary(
                stamp, summary_of_file(path, text, self.root)
            )
        return cached.summary


def summary_of_file(path: Path, text: str, root: Path) -> Summary:
    """Return the summary of a text as if it were the file's."""
    if path.suffix not in (*_YAML, DATASET, ".json"):
        return summary_of_text(path, text)
    return summary_of(path, parse_document(path, text, Workspace(root)))


def text_of(path: Path, root: Path) -> str | None:
    """Return the text of a file without a byte order mark; None if it cannot be read.

    Files reached through a link out of the workspace are not read.
    """
    text = read_text(path, within=root)
    return None if isinstance(text, Unreadable) else text.removeprefix("\ufeff")
