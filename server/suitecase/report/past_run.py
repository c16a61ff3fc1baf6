"""What a results file says about its run as a whole, read from any number of records."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.status import Status
from suitecase_evaluators.answers.records.tally import Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class PastRun:
    """A run, as its results file shows it: finished, stopped early, or still going on.

    Of several records of a case, target and repeat the last one counts, as in `read_run`.

    Attributes:
        path: the results file.
        run_id: the id of the run; None in results of versions that did not record it.
        suites: the paths of the suites, as recorded; usually one.
        datasets: the names of the suites.
        targets: the targets that answered.
        models: the models that answered, as their providers name them.
        began: when the first answer was asked for; None if no record says when it was graded.
        ended: when the last answer was graded.
        cases: the number of cases.
        answers: the number of answers: one for each case, target and repeat.
        planned: how many answers the run was to have; None in results of versions that did not
            record it.
        statuses: how many answers have each status; those that none has are left out.
        mean_score: None for several targets, or if nothing was graded.
        cost_usd: what answers and judges cost in the run; None if that is unknown.
        remark: which answers and verdicts are not from a model, for users; None if all are.
        no_model: whether no model was asked at all.
        independent: whether no case was asked again or belongs to a group.
        case_ids: a digest of which cases were answered.
        case_texts: a digest of their texts in the suite.
        inputs: a digest of all that answers and grades depend on: texts, files, settings.
        live: whether a run is writing the file now.
        truncated: whether the last line is incomplete.
    """

    path: Path
    suites: tuple[str, ...]
    datasets: tuple[str, ...]
    targets: tuple[str, ...]
    models: tuple[str, ...]
    began: datetime | None
    ended: datetime | None
    cases: int
    answers: int
    planned: int | None
    statuses: Mapping[Status, int]
    mean_score: float | None
    cost_usd: float | None
    remark: str | None
    no_model: bool
    independent: bool
    case_ids: str
    case_texts: str
    inputs: str
    live: bool = False
    truncated: bool = False
    run_id: str | None = None

    @property
    def suite(self) -> str:
        """The suites' paths in one text."""
        return ", ".join(self.suites)

    @property
    def name(self) -> str:
        """The suites' names in one text; the file's name if they have none."""
        return ", ".join(self.datasets) or self.path.stem

    def is_of(self, text: str) -> bool:
        """Whether the path or the name of one of its suites contains a text, in any case."""
        return any(text.lower() in suite.lower() for suite in (*self.suites, *self.datasets))

    @property
    def graded(self) -> int:
        """How many answers were graded, by a model or in a rehearsal."""
        return sum(number for status, number in self.statuses.items() if status.graded)

    @property
    def passed(self) -> int:
        """How many answers passed."""
        return self.statuses.get(Status.PASS, 0)

    @property
    def pass_rate(self) -> float | None:
        """The share of graded answers that passed; None if nothing was graded, or some in a rehearsal."""
        if not self.graded or self.statuses.get(Status.REHEARSED):
            return None
        return self.passed / self.graded

    @property
    def seconds(self) -> float | None:
        """The time from the first question to the last grade."""
        if self.began is None or self.ended is None:
            return None
        return (self.ended - self.began).total_seconds()

    @property
    def missing(self) -> int:
        """How many planned answers are not there, as far as is known."""
        return max((self.planned or 0) - self.answers, 0)

    @property
    def unfinished(self) -> bool:
        """Whether the run was stopped before it had all its answers."""
        return not self.live and (self.missing > 0 or self.truncated)


#: A file is of another kind if none of so many lines is a record.
FOREIGN_AFTER = 100


