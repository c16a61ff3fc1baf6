"""Opening the file of cached answers, which may have come with a stranger's checkout."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from suitecase.format.workspace import leads_out
from suitecase.run.own_folder import make_own_folder
from suitecase.text.working_directory import absolute_path
from suitecase.text.writing.files import status_of
from suitecase_evaluators.system.path_kinds import is_file, is_there

#: Under the root of the workspace.
CACHE_FILE = Path(".suitecase", "cache.sqlite3")
#: Seconds to wait for another run that is writing.
BUSY_SECONDS = 10.0
#: What SQLite keeps beside the file while it is open, by the ends of their names.
BESIDE = ("-wal", "-shm")
#: As SQLite keeps it, so that a file can be compared with it.
_TABLE = (
    "CREATE TABLE answers ("
    "key TEXT PRIMARY KEY, reply TEXT NOT NULL, at TEXT NOT NULL) WITHOUT ROWID"
)
#: A journal that ends so names a file, which SQLite deletes after it has undone the changes.
_NAMES_A_FILE = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"


class NotACacheError(sqlite3.DatabaseError):
    """A file is in the place of the cache that no run made."""


def open_cache(path: Path) -> sqlite3.Connection:
    """Open the cache of a workspace, and create it if it does not exist.

    Args:
        path: `CACHE_FILE` under the root of the workspace.

    Raises:
        NotACacheError: it is not a cache, or a link out of the workspace.
        sqlite3.Error: it cannot be read.
        OSError: the same, or its folder cannot be created.
    """
    _refuse_links(path)
    make_own_folder(path.parent, f"{CACHE_FILE.name}*", within=path.parents[1])
    database = _connected(path, "rwc")
    try:
        is_empty = not _has_table(database)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        if is_empty:
            database.execute(_TABLE.replace("TABLE", "TABLE IF NOT EXISTS", 1))
            _has_table(database)  # which another run may have created
    except sqlite3.Error:
        database.close()
        raise
    return database


def open_existing_cache(path: Path) -> sqlite3.Connection | None:
    """Open the cache of a workspace to read all of it; None if there is none.

    Raises:
        NotACacheError: it is not a cache, it is damaged, or a link out of the workspace.
        sqlite3.Error: it cannot be read.
        OSError: the same.
    """
    _refuse_links(path)
    if status_of(path) is None:
        return None
    database = _connected(path, "rw")
    try:
        if not _has_table(database):
            database.close()
            return None
        # Pages that others name again and again would be read without end.
        (problem,) = database.execute("PRAGMA quick_check(1)").fetchone()
        if problem != "ok":
            raise NotACacheError("it is damaged")
    except sqlite3.Error:
        database.close()
        raise
    return database


def _refuse_links(path: Path) -> None:
    if leads_out(path, path.parents[1]):
        raise NotACacheError("it is a link out of the workspace")


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    """Return a connection that any thread may use, one at a time."""
    for part in ("", *BESIDE, "-journal"):
        beside = path.with_name(path.name + part)
        if is_there(beside) and not is_file(beside):  # such as a pipe, which is waited for
            raise NotACacheError(f"{beside.name} is not a file")
    if _names_a_file(path.with_name(f"{path.name}-journal")):
        raise NotACacheError("its journal is not of a cache")
    database = sqlite3.connect(
        f"{absolute_path(path).as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA cell_size_check = ON")
    return database


def _has_table(database: sqlite3.Connection) -> bool:
    """Whether a database has the table of answers, rather than nothing.

    A view, a trigger or an index would be computed by each query, for as long as its author likes.

    Raises:
        NotACacheError: it has anything else.
    """
    found = database.execute("SELECT type, name, sql FROM sqlite_schema LIMIT 2").fetchall()
    if found and found != [("table", "answers", _TABLE)]:
        raise NotACacheError("is not a cache")
    return bool(found)


def _names_a_file(journal: Path) -> bool:
    try:
        with journal.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - len(_NAMES_A_FILE), 0))
            return file.read() == _NAMES_A_FILE
    except FileNotFoundError:
        return False
