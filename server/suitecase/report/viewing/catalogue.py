"""The runs that a server shows, each with an id that is not a path."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from suitecase.report.history import History, NotARun, ResultsFolders
from suitecase.report.past_run import PastRun

#: For so many seconds, what was seen of the folder counts as current.
_FRESH = 0.4


@dataclass(frozen=True, slots=True)
class Listed:
    """The runs at one moment.

    Attributes:
        runs: by id, the newest first.
        others: the files that are not runs.
        previous: by id, the id of the last run of the same suites and targets before a run.
        folders: where they are.
        version: another one if anything in the list differs.
    """

    runs: Mapping[str, PastRun]
    others: tuple[NotARun, ...]
    previous: Mapping[str, str]
    version: str
    folders: Sequence[Path] = ()


@dataclass(slots=True)
class Catalogue:
    """Looks at folders of results whenever somebody asks; may be asked by several threads."""

    folders: ResultsFolders
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _listed: Listed | None = None
    _looked_at: float = 0.0

    def list(self) -> Listed:
        """Return the runs as they are now."""
        with self._lock:
            now = time.monotonic()
            if self._listed is None or now - self._looked_at > _FRESH:
                self._listed = _listed(self.folders.history())
                self._looked_at = time.monotonic()
            return self._listed


def _listed(found: History) -> Listed:
    runs = {id_of(run): run for run in found.runs}
    return Listed(
        runs, found.others, _previous(runs), digest_of((found.runs, found.others)), found.folders
    )


def _previous(runs: Mapping[str, PastRun]) -> dict[str, str]:
    last: dict[tuple[tuple[str, ...], tuple[str, ...]], str] = {}
    found: dict[str, str] = {}
    for name, run in reversed(list(runs.items())):
        key = (run.suites, run.targets)
        if key in last:
            found[name] = last[key]
        last[key] = name
    return found


def id_of(run: PastRun) -> str:
    """Return the id of a run in addresses: it stays the same while other runs come and go."""
    return hashlib.sha256(os.fsencode(run.path)).hexdigest()[:16]


def version_of(run: PastRun) -> str:
    """Return what differs as soon as there is something else to show of a run."""
    return digest_of(run)


def digest_of(value: object) -> str:
    """Return what differs as soon as some data do."""
    return hashlib.sha256(repr(value).encode("utf-8", "backslashreplace")).hexdigest()[:16]
