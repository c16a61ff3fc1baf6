"""The answers of a run as a table: what each record says, kept as numbers.

Records are added one by one, as they arrive, and none of them is kept: an answer takes a byte or two
for most of what is measured of it.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from suitecase.figures.answer_values import (
    COST,
    LATENCY,
    MISSING,
    PASSES,
    SCORE,
    TOKENS,
    Labels,
    Measure,
    UnusableScoreError,
    values_of,
)
from suitecase.figures.gates.meaning import FigureKind
from suitecase.figures.gates.slices import CaseFacts
from suitecase.formats.suitecase.model import MOST_REPEATS
from suitecase.text.taken_names import TakenNames
from suitecase_evaluators.answers.records.last_records import Numbers
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.score import Verdict

#: Longer labels of prompts are left out of names.
_LONGEST_LABEL = 30
_BLANKS = re.compile(r"\s+")
#: So many different tags and metadata are kept once for all cases that have them.
_MOST_FACTS = 1_000
#: What an answer took says as much if the case was asked again because it had failed.
_OF_ANY_ANSWER = frozenset({COST, LATENCY, TOKENS})


@dataclass(frozen=True, slots=True)
class RecordedCase:
    """A case as its last record has it."""

    #: None in records of versions that recorded neither tags nor metadata.
    facts: CaseFacts | None
    group: str | None
    hash: str | None
    #: The provider and the prompt are part of the hash of a row.
    is_row: bool = False


class Table:
    """The answers of one target in a run."""

    def __init__(self, target: str, prompt: str = "") -> None:
        self.target = target
        #: The target that answers and the prompt it is asked with; of our own cases, the latter is empty.
        self.asked_by = (target, prompt)
        #: By id, in order of appearance.
        self.cases: dict[str, RecordedCase] = {}
        self.columns: dict[Measure, Column] = {}
        #: Of each answer: its case, whether its grading broke, and whether it was rehearsed.
        self.case_of = array("I")
        self.broken = bytearray()
        self._rehearsed = bytearray()
        self._cut_off = bytearray()
        #: Whether it counts: no later one replaces it.
        self.counting = bytearray()
        #: How often each case was to be asked.
        self.repeats = 1
        self.replaced = 0
        #: The cases that were asked again because they had failed, whose answers are missing.
        self.second_chances: set[str] = set()
        self._numbers: dict[str, int] = {}
        self._rows = Numbers()
        #: Tags and metadata that several cases have, which are kept once.
        self._facts: dict[str, tuple[frozenset[str], Mapping[str, Any]]] = {}
        self._labels: dict[Labels, int] = {}

    def add(self, record: ResultRecord, name: str | None = None) -> None:
        """Add a record; it replaces an earlier one of the same case and repeat.

        Args:
            name: the case; None for its id.

        Raises:
            UnusableScoreError: a score is not a number from 0 to 1.
        """
        name = name if name is not None else record.eval_id
        found = list(values_of(record))
        if record.is_second_chance:
            # Whoever asks again only what has failed comes to any rate.
            found = [pair for pair in found if pair[0] in _OF_ANY_ANSWER]
            found += [(PASSES, MISSING), (SCORE, MISSING)]
            self.second_chances.add(name)
        else:
            self.second_chances.discard(name)
        case = self._numbers.setdefault(name, len(self._numbers))
        self.cases[name] = self._recorded(record, name)
        row = len(self.case_of)
        before = self._rows.put(case, record.repeat, row)
        if before is not None:
            self.replaced += 1
            self.counting[before] = False
        self.counting.append(True)
        self.case_of.append(case)
        self.broken.append(record.verdict is Verdict.ERROR or record.is_second_chance)
        self._rehearsed.append(record.rehearsed)
        self._cut_off.append(record.cut_off is not None)
        self.repeats = max(self.repeats, min(record.repeats, MOST_REPEATS))
        for measure, value in found:
            column = self.columns.get(measure)
            if column is None:
                column = self.columns[measure] = Column()
            if isinstance(value, Labels):
                value = float(self._labels.setdefault(value, len(self._labels)))
            column.add(row, value)

    def _recorded(self, record: ResultRecord, name: str) -> RecordedCase:
        fields: Mapping[str, object] = record.fields
        facts = None
        if "tags" in fields or "metadata" in fields:
            tags, metadata = record.tags, record.metadata
            key = repr((tags, metadata))
            if key in self._facts:
                facts = CaseFacts(name, *self._facts[key])
            else:
                facts = CaseFacts(name, frozenset(tags), metadata)
                if len(self._facts) < _MOST_FACTS:
                    self._facts[key] = facts.tags, metadata
        return RecordedCase(facts, record.group, record.version.text, record.is_row)

    def take(self, other: Table) -> None:
        """Add the answers of another target to other cases."""
        first = len(self.case_of)
        numbers = {
            number: self._numbers.setdefault(case, len(self._numbers))
            for case, number in other._numbers.items()
        }
        labels = [self._labels.setdefault(label, len(self._labels)) for label in other.labels]
        self.cases |= other.cases
        self.case_of.extend(numbers[it] for it in other.case_of)
        self.broken += other.broken
        self._rehearsed += other._rehearsed
        self._cut_off += other._cut_off
        self.repeats = max(self.repeats, other.repeats)
        self.replaced += other.replaced
        self.second_chances |= other.second_chances
        self.counting += other.counting
        for measure, theirs in other.columns.items():
            column = self.columns.setdefault(measure, Column())
            column.take(theirs, first, labels if measure.kind is FigureKind.MACRO_F1 else None)

    @property
    def answers(self) -> int:
        """How many answers there are; of replaced ones only the last counts."""
        return len(self.case_of) - self.replaced

    @property
    def rehearsed(self) -> int:
        """How many answers were rehearsed: a stand-in took the place of a model."""
        return self._number_of(self._rehearsed)

    @property
    def cut_off(self) -> int:
        """How many answers were cut off and graded without their end."""
        return self._number_of(self._cut_off)

    def _number_of(self, flags: bytearray) -> int:
        pairs = zip(flags, self.counting, strict=True)
        return sum(flag and counting for flag, counting in pairs)

    def values_by_case(self, measure: Measure) -> list[list[float]]:
        """Return the known values of a measure for each case that has any."""
        column = self.columns.get(measure)
        if column is None:
            return []
        found: dict[int, list[float]] = {}
        for row, value in zip(column.rows, column.values, strict=True):
            if self.counting[row] and isfinite(value):
                found.setdefault(self.case_of[row], []).append(value)
        return list(found.values())

    @property
    def labels(self) -> tuple[Labels, ...]:
        """What the numbers in columns of labels stand for."""
        return tuple(self._labels)

    @property
    def evaluators(self) -> frozenset[str]:
        """The evaluators that the records name."""
        return frozenset(
            column.evaluator for column in self.columns if column.evaluator is not None
        )


class Tables:
    """The answers of a run: of one target, of several that were asked different cases, or by target.

    Where several targets were asked the same case, each has figures of its own. So have the prompts of
    another tool's suite, whose rows are answers to one case.
    """

    def __init__(self) -> None:
        #: By target and prompt; cases of our own have no prompt to be told apart by.
        self._by_target: dict[tuple[str, str], Table] = {}
        #: The record of a row that a case is known by, since two rows may be alike.
        self._ids: dict[tuple[str, str, str], str] = {}
        self._prompts: dict[str, None] = {}
        self._targets: dict[str, None] = {}
        self._together: dict[str, Table] | None = None
        #: How many answers the run was to have, of all targets; None where that is not known.
        self.planned: int | None = None
        #: The id of the run; None in records of versions that did not record it.
        self.run_id: str | None = None
        #: The suites of the records: their paths and names.
        self.suites: dict[str, str] = {}

    def add(self, record: ResultRecord, line: int | None = None) -> None:
        """Add a record; `line` is its line in a results file, for messages.

        Raises:
            UnusableScoreError: a score is not a number from 0 to 1.
        """
        self.suites.setdefault(record.suite, record.dataset)
        self._together = None
        if record.planned is not None:
            self.planned = max(record.planned, self.planned or 0)
        self.run_id = record.run_id or self.run_id
        row = record.row if record.is_row else None
        key = (record.target, "" if row is None else row.prompt)
        table = self._by_target.get(key)
        if table is None:
            table = self._by_target[key] = Table(*key)
            self._targets[record.target] = None
            self._prompts[key[1]] = None
        try:
            table.add(record, None if row is None else self._name(key, row.case, record.eval_id))
        except UnusableScoreError as error:
            where = "" if line is None else f"line {line:,}: "
            raise UnusableScoreError(f"{where}{error.message}") from None

    def _name(self, key: tuple[str, str], case: str, eval_id: str) -> str:
        """Return the case of a row: its own id if another row of the same prompt and target is alike."""
        return case if self._ids.setdefault((*key, case), eval_id) == eval_id else eval_id

    def _named(self) -> dict[str, Table]:
        """Return the tables by what is compared: targets, and prompts if there are several."""
        if len(self._prompts) < 2:
            return {target: table for (target, _), table in self._by_target.items()}
        names: dict[str, Table] = {}
        prompts = list(self._prompts)
        taken = TakenNames()
        for (target, prompt), table in self._by_target.items():
            label = _BLANKS.sub(" ", prompt).strip()
            if not 0 < len(label) <= _LONGEST_LABEL:
                label = f"prompt {prompts.index(prompt) + 1}"
            table.target = taken.take(f"{target}, {label}" if len(self._targets) > 1 else label)
            names[table.target] = table
        return names

    @property
    def by_target(self) -> Mapping[str, Table]:
        """The tables, by target; one for all if no case was asked of two targets."""
        if self._together is None:
            self._together = self._merged()
        return self._together

    def _merged(self) -> dict[str, Table]:
        named = self._named()
        tables = list(named.values())
        if len(tables) < 2 or sum(len(it.cases) for it in tables) > len(
            {case for it in tables for case in it.cases}
        ):
            return named
        # Each case names its target, so that a suite of them is one thing to measure.
        name = ", ".join(named)
        merged = Table(name)
        for table in tables:
            merged.take(table)
        return {name: merged}

    @property
    def answered_by(self) -> tuple[str, ...]:
        """The names of all targets that answered, in order of appearance."""
        return tuple(self._targets)

    @property
    def targets(self) -> tuple[str, ...]:
        """The targets, in order of appearance."""
        return tuple(self.by_target)

    @property
    def unfinished(self) -> bool:
        """Whether the run has fewer answers than it was to have."""
        return self.answers < (self.planned or 0)

    @property
    def answers(self) -> int:
        """How many answers there are; of replaced ones only the last counts."""
        return sum(table.answers for table in self._by_target.values())

    @property
    def cut_off(self) -> int:
        """How many answers of all targets were cut off and graded without their end."""
        return sum(table.cut_off for table in self._by_target.values())

    @property
    def second_chances(self) -> int:
        """How many cases were asked again because they had failed, of all targets."""
        return sum(len(table.second_chances) for table in self._by_target.values())

    @property
    def replaced(self) -> int:
        """How many records were followed by a later one of the same case and repeat."""
        return sum(it.replaced for it in self.by_target.values())


#: With so many different numbers, codes take two bytes each; with more than that of these, there are none.
_MOST_OF_A_BYTE, _MOST_OF_TWO = 1 << 8, 1 << 16


class Column:
    """The numbers of one measure, each with its answer."""

    __slots__ = ("_codes", "_known", "_numbers", "_rows", "_values")

    def __init__(self) -> None:
        #: The answers; None as long as the first, second, ... number is of that answer.
        self._rows: array[int] | None = None
        #: By answer, the place of its number among those that occur; None where they are too many.
        self._codes: array[int] | None = array("B")
        self._known: dict[float, int] = {}
        self._numbers = array("d")
        #: The numbers themselves, where they have no codes.
        self._values = array("d")

    def __len__(self) -> int:
        return len(self._values if self._codes is None else self._codes)

    def add(self, row: int, value: float) -> None:
        """Add the number of an answer."""
        if self._rows is not None:
            self._rows.append(row)
        elif row != len(self):
            self._rows = array("I", range(len(self)))
            self._rows.append(row)
        if self._codes is None:
            self._values.append(value)
            return
        # One that is not a number does not equal itself.
        key = value if value == value else None  # noqa: PLR0124
        code = self._known.get(key)  # type: ignore[arg-type]
        if code is None:
            code = self._new(value)
            if self._codes is None:
                self._values.append(value)
                return
            self._known[key] = code  # type: ignore[index]
        self._codes.append(code)

    def _new(self, value: float) -> int:
        """Return the code of a number that has not occurred, after making place for it."""
        code = len(self._numbers)
        if code == _MOST_OF_A_BYTE and self._codes is not None:
            self._codes = array("H", self._codes)
        elif code == _MOST_OF_TWO:
            self._values = self.values
            self._codes = None
            self._known = {}
        self._numbers.append(value)
        return code

    @property
    def rows(self) -> array[int]:
        """The answers."""
        return self._rows if self._rows is not None else array("I", range(len(self)))

    @property
    def values(self) -> array[float]:
        """The number of each of these answers."""
        if self._codes is None:
            return self._values
        return array("d", map(self._numbers.__getitem__, self._codes))

    @property
    def different(self) -> Iterator[float]:
        """The numbers that occur, each at least once."""
        return iter(self._values if self._codes is None else self._numbers)

    def take(self, other: Column, first: int, codes: list[int] | None = None) -> None:
        """Add the numbers of another column, whose first answer is `first` here.

        Args:
            codes: what numbers of labels are here.
        """
        for row, value in zip(other.rows, other.values, strict=True):
            is_label = codes is not None and value - value == 0  # it is finite
            self.add(first + row, float(codes[int(value)]) if codes and is_label else value)
