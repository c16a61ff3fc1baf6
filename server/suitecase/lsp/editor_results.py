"""Where the results of runs are stored between sessions, and where logs and reports are written."""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from suitecase.figures.figures_file import RunFigures, read_figures
from suitecase.format.results_files import last_record, newest_of_suite
from suitecase.format.workspace import leads_out
from suitecase.run.own_folder import make_own_folder
from suitecase.run.record_redaction import without_secrets_here
from suitecase.run.results import ResultsError, ResultsFile, ResultsInUseError
from suitecase_evaluators.answers.records.reading import numbered_records, read_records
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.record_file import RecordFile, lines_with_offsets
from suitecase_evaluators.answers.records.values import timestamp
from suitecase_evaluators.system.path_kinds import is_file, is_folder, is_link
from suitecase_evaluators.system.temporary_folders import TemporaryFolder, remove_abandoned

#: Separate from the results of `suitecase run`: `run --failed` and `report` use the newest file
#: there, and a single case run in an editor is not the last run of a suite.
EDITOR_FOLDER = Path(".suitecase", "editor")
#: How many results files of `suitecase run` are searched for records of a suite.
MOST_FILES = 50
#: A file is compacted once it has this many replaced records.
MOST_REPLACED = 500
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class EditorResultsDir:
    """Where the results of a document's runs are stored.

    `root` is that of its workspace, and `suite_path` the suite's path as its records have it.
    `lasting` is False if the workspace is not writable or the document is not a file.
    """

    root: Path
    suite_path: str
    folder: Path
    lasting: bool

    @property
    def results(self) -> Path:
        """The results file of runs in the editor."""
        return self.folder / f"{file_name(self.suite_path)}.jsonl"


@dataclass(frozen=True, slots=True)
class KeptRecord:
    """A record and the results file it is from."""

    record: ResultRecord
    source: Path


def file_name(*names: str) -> str:
    """Return a unique file name for something with these names."""
    digest = hashlib.sha256("\0".join(names).encode("utf-8", "surrogatepass")).hexdigest()[:10]
    stem = _NOT_IN_NAMES.sub("-", Path(names[-1]).name).strip("-.")[:60] or "suite"
    return f"{stem}-{digest}"


def make_results_dir(root: Path, suite_path: str, *, lasting: bool) -> EditorResultsDir:
    """Return where the results of a suite are stored; creates the folder if it is missing.

    Args:
        root: the root of the workspace.
        suite_path: the suite's path as its records have it.
        lasting: whether the results may be stored in the workspace.
    """
    folder = root / EDITOR_FOLDER
    # The root of a document that was never saved may not exist, and is not ours to create.
    if lasting and is_folder(root) and _may_be_written(folder, root):
        with suppress(OSError):
            make_own_folder(folder, within=root)
            with tempfile.TemporaryFile(dir=folder):
                return EditorResultsDir(root, suite_path, folder, lasting=True)
    return EditorResultsDir(root, suite_path, _temp_dir(), lasting=False)


def _may_be_written(folder: Path, root: Path) -> bool:
    """Whether files written to a folder stay there: links checked in with it may lead elsewhere."""
    if leads_out(folder, root):
        return False
    return not any(is_link(path) for path in (*folder.glob("*"), *folder.glob("*/*")))


def last_records(root: Path, suite_path: str) -> list[KeptRecord]:
    """Return the last record of each case of a suite, from the editor or the command line.

    Results cleared in the editor are left out.
    """
    own = root / EDITOR_FOLDER / f"{file_name(suite_path)}.jsonl"
    last: dict[str, tuple[datetime, KeptRecord]] = {}
    editor_files = (own,) if is_file(own) and not leads_out(own, root) else ()
    for path in (*_newest_of_runs(root, suite_path), *editor_files):
        for record in _records(path, suite_path):
            graded_at = record.graded_at or _LONG_AGO
            case = record.eval_id
            if case not in last or last[case][0] <= graded_at:
                last[case] = (graded_at, KeptRecord(record, path))
    return [it for _, it in last.values() if not it.record.cleared]


