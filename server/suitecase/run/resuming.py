"""Resuming a results file: what in it counts, and what is rerun."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from suitecase.run.choosing import named
from suitecase.run.effective import EffectiveHashes
from suitecase.run.jobs import Job, jobs_of, target_of
from suitecase.run.plan import Plan
from suitecase.run.previous_results import (
    JobRecords,
    answers_of,
    kept_records,
    key_of,
    read_job_records,
    repeats_in,
    results_of,
)
from suitecase.run.protocol import RunRequest
from suitecase.run.regrading import PreviousAnswers
from suitecase.run.results import ResultsError, ResultsFile
from suitecase.suite.path_kinds import is_file, is_folder, is_there
from suitecase_evaluators.records.record import ResultRecord

#: A first line that is longer is not looked through, in bytes.
_FIRST_LINE = 1 << 26

#: So often at most a case is asked because a results file says so: each time may cost money.
MOST_REPEATS = 20


class NothingToResumeError(Exception):
    """There is no results file to go on with; `message` is for people."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class TooManyRepeatsError(Exception):
    """A results file asks for more questions than it may; `message` is for people."""

    def __init__(self, path: Path, number: int) -> None:
        self.message = (
            f"{path} says that each case is asked {number:,} times, more than {MOST_REPEATS:,}, "
            f"which a file may not decide; add --repeat {number} if that is what you want"
        )
        super().__init__(self.message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """What a run starts from: a results file and what it has, or nothing (`path` is None)."""

    repeats: int
    path: Path | None = None
    previous: JobRecords | None = None
    notes: tuple[str, ...] = ()
    #: What was answered and not graded.
    answers: PreviousAnswers = field(default_factory=lambda: PreviousAnswers(Path(), {}))

    #: What the records of the file cost, in US dollars.
    usd: float = 0.0

    def has(self, job: Job) -> bool:
        """Whether a job is done."""
        return self.previous is not None and self.previous.has(job)

    def records(self) -> Iterator[ResultRecord]:
        """Yield the records that count, one at a time."""
        if self.path is not None and self.previous is not None and self.previous.done:
            yield from kept_records(self.path, self.previous)


def find_resumed(planned: Plan, request: RunRequest, hashes: EffectiveHashes) -> Resumed:
    """Return what a request asks to go on with; the file is only read.

    Raises:
        NothingToResumeError: there is no such file.
        TooManyRepeatsError: the file, and nobody else, says that cases are asked very often.
    """
    if request.resume_from is None:
        if request.repeats is None and planned.repeats > MOST_REPEATS:
            raise TooManyRepeatsError(Path(request.replay_from or ""), planned.repeats)
        return Resumed(repeats=request.repeats or planned.repeats)
    place = Path(request.resume_from)
    suite = planned.folder.shown(planned.suite.path)
    path = _file(place, planned, request, suite, hashes)
    if path is None:
        if not is_there(place):
            why = f"{place} is not there"
        else:
            why = f"{place} has no record of it" + (
                " and of its targets" if is_folder(place) else ""
            )
        raise NothingToResumeError(
            f"{suite} has no results to go on with: {why}; run it without --resume"
        )
    repeats = planned.repeats if _is_just_begun(path) else repeats_in(path, suite)
    if request.repeats is None and repeats > MOST_REPEATS:
        raise TooManyRepeatsError(path, repeats)
    repeats = request.repeats or repeats
    jobs = jobs_of(planned.cases, request, repeats)
    previous = read_job_records(path, jobs, suite, hashes.version)
    answers = PreviousAnswers.of(path, previous)
    return Resumed(repeats=repeats, path=path, previous=previous, answers=answers, usd=previous.usd)


def resume(
    planned: Plan, resumed: Resumed, jobs: Sequence[Job], hashes: EffectiveHashes
) -> tuple[ResultsFile, Resumed]:
    """Open the file that is resumed, without what will be asked again; nobody else may have it.

    So each case is in the finished file once; `drop_graded` removes the records of answers that
    were graded in the meantime, which stay until then, for they cost money. Where the file holds a case twice, as after two runs
    wrote to it, the last record counts and the others go.

    Raises:
        ResultsError: it cannot be read or written.
        ResultsInUseError: another run is writing it.
    """
    if resumed.path is None:
        raise ValueError("no file is resumed")
    suite = planned.folder.shown(planned.suite.path)
    file = ResultsFile.open_alone(resumed.path)
    try:
        # Again: whoever had it open until now may have written more.
        previous = read_job_records(resumed.path, jobs, suite, hashes.version)
        notes = _notes(previous, resumed.path, len(jobs))
        usd = previous.usd
        if previous.dropped:
            file.drop(previous.dropped)
            previous = read_job_records(resumed.path, jobs, suite, hashes.version)
        answers = PreviousAnswers.of(resumed.path, previous)
        file.share()
    except OSError as error:
        file.close()
        raise ResultsError(resumed.path, error) from error
    except ResultsError:
        file.close()
        raise
    return file, replace(resumed, previous=previous, answers=answers, notes=notes, usd=usd)


def drop_graded(file: ResultsFile, resumed: Resumed, graded: Sequence[Job]) -> None:
    """Leave out the records of answers that have a later record, which has their grades.

    Where another run has the file open they stay: of several records of a case the last one counts.

    Raises:
        ResultsError: the file cannot be written.
    """
    answered = resumed.previous.answered if resumed.previous is not None else {}
    lines = frozenset(answered[key] for it in graded if (key := key_of(it)) in answered)
    if lines and file.take_alone():
        file.drop(lines)
        file.share()


def _file(
    place: Path, planned: Plan, request: RunRequest, suite: str, hashes: EffectiveHashes
) -> Path | None:
    """Return the file itself, or the newest of a folder that is not finished.

    Where all are finished it is the newest one. In a folder a file counts where it has a record of
    a target that would be asked.
    """
    if not is_folder(place):
        return next(results_of(place, suite), place if _is_just_begun(place) else None)
    targets = {target_of(case, request) for case in planned.cases}
    newest: Path | None = None
    for path in results_of(place, suite):
        if not answers_of(path, targets, suite):
            continue
        repeats = request.repeats or repeats_in(path, suite)
        if repeats > MOST_REPEATS and request.repeats is None:
            return path  # `find_resumed` refuses it
        jobs = jobs_of(planned.cases, request, repeats)
        if len(read_job_records(path, jobs, suite, hashes.version).done) < len(jobs):
            return path
        newest = newest or path
    return newest


def _is_just_begun(path: Path) -> bool:
    """Whether a run was killed before its first record was whole: it has no line that ended."""
    if not is_file(path):
        return False
    try:
        with path.open("rb") as file:
            return not file.readline(_FIRST_LINE).endswith(b"\n") and not file.read(1)
    except OSError:
        return False


def _notes(previous: JobRecords, path: Path, number: int) -> tuple[str, ...]:
    done = len(previous.done)
    if done == number:
        return (f"nothing is left to do in {path}: all {number:,} records are there",)
    notes = [f"going on with {path}: {done:,} of {number:,} records are there"]
    if previous.changed:
        notes.append(f"changed since, and rerun: {named(previous.changed)}")
    if previous.broken:
        notes.append(f"could not be graded, and rerun: {named(previous.broken)}")
    if previous.answered:
        cases = dict.fromkeys(case for case, _, _ in previous.answered)
        notes.append(f"answered, and only graded again: {named(cases)}")
    return tuple(notes)
