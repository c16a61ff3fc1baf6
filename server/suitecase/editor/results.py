"""The results of runs, by document and case, kept for the editor session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from suitecase.editor.grading_hashes import (
    GradingFingerprint,
    grading_fingerprint,
    grading_hash,
    grading_of,
)
from suitecase.editor.runnable_cases import RunnableCases
from suitecase.figures.decision import Decision
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase_evaluators.answers.records.answered_by import AnsweredBy
from suitecase_evaluators.answers.records.case_version import CaseVersion
from suitecase_evaluators.answers.records.doubts import doubts_of
from suitecase_evaluators.answers.records.graded import EvaluatorRecord, RecordedQuote
from suitecase_evaluators.answers.records.judgements import trouble_of
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.status import GRAVEST_FIRST, SETTLED, Status

#: The maximum length kept of an answer, and of the reasoning; the log has all of it.
_KEPT_OF_ANSWER = 4_000
_KEPT_OF_REASONING = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorResult:
    """The result of one evaluator.

    Attributes:
        raw_scores: the judge's score of each rubric, by id, or whether it is met.
        unreadable: whether no reply of the judge could be parsed in full, in all attempts.
        unread: the ids of the rubrics missing from the judge's replies.
        trouble: the problem with the judge's last reply; empty if there was none.
        error: what failed, if the status is `error`.
        judged_by: who judged, if known.
        rehearsed: whether a stand-in took the place of a judge.
        doubts: reasons to review the grade, as sentences without a period.
        confidence: the share of the judge's votes that agree; None for a single vote.
        quotes: what the judge quoted for rubrics.
        members: the results of a composite's members.
    """

    name: str
    type: str
    status: Status
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
    rehearsed: bool = False
    doubts: tuple[str, ...] = ()
    confidence: float | None = None
    quotes: tuple[RecordedQuote, ...] = ()
    members: tuple[EvaluatorResult, ...] = ()

    def member(self, name: str) -> EvaluatorResult | None:
        """Return the result of the composite's member with a name."""
        return next((member for member in self.members if member.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A target's answer, as far as it is kept.

    Attributes:
        text: its beginning.
        left_out: the number of characters not kept.
        calls: how often each tool was called.
    """

    text: str
    left_out: int
    calls: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """The grade of a case's answer, and the inputs of the grade.

    Attributes:
        grading: the `grading_hash` of the case at the time of the run.
        version: the case in its record, including prompts, targets and scripts.
        outdated: whether its inputs have changed since, though its text has not.
        source: the results file of its record; None if it was not kept.
        answer: None if the target gave none.
        answered_by: who gave the answer, if known.
        cut_off: that the answer was cut off, as a sentence without its end; None if it was not.
        stood_in: what took the place of a model, in two words; None if nothing did.
        rehearsed: whether that makes it a rehearsal.
        at: the time it was graded.
        prompt: the name of the prompt, for a row of another tool's suite.
        rows: the results of its rows, for a test of another tool's suite.
    """

    case: str
    status: Status
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
    #: The cost of the target and the judges, in US dollars; None if unknown.
    cost_usd: float | None = None
    outdated: bool = False
    source: Path | None = None
    answer: Answer | None = None
    answered_by: AnsweredBy | None = None
    cut_off: str | None = None
    stood_in: str | None = None
    rehearsed: bool = False
    prompt: str | None = None
    rows: tuple[CaseResult, ...] = ()

    @classmethod
    def of_record(
        cls,
        record: ResultRecord,
        *,
        grading: str | None,
        at: datetime,
        source: Path | None = None,
    ) -> CaseResult:
        """Keep the parts of a record that editors show."""
        return cls(
            case=record.eval_id,
            status=record.status,
            score=None if record.judge_failed else record.score,
            hits=record.hits,
            misses=record.misses,
            reasoning=record.reasoning,
            error=record.error,
            target=record.target,
            evaluators=tuple(
                [_evaluator(record, evaluator) for evaluator in record.evaluator_results]
            ),
            at=at,
            grading=grading,
            cost_usd=_cost(record),
            version=record.version,
            source=source,
            answer=_answer(record),
            answered_by=record.answered_by,
            cut_off=record.cut_off,
            stood_in=record.stood_in,
            rehearsed=record.rehearsed,
            prompt=record.row.prompt if record.row is not None else None,
        )

    @classmethod
    def of_rows(cls, test: str, rows: Sequence[CaseResult]) -> CaseResult:
        """Return the result of a test from those of its rows, at least one: it has the gravest status."""
        worst = min(rows, key=lambda row: GRAVEST_FIRST.index(row.status))
        scores = [row.score for row in rows if row.score is not None]
        costs = [row.cost_usd for row in rows]
        return replace(
            worst,
            case=test,
            score=sum(scores) / len(scores) if scores else None,
            at=max(row.at for row in rows),
            outdated=any(row.outdated for row in rows),
            cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
            cut_off=next((row.cut_off for row in rows if row.cut_off), None),
            prompt=None,
            rows=tuple(rows),
        )

    @property
    def counted_rows(self) -> str | None:
        """The number of rows that pass, such as `2 of 4 rows pass`; None for a single row."""
        if len(self.rows) < 2:
            return None
        passed = sum(row.status is Status.PASS for row in self.rows)
        rehearsed = sum(row.status is Status.REHEARSED for row in self.rows)
        if rehearsed and not passed:
            return f"{rehearsed:,} of {len(self.rows):,} rows rehearsed"
        return f"{passed:,} of {len(self.rows):,} rows pass"

    @property
    def judges(self) -> tuple[str, ...]:
        """The targets that judged, without duplicates."""
        evaluators = (evaluator for row in self.rows or (self,) for evaluator in row.evaluators)
        return tuple(dict.fromkeys(evaluator.judge for evaluator in evaluators if evaluator.judge))


def _cost(record: ResultRecord) -> float | None:
    """Return what an answer and its judges cost; None unless all of it is known."""
    answer, judge = record.answer_usd, record.judge_usd
    if record.unpriced_target is not None:
        return None
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


def _evaluator(record: ResultRecord, result: EvaluatorRecord) -> EvaluatorResult:
    details = result.details
    unread = details.get("missing_items")
    return EvaluatorResult(
        name=result.name,
        type=result.type,
        status=record.status_of_evaluator(result),
        score=None if result.judge_failed else result.score,
        misses=result.misses,
        judge=result.judge,
        raw_scores=result.raw_scores,
        hits=result.hits,
        reasoning=result.reasoning[:_KEPT_OF_REASONING],
        unreadable=result.parse_failed,
        unread=tuple(map(str, unread)) if isinstance(unread, list) else (),
        trouble=trouble_of(result),
        attempts=result.attempts,
        gate_failed=result.gate_failed,
        error=result.error,
        judged_by=result.judged_by,
        rehearsed=result.rehearsed,
        doubts=tuple([doubt.text for doubt in doubts_of(result)]) if details else (),
        confidence=result.confidence,
        quotes=result.quotes,
        members=tuple([_evaluator(record, member) for member in result.members]),
    )


def is_stale(suite: RunnableCases, number: int, result: CaseResult) -> bool:
    """Whether a case has changed since it was run."""
    return (
        result.outdated or result.grading is None or grading_hash(suite, number) != result.grading
    )


def is_stale_by_name(suite: RunnableCases, name: str, result: CaseResult) -> bool:
    """Whether a case, or a test that is written in another file, has changed since it was run."""
    return result.outdated or result.grading is None or grading_of(suite, name) != result.grading


@dataclass(frozen=True, slots=True)
class DecidedGates:
    """What was decided about the gates of a suite.

    Attributes:
        decisions: one for each gate and target.
        at: when.
        fingerprint: what the suite's grades depended on; None if that has changed since.
    """

    decisions: tuple[Decision, ...]
    at: datetime
    fingerprint: GradingFingerprint | None

    def is_stale(self, suite: ParsedSuite) -> bool:
        """Whether the suite has changed since, or cases were run again."""
        return self.fingerprint is None or self.fingerprint != grading_fingerprint(suite)


@dataclass(frozen=True, slots=True)
class NotRun:
    """Why a case has no result from the last run.

    Attributes:
        reason: for users.
        kind: `unsound` for errors in the suite, `environment` for something that is missing here.
        errors: how many errors there are.
        error: the code and the message of the first.
        place: its file, and its line and column from 1.
        is_shared: whether it is the reason for all cases.
        grading: the `grading_hash` of the case at the time of the run, if it matters.
    """

    reason: str
    kind: Literal["unsound", "environment", "ended"]
    errors: int = 0
    error: tuple[str, str] | None = None
    place: tuple[str, int, int] | None = None
    is_shared: bool = False
    grading: str | None = None


@dataclass(slots=True)
class DocumentResults:
    """The last result of each case of a document, and the ids of those being run.

    `problems` is, by case, why the last run could not call the target: a missing key, a missing
    target. `not_run` is, for each case without a result from the last run, the reason: such a
    problem, errors in the suite, or the end of the run. `nothing_run` is the reason that all of
    them share.
    """

    last: dict[str, CaseResult] = field(default_factory=dict)
    running: set[str] = field(default_factory=set)
    problems: dict[str, str] = field(default_factory=dict)
    not_run: dict[str, NotRun] = field(default_factory=dict)
    nothing_run: NotRun | None = None
    #: What the gates came to in the last whole run.
    gates: DecidedGates | None = None

    def outdate_gates(self) -> None:
        """Mark what was decided about gates as stale: a case has another result."""
        if self.gates is not None and self.gates.fingerprint is not None:
            self.gates = replace(self.gates, fingerprint=None)


def failed_cases(suite: RunnableCases, results: DocumentResults) -> list[str]:
    """Return the ids of the cases whose last result is not a pass, in suite order."""
    return [
        case
        for case in suite.case_ids
        if case in results.problems
        or (case in results.not_run and results.not_run[case].kind == "environment")
        or (case in results.last and results.last[case].status not in SETTLED)
    ]