class RunScan:
    """Reads what records are appended to a results file, each once.

    A file that is replaced or truncated is read again from its start.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._forget()

    def _forget(self) -> None:
        self._file_number = 0
        self._offset = 0
        #: The bytes behind the last newline: a record that is being written, or one cut off.
        self._rest = b""
        self._lines = 0
        self._tally = Tally()
        #: The line of the last record of each case, target and repeat.
        self._last: dict[tuple[str, str, str, int], int] = {}
        self._cases: dict[tuple[str, str], tuple[str, str]] = {}
        #: The cases, of which other tools' suites have a row for each provider and prompt.
        self._asked: set[tuple[str, str]] = set()
        self._planned: dict[str, int] = {}
        self._datasets: dict[str, None] = {}
        self._models: dict[str, None] = {}
        self._run_id: str | None = None
        self._began: datetime | None = None
        self._ended: datetime | None = None

    @property
    def lines(self) -> int:
        """How many lines were read, whatever they are."""
        return self._lines + bool(self._rest.strip())

    @property
    def records(self) -> int:
        """How many answers were read."""
        return len(self._last)

    def read_on(self) -> None:
        """Read what was appended since the last time.

        Raises:
            OSError: the file cannot be read.
        """
        replaced = False
        with self.path.open("rb") as file:
            status = os.fstat(file.fileno())
            if status.st_ino != self._file_number or status.st_size < self._offset:
                self._forget()
                self._file_number = status.st_ino
            file.seek(self._offset)
            for line in file:
                self._offset += len(line)
                if not line.endswith(b"\n"):
                    self._rest += line
                    continue
                line, self._rest = self._rest + line, b""
                replaced |= self._add(line)
                if not self._last and self._lines >= FOREIGN_AFTER:
                    return
        # Other tools may leave out the last newline. What is cut off is not valid JSON.
        if ResultRecord.parse(self._rest) is not None:
            rest, self._rest = self._rest, b""
            replaced |= self._add(rest)
        if replaced:
            self._count_last()

    def _add(self, line: bytes) -> bool:
        """Count a line; return whether its record replaces an earlier one."""
        record = ResultRecord.parse(line)
        self._lines += bool(line.strip())
        if record is None:
            return False
        key = (record.suite, record.eval_id, record.target, record.repeat)
        replaced = key in self._last
        self._last[key] = self._lines
        self._look_at(record)
        self._tally.add(record)
        return replaced

    def _look_at(self, record: ResultRecord) -> None:
        version = record.version
        self._run_id = record.run_id or self._run_id
        self._asked.add((record.suite, record.case))
        self._cases[record.suite, record.eval_id] = (
            version.text or "",
            version.effective or "",
        )
        if record.planned is not None:
            planned = max(record.planned, self._planned.get(record.suite, 0))
            self._planned[record.suite] = planned
        if record.dataset:
            self._datasets[record.dataset] = None
        if record.reported_model:
            self._models[record.reported_model] = None
        if (ended := record.graded_at) is not None:
            duration = 0.0 if record.cached else record.duration_ms or 0.0
            try:
                began = ended - timedelta(milliseconds=duration)
            except OverflowError:
                began = ended
            self._began = min(self._began or began, began)
            self._ended = max(self._ended or ended, ended)

    def _count_last(self) -> None:
        """Count only the last record of each case, target and repeat."""
        last = frozenset(self._last.values())
        self._tally = Tally()
        number = 0
        with self.path.open("rb") as file:
            left = self._offset - len(self._rest)
            for line in file:
                left -= len(line)
                if left < 0:
                    break
                number += bool(line.strip())
                if number in last and (record := ResultRecord.parse(line)) is not None:
                    self._tally.add(record)

    def past_run(self, *, live: bool = False) -> PastRun | None:
        """Return the run so far; None if there is no record yet."""
        tally = self._tally
        if not tally.records:
            return None
        return PastRun(
            path=self.path,
            suites=_named(suite for suite, _ in self._cases),
            datasets=tuple(self._datasets),
            targets=_named(tally.targets),
            models=tuple(self._models),
            began=self._began,
            ended=self._ended,
            cases=len(self._asked),
            answers=tally.records,
            planned=sum(self._planned.values()) if self._planned else None,
            statuses={
                status: tally.statuses[status] for status in Status if tally.statuses[status]
            },
            mean_score=tally.mean_score,
            cost_usd=tally.usage.usd,
            remark=tally.answerers.remark(),
            no_model=tally.answerers.no_model,
            independent=tally.independent and len(self._asked) == len(self._cases),
            case_ids=_digest(self._cases),
            case_texts=_digest((*it, text) for it, (text, _) in self._cases.items()),
            inputs=_digest((*it, inputs) for it, (_, inputs) in self._cases.items()),
            live=live,
            truncated=bool(self._rest.strip()),
            run_id=self._run_id,
        )


def _named(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))


def _digest(parts: Iterable[tuple[str, ...]]) -> str:
    """Return a short digest of what is listed, in any order."""
    digest = hashlib.sha256()
    for part in sorted(parts):
        digest.update("\0".join((*part, "\n")).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]
