"""Running one case: call the target, grade its answer, build the record."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from suitecase.run.assignment import Assignment
from suitecase.run.case_clock import CaseClock
from suitecase.run.case_labels import case_labels
from suitecase.run.case_prompt import CasePrompt, FileGoneError, build_prompt
from suitecase.run.case_spans import evaluator_span, put_score
from suitecase.run.exchanges import with_exchanges
from suitecase.run.jobs import Job
from suitecase.run.metered_target import CaseContext, JudgeLedger, RunContext
from suitecase.run.record_fields import (
    Graded,
    answer_fields,
    asked_fields,
    graded_fields,
    judged_of,
    row_fields,
    ungraded_fields,
)
from suitecase.run.record_model import RecordModel
from suitecase.run.record_redaction import recorded
from suitecase.run.regrading import PreviousAnswer, kept_grade
from suitecase.run.subject import subject_of
from suitecase.run.suite_in_run import SuiteInRun
from suitecase.run.too_few_resources import why_too_few
from suitecase.run.unrecordable import problem_in_score
from suitecase_evaluators.answers.records.graded import EvaluatorRecord
from suitecase_evaluators.answers.records.judgements import judgements
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.values import timestamp
from suitecase_evaluators.answers.refusals import PROVIDERS_TEXT, refused_by
from suitecase_evaluators.answers.sandbox_level import Level
from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import EvaluatorConfig, Subject
from suitecase_evaluators.grade.registry import grade
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.sandbox.changed_configuration import noticed_changes
from suitecase_evaluators.targets.sandbox.confinement import Sandbox
from suitecase_evaluators.targets.scripting.bridges import Bridges
from suitecase_evaluators.targets.target import (
    CallContext,
    Question,
    Reply,
    Target,
    TargetError,
)


@dataclass(frozen=True, slots=True)
class Bug:
    """A bug in suitecase during a case; the other cases went on."""

    where: str
    trace: str


@dataclass(frozen=True, slots=True)
class GradedCase:
    """The result of a case.

    Attributes:
        record: its record; `reported` is the same record as it leaves the worker.
    """

    record: RecordModel
    reported: ResultRecord
    bugs: tuple[Bug, ...] = ()
    #: What failed before grading, in one word; None if nothing did.
    error_type: str | None = None
    #: The cost of the case in this run, in US dollars, as far as targets report it.
    usd: float = 0.0


@dataclass(frozen=True, slots=True)
class CaseServices:
    """The services available to one evaluator of a case."""

    context: CaseContext
    judge_name: str
    ledger: JudgeLedger = field(default_factory=JudgeLedger)

    def judge(self, name: str | None = None) -> Target:
        """Return the target with this name, or the case's judge.

        Raises:
            TargetError: there is no such target, or it cannot be set up.
        """
        return self.context.judge(name or self.judge_name, self.ledger)

    async def grade(self, config: EvaluatorConfig, subject: Subject) -> Score:
        """Grade an answer by a member of an evaluator."""
        return await grade(config, subject, self)

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox for the run's programs."""
        return self.context.pool.sandbox

    @property
    def bridges(self) -> Bridges:
        """The processes of the run that call functions of scripts."""
        return self.context.pool.bridges


@dataclass(slots=True)
class _Progress:
    """The results of a case so far, which a later error must not lose."""

    prompt: CasePrompt | None = None
    reply: Reply | None = None
    bugs: list[Bug] = field(default_factory=list)
    error_type: str | None = None
    #: The sandbox level of the target's program.
    sandbox: Level | None = None
    #: The model that the target asked for.
    requested_model: str | None = None
    #: An evaluator found the answer to be a refusal.
    refused: bool = False


