"""The results of runs, as an editor keeps them: by document and case, for as long as it is open."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from suitecase.suite.written import WrittenSuite
from suitecase.syntax.node import plain
from suitecase_evaluators.score import Verdict

#: What of a suite's head changes how its cases are answered and graded.
_GRADING_KEYS = ("execution", "prompt", "evaluation_mode", "evaluation_criteria", "expected_schema")
_MEMO = "ide.grading"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorResult:
    """What one evaluator said."""

    name: str
    type: str
    verdict: Verdict
    score: float | None
    misses: tuple[str, ...]
    judge: str | None
    #: What the judge gave each rubric, by its id: a score, or whether it is met.
    raw_scores: Mapping[str, Any] = field(default_factory=dict)
    hits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """How a case's answer was judged, and what it was judged by.

    Attributes:
        grading: the `grading_hash` of the case at the time it was run.
        effective: the `effective_hash` of its record, which covers prompts, targets and scripts.
        outdated: what it was graded by has changed since, though its text has not.
        source: the results file that its record stands in; None where it was not kept.
        at: when it was graded.
    """

    case: str
    verdict: Verdict
    score: float | None
    hits: tuple[str, ...]
    misses: tuple[str, ...]
    reasoning: str
    error: str | None
    target: str
    evaluators: tuple[EvaluatorResult, ...]
    at: datetime
    grading: str | None
    #: What asking the target and the judges cost, in US dollars; None where nobody told.
    cost_usd: float | None = None
    effective: str | None = None
    outdated: bool = False
    source: Path | None = None

    @classmethod
    def of_record(
        cls,
        record: Mapping[str, Any],
        *,
        grading: str | None,
        at: datetime,
        source: Path | None = None,
    ) -> CaseResult:
        """Read a record as the runner writes it.

        Raises:
            KeyError, ValueError: it is none of this version.
        """
        return cls(
            case=str(record["eval_id"]),
            verdict=Verdict(record["verdict"]),
            score=record.get("score"),
            hits=tuple(record.get("hits") or ()),
            misses=tuple(record.get("misses") or ()),
            reasoning=str(record.get("reasoning") or ""),
            error=record.get("error"),
            target=str(record.get("target") or ""),
            evaluators=tuple(_evaluator(it) for it in record.get("evaluator_results") or ()),
            at=at,
            grading=grading,
            cost_usd=_cost(record),
            effective=record.get("effective_hash"),
            source=source,
        )

    @property
    def judges(self) -> tuple[str, ...]:
        """The targets that judged, each once."""
        return tuple(dict.fromkeys(it.judge for it in self.evaluators if it.judge))


def _cost(record: Mapping[str, Any]) -> float | None:
    answer = (record.get("trace_summary") or {}).get("cost_usd")
    told = [it for it in (answer, record.get("judge_cost_usd")) if it is not None]
    return sum(told) if told else None


def _evaluator(result: Mapping[str, Any]) -> EvaluatorResult:
    request = result.get("evaluator_provider_request") or {}
    raw_scores = (result.get("details") or {}).get("raw_scores")
    return EvaluatorResult(
        name=str(result.get("name") or ""),
        type=str(result.get("type") or ""),
        verdict=Verdict(result["verdict"]),
        score=result.get("score"),
        misses=tuple(result.get("misses") or ()),
        judge=request.get("target"),
        raw_scores=raw_scores if isinstance(raw_scores, Mapping) else {},
        hits=tuple(result.get("hits") or ()),
    )


def recorded_at(record: Mapping[str, Any]) -> datetime | None:
    """Return when a record was made; None where it does not tell."""
    try:
        at = datetime.fromisoformat(str(record.get("timestamp")))
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def grading_hash(suite: WrittenSuite, number: int) -> str | None:
    """Return what tells whether a case is still the one that was run.

    It covers the values of the case and those of the head that grade it; comments, blank lines and
    quoting do not count. None for a case whose text does not parse.
    """
    case, head = suite.cases[number], suite.head
    if case.node is None:
        return None
    if _MEMO not in case.content.memo:
        case.content.memo[_MEMO] = _digest(plain(case.node))
    if _MEMO not in head.content.memo:
        values = plain(head.node) if head.node is not None else {}
        head.content.memo[_MEMO] = _digest({key: values.get(key) for key in _GRADING_KEYS})
    return f"{head.content.memo[_MEMO]}-{case.content.memo[_MEMO]}"


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def is_stale(suite: WrittenSuite, number: int, result: CaseResult) -> bool:
    """Whether a case has changed since it was run."""
    return (
        result.outdated or result.grading is None or grading_hash(suite, number) != result.grading
    )


@dataclass(slots=True)
class DocumentResults:
    """The last result of each case of a document, and the ids of those being run.

    `problems` says, by case, why the last run could not even ask: a key is missing, a target is.
    """

    last: dict[str, CaseResult] = field(default_factory=dict)
    running: set[str] = field(default_factory=set)
    problems: dict[str, str] = field(default_factory=dict)


def failed_cases(suite: WrittenSuite, results: DocumentResults) -> list[str]:
    """Return the ids of the cases whose last result is no pass, in the order of the suite."""
    settled = (Verdict.PASS, Verdict.NOT_EVALUATED)
    ids = [it.id.text for it in suite.cases if it.id is not None]
    return [
        it
        for it in dict.fromkeys(ids)
        if it in results.problems
        or (it in results.last and results.last[it].verdict not in settled)
    ]
