"""Pairs of results: what a case scored in each of two runs, as a whole and by evaluator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from suitecase.report.comparison import CaseChange
from suitecase.report.groups import Group, mean
from suitecase_evaluators.records.graded import EvaluatorRecord
from suitecase_evaluators.records.record import ResultRecord
from suitecase_evaluators.score import Verdict


class Value(NamedTuple):
    """The mean over the answers to a case."""

    score: float
    pass_rate: float


@dataclass(frozen=True, slots=True)
class Pair:
    """A case with a grade in both runs.

    Attributes:
        case: its id.
        tags, metadata: as the later run recorded them.
        unit: what it is tested together with: the group of the case, else the case itself.
    """

    case: str
    tags: frozenset[str]
    metadata: Mapping[str, Any]
    unit: tuple[str, ...]
    before: Value
    after: Value


@dataclass(frozen=True, slots=True)
class Pairs:
    """The pairs of two runs.

    Attributes:
        whole: by the grade of the case.
        by_evaluator: by the grade of each evaluator, by name.
        left_out: the number of cases in both runs for which an answer or a judge's reply is missing.
    """

    whole: Sequence[Pair]
    by_evaluator: Mapping[str, Sequence[Pair]]
    left_out: int


def pairs_of(changes: Iterable[CaseChange]) -> Pairs:
    """Return the pairs of the cases that are in both runs with the same text."""
    whole: list[Pair] = []
    by_evaluator: dict[str, list[Pair]] = {}
    left_out = 0
    for change in changes:
        before, after = change.before, change.after
        if before is None or after is None or change.text_changed:
            continue
        tags, metadata = _facts(after, before)
        unit = _unit(change, after, before)
        values = _value(before.answers), _value(after.answers)
        if values[0] is not None and values[1] is not None:
            whole.append(Pair(change.case, tags, metadata, unit, values[0], values[1]))
        elif not _nothing_to_grade_by(before, after):
            left_out += 1
        olds = _by_evaluator(before)
        for name, results in _by_evaluator(after).items():
            values = _value(olds.get(name, ())), _value(results)
            if values[0] is not None and values[1] is not None:
                pair = Pair(change.case, tags, metadata, unit, values[0], values[1])
                by_evaluator.setdefault(name, []).append(pair)
    return Pairs(whole, by_evaluator, left_out)


def _value(results: Sequence[ResultRecord] | Sequence[EvaluatorRecord]) -> Value | None:
    """Return the mean of what was graded; None if nothing was, or no judge's reply could be read."""
    if len(results) == 1:  # nearly always
        (result,) = results
        score = result.graded_score
        if score is None or result.parse_failed:
            return None
        return Value(score, float(result.verdict is Verdict.PASS))
    graded = [it for it in results if it.graded_score is not None and not it.parse_failed]
    score = mean(it.graded_score for it in graded)
    if score is None:
        return None
    return Value(score, sum(it.verdict is Verdict.PASS for it in graded) / len(graded))


def _nothing_to_grade_by(*sides: Group) -> bool:
    return any(it.verdict is Verdict.NOT_EVALUATED for side in sides for it in side.answers)


def _by_evaluator(group: Group) -> dict[str, list[EvaluatorRecord]]:
    found: dict[str, list[EvaluatorRecord]] = {}
    for answer in group.answers:
        for name, result in _named(answer):
            found.setdefault(name, []).append(result)
    return found


def _named(answer: ResultRecord) -> Iterator[tuple[str, EvaluatorRecord]]:
    """Yield the evaluators by name; of several with one name, the first."""
    seen: set[str] = set()
    for result in answer.evaluator_results:
        name = result.label
        if name not in seen:
            seen.add(name)
            yield name, result


def _facts(*sides: Group) -> tuple[frozenset[str], Mapping[str, Any]]:
    """Return the tags and metadata of the first side that recorded them."""
    for side in sides:
        record = side.first
        if "tags" in record.fields or "metadata" in record.fields:
            return frozenset(record.tags), record.metadata
    return frozenset(), {}


def _unit(change: CaseChange, *sides: Group) -> tuple[str, ...]:
    for side in sides:
        if side.first.group is not None:
            return ("group", side.first.suite, side.first.group)
    return ("case", change.suite, change.case, change.target)
