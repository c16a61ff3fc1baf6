"""Where the results files of a workspace are, and which of them is the newest: for every command and editor."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from suitecase.format.workspace import RESULTS_FOLDER, find_root, leads_out
from suitecase.text.working_directory import absolute_path
from suitecase_evaluators.answers.records.reading import may_be_results
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.system.path_kinds import is_file, is_folder, may_be_there

#: So much of the end of a file is read first to find its last record; more if that is longer.
_TAIL = 64 * 1024


@dataclass(frozen=True, slots=True)
class ResultsPlace:
    """A folder whose results files count.

    Attributes:
        path: the folder.
        inside: how the paths of suites begin whose results count.
    """

    path: Path
    inside: str = ""


def results_places(
    folder: Path, led_out: Callable[[Path], None] = lambda _: None
) -> list[ResultsPlace]:
    """Return where the results of a folder are, the one that runs write to last.

    That is the folder itself, its `.suitecase/results`, and that of the workspace around it, of which the
    results of suites in the folder count. None of them hides another. A link in a workspace that leads a
    place out of it is left out.

    Args:
        folder: the folder.
        led_out: is called with each place that is left out.
    """
    here = absolute_path(folder)
    root = find_root(here / "any", here)
    places = {here: ResultsPlace(here)}
    for base in dict.fromkeys((here, root)):
        folder = base / RESULTS_FOLDER
        if leads_out(folder, base):
            led_out(folder)
        else:
            inside = "" if base == here else f"{here.relative_to(root).as_posix()}/"
            places.setdefault(folder, ResultsPlace(folder, inside))
    return list(places.values())


def results_files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield the files of a folder that may be results files, by their names.

    Links are skipped, which would show a run twice or lead elsewhere, and named pipes, of which reading
    may never end. A folder that does not exist has none.

    Raises:
        OSError: the folder cannot be read.
    """
    if not may_be_there(folder):
        return
    for path in folder.iterdir():
        if path.name.endswith(".jsonl") and may_be_results(path):
            with suppress(FileNotFoundError):
                status = path.lstat()
                if stat.S_ISREG(status.st_mode):
                    yield path, status


def newest_of_suite(folder: Path, suite_path: str) -> list[Path]:
    """Return the results files that may have records of a suite, of all places of a folder, the newest first.

    For a file it is the file itself.

    Args:
        folder: the folder.
        suite_path: the suite's path as in its records.

    Raises:
        OSError: a folder cannot be read.
    """
    if not is_folder(folder):
        return [folder] if is_file(folder) else []
    files: list[tuple[Path, os.stat_result]] = []
    for place in results_places(folder):
        if suite_path.startswith(place.inside):
            files += results_files(place.path)
    return in_order(files)


def in_order(files: list[tuple[Path, os.stat_result]]) -> list[Path]:
    """Return results files of any folders, the newest first, by `when_ended`."""
    keyed = [(_ended(path, status), status.st_mtime_ns, path.name, path) for path, status in files]
    return [entry[-1] for entry in sorted(keyed, reverse=True)]


def when_ended(graded: datetime | None, status: os.stat_result) -> datetime:
    """Return when a run ended: when its last answer was graded, so that files which are copied or checked out are not new.

    A moment in the future, of a clock that was ahead or of records that are forged, does not hide later runs.

    Args:
        graded: the moment in the last record; the time of the file decides where it is None or in the future.
        status: of the file.
    """
    now = time.time()
    if graded is not None and graded <= datetime.fromtimestamp(now, UTC):
        return graded
    return datetime.fromtimestamp(min(max(status.st_mtime, 0.0), now), UTC)


def _ended(path: Path, status: os.stat_result) -> datetime:
    record = None
    with suppress(OSError):
        record = last_record(path)
    return when_ended(None if record is None else record.graded_at, status)


def last_record(path: Path) -> ResultRecord | None:
    """Return the last record of a file, of which no more than its end is read.

    Raises:
        OSError: it cannot be read.
    """
    length = _TAIL
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        while True:
            start = max(size - length, 0)
            file.seek(start)
            lines = file.read(length).split(b"\n")
            for line in reversed(lines if start == 0 else lines[1:]):
                record = ResultRecord.parse(line) if line.strip() else None
                if record is not None:
                    return record
            if start == 0 or length >= 64 * _TAIL:
                return None
            length *= 8
