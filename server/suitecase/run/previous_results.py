"""Previous results: which cases failed, and which need not be rerun."""

from __future__ import annotations

import stat
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from suitecase.run.jobs import Job
from suitecase.run.record_model import RecordModel, recorded
from suitecase.run.unrecordable import MOST_LEVELS_OF_RECORD, problem_in
from suitecase.suite.path_kinds import is_file, is_folder
from suitecase.syntax.garbage_collection import without_garbage_collection
from suitecase_evaluators.records.case_version import CaseVersion
from suitecase_evaluators.records.reading import may_be_results, numbered_records, read_records
from suitecase_evaluators.records.record import ResultRecord
from suitecase_evaluators.score import Verdict
from suitecase_evaluators.targets.redactor import Redactor

#: Verdicts that `--failed` does not select.
_SETTLED = frozenset({Verdict.PASS, Verdict.NOT_EVALUATED})

Key = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class FailedCases:
    """The cases whose last record in a file failed or could not be graded."""

    path: Path
    cases: frozenset[str]
    #: For each case that passed, the targets that answered and the effective hashes, where known.
    passed: Mapping[str, Sequence[tuple[str, str]]]


def results_of(place: Path, suite_path: str, target: str | None = None) -> Iterator[Path]:
    """Yield the results files with records of a suite, newest first.

    Args:
        place: a results file or a folder.
        suite_path: the suite's path as in its records.
        target: the target that answered; None for any.
    """
    for path in newest_first(place):
        try:
            if any(
                it.suite_path == suite_path and target in (None, it.target)
                for it in read_records(path)
            ):
                yield path
        except OSError:
            continue


def failed_cases(place: Path, suite_path: str, target: str | None = None) -> FailedCases | None:
    """Return the failures in the newest results of a suite, or None if it has no results.

    A repeated case has failed if any of its last records has.

    Args:
        place: a results file or a folder.
        suite_path: the suite's path as in its records.
        target: the target whose records count; None for any.
    """
    path = next(results_of(place, suite_path, target), None)
    if path is None:
        return None
    #: The target and the effective hash; None for a failure.
    last: dict[tuple[str, int], tuple[str, str | None] | None] = {}
    with without_garbage_collection():
        for record in read_records(path):
            if record.suite_path == suite_path and target in (None, record.target):
                settled = record.verdict in _SETTLED
                answered = (record.target, record.effective_hash) if settled else None
                last[record.eval_id, record.repeat] = answered
    failed = frozenset(case for (case, _), answered in last.items() if answered is None)
    passed: dict[str, list[tuple[str, str]]] = {}
    for (case, _), answered in last.items():
        if answered is not None and answered[1] is not None and case not in failed:
            passed.setdefault(case, []).append((answered[0], answered[1]))
    return FailedCases(path, failed, passed)


@dataclass(frozen=True, slots=True)
class JobRecords:
    """The state of a run's jobs according to a results file.

    Attributes:
        done: the line of the last sound record of each finished job, from 0.
        changed: the ids of cases that have changed since they were graded.
        answered: the line of the last record of each job with an answer but no grade.
        broken: the ids of cases without an answer or a readable record.
        dropped: the lines that are not records, or superseded by a later record.
        usd: the known cost of the jobs so far, including those that have changed.
    """

    done: dict[Key, int]
    answered: dict[Key, int]
    changed: tuple[str, ...]
    broken: tuple[str, ...]
    dropped: frozenset[int]
    usd: float = 0.0

    def has(self, job: Job) -> bool:
        """Whether a job is done."""
        return key_of(job) in self.done


