"""Reading the results file of a run, with notes about lines that could not be read."""

from __future__ import annotations

import os
import stat
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from suitecase.format.results_files import in_order, results_files, results_places
from suitecase.format.workspace import RESULTS_FOLDER
from suitecase.formats.other_results import READ_TOO, UnreadableResultsError, results_file
from suitecase.text.plural import capitalized
from suitecase_evaluators.answers.records.last_records import LastRecords
from suitecase_evaluators.answers.records.reading import open_results, read_records
from suitecase_evaluators.answers.records.record import ResultRecord, why_newer
from suitecase_evaluators.answers.records.record_file import LineFilter, RecordFile
from suitecase_evaluators.answers.records.tally import Tally
from suitecase_evaluators.system.path_kinds import is_folder


class NotResultsError(Exception):
    """A path contains no results; `message` is shown to users.

    Attributes:
        folder: the folder that has none; None if something else is wrong.
        missing: the file that is not there; None if something else is wrong.
    """

    def __init__(
        self, message: str, *, folder: Path | None = None, missing: Path | None = None
    ) -> None:
        self.message = message
        self.folder = folder
        self.missing = missing
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Run:
    """The content of a results file."""

    path: Path
    #: In the order of the file; only the last one of each case, target and repeat. Those of a file are
    #: read again each time that one goes through them.
    answers: Sequence[ResultRecord]
    tally: Tally
    #: Lines that were ignored and why, and what makes grades doubtful, for users.
    notes: tuple[str, ...]

    @property
    def remark(self) -> str | None:
        """Which answers and verdicts are not from a model, for users; None if all are."""
        return self.tally.answerers.remark()

    def stand_ins(self, name: str = "") -> list[tuple[str, str]]:
        """Return the remark with a head, for pages; empty if all is from models.

        Args:
            name: the run, if the page has several.
        """
        answerers = self.tally.answerers
        if self.remark is None:
            return []
        head = "No model was called" if answerers.no_model else "Not all of it is from a model"
        text = self.remark.removeprefix(f"{head}: ")
        return [(f"{name}: {head}" if name else head, capitalized(text))]


def find_results(path: Path) -> Path:
    """Return a results file, or the newest one of a folder, as `newest_results` finds them.

    Raises:
        NotResultsError: there is none.
    """
    try:
        if not is_folder(path):
            return path
    except OSError as error:
        raise _unreadable(path, error) from error
    newest = next(newest_results(path), None)
    if newest is None:
        raise NotResultsError(
            f"{path}: no results in this folder and its `{RESULTS_FOLDER.as_posix()}`; "
            "`suitecase run` writes them there, in the root of the workspace",
            folder=path,
        )
    return newest[0]


def newest_results(folder: Path) -> Iterator[tuple[Path, ResultRecord]]:
    """Yield the results files of a folder with their first record, the newest first.

    They are those in its `results_places`. Files without a record are left out: empty ones, and data sets.

    Raises:
        NotResultsError: a folder cannot be read.
    """
    inside: dict[Path, str] = {}
    files: list[tuple[Path, os.stat_result]] = []
    for place in results_places(folder):
        try:
            found = list(results_files(place.path))
        except OSError as error:
            raise _unreadable(place.path, error) from error
        files += found
        inside |= {path: place.inside for path, _ in found}
    for path in in_order(files):
        first = _first_record(path)
        if first is not None and (first.suite_path or "").startswith(inside[path]):
            yield path, first


def _first_record(path: Path) -> ResultRecord | None:
    with suppress(OSError):
        return next(read_records(path), None)
    return None


def read_run(file_or_folder: Path, shown: LineFilter | None = None) -> Run:
    """Read a results file, or the newest one of a folder.

    Lines that are not records, such as one truncated by a crash, are ignored and noted.

    Args:
        file_or_folder: the file or folder.
        shown: what each line passes through; None to take them as they are.

    Raises:
        NotResultsError: it cannot be read, or contains no results.
    """
    lines = RecordLines(find_results(file_or_folder), shown)
    if not _is_regular(lines.path):
        return _read_once(lines)
    last = LastRecords()
    offsets = array("Q")
    replaced: set[int] = set()
    #: Counted as they are read, while they are at hand.
    tally = Tally()
    planned: dict[str, int] = {}
    second_chances: set[int] = set()
    suites: Counter[str] = Counter()
    for _, record in lines:
        earlier = last.put(record.suite, record.eval_id, record.target, record.repeat, len(offsets))
        if record.is_second_chance:
            second_chances.add(len(offsets))
        offsets.append(lines.offset)
        suites[record.suite] += earlier is None
        if record.planned is not None:
            planned[record.suite] = max(record.planned, planned.get(record.suite, 0))
        if earlier is not None:
            replaced.add(earlier)
        tally.add(record)
    if replaced:
        offsets = array("Q", (it for at, it in enumerate(offsets) if at not in replaced))
    answers = RecordFile(lines.source, offsets, shown)
    if replaced:
        tally = Tally.of(answers)
    state = RunState(len(replaced), len(second_chances - replaced))
    for suite, number in planned.items():
        state.add(number, suites[suite])
    return Run(lines.path, answers, tally, (*lines.notes(state), *tally.reservations()))


