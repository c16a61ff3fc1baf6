"""One line of a results file, read as far as it can be.

Records of other tools and of other versions lack fields, or have them in another form. What is
missing is None or empty; the record itself is kept, and shown with whatever else it has.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from suitecase_evaluators.score import Verdict, verdict_for


@dataclass(frozen=True, slots=True)
class Answer:
    """A graded answer to a case."""

    case: str
    #: The suite's path, or its data set's name in records without a path; may be empty.
    suite: str
    dataset: str
    target: str
    #: Which of several answers of one target to one case this is; None where there is only one.
    repeat: int | None
    verdict: Verdict
    #: In 0..1; None exactly where the verdict is not a graded one.
    score: float | None
    case_hash: str | None
    at: datetime | None
    #: How long the answer took, in milliseconds.
    duration_ms: float | None
    cost_usd: float | None
    tokens_in: int | None
    tokens_out: int | None
    parse_failed: bool
    #: The number of its line, counted from 1.
    line: int
    record: Mapping[str, Any]

    @property
    def identity(self) -> tuple[str, str, str, int | None]:
        """What no two answers of a run have in common: a later one takes the place of an earlier."""
        return self.suite, self.case, self.target, self.repeat


def answer_of(record: Mapping[str, Any], line: int) -> Answer | None:
    """Return what a record says; None where it is not the record of a case."""
    case = record.get("eval_id")
    if not isinstance(case, str):
        return None
    score, verdict = grade_of(record)
    trace = mapping_of(record.get("trace_summary"))
    usage = mapping_of(trace.get("token_usage") or record.get("token_usage"))
    dataset = _text(record.get("dataset"))
    return Answer(
        case=case,
        suite=_text(record.get("suite_path")) or dataset,
        dataset=dataset,
        target=_text(record.get("target")),
        repeat=_whole(record.get("repeat")),
        verdict=verdict,
        score=score,
        case_hash=_text(record.get("case_hash")) or None,
        at=_moment(record.get("timestamp")),
        duration_ms=_amount(trace, record, "duration_ms"),
        cost_usd=_amount(trace, record, "cost_usd"),
        tokens_in=_whole(usage.get("input")),
        tokens_out=_whole(usage.get("output")),
        parse_failed=record.get("parse_failed") is True
        or any(it.get("parse_failed") is True for it in evaluator_results(record)),
        line=line,
        record=record,
    )


def number_of(value: Any) -> float | None:
    """Return a finite number, None for everything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def mapping_of(value: Any) -> Mapping[str, Any]:
    """Return an object as it is, and everything else as an empty one."""
    return value if isinstance(value, Mapping) else {}


def texts_of(value: Any) -> list[str]:
    """Return the texts of a list, none for everything else."""
    return [it for it in value if isinstance(it, str)] if isinstance(value, list) else []


def evaluator_results(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield what each evaluator says, not the members of composites."""
    results = record.get("evaluator_results")
    if isinstance(results, list):
        yield from (it for it in results if isinstance(it, Mapping))


def grade_of(fields: Mapping[str, Any]) -> tuple[float | None, Verdict]:
    """Return score and verdict of an answer or of an evaluator; the verdict may have to be inferred."""

    score = number_of(fields.get("score"))
    try:
        verdict = Verdict(str(fields.get("verdict")))
    except ValueError:
        if fields.get("error"):
            verdict = Verdict.ERROR
        else:
            verdict = Verdict.NOT_EVALUATED if score is None else verdict_for(score)
    if not verdict.graded:
        return None, verdict
    if score is None:
        return None, Verdict.NOT_EVALUATED
    return min(max(score, 0.0), 1.0), verdict


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _whole(value: Any) -> int | None:
    number = number_of(value)
    return None if number is None else int(number)


def _amount(trace: Mapping[str, Any], record: Mapping[str, Any], name: str) -> float | None:
    number = number_of(trace.get(name))
    number = number_of(record.get(name)) if number is None else number
    return number if number is None or number >= 0 else None


def _moment(value: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        return None