async def grade_case(
    assignment: Assignment,
    suite: SuiteInRun,
    context: RunContext,
    timeout_seconds: float | None,
    answered: Callable[[Reply], None] = lambda _: None,
) -> GradedCase:
    """Call the target of a job, and grade its answer.

    Errors, including bugs in suitecase, go to the record; nothing is raised. A case that exceeds
    the timeout is cancelled together with its programs; see `CaseClock` for what counts.

    Args:
        answered: called with the target's answer before it is graded.
    """
    job, previous = assignment.job, assignment.previous
    case = job.case
    progress = _Progress()
    suite_path = context.suite_path(suite)
    asking = CaseContext(context, CallContext(suite_path, job.target, job.repeat))
    clock = CaseClock(timeout_seconds)
    changed: dict[str, None] = {}
    try:
        with noticed_changes(lambda it: changed.setdefault(it)):
            async with clock:
                fields = await _graded(assignment, suite, asking, progress, answered)
    except asyncio.CancelledError:
        # It has no record, so nothing else would name them.
        for change in changed:
            context.warn(f"case `{case.id}`: a program {change}")
        raise
    except (TargetError, FileGoneError) as error:
        progress.error_type = error.kind if isinstance(error, TargetError) else "file_gone"
        too_few = why_too_few(error)
        fields = ungraded_fields(f"{error.message} {too_few}" if too_few else error.message)
        if isinstance(error, TargetError):
            progress.sandbox = error.sandbox
    except Exception as error:  # noqa: BLE001 - a bug in one case must not lose the others
        if isinstance(error, TimeoutError) and clock.expired:
            progress.error_type = "timeout"
            doing = "it was answered" if progress.reply is None else "it was graded"
            fields = ungraded_fields(
                f"the case took longer than {timeout_seconds:g} s and was cancelled "
                f"before {doing}; --timeout sets the limit"
                + "".join(f". A program {change}" for change in changed)
            )
        elif (too_few := why_too_few(error)) is not None:
            progress.error_type = "environment"
            fields = ungraded_fields(too_few)
        else:
            progress.error_type = "bug"
            progress.bugs.append(Bug(f"case `{case.id}`", traceback.format_exc()))
            fields = ungraded_fields("this case could not be graded because of a bug in suitecase")
    identity = _identity(assignment, suite, suite_path)
    try:
        record = RecordModel(
            **identity,
            judge_cost_usd=_judge_cost(asking, previous),
            expected_outcome=case.case.expected_outcome,
            **case_labels(case.case, suite.suite.head),
            row=row_fields(case.row),
            sandbox=progress.sandbox,
            requested_model=progress.requested_model,
            refused=_refused(progress),
            **asked_fields(progress.prompt, context.redactor),
            **answer_fields(progress.reply),
            **fields,
        )
        reported = recorded(record, context.redactor)
    except Exception as error:  # noqa: BLE001 - a record that cannot be written must not lose the others
        too_few = why_too_few(error)
        if too_few is None:
            progress.error_type = "bug"
            progress.bugs.append(Bug(f"the record of case `{case.id}`", traceback.format_exc()))
        else:
            progress.error_type = "environment"
        why = too_few or "its result could not be recorded because of a bug in suitecase"
        # What was paid for can be graded again, if it is not what cannot be recorded.
        answer = answer_fields(None if too_few is None else progress.reply)
        record = RecordModel(**identity, **answer, **ungraded_fields(why))
        reported = recorded(record, context.redactor)
    _count_failures(record, context)
    return GradedCase(record, reported, tuple(progress.bugs), progress.error_type, asking.usd)


def _count_failures(record: RecordModel, context: RunContext) -> None:
    """Count judges that could not be read, and evaluators that failed on an answer that may have cost money."""
    for result in record.evaluator_results:
        if result.judge_usage is None:
            continue
        for judgement in judgements(EvaluatorRecord(result.model_dump())):
            if judgement.judge is not None and context.pool.costs(judgement.judge):
                problem = judgement.problem or "its reply could not be read"
                unreadable = context.redactor(problem) if judgement.unreadable else None
                context.failures.judged(judgement.judge, unreadable)
    if not context.pool.costs(record.target):
        return
    for result in record.evaluator_results:
        name = context.redactor(f"the evaluator `{result.name}` ({result.type})")
        if result.error is None:
            context.failures.worked(name)
        else:
            context.failures.failed(name, context.redactor(result.error))


def _judge_cost(asking: CaseContext, previous: PreviousAnswer | None) -> float | None:
    """Return the cost of judging the answer, including the resumed run's; None if any of it is unknown."""
    graded = () if previous is None else previous.record.evaluator_results
    if asking.judges_unpriced or any(
        result.judge_usage and result.judge_usage.unpriced for result in graded
    ):
        return None
    before = None if previous is None else previous.record.judge_cost_usd
    costs = [it for it in (before, asking.judge_cost_usd) if it is not None]
    return sum(costs) if costs else None


def ungraded_case(
    assignment: Assignment, suite: SuiteInRun, redactor: Redactor, error: str
) -> GradedCase:
    """Return the result of a case that could not be graded, for a reason outside of it."""
    record = RecordModel(
        **_identity(assignment, suite, suite.folder.shown(suite.suite.path)),
        **answer_fields(assignment.reply),
        **ungraded_fields(error),
    )
    return GradedCase(record, recorded(record, redactor))


def _identity(assignment: Assignment, suite: SuiteInRun, suite_path: str) -> dict[str, Any]:
    """Return the fields of a record that do not depend on the answer."""
    job, version, digests = assignment.job, assignment.version, assignment.digests
    return {
        "run_id": job.run_id,
        "timestamp": timestamp(),
        "suite_path": suite_path,
        "dataset": suite.suite.dataset,
        "eval_id": job.case.id,
        "position": job.case.position,
        "case_hash": version.text,
        "effective_hash": version.effective,
        "question_hash": digests.question,
        "expected_hash": digests.expected,
        "grading_hash": digests.grading,
        "target": job.target,
        "repeat": job.repeat,
        "repeats": job.repeats,
        "planned": job.planned,
        "asked_again_after": job.asked_again_after,
    }