def _read_once(lines: RecordLines) -> Run:
    """Read what cannot be read again, such as a pipe; its records are kept."""
    latest: dict[tuple[str, str, str, int], ResultRecord] = {}
    replaced = 0
    for _, record in lines:
        key = (record.suite, record.eval_id, record.target, record.repeat)
        replaced += latest.pop(key, None) is not None
        latest[key] = record
    answers = tuple(latest.values())
    tally = Tally.of(answers)
    notes = (*lines.notes(RunState(replaced)), *tally.reservations())
    return Run(lines.path, answers, tally, notes)


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return True  # which reading it reports


class RecordLines:
    """The records of a results file, read one by one; afterwards, notes about the other lines."""

    def __init__(self, path: Path, shown: LineFilter | None = None) -> None:
        self.path = path
        self._shown = shown
        #: The file that is read; differs from `path` if another tool wrote that.
        self.source = path
        self._unread: list[int] = []
        self._last = 0
        self._ended = True
        #: Where the line of the record that was yielded last starts, in bytes.
        self.offset = 0

    def __iter__(self) -> Iterator[tuple[int, ResultRecord]]:
        """Yield each record with its line, from 1.

        Raises:
            NotResultsError: the file cannot be read, contains no results, or a newer version of
                Suitecase wrote it.
        """
        found = False
        try:
            self.source = results_file(self.path)
            with open_results(self.source) as file:
                end = 0
                for number, line in enumerate(file, 1):
                    self._last = number
                    self._ended = line.endswith(b"\n")
                    self.offset, end = end, end + len(line)
                    record = ResultRecord.parse(self._shown(line) if self._shown else line)
                    if record is not None:
                        newer = why_newer(record, number)
                        if newer is not None:
                            raise NotResultsError(f"{self.path}: {newer}")
                        found = True
                        yield number, record
                    elif line.strip():
                        self._unread.append(number)
        except OSError as error:
            raise _unreadable(self.path, error) from error
        except UnreadableResultsError as error:
            raise NotResultsError(error.message) from error
        if not found:
            raise NotResultsError(_no_results(self.path, self._last))

    def notes(self, state: RunState) -> tuple[str, ...]:
        """Return what users have to know about the run and lines that were ignored, once all were read."""
        return tuple(_notes(self._unread, self._last, state, torn=not self._ended))


@dataclass(slots=True)
class RunState:
    """What the records of a run say about it as a whole.

    Attributes:
        replaced: how many records were followed by a later one of the same case.
        second_chances: how many of these had failed, so that the case was asked again.
        answers: how many answers the suites have whose planned number is known.
        planned: how many these were to have.
    """

    replaced: int = 0
    second_chances: int = 0
    answers: int = 0
    planned: int = 0

    def add(self, planned: int | None, answers: int) -> None:
        """Add a suite."""
        if planned is not None:
            self.planned += planned
            self.answers += answers


def _notes(unread: list[int], last: int, state: RunState, *, torn: bool) -> list[str]:
    notes = []
    if torn and unread and unread[-1] == last:
        unread = unread[:-1]
        notes.append(
            f"The last line ({last:,}) is truncated and was ignored: the run was interrupted, or is "
            "still in progress."
        )
    if unread:
        first = ", ".join(f"{it:,}" for it in unread[:5]) + (", …" if len(unread) > 5 else "")
        notes.append(
            f"Line {first} is not a result and was ignored."
            if len(unread) == 1
            else f"{len(unread):,} lines ({first}) are not results and were ignored."
        )
    if state.answers < state.planned:
        notes.append(
            f"The run is not finished: it has {state.answers:,} of {state.planned:,} answers. "
            "`suitecase run --resume` continues it."
        )
    replaced = state.replaced - state.second_chances
    if replaced > 0:
        results = "1 result was" if replaced == 1 else f"{replaced:,} results were"
        notes.append(f"{results} followed by a later one of the same case, which counts.")
    if state.second_chances:
        cases = (
            "1 case that had failed was"
            if state.second_chances == 1
            else (f"{state.second_chances:,} cases that had failed were")
        )
        notes.append(
            f"{cases} asked again (`--failed`): the answer is shown, and missing for figures and gates."
        )
    return notes


def _no_results(path: Path, lines: int) -> str:
    if not lines:
        return f"{path}: no results yet: the file is empty"
    return (
        f"{path}: not a results file: expected a JSON object with an `eval_id` on each line, as "
        f"`suitecase run` writes them, or {READ_TOO}"
    )


def _unreadable(path: Path, error: OSError) -> NotResultsError:
    gone = path if isinstance(error, FileNotFoundError) else None
    return NotResultsError(f"{path}: cannot be read: {error.strerror or error}", missing=gone)
