"""What a record says about its answer, as numbers by what is measured.

A number is a value, `MISSING`, or `NOTHING`: there was nothing to grade by. Missing is everything that
says nothing about the answer: an error, a time-out, a judge's reply that cannot be read.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from suitecase.figures.gates.meaning import FigureKind
from suitecase_evaluators.answers.records import values
from suitecase_evaluators.answers.records.graded import EvaluatorRecord
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.reply_meaning import ReplyMeaning, reason_means
from suitecase_evaluators.answers.rubric import TOP
from suitecase_evaluators.answers.score import Verdict

MISSING = math.nan
NOTHING = math.inf


class Measure(NamedTuple):
    """Something that an answer has a number of."""

    kind: FigureKind
    evaluator: str | None = None
    part: str | None = None


PASSES = Measure(FigureKind.PASS_RATE)
SCORE = Measure(FigureKind.SCORE)
REFUSED = Measure(FigureKind.REFUSAL_RATE)
FAILED_TO_ANSWER = Measure(FigureKind.ERROR_RATE)
JUDGE_FAILED = Measure(FigureKind.JUDGE_FAILURE_RATE)
LATENCY = Measure(FigureKind.LATENCY)
COST = Measure(FigureKind.COST)
TOKENS = Measure(FigureKind.TOKENS)


class UnusableScoreError(Exception):
    """A score is not a number from 0 to 1; `message` says which one, without its line."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


class Labels(NamedTuple):
    """The label that was expected, and the one that the answer names, if any."""

    expected: str
    predicted: str | None


def values_of(record: ResultRecord) -> Iterator[tuple[Measure, float | Labels]]:
    """Yield what a record says, each measure once.

    Raises:
        UnusableScoreError: a score is not a number from 0 to 1. Suitecase writes none of these.
    """
    _check_score(record.fields.get("score"), "`score`")
    verdict = record.verdict
    broken = verdict is Verdict.ERROR
    if verdict is Verdict.NOT_EVALUATED:
        yield PASSES, NOTHING
        yield SCORE, NOTHING
    elif not record.status.graded:
        yield PASSES, MISSING
        yield SCORE, MISSING
    else:
        score = record.graded_score
        yield PASSES, float(verdict is Verdict.PASS)
        yield SCORE, MISSING if score is None else score
    yield FAILED_TO_ANSWER, float(broken)
    yield JUDGE_FAILED, 1.0 if record.parse_failed else MISSING if broken else 0.0
    yield REFUSED, _number(_refused(record))
    yield LATENCY, _number(record.duration_ms)
    yield COST, _number(record.answer_usd)
    tokens = record.answer_tokens
    known = tokens.input is not None and tokens.output is not None
    yield TOKENS, float((tokens.input or 0) + (tokens.output or 0)) if known else MISSING
    seen: set[str] = set()
    for result in record.evaluator_results:
        if result.label not in seen:
            seen.add(result.label)
            yield from _of_evaluator(result)


def _of_evaluator(result: EvaluatorRecord) -> Iterator[tuple[Measure, float | Labels]]:
    name = result.label
    _check_score(result.fields.get("score"), f"`score` of the evaluator `{name}`")
    score = _score(result)
    yield Measure(FigureKind.EVALUATOR_SCORE, name), score
    passes = float(result.verdict is Verdict.PASS) if math.isfinite(score) else score
    yield Measure(FigureKind.EVALUATOR_PASS_RATE, name), passes
    for rubric, raw in result.raw_scores.items():
        part = Measure(FigureKind.EVALUATOR_PART, name, rubric)
        number = values.number(raw)
        if isinstance(raw, bool):
            yield part, float(raw)
        else:
            yield part, MISSING if number is None else min(max(number / TOP, 0.0), 1.0)
    for member in result.members:
        if member.label not in result.raw_scores:
            yield Measure(FigureKind.EVALUATOR_PART, name, member.label), _score(member)
    details = result.details
    expected = details.get("expected")
    if result.type == "label" and isinstance(expected, str) and math.isfinite(score):
        labels = Labels(expected, values.text(details.get("predicted")))
        yield Measure(FigureKind.MACRO_F1, name), labels
    if result.type == "preference" and math.isfinite(score):
        yield Measure(FigureKind.TIES, name), float(details.get("outcome") == "tie")
        consistent = details.get("consistent")
        value = float(consistent) if isinstance(consistent, bool) else MISSING
        yield Measure(FigureKind.CONSISTENCY, name), value


def _score(result: EvaluatorRecord) -> float:
    verdict = result.verdict
    if verdict is Verdict.NOT_EVALUATED:
        return NOTHING
    score = result.graded_score
    return MISSING if score is None else score


def _refused(record: ResultRecord) -> bool | None:
    if record.refused is not None or record.candidate_answer is None:
        return record.refused
    # Records of versions that did not record it: what the provider reported is certain.
    meaning = reason_means(record.finish_reason)
    return True if meaning in (ReplyMeaning.REFUSED, ReplyMeaning.FILTERED) else None


def _number(value: float | None) -> float:
    return MISSING if value is None else float(value)


def _check_score(value: Any, what: str) -> None:
    if value is None:
        return
    number = None if isinstance(value, bool) else values.number(value)
    if number is None or not 0 <= number <= 1:
        raise UnusableScoreError(f"{what} must be a number from 0 to 1; got {_shown(value)}")


def _shown(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 40 else f"{text[:40]}…"
