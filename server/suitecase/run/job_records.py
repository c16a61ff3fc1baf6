"""The state of a run's jobs according to a results file: which are done, and which are rerun."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from suitecase.run.effective import EffectiveHashes
from suitecase.run.jobs import Job, Jobs
from suitecase.run.record_model import RecordModel
from suitecase.run.record_redaction import recorded
from suitecase.run.unrecordable import MOST_LEVELS_OF_RECORD, problem_in
from suitecase_evaluators.answers.records.case_version import CaseVersion
from suitecase_evaluators.answers.records.reading import numbered_records
from suitecase_evaluators.answers.records.record import ResultRecord, why_newer
from suitecase_evaluators.answers.score import Verdict
from suitecase_evaluators.targets.redactor import Redactor

#: The states of a job.
_NONE, _DONE, _ANSWERED, _CHANGED, _BROKEN = range(5)


class JobRecords:
    """The state of a run's jobs according to a results file, in a few bytes for each.

    Attributes:
        dropped: the lines, from 0, that are not records, or superseded by a later record.
        asked_again: by target and case, the verdict for which `--failed` asked it again, of what has no
            grade yet.
        newer: why the file cannot be used, if a newer version of Suitecase wrote records of it; else None.
    """

    def __init__(self, jobs: Jobs) -> None:
        self._cases = jobs.cases
        self._repeats = jobs.repeats
        self._states = bytearray(jobs.planned)
        #: The line of the last record of each job, from 0, and what it cost.
        self._lines = array("Q", bytes(8 * jobs.planned))
        self._usd = array("d", bytes(8 * jobs.planned))
        #: By job, the target with a call of unknown cost.
        self._unpriced: dict[int, str] = {}
        self.dropped: set[int] = set()
        self.asked_again: dict[tuple[str, str], Verdict] = {}
        self.newer: str | None = None

    @property
    def done(self) -> int:
        """The number of finished jobs."""
        return self._states.count(_DONE)

    @property
    def changed(self) -> list[str]:
        """The ids of cases that have changed since they were graded."""
        return self._ids(_CHANGED)

    @property
    def answered(self) -> list[str]:
        """The ids of cases with an answer but no grade."""
        return self._ids(_ANSWERED)

    @property
    def broken(self) -> list[str]:
        """The ids of cases without an answer or a readable record."""
        return self._ids(_BROKEN)

    @property
    def usd(self) -> float:
        """The known cost of the jobs so far, including those that have changed."""
        return sum(self._usd)

    @property
    def unpriced(self) -> str | None:
        """A target with a call of unknown cost, for which the known cost is too low; None if there is none."""
        return next(iter(self._unpriced.values()), None)

    def has(self, case_id: str, repeat: int) -> bool:
        """Whether a job is done."""
        number = self._number(case_id, repeat)
        return number is not None and self._states[number] == _DONE

    def line_of_answer(self, job: Job) -> int | None:
        """Return the line of the last record of a job that has an answer but no grade."""
        number = self._number(job.case.id, job.repeat)
        answered = number is not None and self._states[number] == _ANSWERED
        return self._lines[number] if answered and number is not None else None

    def answers(self) -> dict[int, tuple[str, int]]:
        """Return the case and the repeat of each answer without a grade, by its line."""
        found: dict[int, tuple[str, int]] = {}
        for number in self._in_state(_ANSWERED):
            repeat, index = divmod(number, len(self._cases))
            found[self._lines[number]] = (self._cases.ids[index], repeat + 1)
        return found

    def lines_done(self) -> bytes:
        """Return for each line, up to the last that counts, whether it is a finished job's."""
        numbers = list(self._in_state(_DONE))
        lines = bytearray(max((self._lines[it] for it in numbers), default=-1) + 1)
        for number in numbers:
            lines[self._lines[number]] = 1
        return bytes(lines)

    def read(self, path: Path, jobs: Jobs, suite_path: str, hashes: EffectiveHashes) -> None:
        """Read a file; see `read_job_records`."""
        cases = self._cases
        for line, record in numbered_records(path):
            if record is None:
                self.dropped.add(line)
                continue
            self.newer = self.newer or why_newer(record, line + 1)
            number = self._number(record.eval_id, record.repeat)
            if number is None or record.suite_path != suite_path:
                continue
            index = number % len(cases)
            if record.target != jobs.target(index):
                continue
            # The record of a regraded answer includes the cost of the answer.
            self._usd[number] = record.spent_usd
            self._unpriced.pop(number, None)
            if (unpriced := record.unpriced_target) is not None:
                self._unpriced[number] = unpriced
            if self._states[number]:
                self.dropped.add(self._lines[number])
            self._lines[number] = line
            now = hashes.version_at(cases, index, record.target)
            self._states[number] = _state(record, now)
            if record.asked_again_after is not None and self._states[number] in (
                _ANSWERED,
                _BROKEN,
            ):
                self.asked_again[record.target, record.eval_id] = record.asked_again_after
        for state in (_CHANGED, _BROKEN):
            self.dropped.update(self._lines[it] for it in self._in_state(state))

    def _number(self, case_id: str, repeat: int) -> int | None:
        """Return the number of a job, in the order of all of them."""
        index = self._cases.named(case_id)
        if index is None or not 1 <= repeat <= self._repeats:
            return None
        return (repeat - 1) * len(self._cases) + index

    def _in_state(self, state: int) -> Iterator[int]:
        number = self._states.find(state)
        while number >= 0:
            yield number
            number = self._states.find(state, number + 1)

    def _ids(self, state: int) -> list[str]:
        ids = self._cases.ids
        indexes = dict.fromkeys(number % len(ids) for number in self._in_state(state))
        return [ids[index] for index in indexes]


def read_job_records(
    path: Path, jobs: Jobs, suite_path: str, hashes: EffectiveHashes
) -> JobRecords:
    """Return the state of jobs according to a results file; the last record of a job counts.

    Records of other suites, targets and cases are ignored, not dropped.

    Args:
        hashes: has the current versions of the cases.

    Raises:
        OSError: the file cannot be read.
    """
    records = JobRecords(jobs)
    records.read(path, jobs, suite_path, hashes)
    return records


def kept_records(path: Path, previous: JobRecords) -> Iterator[ResultRecord]:
    """Yield the records of finished jobs, in the order of the file, normalized."""
    done = previous.lines_done()
    for number, record in numbered_records(path):
        if number >= len(done):
            return
        sound = _sound(record) if done[number] and record is not None else None
        if sound is not None:
            yield recorded(sound, Redactor())


def _state(record: ResultRecord, now: CaseVersion) -> int:
    if now.changed_since(record.version):
        return _CHANGED
    sound = _sound(record)
    if sound is None:
        return _BROKEN
    if record.verdict is not Verdict.ERROR:
        return _DONE
    return _BROKEN if sound.candidate_answer is None else _ANSWERED


def _sound(record: ResultRecord) -> RecordModel | None:
    """Return a validated record; None if a run cannot have written it, since users edit files."""
    try:
        model = RecordModel.model_validate(record.fields, strict=False)
    except ValidationError:
        return None
    # A case with a failed evaluator has the mean score of the others.
    if model.verdict is not Verdict.ERROR and model.verdict.graded is (model.score is None):
        return None
    if any(result.verdict.graded is (result.score is None) for result in model.evaluator_results):
        return None
    return None if problem_in(record.fields, MOST_LEVELS_OF_RECORD) is not None else model
