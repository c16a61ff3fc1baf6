"""The results of runs, as an editor keeps them: by document and case, for as long as it is open."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from suitecase.suite.parsed import ParsedHead, ParsedSuite
from suitecase.syntax.cache import Cache
from suitecase.syntax.node import Node, plain
from suitecase_evaluators.records.answered_by import AnsweredBy
from suitecase_evaluators.records.case_version import CaseVersion
from suitecase_evaluators.records.doubts import doubts_of
from suitecase_evaluators.records.graded import EvaluatorRecord
from suitecase_evaluators.records.record import ResultRecord
from suitecase_evaluators.score import Verdict

#: What of a suite's head changes how its cases are answered and graded.
_GRADING_KEYS = ("execution", "prompt", "evaluation_mode", "evaluation_criteria", "expected_schema")
#: Of a head or a case, a digest of what it is graded by.
_GRADING: Cache[str] = Cache()
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
        version: the case as its record has it, which covers prompts, targets and scripts.
        outdated: what it was graded by has changed since, though its text has not.
        source: the results file that its record stands in; None where it was not kept.
        answer: None where the target gave none.
        answered_by: who gave the answer, where that is known.
        no_model: no model was called, neither for the answer nor to judge it.
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
    version: CaseVersion
    #: What asking the target and the judges cost, in US dollars; None where that is unknown.
    cost_usd: float | None = None
    outdated: bool = False
    source: Path | None = None
    answer: Answer | None = None
    answered_by: AnsweredBy | None = None
    no_model: bool = False

    @classmethod
    def of_record(
        cls,
        record: ResultRecord,
        *,
        grading: str | None,
        at: datetime,
        source: Path | None = None,
    ) -> CaseResult:
        """Keep what an editor shows of a record."""
        return cls(
            case=record.eval_id,
            verdict=record.verdict,
            score=record.score,
            hits=record.hits,
            misses=record.misses,
            reasoning=record.reasoning,
            error=record.error,
            target=record.target,
            evaluators=tuple(map(_evaluator, record.evaluator_results)),
            at=at,
            grading=grading,
            cost_usd=_cost(record),
            version=record.version,
            source=source,
            answer=_answer(record),
            answered_by=record.answered_by,
            no_model=record.no_model,
        )

    @property
    def judges(self) -> tuple[str, ...]:
        """The targets that judged, each once."""
        return tuple(dict.fromkeys(it.judge for it in self.evaluators if it.judge))


def _cost(record: ResultRecord) -> float | None:
    answer, judge = record.answer_usd, record.judge_usd
    return answer if judge is None else judge + (answer or 0)


def _answer(record: ResultRecord) -> Answer | None:
    text = record.candidate_answer
    if text is None:
        return None
    return Answer(
        text=text[:_KEPT_OF_ANSWER],
        left_out=max(0, len(text) - _KEPT_OF_ANSWER),
        calls=record.tool_calls,
    )


def _evaluator(result: EvaluatorRecord) -> EvaluatorResult:
    details = result.details
    troubles = details.get("reply_problems")
    unread = details.get("missing_items")
    return EvaluatorResult(
        name=result.name,
        type=result.type,
        verdict=result.verdict,
        score=result.score,
        misses=result.misses,
        judge=result.judge,
        raw_scores=result.raw_scores,
        hits=result.hits,
        reasoning=result.reasoning[:_KEPT_OF_REASONING],
        unreadable=result.parse_failed,
        unread=tuple(map(str, unread)) if isinstance(unread, list) else (),
        trouble=str(troubles[-1]) if isinstance(troubles, list) and troubles else "",
        attempts=result.attempts,
        gate_failed=result.gate_failed,
        error=result.error,
        judged_by=result.judged_by,
        doubts=tuple([it.text for it in doubts_of(result)]) if details else (),
        members=tuple(map(_evaluator, result.members)),
    )


def grading_hash(suite: ParsedSuite, number: int) -> str | None:
    """Return what tells whether a case is still the one that was run.

    It covers the values of the case and those of the head that grade it; comments, blank lines and
    quoting do not count. None for a case whose text does not parse.
    """
    case, head = suite.cases[number], suite.head
    if case.node is None:
        return None
    of_head = _GRADING.of(head.content, _digest_of_head, head)
    return f"{of_head}-{_GRADING.of(case.content, _digest_of_case, case.node)}"


def _digest_of_case(node: Node) -> str:
    return _digest(plain(node))


def _digest_of_head(head: ParsedHead) -> str:
    values = plain(head.node) if head.node is not None else {}
    return _digest({key: values.get(key) for key in _GRADING_KEYS})


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def is_stale(suite: ParsedSuite, number: int, result: CaseResult) -> bool:
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


def failed_cases(suite: ParsedSuite, results: DocumentResults) -> list[str]:
    """Return the ids of the cases whose last result is not a pass, in the order of the suite."""
    settled = (Verdict.PASS, Verdict.NOT_EVALUATED)
    return [
        it
        for it in suite.case_ids
        if it in results.problems
        or (it in results.last and results.last[it].verdict not in settled)
    ]
