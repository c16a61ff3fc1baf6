"""The past runs of a workspace, with an index beside the results so that few files are read again."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from suitecase.format.results_files import results_files, results_places, when_ended
from suitecase.format.workspace import LEADS_OUT, RESULTS_FOLDER, leads_out
from suitecase.format.workspace_secrets import WorkspaceSecrets
from suitecase.report.past_run import PastRun, RunScan
from suitecase.text.garbage_collection import without_garbage_collection
from suitecase.text.taken_names import ChangedNames
from suitecase.text.writing.files import ANYTHING, Change, write_file
from suitecase_evaluators.answers.records.status import Status
from suitecase_evaluators.system.file_lock import is_locked
from suitecase_evaluators.targets.redactor import Redactor

#: Another version of the index is not read. Raise it if `PastRun` gets other fields, or if what is
#: counted or said changes.
INDEX_VERSION = 3
INDEX_NAME = ".history.json"
#: A larger file is not an index of ours.
_LARGEST = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """What is known about a file: its run, or why it is not one.

    Attributes:
        size: of the file that was read, in bytes; -1 if it could not be read.
        modified: when that file was modified, in nanoseconds.
    """

    size: int = -1
    modified: int = -1
    run: PastRun | None = None
    why: str = ""

    def is_of(self, status: os.stat_result) -> bool:
        """Whether the file is still the one that was read."""
        return (self.size, self.modified) == (status.st_size, status.st_mtime_ns)


def read_index(folder: Path) -> dict[str, IndexedFile]:
    """Return the known files of a folder by name; none if the index is missing or unusable."""
    path = folder / INDEX_NAME
    try:
        if path.stat().st_size > _LARGEST:
            return {}
        whole = json.loads(path.read_bytes())
        if whole["version"] != INDEX_VERSION:
            return {}
        return {name: _read(folder / name, file) for name, file in whole["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def write_index(folder: Path, files: Mapping[str, IndexedFile]) -> None:
    """Write the index of a folder, if that is possible: without it, files are read again."""
    whole = {
        "version": INDEX_VERSION,
        "files": {name: _written(file) for name, file in files.items()},
    }
    path = folder / INDEX_NAME
    content = json.dumps(whole, ensure_ascii=True).encode()
    with suppress(OSError):
        write_file(Change(path=path, content=content, before=ANYTHING, within=folder))


def _written(file: IndexedFile) -> dict[str, Any]:
    run = None
    if file.run is not None:
        run = {of_run.name: getattr(file.run, of_run.name) for of_run in fields(PastRun)}
        del run["path"], run["live"]
        for name in ("began", "ended"):
            run[name] = run[name].isoformat() if run[name] else None
    return {"size": file.size, "modified": file.modified, "run": run, "why": file.why}


def _read(path: Path, file: Mapping[str, Any]) -> IndexedFile:
    run = file["run"]
    return IndexedFile(
        size=int(file["size"]),
        modified=int(file["modified"]),
        run=None if run is None else _read_run(path, run),
        why=str(file["why"]),
    )


def _read_run(path: Path, run: Mapping[str, Any]) -> PastRun:
    """Return a run as it was written.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: somebody else has written it.
    """
    return PastRun(
        path=path,
        suites=_names(run["suites"]),
        datasets=_names(run["datasets"]),
        targets=_names(run["targets"]),
        models=_names(run["models"]),
        began=_moment(run["began"]),
        ended=_moment(run["ended"]),
        cases=int(run["cases"]),
        answers=int(run["answers"]),
        planned=None if run["planned"] is None else int(run["planned"]),
        statuses={Status(name): int(number) for name, number in run["statuses"].items()},
        mean_score=_number(run["mean_score"]),
        cost_usd=_number(run["cost_usd"]),
        remark=None if run["remark"] is None else str(run["remark"]),
        no_model=bool(run["no_model"]),
        independent=bool(run["independent"]),
        case_ids=str(run["case_ids"]),
        case_texts=str(run["case_texts"]),
        inputs=str(run["inputs"]),
        truncated=bool(run["truncated"]),
        run_id=None if run["run_id"] is None else str(run["run_id"]),
    )


def _names(values: Any) -> tuple[str, ...]:
    return tuple(str(value) for value in values)


def _moment(value: Any) -> datetime | None:
    return None if value is None else datetime.fromisoformat(value)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


#: Called with the number of files read so far, and of those to be read.
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class NotARun:
    """A file in a results folder that has no results, or a folder that is not read, and why."""

    path: Path
    why: str
    is_folder: bool = False


@dataclass(frozen=True, slots=True)
class History:
    """The runs of a results folder, newest first, and the other files in it.

    Attributes:
        folder: the folder; of several, the one that has runs or else that runs are written to.
    """

    folder: Path
    runs: tuple[PastRun, ...] = ()
    others: tuple[NotARun, ...] = ()

    @property
    def unread(self) -> list[NotARun]:
        """The folders that may have runs and are not read."""
        return [folder for folder in self.others if folder.is_folder]

    @property
    def folders(self) -> list[Path]:
        """The folders that the runs are in; that of the history if there is none."""
        return list(dict.fromkeys(run.path.parent for run in self.runs)) or [self.folder]


def past_runs(root: Path) -> list[PastRun]:
    """Return the runs of a workspace or of a folder in it, newest first."""
    return list(find_past_runs(root).history().runs)


def no_progress(_done: int, _of: int, /) -> None:
    """Report nothing while files are read."""


def find_past_runs(folder: Path, progress: Progress = no_progress) -> ResultsFolders:
    """Return where the runs of a folder are: those that `newest_results` finds the newest of."""
    names = ChangedNames()
    led_out: list[Path] = []
    places = [
        ResultsFolder(place.path, place.inside, names)
        for place in results_places(folder, led_out.append)
    ]
    return ResultsFolders(places, progress, led_out)


@dataclass(slots=True)
class ResultsFolders:
    """The folders with the runs of a workspace, or of a folder in it, looked at once or repeatedly.

    None of them hides the runs of another. Other files are those in folders with a run.
    """

    places: Sequence[ResultsFolder]
    progress: Progress = no_progress
    #: Folders that a link leads out of the workspace.
    led_out: Sequence[Path] = ()

    def history(self) -> History:
        """Return the runs as they are now."""
        found = [place.history(self.progress) for place in self.places]
        with_runs = [history for history in found if history.runs]
        runs = [run for history in with_runs for run in history.runs]
        folder = with_runs[0].folder if len(with_runs) == 1 else found[-1].folder
        unread = [NotARun(link, LEADS_OUT, is_folder=True) for link in self.led_out]
        unread += [folder for history in found for folder in history.unread]
        files = [file for history in with_runs or found[-1:] for file in history.others]
        others = (*unread, *(file for file in files if not file.is_folder))
        return History(folder, _newest_first(runs), others)


@dataclass(slots=True)
class ResultsFolder:
    """A folder of results files, looked at once or repeatedly.

    Each file is read once; of one that has grown since, only what is new. What an earlier process
    has read comes from the index, which stands in the workspace's own folder of results.

    Attributes:
        inside: how the paths of suites begin whose runs count.
        names: the names that had secrets so far.
    """

    path: Path
    inside: str = ""
    names: ChangedNames = field(default_factory=ChangedNames)
    _scans: dict[Path, RunScan] = field(default_factory=dict)
    _known: dict[str, IndexedFile] | None = None

    def history(self, progress: Progress = no_progress) -> History:
        """Return the runs as they are now."""
        if self._known is None:
            self._known = read_index(self.path) if self.has_index else {}
        try:
            files = list(results_files(self.path))
        except OSError as error:
            why = f"cannot be read: {(error.strerror or str(error)).lower()}"
            return History(self.path, others=(NotARun(self.path, why, is_folder=True),))
        found: dict[str, IndexedFile] = {}
        changed = []
        for path, status in files:
            known = self._known.get(path.name)
            if known is not None and known.is_of(status):
                found[path.name] = known
            else:
                changed.append(path)
        for done, path in enumerate(changed):
            progress(done, len(changed))
            found[path.name] = self._read(path)
        if changed or found.keys() != self._known.keys():
            self._known = found
            if self.has_index:
                write_index(self.path, found)
        for path in self._scans.keys() - {path for path, _ in files}:
            del self._scans[path]
        return self._history(found)

    @property
    def has_index(self) -> bool:
        """Whether the folder is that of a workspace, where other files of ours may stand."""
        parts = len(RESULTS_FOLDER.parts)
        if self.path.parts[-parts:] != RESULTS_FOLDER.parts:
            return False
        return not leads_out(self.path, self.path.parents[parts - 1])

    def size(self) -> int:
        """Return how many bytes the files have that may be results."""
        with suppress(OSError):
            return sum(status.st_size for _, status in results_files(self.path))
        return 0

    def _read(self, path: Path) -> IndexedFile:
        scan = self._scans.get(path) or RunScan(path)
        try:
            # What is appended from here on makes the file another one for the next look.
            status = path.stat()
            with without_garbage_collection():
                scan.read_on()
        except OSError as error:
            return IndexedFile(why=f"cannot be read: {error.strerror or error}")
        run = scan.past_run()
        if run is not None and (run.unfinished or run.planned is None):
            self._scans[path] = scan  # it may grow
        return IndexedFile(
            size=status.st_size,
            modified=status.st_mtime_ns,
            run=run,
            why="" if run else "not a results file" if scan.lines else "no results yet",
        )

    def _history(self, found: dict[str, IndexedFile]) -> History:
        runs: list[PastRun] = []
        others: list[NotARun] = []
        secrets = WorkspaceSecrets(self.path)
        redact = secrets.redact
        for name, file in found.items():
            path = self.path / name
            if file.run is not None and not _any_starts_with(file.run.suites, self.inside):
                continue
            if file.run is None:
                others.append(NotARun(path, file.why))
                continue
            # Results that were made elsewhere may have secrets of here.
            secrets.add_suites(file.run.suites)
            run = file.run
            grows = run.unfinished or run.planned is None
            runs.append(
                replace(
                    run,
                    path=path,
                    suites=self._shown(run.suites, redact),
                    datasets=self._shown(run.datasets, redact),
                    targets=self._shown(run.targets, redact),
                    models=tuple(redact(model) for model in run.models),
                    remark=None if run.remark is None else redact(run.remark),
                    live=grows and is_locked(path),
                )
            )
        others.sort(key=lambda it: it.path.name)
        return History(self.path, _newest_first(runs), tuple(others))

    def _shown(self, names: Sequence[str], redact: Redactor) -> tuple[str, ...]:
        return tuple(self.names.shown(name, redact.name(name)) for name in names)


def _newest_first(runs: Sequence[PastRun]) -> tuple[PastRun, ...]:
    """Return runs in the order of `newest_results`."""
    return tuple(sorted(runs, key=_ended, reverse=True))


def _ended(run: PastRun) -> tuple[datetime, int, str]:
    try:
        status = run.path.stat()
    except OSError:
        return datetime.fromtimestamp(0, UTC), 0, run.path.name
    return when_ended(run.ended, status), status.st_mtime_ns, run.path.name


def _any_starts_with(suites: tuple[str, ...], beginning: str) -> bool:
    return not beginning or any(suite.startswith(beginning) for suite in suites)
