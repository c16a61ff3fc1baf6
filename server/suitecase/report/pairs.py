"""Pairs of results: what a case scored in each of two runs, as a whole and by evaluator."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from suitecase.report.comparison import CaseChange, Figures
from suitecase.report.graded_answers import Facts, GradedAnswers, Value
from suitecase_evaluators.answers.records.status import Status

_NO_FACTS: Facts = (frozenset(), {})


@dataclass(frozen=True, slots=True)
class PairedCase:
    """A case that is in both runs.

    Attributes:
        case: its id.
        tags, metadata: as the later run recorded them.
        unit: a digest of what it is tested together with: the group of the case, else the case itself.
    """

    case: str
    tags: frozenset[str]
    metadata: Mapping[str, Any]
    unit: int


def _numbers() -> array[float]:
    return array("d")


@dataclass(frozen=True, slots=True)
class PairList:
    """Cases with a grade in both runs, and these grades."""

    cases: list[PairedCase] = field(default_factory=list)
    before_scores: array[float] = field(default_factory=_numbers)
    after_scores: array[float] = field(default_factory=_numbers)
    before_pass_rates: array[float] = field(default_factory=_numbers)
    after_pass_rates: array[float] = field(default_factory=_numbers)

    def __len__(self) -> int:
        return len(self.cases)

    def add(self, case: PairedCase, before: Value, after: Value) -> None:
        """Add a case."""
        self.cases.append(case)
        self.before_scores.append(before.score)
        self.after_scores.append(after.score)
        self.before_pass_rates.append(before.pass_rate)
        self.after_pass_rates.append(after.pass_rate)

    def chosen(self, places: Iterable[int]) -> PairList:
        """Return some of the pairs."""
        listed = array("I", places)
        return PairList(
            [self.cases[item] for item in listed],
            *(
                array("d", (column[item] for item in listed))
                for column in (
                    *(self.before_scores, self.after_scores),
                    *(self.before_pass_rates, self.after_pass_rates),
                )
            ),
        )


@dataclass(frozen=True, slots=True)
class Pairs:
    """The pairs of two runs.

    Attributes:
        whole: by the grade of the case.
        by_evaluator: by the grade of each evaluator, by name.
        left_out: the number of cases in both runs for which an answer or a judge's reply is missing.
    """

    whole: PairList
    by_evaluator: Mapping[str, PairList]
    left_out: int


def pairs_of(figures: Figures) -> Pairs:
    """Return the pairs of the cases that are in both runs with the same text."""
    whole = PairList()
    by_evaluator: dict[str, PairList] = {}
    left_out = 0
    before_run, after_run = figures.before, figures.after
    for change in figures.changes:
        before, after = change.before, change.after
        if before is None or after is None or change.text_changed:
            continue
        old, new = before.numbers, after.numbers
        case = _paired(change, (after_run, new[0]), (before_run, old[0]))
        values = before_run.whole.value(old), after_run.whole.value(new)
        if values[0] is not None and values[1] is not None:
            whole.add(case, values[0], values[1])
        elif Status.NOT_EVALUATED not in (*before.statuses, *after.statuses):
            left_out += 1
        for name, value in after_run.by_evaluator(new):
            earlier = before_run.of_evaluator(name, old)
            if earlier is not None and value is not None:
                by_evaluator.setdefault(name, PairList()).add(case, earlier, value)
    return Pairs(whole, by_evaluator, left_out)


def _paired(change: CaseChange, *firsts: tuple[GradedAnswers, int]) -> PairedCase:
    """Return a case with what the first run knows of it that has recorded it.

    Args:
        change: the case.
        firsts: its first answer in each run.
    """
    known = (run.facts(number) for run, number in firsts)
    tags, metadata = next((it for it in known if it is not None), _NO_FACTS)
    unit: tuple[str, ...] = ("case", change.suite, change.case, change.target)
    for (run, number), group in zip(firsts, (change.after, change.before), strict=True):
        name = run.group(number)
        if name is not None and group is not None:
            unit = ("group", group.suite, name)
            break
    digest = blake2b(repr(unit).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return PairedCase(change.case, tags, metadata, int.from_bytes(digest, "big"))
