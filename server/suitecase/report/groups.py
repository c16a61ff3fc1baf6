"""Grouping the repeats of a case."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean

from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.status import Status

#: How bad a graded answer is; a rehearsal is compared by what it would be.
RANKS = {Status.PASS: 0, Status.REHEARSED: 0, Status.BORDERLINE: 1, Status.FAIL: 2}
#: The order of statuses in reports.
STATUS_ORDER = tuple(Status)
#: The records of so few answers are kept; those of more are read again when they are asked for.
KEPT_RECORDS = 1_000


#: Stands for a position that is not recorded or not valid.
_NOWHERE = -1
_LAST = (1 << 63) - 1


class Group:
    """The answers of one target to one case, in the order of repeats.

    It keeps what tables of cases show. The records of its answers are read again where a run has many.

    Attributes:
        suite, case, target: what it is about.
        statuses: those of its answers.
        score: the mean of the scores, None if there is none.
        tags: the tags of the case.
        duration_ms: the mean duration of the answers.
        usd: what the answers cost.
    """

    __slots__ = (
        *("_numbers", "_records", "case", "duration_ms", "score", "suite"),
        *("statuses", "tags", "target", "usd"),
    )

    def __init__(
        self, records: Sequence[ResultRecord], first: ResultRecord, tags: tuple[str, ...]
    ) -> None:
        self._records = records
        self.suite = first.suite
        self.case = first.eval_id
        self.target = first.target
        self.tags = tags
        #: Most groups have one answer, and a run may have very many groups.
        self._numbers: int | tuple[int, ...] = ()
        self.statuses: tuple[Status, ...] = ()
        self.score: float | None = None
        self.duration_ms: float | None = None
        self.usd: float | None = None

    @property
    def numbers(self) -> tuple[int, ...]:
        """The places of its answers in the run."""
        return (self._numbers,) if isinstance(self._numbers, int) else self._numbers

    @numbers.setter
    def numbers(self, numbers: tuple[int, ...]) -> None:
        self._numbers = numbers[0] if len(numbers) == 1 else numbers

    @property
    def answers(self) -> tuple[ResultRecord, ...]:
        """The records of its answers, which may have to be read."""
        return tuple(self._records[number] for number in self.numbers)

    @property
    def first(self) -> ResultRecord:
        """The record of the first answer."""
        return self._records[self.numbers[0]]

    @property
    def status(self) -> Status:
        """The most frequent status; the worst one of a tie. Graded ones take precedence."""
        if len(self.statuses) == 1:
            return self.statuses[0]
        counts = Counter(self.statuses)
        graded = [status for status in RANKS if counts[status]] or [
            status for status in STATUS_ORDER if counts[status]
        ]
        return max(graded, key=lambda status: (counts[status], STATUS_ORDER.index(status)))


#: Of one of several answers of a group: its repeat, number, status, score, duration and cost.
_Answer = tuple[int, int, Status, float | None, float | None, float | None]


class Grouping:
    """Groups the answers of a run by suite, case and target, as they are read."""

    def __init__(self, records: Sequence[ResultRecord]) -> None:
        """
        Args:
            records: the answers, of which those are read that somebody asks a group for.
        """
        self._records = records
        #: By suite and target, then by case.
        self._groups: dict[tuple[str, str], dict[str, Group]] = {}
        #: All groups in the order of appearance, with the position of each case in its suite.
        self._found: list[Group] = []
        self._positions = array("q")
        self._several: dict[Group, list[_Answer]] = {}
        self._statuses: dict[Status, tuple[Status, ...]] = {status: (status,) for status in Status}
        self._tags: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._texts: dict[str, str] = {}

    def add(self, number: int, record: ResultRecord) -> None:
        """Add an answer by its number in the run."""
        of_target = self._groups.setdefault((record.suite, record.target), {})
        group = of_target.get(record.eval_id)
        if group is not None:
            if group not in self._several:
                self._several[group] = [self._first_of(group)]
            self._several[group].append(_answer(number, record))
            return
        tags = record.tags
        group = Group(self._records, record, self._tags.setdefault(tags, tags))
        group.suite = self._texts.setdefault(group.suite, group.suite)
        group.target = self._texts.setdefault(group.target, group.target)
        group.numbers = (number,)
        group.statuses = self._statuses[record.status]
        group.score = record.graded_score
        group.duration_ms = record.duration_ms
        group.usd = record.answer_usd
        of_target[record.eval_id] = group
        self._found.append(group)
        position = record.position
        self._positions.append(
            position if position is not None and 0 <= position <= _LAST else _NOWHERE
        )
        if record.repeat != 1:
            # Its repeats may come in any order; most runs have none.
            self._several[group] = [_answer(number, record)]

    def _first_of(self, group: Group) -> _Answer:
        status = group.statuses[0]
        return 1, group.numbers[0], status, group.score, group.duration_ms, group.usd

    def groups(self) -> list[Group]:
        """Return the groups in the order of the suite.

        Suites and targets come in the order of appearance, and so do cases of records that lack their
        position: results files have them as they end.
        """
        for group, answers in self._several.items():
            answers.sort(key=lambda it: it[0])
            group.numbers = tuple(answer[1] for answer in answers)
            group.statuses = tuple(answer[2] for answer in answers)
            group.score = mean(answer[3] for answer in answers)
            group.duration_ms = mean(answer[4] for answer in answers)
            known = all(answer[5] is not None for answer in answers)
            group.usd = total(answer[5] for answer in answers) if known else None
        self._several.clear()
        suites = {suite: at for at, suite in enumerate(dict.fromkeys(it for it, _ in self._groups))}
        targets = {it: at for at, it in enumerate(dict.fromkeys(it for _, it in self._groups))}

        def place(number: int) -> tuple[int, int, int]:
            group, position = self._found[number], self._positions[number]
            if position == _NOWHERE:
                return suites[group.suite], 0, 0
            return suites[group.suite], position, targets[group.target]

        return [self._found[number] for number in sorted(range(len(self._found)), key=place)]


def _answer(number: int, record: ResultRecord) -> _Answer:
    return (
        *(record.repeat, number, record.status),
        *(record.graded_score, record.duration_ms, record.answer_usd),
    )


def grouped(answers: Sequence[ResultRecord]) -> list[Group]:
    """Return the answers grouped by suite, case and target, in the order of the suite."""
    records = kept(answers)
    grouping = Grouping(records)
    for number, record in enumerate(records):
        grouping.add(number, record)
    return grouping.groups()


def kept(answers: Sequence[ResultRecord]) -> Sequence[ResultRecord]:
    """Return the answers of a run, read if there are few of them."""
    return tuple(answers) if len(answers) <= KEPT_RECORDS else answers


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are not None, if any."""
    numbers = [value for value in values if value is not None]
    return fmean(numbers) if numbers else None


def total(values: Iterable[float | None]) -> float | None:
    """Return the sum of the values that are not None, if any."""
    numbers = [value for value in values if value is not None]
    return sum(numbers) if numbers else None
