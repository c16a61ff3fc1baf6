"""One case: its target is asked, its evaluators grade, a record comes of it."""

from __future__ import annotations

import asyncio
import traceback
from dataclasses import dataclass, field
from typing import Any

from suitecase.run.asked_targets import CaseDesk, Desk
from suitecase.run.asking import Asked, FileGoneError, asked
from suitecase.run.jobs import Job
from suitecase.run.plan import Plan
from suitecase.run.record import (
    ResultRecord,
    TraceSummary,
    case_hash,
    graded_fields,
    timestamp,
    ungraded_fields,
)
from suitecase.suite.resolve import EffectiveCase
from suitecase_evaluators.evaluator import EvaluatorConfig, Subject
from suitecase_evaluators.message import Message
from suitecase_evaluators.registry import grade
from suitecase_evaluators.score import Score
from suitecase_evaluators.targets.target import Reply, Target, TargetError
from suitecase_evaluators.trace import Trace
from suitecase_evaluators.trace_summary import trace_summary


@dataclass(frozen=True, slots=True)
class Bug:
    """Something of ours that broke while a case was graded; the other cases went on."""

    where: str
    trace: str


@dataclass(frozen=True, slots=True)
class GradedCase:
    """What came of a case."""

    record: ResultRecord
    bugs: tuple[Bug, ...] = ()


@dataclass(frozen=True, slots=True)
class CaseServices:
    """What the evaluators of a case may ask for."""

    desk: CaseDesk
    judge_name: str

    def judge(self, name: str | None = None) -> Target:
        """Return the target of that name, or the case's judge.

        Raises:
            TargetError: there is no such target, or it cannot be set up.
        """
        return self.desk.judge(name or self.judge_name)


@dataclass(slots=True)
class _Progress:
    """What is known of a case so far, so that what breaks later loses none of it."""

    reply: Reply | None = None
    bugs: list[Bug] = field(default_factory=list)


async def grade_case(
    case: EffectiveCase, job: Job, plan: Plan, desk: Desk, timeout_seconds: float | None
) -> GradedCase:
    """Ask the target of a job, and grade what it answers.

    What breaks, be it the target or something of ours, is in the record; nothing is raised. A case
    that takes too long is broken off, and the programs it started are ended.
    """
    progress = _Progress()
    asking = CaseDesk(desk, job.repeat)
    limit = asyncio.timeout(timeout_seconds)
    try:
        async with limit:
            fields = await _graded(case, job.target, plan, asking, progress)
    except (TargetError, FileGoneError) as error:
        fields = ungraded_fields(error.message)
    except Exception as error:  # noqa: BLE001 - a bug in one case must not lose the others
        if isinstance(error, TimeoutError) and limit.expired():
            doing = "it was answered" if progress.reply is None else "it was graded"
            fields = ungraded_fields(
                f"the case took longer than {timeout_seconds:g} seconds, and was broken off "
                f"before {doing}; --timeout says how long a case may take"
            )
        else:
            progress.bugs.append(Bug(f"case `{case.id}`", traceback.format_exc()))
            fields = ungraded_fields("this case could not be graded because of a bug in suitecase")
    record = ResultRecord(
        timestamp=timestamp(),
        suite_path=plan.folder.shown(plan.suite.path),
        dataset=plan.suite.dataset,
        eval_id=case.id,
        case_hash=case_hash(case.text),
        target=job.target,
        repeat=job.repeat,
        repeats=job.repeats,
        judge_cost_usd=asking.judge_cost_usd,
        **_answer_fields(progress.reply),
        **fields,
    )
    return GradedCase(record, tuple(progress.bugs))


async def _graded(
    case: EffectiveCase, target: str, plan: Plan, desk: CaseDesk, progress: _Progress
) -> dict[str, Any]:
    """Return the fields of the record that the evaluators fill.

    Raises:
        TargetError: the target gave no answer.
        FileGoneError: a file of the case cannot be read.
    """
    told = await asyncio.to_thread(
        asked, case, plan.suite, plan.folder, takes_files=desk.panel.takes_files(target)
    )
    progress.reply = await desk.target(target).ask(told.question)
    subject = _subject(case, plan, told, progress.reply)
    services = CaseServices(desk, desk.panel.judge_of(target))
    configs = [it.config for it in case.evaluators]
    scores = await asyncio.gather(
        *(_score(config, subject, services, progress.bugs) for config in configs)
    )
    return graded_fields(list(zip(configs, scores, strict=True)))


async def _score(
    config: EvaluatorConfig, subject: Subject, services: CaseServices, bugs: list[Bug]
) -> Score:
    try:
        return await grade(config, subject, services)
    except Exception:  # noqa: BLE001 - a bug in one evaluator must not lose what the others say
        where = f"evaluator `{config.name}` ({config.type}) in case `{subject.eval_id}`"
        bugs.append(Bug(where, traceback.format_exc()))
        return Score.failed_to_grade("it broke because of a bug in suitecase")


def _subject(case: EffectiveCase, plan: Plan, told: Asked, reply: Reply) -> Subject:
    return Subject(
        eval_id=case.id,
        question=told.question_text,
        expected_outcome=case.case.expected_outcome,
        candidate_answer=reply.text,
        reference_answer=told.reference_answer,
        input_messages=case.input_messages,
        expected_messages=told.expected_messages,
        output_messages=_messages(reply),
        guideline_files=told.question.guideline_files,
        input_files=told.question.input_files,
        trace=_trace(reply),
        sidecar=case.case.sidecar,
        system_prompt=plan.suite.prompt,
        folder=plan.suite.path.parent,
    )


def _messages(reply: Reply) -> tuple[Message, ...]:
    return reply.output_messages or (Message(role="assistant", content=reply.text),)


def _trace(reply: Reply) -> Trace | None:
    told = (reply.token_usage, reply.cost_usd, reply.duration_ms)
    if not reply.tool_calls and all(it is None for it in told):
        return None
    return Trace(
        tool_calls=reply.tool_calls,
        token_usage=reply.token_usage,
        cost_usd=reply.cost_usd,
        duration_ms=reply.duration_ms,
    )


def _answer_fields(reply: Reply | None) -> dict[str, Any]:
    if reply is None:
        return {
            "candidate_answer": None,
            "output_messages": None,
            "trace_summary": None,
            "details": {},
        }
    messages = reply.output_messages
    says_more = len(messages) > 1 or any(it.tool_calls for it in messages)
    summary = trace_summary(_trace(reply), messages)
    return {
        "candidate_answer": reply.text,
        "output_messages": [it.model_dump(mode="json", exclude_none=True) for it in messages]
        if says_more
        else None,
        "trace_summary": None if summary is None else TraceSummary.model_validate(summary),
        "details": dict(reply.details),
    }
