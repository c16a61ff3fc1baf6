"""Reads the results file of a run, and says what in it could not be read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from suitecase.suite.path_kinds import is_folder
from suitecase.syntax.garbage_collection import without_garbage_collection
from suitecase_evaluators.records.record import ResultRecord
from suitecase_evaluators.records.tally import Tally


class NotResultsError(Exception):
    """What was named holds no results; `message` is for people."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Run:
    """What a results file holds."""

    path: Path
    #: In the order of the file; of two of the same case, target and repeat only the later.
    answers: tuple[ResultRecord, ...]
    #: What the answers come to.
    tally: Tally
    #: What was left out and why, for people.
    notes: tuple[str, ...]

    @property
    def remark(self) -> str | None:
        """Which of the answers and verdicts are not from a model, for people; None where all are."""
        return self.tally.answerers.remark()


def find_results(given: Path) -> Path:
    """Return the results file that `given` means: itself, or the newest in the folder it is.

    Raises:
        NotResultsError: there is none.
    """
    try:
        if not is_folder(given):
            return given
        # Of files written within one tick of the clock the name decides: it has the time in it.
        newest = max(
            (it for it in given.glob("*.jsonl") if it.is_file()),
            key=lambda it: (it.stat().st_mtime_ns, it.name),
            default=None,
        )
    except OSError as error:
        raise _unreadable(given, error) from error
    if newest is None:
        raise NotResultsError(
            f"{given}: no results file (*.jsonl) in this folder; `suitecase run` writes them to "
            ".suitecase/results in the root of the workspace"
        )
    return newest


def read_run(given: Path) -> Run:
    """Read the results file that is named, or the newest in the folder that is.

    A last line that was cut short by a crash is left out, as are lines that are not records; both
    are noted.

    Raises:
        NotResultsError: it cannot be read, or there is not one result in it.
    """
    path = find_results(given)
    latest: dict[tuple[str, str, str, int], ResultRecord] = {}
    #: Counted as they are read, while they are at hand in the processor's cache.
    tally = Tally()
    replaced = 0
    unread: list[int] = []
    number = 0
    ended = True
    try:
        with path.open("rb") as file, without_garbage_collection():
            for number, line in enumerate(file, 1):
                ended = line.endswith(b"\n")
                found = ResultRecord.parse(line)
                if found is not None:
                    key = (found.suite, found.eval_id, found.target, found.repeat)
                    replaced += latest.pop(key, None) is not None
                    latest[key] = found
                    tally.add(found)
                elif line.strip():
                    unread.append(number)
            if replaced:
                tally = Tally.of(latest.values())
    except OSError as error:
        raise _unreadable(path, error) from error
    if not latest:
        raise NotResultsError(_no_results(path, number))
    notes = tuple(_notes(unread, number, replaced, torn=not ended))
    return Run(path, tuple(latest.values()), tally, notes)


def _notes(unread: list[int], last: int, replaced: int, *, torn: bool) -> list[str]:
    notes = []
    if torn and unread and unread[-1] == last:
        unread = unread[:-1]
        notes.append(
            f"The last line ({last:,}) is cut short, so it is left out: the run was ended in the "
            "middle of it, or is still going on."
        )
    if unread:
        first = ", ".join(f"{it:,}" for it in unread[:5]) + (", …" if len(unread) > 5 else "")
        notes.append(
            f"Line {first} is not a result, and is left out."
            if len(unread) == 1
            else f"{len(unread):,} lines ({first}) are not results, and are left out."
        )
    if replaced:
        results = "1 result was" if replaced == 1 else f"{replaced:,} results were"
        notes.append(f"{results} followed by a later one of the same case, which counts.")
    return notes


def _no_results(path: Path, lines: int) -> str:
    if not lines:
        return f"{path}: there are no results in it yet: it is empty"
    return (
        f"{path}: not a results file: expected a JSON object with an `eval_id` on each line, as "
        "`suitecase run` writes them"
    )


def _unreadable(path: Path, error: OSError) -> NotResultsError:
    return NotResultsError(f"{path}: cannot be read: {error.strerror or error}")