def last_figures(sources: Iterable[Path], suite_path: str) -> RunFigures | None:
    """Return the newest figures of a suite beside some results files; None if there are none."""
    found = (it for source in sources if (it := read_figures(source)) is not None)
    of_suite = (it for it in found if it.suite_path == suite_path and it.measured_at is not None)
    return max(of_suite, key=lambda it: it.measured_at or "", default=None)


def find_record(source: Path, case: str, at: datetime) -> ResultRecord | None:
    """Return the record of a case with a given time, or None if it no longer exists."""
    match: ResultRecord | None = None
    with suppress(OSError):
        for record in read_records(source, without_secrets_here(source)):
            if record.eval_id == case and record.graded_at == at:
                match = record
    return match


def find_records(source: Path, times: Mapping[str, datetime]) -> RecordFile:
    """Return the last records of cases with given times, each of which is read when it is asked for."""
    found: dict[str, int] = {}
    shown = without_secrets_here(source)
    with suppress(OSError):
        for offset, line in lines_with_offsets(source):
            record = ResultRecord.parse(shown(line))
            if record is not None and times.get(record.eval_id, _LONG_AGO) == record.graded_at:
                found[record.eval_id] = offset
    return RecordFile(source, sorted(found.values()), shown)


def clear(at: EditorResultsDir, cases: Collection[str]) -> None:
    """Record that results are cleared, now and after a restart.

    Results files of `suitecase run` are not changed.
    """
    if not at.lasting or not cases:
        return
    with suppress(ResultsError, ResultsInUseError):
        file = ResultsFile.open(at.results, within=at.folder)
        try:
            moment = timestamp()
            for case in cases:
                cleared = {"suite_path": at.suite_path, "eval_id": case, "timestamp": moment}
                file.append(ResultRecord({**cleared, "cleared": True}))
        finally:
            file.close()
        compact(at)


def compact(at: EditorResultsDir) -> None:
    """Remove replaced records from a file if there are many."""
    with suppress(OSError, ResultsError, ResultsInUseError):
        if not is_file(at.results) or len(_replaced(at.results)) < MOST_REPLACED:
            return
        file = ResultsFile.open_alone(at.results, within=at.folder)
        try:
            file.drop(_replaced(at.results))
        finally:
            file.close()


def _replaced(path: Path) -> set[int]:
    """Return the lines that are not records, and those of records that later ones replace."""
    last: dict[str, int] = {}
    replaced: set[int] = set()
    for number, record in numbered_records(path):
        if record is None:
            replaced.add(number)
            continue
        if record.eval_id in last:
            replaced.add(last[record.eval_id])
        last[record.eval_id] = number
    return replaced


def _newest_of_runs(root: Path, suite_path: str) -> Iterator[Path]:
    """Yield the newest results file of `suitecase run` with records of a suite, if any."""
    files: list[Path] = []
    with suppress(OSError):
        files = newest_of_suite(root, suite_path)[:MOST_FILES]
    for path in files:
        with suppress(OSError):
            # Reading is cheap, parsing is not; a data set beside the suite is no results file.
            if (
                last_record(path) is not None
                and json.dumps(suite_path, ensure_ascii=False).encode() in path.read_bytes()
            ):
                yield path
                return


def _records(path: Path, suite_path: str) -> Iterator[ResultRecord]:
    """Yield the records of a suite; results that were made elsewhere may have secrets of here."""
    shown = without_secrets_here(path)
    with suppress(OSError):
        for record in read_records(path, shown):
            if record.suite_path == suite_path:
                yield record


_temp_dirs: list[TemporaryFolder] = []


def _temp_dir() -> Path:
    """Return a folder for files that need not last."""
    if not _temp_dirs:
        remove_abandoned()
        _temp_dirs.append(TemporaryFolder.make())
    return _temp_dirs[0].path


def cleanup_temp() -> None:
    """Remove the temporary folder; safe to call twice."""
    while _temp_dirs:
        _temp_dirs.pop().remove()
