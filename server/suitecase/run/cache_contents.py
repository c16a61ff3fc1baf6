"""What the cache of answers has, and removing it; imports nothing that asks models."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, datetime
from pathlib import Path

from suitecase.run.cache_file import BESIDE, CACHE_FILE, NotACacheError, open_existing_cache
from suitecase_evaluators.answers.records.values import moment, timestamp
from suitecase_evaluators.system.path_kinds import is_there


class CacheFileError(Exception):
    """The cache cannot be read or changed; `message` is shown to users."""

    def __init__(self, path: Path, reason: object) -> None:
        self.message = (
            f"the cache {path} cannot be used ({reason}); if the file is corrupt, delete it"
        )
        super().__init__(self.message)


@dataclass(frozen=True, slots=True)
class CacheContents:
    """The answers in a cache.

    Attributes:
        path: the file, which may be missing.
        answers: how many answers it has, of targets and judges.
        size: in bytes, with what SQLite keeps beside the file.
        oldest: when the oldest answer was stored; None without answers.
        newest: the same of the newest one.
    """

    path: Path
    answers: int = 0
    size: int = 0
    oldest: datetime | None = None
    newest: datetime | None = None


def cache_contents(root: Path) -> CacheContents:
    """Return what the cache of a workspace has. Creates nothing.

    Raises:
        CacheFileError: it cannot be read, or is not a cache.
    """
    path = root / CACHE_FILE
    with _opened(path) as database:
        if database is None:
            return CacheContents(path)
        number, oldest, newest = database.execute(
            "SELECT count(*), min(at), max(at) FROM answers"
        ).fetchone()
        return CacheContents(path, number, _size(path), _moment(oldest), _moment(newest))


def remove_answers(root: Path, before: datetime | None = None) -> int:
    """Remove the answers of a workspace's cache and return how many there were.

    A run that uses the cache goes on with an emptier one.

    Args:
        before: keep answers that were stored at this time or later; None to remove all.

    Raises:
        CacheFileError: it cannot be changed, or is not a cache.
    """
    with _opened(root / CACHE_FILE) as database:
        if database is None:
            return 0
        if before is None:
            removed = database.execute("DELETE FROM answers").rowcount
        else:
            at = timestamp(before)  # texts of this form sort by time
            removed = database.execute("DELETE FROM answers WHERE at < ?", (at,)).rowcount
        database.execute("VACUUM")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return removed


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection | None]:
    """Open a cache that exists, None if there is none."""
    try:
        database = open_existing_cache(path)
        if database is None:
            yield None
            return
        with closing(database):
            yield database
    except sqlite3.Error as error:
        raise CacheFileError(path, error) from error
    except OSError as error:
        raise CacheFileError(path, (error.strerror or str(error)).lower()) from error


def _size(path: Path) -> int:
    parts = (path.with_name(path.name + it) for it in ("", *BESIDE))
    return sum(part.stat().st_size for part in parts if is_there(part))


def _moment(at: object) -> datetime | None:
    if at is None:
        return None
    found = moment(at)
    if found is None or found.year in (MINYEAR, MAXYEAR):  # which local time may be beyond
        raise NotACacheError("the time of an answer cannot be read")
    return found