def read_job_records(
    path: Path, jobs: Sequence[Job], suite_path: str, version_of: Callable[[Job], CaseVersion]
) -> JobRecords:
    """Return the state of jobs according to a results file; the last record of a job counts.

    Records of other suites, targets and cases are ignored, not dropped.

    Args:
        version_of: returns the current version of a job's case.

    Raises:
        OSError: the file cannot be read.
    """
    job_by_key = {key_of(job): job for job in jobs}
    done: dict[Key, int] = {}
    answered: dict[Key, int] = {}
    state: dict[Key, str] = {}
    last: dict[Key, int] = {}
    dropped: set[int] = set()
    costs: dict[Key, float] = {}
    for number, record in numbered_records(path):
        if record is None:
            dropped.add(number)
            continue
        key = (record.eval_id, record.target, record.repeat)
        job = job_by_key.get(key)
        if job is None or record.suite_path != suite_path:
            continue
        # The record of a regraded answer includes the cost of the answer.
        costs[key] = record.spent_usd
        if key in last:
            dropped.add(last[key])
        last[key] = number
        state[key] = _state(record, version_of(job))
    for key, number in last.items():
        if state[key] == "done":
            done[key] = number
        elif state[key] == "answered":
            answered[key] = number
        else:
            dropped.add(number)
    return JobRecords(
        done,
        answered,
        changed=_ids(key for key in last if state[key] == "changed"),
        broken=_ids(key for key in last if state[key] == "broken"),
        dropped=frozenset(dropped),
        usd=sum(costs.values()),
    )


def answers_of(path: Path, targets: Collection[str], suite_path: str) -> bool:
    """Whether a results file has a record of a suite and one of the targets.

    Raises:
        OSError: the file cannot be read.
    """
    return any(it.suite_path == suite_path and it.target in targets for it in read_records(path))


def repeats_in(place: Path, suite_path: str) -> int:
    """Return the planned repeats of a suite according to the records of a file."""
    repeats = (it.repeats for it in read_records(place) if it.suite_path == suite_path)
    return max(repeats, default=1)


def kept_records(path: Path, previous: JobRecords) -> Iterator[ResultRecord]:
    """Yield the records of finished jobs, in the order of the file, normalized."""
    lines = frozenset(previous.done.values())
    for number, record in numbered_records(path):
        sound = _sound(record) if number in lines and record is not None else None
        if sound is not None:
            yield recorded(sound, Redactor())


def key_of(job: Job) -> Key:
    """Return the key that identifies a job's records within its suite."""
    return (job.case.id, job.target, job.repeat)


def _ids(keys: Iterator[Key]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(case for case, _, _ in keys))


def _state(record: ResultRecord, now: CaseVersion) -> str:
    if now.changed_since(record.version):
        return "changed"
    sound = _sound(record)
    if sound is None:
        return "broken"
    if sound.verdict is not Verdict.ERROR:
        return "done"
    return "broken" if sound.candidate_answer is None else "answered"


def _sound(record: ResultRecord) -> RecordModel | None:
    """Return a validated record; None if a run cannot have written it, since users edit files."""
    try:
        model = RecordModel.model_validate(record.fields, strict=False)
    except ValidationError:
        return None
    # A case with a failed evaluator has the mean score of the others.
    if model.verdict is not Verdict.ERROR and model.verdict.graded is (model.score is None):
        return None
    if any(it.verdict.graded is (it.score is None) for it in model.evaluator_results):
        return None
    return None if problem_in(record.fields, MOST_LEVELS_OF_RECORD) is not None else model


def newest_first(place: Path) -> list[Path]:
    """Return the results files of a folder, newest first; for a file, the file itself.

    Links are skipped, since appending to one would write elsewhere, and named pipes, since reading
    one may block forever.
    """
    if not is_folder(place):
        return [place] if is_file(place) else []
    files: list[tuple[int, str, Path]] = []
    for path in filter(may_be_results, place.glob("*.jsonl")):
        try:
            status = path.lstat()
            if stat.S_ISREG(status.st_mode):
                files.append((status.st_mtime_ns, path.name, path))
        except OSError:
            continue
    return [path for _, _, path in sorted(files, reverse=True)]
