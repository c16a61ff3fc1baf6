"""Spans for a run, its cases and their evaluators.

Attributes are those of the groups `test.*` and `gen_ai.evaluation.*` of OpenTelemetry's semantic
conventions where one fits, else `suitecase.*`. For calls of targets and judges, see
`suitecase.run.call_spans`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from suitecase.run.call_spans import TRACED_CASE, TracedCase
from suitecase.run.jobs import Job
from suitecase.run.protocol import GatesDecided
from suitecase.run.record_model import RecordModel
from suitecase.run.suite_in_run import SuiteInRun
from suitecase.run.tracing import Attributes, OpenSpan, Tracing
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.status import Status
from suitecase_evaluators.answers.score import Score, Verdict
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.grade.registry import description_of

if TYPE_CHECKING:
    from suitecase.run.plan import Plan

#: The conventions' name of the event of an evaluation.
EVALUATION_RESULT = "gen_ai.evaluation.result"
#: The `error.type` of a failed evaluation.
UNGRADED = "evaluator_error"
#: What the events of gates have of a measured figure.
_MEASURED = ("target", "figure", "slice", "unit", "cases", "estimate", "low", "high", "missing")


#: For runs without tracing; many cases can enter it at once.
_NO_SPAN = nullcontext(OpenSpan())

_TRACING: ContextVar[Tracing | None] = ContextVar("suitecase_tracing", default=None)


@contextmanager
def spans_of_cases(tracing: Tracing) -> Iterator[None]:
    """Trace the cases of this context, whose run has its span elsewhere."""
    token = _TRACING.set(tracing)
    try:
        yield
    finally:
        _TRACING.reset(token)


@contextmanager
def run_span(tracing: Tracing, planned: Plan, repeats: int, jobs: int) -> Iterator[OpenSpan]:
    """Open the span of a run, the parent of those of its cases.

    Args:
        jobs: the number of calls of targets in this run, without resumed ones.
    """
    attributes: Attributes = {
        **_suite(tracing, planned),
        "suitecase.run.cases": len(planned.cases),
        "suitecase.run.repeats": repeats,
        "suitecase.run.jobs": jobs,
    }
    with (
        spans_of_cases(tracing),
        tracing.span(f"run {planned.suite.dataset}", attributes) as span,
    ):
        yield span


def put_summary(span: OpenSpan, summary: Mapping[str, Any], *, bugs: bool) -> None:
    """Set the results of a run.

    Args:
        summary: as in `protocol.Finished`.
        bugs: there was a bug in suitecase, although the run went on.
    """
    verdicts: Mapping[str, int] = summary["verdicts"]
    spending = summary.get("spending") or {}
    span.put(
        {
            **{f"suitecase.run.verdicts.{name}": number for name, number in verdicts.items()},
            "suitecase.run.mean_score": summary["mean_score"],
            "suitecase.run.cost_usd": None
            if spending.get("unpriced")
            else spending.get("cost_usd"),
            "test.suite.run.status": _status(summary),
        }
    )
    if bugs:
        span.fail("bug", "suitecase broke in some cases")


def put_gates(span: OpenSpan, decided: GatesDecided) -> None:
    """Set whether the gates of a run hold, with an event for each and for the figure it is about."""
    if decided.decisions:
        from suitecase.figures.decision import Decision, exit_code_of

        passed = exit_code_of(map(Decision.from_json, decided.decisions)) == 0
        span.put({"test.suite.run.status": "success" if passed else "failure"})
    for gate in decided.decisions:
        figure: Mapping[str, Any] = gate.get("figure") or {}
        measured = {f"suitecase.figure.{it}": figure.get(it) for it in _MEASURED}
        if figure:
            span.event("suitecase.figure", measured)
        span.event(
            "suitecase.gate",
            {
                "suitecase.gate": gate["gate"],
                "suitecase.gate.outcome": gate["outcome"],
                "suitecase.gate.clear": gate["clear"],
                **measured,
            },
        )


def _status(summary: Mapping[str, Any]) -> str:
    if summary.get("stopped") or summary["not_run"]:
        return "aborted"
    statuses = summary["statuses"]
    others = sum(statuses.values()) - statuses[Status.PASS] - statuses[Status.REHEARSED]
    return "failure" if others else "success"


def case_span(job: Job, suite: SuiteInRun) -> AbstractContextManager[OpenSpan]:
    """Open the span of one repeat of a case, the parent of those of its target and evaluators."""
    tracing = _TRACING.get()
    return _case_span(tracing, job, suite) if tracing is not None and tracing.on else _NO_SPAN


@contextmanager
def _case_span(tracing: Tracing, job: Job, suite: SuiteInRun) -> Iterator[OpenSpan]:
    attributes: Attributes = {
        **_suite(tracing, suite),
        "suitecase.case.id": job.case.id,
        "suitecase.repeat": job.repeat,
        "suitecase.run.repeats": job.repeats,
    }
    token = TRACED_CASE.set(TracedCase(tracing, attributes))
    own: Attributes = {"test.case.name": job.case.id, "suitecase.target.name": job.target}
    try:
        with tracing.span(f"case {job.case.id}", {**attributes, **own}) as span:
            yield span
    finally:
        TRACED_CASE.reset(token)


def put_record(span: OpenSpan, record: RecordModel, error_type: str | None) -> None:
    """Set the result of a case.

    Args:
        error_type: what failed before grading, if anything did.
    """
    if span.context is None:
        return
    status = ResultRecord(record.model_dump(mode="json")).status
    result = {Status.PASS: "pass", Status.BORDERLINE: "fail", Status.FAIL: "fail"}.get(status)
    span.put(
        {
            "test.case.result.status": result,
            "suitecase.verdict": record.verdict.value,
            "suitecase.status": status.value,
            "suitecase.score": record.score,
            "suitecase.judge.cost_usd": record.judge_cost_usd,
            "suitecase.answer.cached": True if record.details.get("cached") else None,
        }
    )
    if record.verdict is Verdict.ERROR:
        span.fail(error_type or UNGRADED, "the case could not be graded")


def evaluator_span(config: EvaluatorConfig) -> AbstractContextManager[OpenSpan]:
    """Open the span of an evaluator, the parent of those of its judges and scripts."""
    case = TRACED_CASE.get()
    return _NO_SPAN if case is None else _evaluator_span(case, config)


@contextmanager
def _evaluator_span(case: TracedCase, config: EvaluatorConfig) -> Iterator[OpenSpan]:
    attributes: Attributes = {
        **case.attributes,
        "suitecase.evaluator.name": config.name,
        "suitecase.evaluator.type": config.type,
        "gen_ai.evaluation.name": config.name,
    }
    token = TRACED_CASE.set(replace(case, role="judge"))
    answer = case.answers[-1] if case.answers else None
    try:
        name = f"evaluate {config.name}"
        with case.tracing.span(name, attributes, evaluates=answer) as span:
            yield span
    finally:
        TRACED_CASE.reset(token)


def put_score(
    span: OpenSpan, config: EvaluatorConfig, score: Score, judge_hash: str | None = None
) -> None:
    """Set the result of an evaluator, as attributes of its span and as the conventions' event.

    The members of a composite are events of its span.

    Args:
        judge_hash: the hash of its judge.
    """
    case = TRACED_CASE.get()
    if case is None:
        return
    result = _evaluation(
        config.name, score.score, score.verdict.value, score.reasoning, case.tracing.content
    )
    result = {
        **result,
        "suitecase.judge.hash": judge_hash,
        "suitecase.judge.confidence": score.confidence,
        "suitecase.judge.quotes": None if score.quotes is None else len(score.quotes),
        "suitecase.judge.quotes.in_answer": None
        if score.quotes is None
        else sum(quote.in_answer for quote in score.quotes),
    }
    span.put(result)
    members = score.details.get("members", ()) if description_of(config).members(config) else ()
    for entry in members:
        member = _evaluation(
            entry["name"],
            entry["score"],
            entry["verdict"],
            entry["reasoning"],
            case.tracing.content,
        )
        span.event(EVALUATION_RESULT, member)
    if score.verdict is Verdict.ERROR:
        result = {**result, "error.type": UNGRADED}
        # The error may quote the answer or a script's output.
        span.fail(UNGRADED, (score.error or "") if case.tracing.content else "it could not grade")
    span.event(EVALUATION_RESULT, result)


def _evaluation(
    name: str, score: float | None, verdict: str, reasoning: str, content: bool
) -> Attributes:
    """Return the attributes of an evaluation; the explanation usually quotes the answer."""
    return {
        "gen_ai.evaluation.name": name,
        "gen_ai.evaluation.score.value": score,
        "gen_ai.evaluation.score.label": verdict,
        "gen_ai.evaluation.explanation": (reasoning or None) if content else None,
    }


def _suite(tracing: Tracing, suite: SuiteInRun) -> Attributes:
    return {
        "suitecase.run.id": tracing.run_id,
        "suitecase.suite.path": suite.folder.shown(suite.suite.path),
        "test.suite.name": suite.suite.dataset,
    }
