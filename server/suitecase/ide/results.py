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
from suitecase_evaluators.doubts import doubts_of
from suitecase_evaluators.score import Verdict
from suitecase_evaluators.targets.answered_by import AnsweredBy, Answerers, answered_by, judged_by

#: What of a suite's head changes how its cases are answered and graded.
_GRADING_KEYS = ("execution", "prompt", "evaluation_mode", "evaluation_criteria", "expected_schema")
_MEMO = "ide.grading"
#: Of an answer, and of the reasons for a score, so many characters are kept; the log has the whole.
_KEPT_OF_ANSWER = 4_000
_KEPT_OF_REASONING = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorResult:
    """What one evaluator said.

    Attributes:
        raw_scores: what the judge gave each rubric, by its id: a score, or whether it is met.
        unreadable: the judge gave no reply that could be read in full, in all its attempts.
        unread: the ids of the rubrics that no reply said anything usable of, where others were
            answered.
        trouble: what was wrong with the judge's last reply; empty where nothing was.
        error: what broke, where the verdict is `error`.
        judged_by: who judged, where that is known.
        doubts: why somebody should look at the grade, a sentence without its end each.
        members: what the members of a composite said.
    """

    name: str
    type: str
    verdict: Verdict
    score: float | None
    misses: tuple[str, ...]
    judge: str | None
    raw_scores: Mapping[str, Any] = field(default_factory=dict)
    hits: tuple[str, ...] = ()
    reasoning: str = ""
    unreadable: bool = False
    unread: tuple[str, ...] = ()
    trouble: str = ""
    attempts: int = 0
    gate_failed: bool = False
    error: str | None = None
    judged_by: AnsweredBy | None = None
    doubts: tuple[str, ...] = ()
    members: tuple[EvaluatorResult, ...] = ()

    def member(self, name: str) -> EvaluatorResult | None:
        """Return what the member of a composite said that has this name."""
        return next((it for it in self.members if it.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a target answered, as far as it is kept.

    Attributes:
        text: the beginning of it.
        left_out: how many characters of it are not kept.
        calls: how often each tool was called on the way.
    """

    text: str
    left_out: int
    calls: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """How a case's answer was judged, and what it was judged by.

    Attributes:
        grading: the `grading_hash` of the case at the time it was run.
        effective: the `effective_hash` of its record, which covers prompts, targets and scripts.
        outdated: what it was graded by has changed since, though its text has not.
        source: the results file that its record stands in; None where it was not kept.
        answer: None where the target gave none.
        answered_by: who gave the answer, where that is known.
        no_model: no model was asked, neither for the answer nor to judge it.
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
    answer: Answer | None = None
    answered_by: AnsweredBy | None = None
    no_model: bool = False

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
        answerers = Answerers()
        answerers.add(record)
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
            answer=_answer(record),
            answered_by=answered_by(record),
            no_model=answerers.no_model,
        )

    @property
    def judges(self) -> tuple[str, ...]:
        """The targets that judged, each once."""
        return tuple(dict.fromkeys(it.judge for it in self.evaluators if it.judge))


def _cost(record: Mapping[str, Any]) -> float | None:
    answer = (record.get("trace_summary") or {}).get("cost_usd")
    told = [it for it in (answer, record.get("judge_cost_usd")) if it is not None]
    return sum(told) if told else None


def _answer(record: Mapping[str, Any]) -> Answer | None:
    text = record.get("candidate_answer")
    if not isinstance(text, str):
        return None
    calls = (record.get("trace_summary") or {}).get("tool_calls_by_name") or {}
    return Answer(
        text=text[:_KEPT_OF_ANSWER],
        left_out=max(0, len(text) - _KEPT_OF_ANSWER),
        calls={str(name): int(count) for name, count in calls.items()},
    )


def _evaluator(result: Mapping[str, Any]) -> EvaluatorResult:
    request = result.get("evaluator_provider_request") or {}
    details = result.get("details") or {}
    raw_scores, members = details.get("raw_scores"), details.get("members")
    # A script may call what it likes `members`.
    is_composite = result.get("type") == "composite" and isinstance(members, list)
    troubles = details.get("reply_problems") or ()
    return EvaluatorResult(
        name=str(result.get("name") or ""),
        type=str(result.get("type") or ""),
        verdict=Verdict(result["verdict"]),
        score=result.get("score"),
        misses=tuple(result.get("misses") or ()),
        judge=request.get("target"),
        raw_scores=raw_scores if isinstance(raw_scores, Mapping) else {},
        hits=tuple(result.get("hits") or ()),
        reasoning=str(result.get("reasoning") or "")[:_KEPT_OF_REASONING],
        unreadable=result.get("parse_failed") is True,
        unread=tuple(map(str, details.get("missing_items") or ())),
        trouble=str(troubles[-1]) if isinstance(troubles, list) and troubles else "",
        attempts=int(result.get("attempts") or 0),
        gate_failed=result.get("gate_failed") is True,
        error=result.get("error"),
        judged_by=judged_by(result),
        doubts=tuple(it.text for it in doubts_of(result)),
        members=tuple(map(_evaluator, members or ())) if is_composite else (),
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
    `not_run` says of every case that the last run left without a result why that is so: such a
    problem, errors in the suite, or that the run was cancelled.
    """

    last: dict[str, CaseResult] = field(default_factory=dict)
    running: set[str] = field(default_factory=set)
    problems: dict[str, str] = field(default_factory=dict)
    not_run: dict[str, str] = field(default_factory=dict)


def failed_cases(suite: WrittenSuite, results: DocumentResults) -> list[str]:
    """Return the ids of the cases whose last result is not a pass, in the order of the suite."""
    settled = (Verdict.PASS, Verdict.NOT_EVALUATED)
    ids = [it.id.text for it in suite.cases if it.id is not None]
    return [
        it
        for it in dict.fromkeys(ids)
        if it in results.problems
        or (it in results.last and results.last[it].verdict not in settled)
    ]