async def _graded(
    assignment: Assignment,
    suite: SuiteInRun,
    context: CaseContext,
    progress: _Progress,
    answered: Callable[[Reply], None],
) -> dict[str, Any]:
    """Return the fields of the record with the evaluators' results.

    Raises:
        TargetError: the target gave no answer.
        FileGoneError: a file of the case cannot be read.
    """
    job, previous = assignment.job, assignment.previous
    case, target = job.case, job.target
    if case.row is not None and case.row.prompt_code is not None:
        from suitecase.run.rows_with_code import with_made_prompt

        case = await with_made_prompt(case, case.row, suite.folder.path, context.pool, target)
    ask = partial(
        build_prompt,
        case,
        suite.suite,
        suite.folder,
        takes_files=context.pool.takes_files(target),
        call_context=context.call_context,
    )
    messages = (*case.input_messages, *case.expected_messages)
    # Only content in parts refers to files, which are not read in the event loop.
    reads_files = any(isinstance(message.content, list) for message in messages)
    prompt = await asyncio.to_thread(ask) if reads_files else ask()
    progress.prompt = prompt
    if previous is None:
        if assignment.reply is None:
            question = _seeded(prompt.question, job, suite, context)
            progress.reply = await context.target(target).ask(question)
            if case.row is not None and case.row.transforms:
                from suitecase.run.rows_with_code import with_transforms

                progress.reply = await with_transforms(
                    progress.reply, case, suite.folder.path, context.pool
                )
            answered(progress.reply)
        else:
            progress.reply = assignment.reply
        progress.sandbox = progress.reply.sandbox
        progress.requested_model = context.pool.requested_model(target)
    else:
        progress.requested_model = previous.record.requested_model
        progress.reply, progress.sandbox = previous.reply, previous.record.sandbox
    subject = subject_of(case, suite, prompt, progress.reply, context.judging_context)
    judge = context.pool.judge_of(target)

    async def grade_by(number: int, config: EvaluatorConfig) -> Graded:
        previous_result = None if previous is None else previous.grade_by(number, config)
        if previous_result is not None:
            return (config, *kept_grade(previous_result))
        services = CaseServices(context, judge)
        own_hash = context.pool.judge_hash(config, judge)
        score = await _traced_score(config, subject, services, progress.bugs, own_hash)
        score_with_exchanges = with_exchanges(
            score, services.ledger.exchanges, context.context.redactor
        )
        return config, score_with_exchanges, judged_of(services.ledger, own_hash)

    configs = [evaluator.config for evaluator in case.evaluators]
    if len(configs) == 1:  # without a task of its own
        results = [await grade_by(0, configs[0])]
    else:
        results = await asyncio.gather(*map(grade_by, range(len(configs)), configs))
    progress.refused = any(score.refused for _, score, *_ in results) or (
        previous is not None and previous.record.refused is True
    )
    return graded_fields(results, case.row)


def _refused(progress: _Progress) -> bool | None:
    """Return whether the answer is a refusal, whatever grades it; None if there is no answer."""
    reply = progress.reply
    if reply is None:
        return None
    refusal = reply.details.get(PROVIDERS_TEXT)
    return progress.refused or refused_by(reply.text, reply.finish_reason, refusal) is not None


def _seeded(question: Question, job: Job, suite: SuiteInRun, context: CaseContext) -> Question:
    """Return a question with the suite's seed, if the target takes it; each repeat has the next one."""
    execution = suite.suite.head.execution
    seed = execution.seed if execution is not None else None
    if seed is None or not context.pool.takes_seed(job.target):
        return question
    return replace(question, seed=seed + job.repeat - 1)


async def _traced_score(
    config: EvaluatorConfig,
    subject: Subject,
    services: CaseServices,
    bugs: list[Bug],
    judge_hash: str | None,
) -> Score:
    with evaluator_span(config) as span:
        score = await _score(config, subject, services, bugs)
        put_score(span, config, score, judge_hash)
    return score


async def _score(
    config: EvaluatorConfig, subject: Subject, services: CaseServices, bugs: list[Bug]
) -> Score:
    try:
        score = await grade(config, subject, services)
        problem = problem_in_score(score)
        if problem is not None:
            return Score.failed_to_grade(f"its result cannot be recorded: {problem}")
        return score
    except Exception as error:  # noqa: BLE001 - a bug in one evaluator must not lose what the others say
        if (too_few := why_too_few(error)) is not None:
            return Score.failed_to_grade(too_few)
        where = f"evaluator `{config.name}` ({config.type}) in case `{subject.eval_id}`"
        bugs.append(Bug(where, traceback.format_exc()))
        return Score.failed_to_grade("it failed because of a bug in suitecase")
