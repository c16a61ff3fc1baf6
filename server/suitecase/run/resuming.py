"""Resuming a results file: which records are kept, and what is rerun."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from suitecase.run.choosing import named
from suitecase.run.effective import EffectiveHashes
from suitecase.run.job_records import JobRecords, kept_records, read_job_records
from suitecase.run.jobs import Jobs
from suitecase.run.plan import Plan
from suitecase.run.previous_results import (
    answers_of,
    is_unfinished,
    repeats_in,
    results_of,
    why_unread,
)
from suitecase.run.protocol import RunRequest
from suitecase.run.regrading import PreviousAnswers
from suitecase.run.results import ResultsError, ResultsFile
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.score import Verdict
from suitecase_evaluators.system.path_kinds import is_file, is_folder, is_there

#: The maximum length of a first line, in bytes.
_FIRST_LINE = 1 << 26

#: The maximum of repeats that a results file alone may set, since each may cost money.
MOST_REPEATS = 20


class NothingToResumeError(Exception):
    """There is no results file that can be resumed; `message` is shown to users."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class TooManyRepeatsError(Exception):
    """A results file sets too many repeats; `message` is shown to users."""

    def __init__(self, path: Path, number: int) -> None:
        self.message = (
            f"{path} repeats each case {number:,} times. More than {MOST_REPEATS:,} have to be "
            f"confirmed: add --repeat {number}"
        )
        super().__init__(self.message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """The state that a run starts from: that of a results file, or empty (`path` is None)."""

    repeats: int
    path: Path | None = None
    previous: JobRecords | None = None
    notes: tuple[str, ...] = ()
    #: The answers that were not graded.
    answers: PreviousAnswers = field(default_factory=lambda: PreviousAnswers(Path(), {}))

    #: By target and case, the verdict for which `--failed` asked it again, of what is asked once more.
    asked_again: Mapping[tuple[str, str], Verdict] = field(default_factory=dict)

    #: The cost of the file's records, in US dollars.
    usd: float = 0.0
    #: A target in it with a call whose cost is unknown, if there is one.
    unpriced: str | None = None

    def open(self, jobs: Jobs) -> Jobs:
        """Return those of some jobs that are not done."""
        previous = self.previous
        if previous is None or not previous.done:
            return jobs
        ids = jobs.cases.ids
        return jobs.without(lambda index, repeat: previous.has(ids[index], repeat))

    def records(self) -> Iterator[ResultRecord]:
        """Yield the records that count, one at a time."""
        if self.path is not None and self.previous is not None and self.previous.done:
            yield from kept_records(self.path, self.previous)


def find_resumed(planned: Plan, request: RunRequest, hashes: EffectiveHashes) -> Resumed:
    """Return what a request resumes; the file is only read.

    Raises:
        NothingToResumeError: there is no such file, it cannot be read, or a newer version of Suitecase wrote it.
        TooManyRepeatsError: the file alone sets too many repeats.
    """
    start = Resumed(repeats=request.repeats or planned.repeats)
    if request.resume_from is None:
        unconfirmed = request.repeats is None and request.replay_from is not None
        if unconfirmed and planned.repeats > MOST_REPEATS:
            raise TooManyRepeatsError(Path(request.replay_from or ""), planned.repeats)
        return start
    place = Path(request.resume_from)
    suite = planned.folder.shown(planned.suite.path)
    try:
        path = _file(place, planned, request, suite, hashes)
    except OSError as error:
        raise NothingToResumeError(why_unread(place, error)) from error
    if path is None and request.resume_or_start:
        return start
    if path is None:
        if not is_there(place):
            why = f"{place} does not exist"
        else:
            why = f"{place} has no record of it" + (
                " and of its targets" if is_folder(place) else ""
            )
        raise NothingToResumeError(
            f"{suite} has no results to resume: {why}; run it without --resume"
        )
    begun = not _is_just_begun(path)
    repeats = repeats_in(path, suite) if begun else planned.repeats
    if request.repeats is None and repeats > MOST_REPEATS:
        raise TooManyRepeatsError(path, repeats)
    repeats = request.repeats or repeats
    jobs = Jobs(planned.cases, request, repeats)
    previous = read_job_records(path, jobs, suite, hashes)
    if previous.newer is not None:
        raise NothingToResumeError(f"{path}: {previous.newer}")
    answers = PreviousAnswers.of(path, previous)
    return Resumed(
        repeats=repeats,
        path=path,
        previous=previous,
        answers=answers,
        asked_again=previous.asked_again,
        usd=previous.usd,
        unpriced=previous.unpriced,
        notes=_other_repeats(planned, request, repeats, path),
    )


def resume(
    planned: Plan, resumed: Resumed, jobs: Jobs, hashes: EffectiveHashes
) -> tuple[ResultsFile, Resumed]:
    """Open the resumed file exclusively, and drop the records that will be rerun.

    So the finished file has each case once. Records of answers that are regraded are kept until
    `drop_graded`, since they cost money. If the file has several records of a case, as after two
    runs wrote to it, only the last one is kept.

    Raises:
        ResultsError: it cannot be read or written.
        ResultsInUseError: another run is writing it.
    """
    if resumed.path is None:
        raise ValueError("no file is resumed")
    suite = planned.folder.shown(planned.suite.path)
    file = ResultsFile.open_alone(resumed.path, within=planned.folder.root)
    try:
        # Read it again: another run may have written to it until now.
        previous = read_job_records(resumed.path, jobs, suite, hashes)
        notes = (*resumed.notes, *_notes(previous, resumed.path, jobs.planned))
        usd, unpriced = previous.usd, previous.unpriced
        if previous.dropped:
            file.drop(previous.dropped)
            previous = read_job_records(resumed.path, jobs, suite, hashes)
        answers = PreviousAnswers.of(resumed.path, previous)
        file.share()
    except OSError as error:
        file.close()
        raise ResultsError(resumed.path, error) from error
    except ResultsError:
        file.close()
        raise
    resumed = replace(resumed, previous=previous, answers=answers, notes=notes)
    return file, replace(resumed, usd=usd, unpriced=unpriced)


def drop_graded(file: ResultsFile, lines: Collection[int]) -> None:
    """Remove the records of answers that have been regraded.

    If another run has the file open they are kept: the last record of a case counts.

    Raises:
        ResultsError: the file cannot be written.
    """
    if lines and file.take_alone():
        file.drop(frozenset(lines))
        file.share()


def _file(
    place: Path, planned: Plan, request: RunRequest, suite: str, hashes: EffectiveHashes
) -> Path | None:
    """Return the file itself, or the newest unfinished file of a folder.

    If all are finished, it is the newest one. Files without a record of a target of this run are
    ignored.
    """
    if not is_folder(place):
        return next(results_of(place, suite), place if _is_just_begun(place) else None)
    targets = Jobs(planned.cases, request, 1).targets()
    newest: Path | None = None
    for path in results_of(place, suite):
        # Of several targets, one may not have had its turn.
        unfinished = request.resume_or_start and is_unfinished(path, suite)
        if not unfinished and not answers_of(path, targets, suite):
            continue
        repeats = request.repeats or repeats_in(path, suite)
        if repeats > MOST_REPEATS and request.repeats is None:
            return path  # `find_resumed` refuses it
        jobs = Jobs(planned.cases, request, repeats)
        if unfinished or read_job_records(path, jobs, suite, hashes).done < jobs.planned:
            return path
        newest = newest or path
    return newest


def _is_just_begun(path: Path) -> bool:
    """Whether a run was killed before its first record was complete: there is no complete line."""
    if not is_file(path):
        return False
    try:
        with path.open("rb") as file:
            return not file.readline(_FIRST_LINE).endswith(b"\n") and not file.read(1)
    except OSError:
        return False


def _other_repeats(planned: Plan, request: RunRequest, repeats: int, path: Path) -> tuple[str, ...]:
    """Return a note if the file is finished with other repeats than the suite sets."""
    execution = planned.suite.head.execution
    of_suite = execution.repeats if execution is not None else None
    if request.repeats is not None or of_suite in (None, repeats):
        return ()
    note = (
        f"each case is asked {_times(repeats)}, as in {path}, although the suite has `repeats: "
        f"{of_suite}`; --repeat {of_suite} overrides it"
    )
    return (note,)


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _notes(previous: JobRecords, path: Path, number: int) -> tuple[str, ...]:
    done = previous.done
    if done == number:
        return (f"nothing to resume in {path}: it has all {number:,} records",)
    notes = [f"resuming {path}: it has {done:,} of {number:,} records"]
    if previous.changed:
        notes.append(f"changed, so rerun: {named(previous.changed)}")
    if previous.broken:
        notes.append(f"could not be graded, so rerun: {named(previous.broken)}")
    if previous.answered:
        notes.append(f"answered, so only regraded: {named(previous.answered)}")
    return tuple(notes)
