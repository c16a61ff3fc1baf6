"""One run, from its request to its last event."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from suitecase import installation
from suitecase.run.case_spans import case_span, put_gates, put_record, put_summary, run_span
from suitecase.run.choosing import named
from suitecase.run.effective import EffectiveHashes
from suitecase.run.failures import Failures
from suitecase.run.grading import grade_case
from suitecase.run.jobs import Job, jobs_of, target_of
from suitecase.run.limits import Limits
from suitecase.run.metered_target import RunContext
from suitecase.run.outcome import Outcome
from suitecase.run.output_file import UnusableOutputError, check_output
from suitecase.run.plan import Plan, plan
from suitecase.run.protocol import (
    CaseFinished,
    CaseKept,
    CaseNotRun,
    CaseStarted,
    Estimated,
    Event,
    Failed,
    Finished,
    GatesDecided,
    RunRequest,
    Started,
    Warned,
)
from suitecase.run.replaying import changed_since, replayed
from suitecase.run.results import ResultsError, ResultsFile, ResultsInUseError, results_path
from suitecase.run.resuming import (
    NothingToResumeError,
    Resumed,
    TooManyRepeatsError,
    drop_graded,
    find_resumed,
    resume,
)
from suitecase.run.sandboxing import SandboxError, lowered, require, required, sandbox_of
from suitecase.run.setting_up import UnknownPriceError, require_prices, set_up
from suitecase.run.target_pool import TargetPool, UnknownTargetError
from suitecase.run.tracing import traced
from suitecase.suite.counted import counted
from suitecase_evaluators.records.case_version import CaseVersion
from suitecase_evaluators.registry import shadowed
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.target import TargetError
from suitecase_evaluators.temporary_folders import remove_abandoned


async def run_suite(request: RunRequest, emit: Callable[[Event], None]) -> None:
    """Run a suite; the summary of a cancelled run lists the cases that were not graded.

    Args:
        emit: called with each event, up to the run's last one.
    """
    try:
        installation.require("running cases", installation.RUNS)
    except installation.NotInstalledError as missing:
        emit(Failed(message=str(missing), kind="environment"))
        return
    output = Outcome(emit, ids=request.cases or (), repeats=request.repeats or 1)
    redactor = Redactor()
    pool: TargetPool | None = None
    try:
        await asyncio.to_thread(remove_abandoned)
        planned = await asyncio.to_thread(plan, request)
        if isinstance(planned, Plan):
            planned = await asyncio.to_thread(replayed, planned, request)
        if not isinstance(planned, Plan):
            emit(planned)
            return
        for not_run in planned.not_run:
            emit(not_run)
        output.ids = planned.ids
        if planned.asked is not None:
            from suitecase.run.figure_tally import figure_tally

            output.figures = figure_tally(planned, planned.asked, request)
        sandboxed = sandbox_of(planned.configuration, Path(request.workspace_root), request.sandbox)
        pool = TargetPool(
            planned.targets,
            folder=planned.folder.path,
            environ=os.environ,
            redactor=redactor,
            workers=request.concurrency,
            sandbox=sandboxed.sandbox,
            replay=request.replay_from,
        )
        hashes = EffectiveHashes(planned, pool, os.environ)
        planned = await asyncio.to_thread(_without_unchanged, planned, request, hashes)
        output.ids = planned.ids
        types = (it.config.type for case in planned.cases for it in case.evaluators)
        for message in shadowed(types):
            emit(Warned(message=message))
        resumed = await asyncio.to_thread(find_resumed, planned, request, hashes)
        output.repeats = resumed.repeats
        jobs = jobs_of(planned.cases, request, resumed.repeats)
        unavailable = set_up([job for job in jobs if not resumed.has(job)], pool, request)
        for case, error in unavailable.items():
            message = redactor(error.message)
            line = next(it.line for it in planned.cases if it.id == case)
            emit(CaseNotRun(case=case, line=line, kind="environment", message=message))
        planned = replace(
            planned, cases=tuple(it for it in planned.cases if it.id not in unavailable)
        )
        jobs = tuple(job for job in jobs if job.case.id not in unavailable)
        output.ids = planned.ids
        level = required(request.require_sandbox, sandboxed)
        await asyncio.to_thread(require, level, jobs, pool)
        for message in (*sandboxed.ignored, *lowered(jobs, pool)):
            emit(Warned(message=message))
        open_jobs = [job for job in jobs if not resumed.has(job)]
        if request.budget_usd is not None:
            await asyncio.to_thread(require_prices, open_jobs, resumed.answers, pool)
        path = None
        if (
            resumed.path is None
            and request.results_path
            and (jobs or request.previous_hashes is None)
        ):
            path = results_path(request.results_path, planned.suite.dataset)
            await asyncio.to_thread(check_output, path, _inputs(planned, request, hashes))
        if request.dry_run:
            from suitecase.run.estimate import estimate

            figures = await asyncio.to_thread(
                estimate, planned, open_jobs, pool, len(jobs), resumed.answers
            )
            dependencies = await asyncio.to_thread(_dependencies, planned, request, hashes)
            emit(Estimated(estimate={**figures, **dependencies}, earlier_usd=resumed.usd))
            return
        for message in await asyncio.to_thread(_unsaved, planned, request, hashes):
            emit(Warned(message=message))
        output.context = RunContext(
            pool,
            redactor,
            request.cache,
            warn=lambda it: emit(Warned(message=it)),
            failures=Failures.after(request.failing, request.max_errors),
        )
        if resumed.path is not None:
            output.results, resumed = await asyncio.to_thread(
                resume, planned, resumed, jobs, hashes
            )
        elif path is not None:
            output.results = await asyncio.to_thread(ResultsFile.open, path)
        output.context.open_cache(Path(request.workspace_root))
        stale = await asyncio.to_thread(_stale, planned, request, hashes)
        dependencies = await asyncio.to_thread(_dependencies, planned, request, hashes)
        emit(
            Started(
                cases=planned.ids,
                results_path=str(output.results.path) if output.results else None,
                repeats=resumed.repeats,
                earlier_usd=0.0 if request.budget_usd is None else resumed.usd,
                notes=tuple(
                    it for it in (planned.choice, *planned.notes, *resumed.notes, stale) if it
                ),
                **dependencies,
            )
        )
        for record in resumed.records():
            output.add(record)
            emit(CaseKept(record=record))
        todo = [it for it in jobs if not resumed.has(it)]
        decided: GatesDecided | None = None
        async with traced(redactor, lambda it: emit(Warned(message=it))) as tracing:
            with run_span(tracing, planned, resumed.repeats, len(todo)) as span:
                try:
                    await _run_jobs(todo, planned, output, request, hashes, resumed)
                    decided = await asyncio.to_thread(output.measure)
                finally:
                    put_summary(span, output.summary(), bugs=bool(output.bugs))
                    if decided is not None:
                        put_gates(span, decided)
        if (
            request.budget_usd is not None
            and output.context.spending.unpriced
            and not output.stopped
        ):
            emit(Warned(message=_unpriced(output.context.spending.unpriced)))
        if output.context.prompt_changed:
            emit(Warned(message=changed_since(request, output.context.prompt_changed)))
        if decided is not None:
            emit(decided)
        emit(output.last_event(redactor))
    except asyncio.CancelledError:
        emit(Finished(summary=output.summary()))
    except (
        NothingToResumeError,
        SandboxError,
        TooManyRepeatsError,
        UnusableOutputError,
    ) as error:
        emit(Failed(message=error.message, kind="usage"))
    except UnknownPriceError as error:
        emit(Failed(message=error.message, kind="unpriced"))
    except (TargetError, ResultsError, ResultsInUseError) as error:
        misspelt = isinstance(error, UnknownTargetError) and error.name == request.target
        kind: Literal["usage", "environment"] = "usage" if misspelt else "environment"
        emit(Failed(message=redactor(error.message), kind=kind))
    finally:
        if pool is not None:
            await pool.close()
        if output.context is not None:
            output.context.close()
        if output.results is not None:
            output.results.close()


def _without_unchanged(planned: Plan, request: RunRequest, hashes: EffectiveHashes) -> Plan:
    """Leave out the cases that have not changed since they were run."""
    previous = request.previous_hashes
    if previous is None:
        return planned
    changed = tuple(
        case
        for case in planned.cases
        if hashes.version_of(case, target_of(case, request)).changed_since(
            CaseVersion(None, previous.get(case.id))
        )
    )
    return replace(planned, cases=changed)


def _dependencies(planned: Plan, request: RunRequest, hashes: EffectiveHashes) -> dict[str, Any]:
    """Return the hashes and files for `Started`, if the request wants them."""
    if request.previous_hashes is None:
        return {}
    cases = {it.id: hashes.of_case(it, target_of(it, request)) for it in planned.suite.cases}
    return {
        "hashes": {name: cases[name] for name in planned.ids},
        "files": tuple(sorted(map(str, hashes.files))),
    }


def _inputs(planned: Plan, request: RunRequest, hashes: EffectiveHashes) -> list[Path]:
    """Return the files that a run reads."""
    for case in planned.cases:
        hashes.of_case(case, target_of(case, request))
    configuration = planned.configuration
    configurations = [] if configuration is None else [configuration.path]
    replayed_from = [] if request.replay_from is None else [Path(request.replay_from)]
    return [*hashes.files, *configurations, *replayed_from]


def _unsaved(planned: Plan, request: RunRequest, hashes: EffectiveHashes) -> list[str]:
    """Return warnings about unsaved files whose content on disk is used."""
    if not request.open_texts:
        return []
    for case in planned.cases:
        hashes.of_case(case, target_of(case, request))
    workspace = planned.folder.workspace
    names = [
        planned.folder.shown(path)
        for path in sorted(hashes.on_disk)
        if workspace.open_text(path) is not None
    ]
    return [
        f"{name} is not saved: a program runs or reads it, so the file on disk is used"
        for name in names
    ]


def _stale(planned: Plan, request: RunRequest, hashes: EffectiveHashes) -> str | None:
    """Return a warning about cases that passed and are not run, although they have changed."""
    changed = hashes.changed_since_passed(lambda case: target_of(case, request))
    if not changed:
        return None
    suite = planned.folder.shown(planned.suite.path)
    return f"{suite}: passed, but have changed since and are not rerun: {named(changed)}"


async def _run_jobs(
    jobs: Sequence[Job],
    planned: Plan,
    output: Outcome,
    request: RunRequest,
    hashes: EffectiveHashes,
    resumed: Resumed,
) -> None:
    """Run the jobs, for each target as many concurrently as it has workers."""
    context = output.context
    if context is None:
        return
    places = {
        name: asyncio.Semaphore(context.pool.workers(name)) for name in {it.target for it in jobs}
    }

    limits = Limits(request, context, resumed.usd)
    regraded: list[Job] = []

    async def one(job: Job) -> None:
        async with places[job.target]:
            if output.failure is not None:
                return  # do not pay for answers that cannot be written
            if not await limits.begin(job.target):
                output.stopped = limits.stopped
                return
            output.emit(CaseStarted(case=job.case.id, repeat=job.repeat))
            previous_answer = None
            if resumed.answers.has(job):
                previous_answer = await asyncio.to_thread(resumed.answers.find, job)
            with case_span(job, planned) as span:
                graded = await grade_case(
                    job.case,
                    job,
                    planned,
                    context,
                    request.timeout_seconds,
                    hashes.version(job),
                    hashes.digests(job.case),
                    previous_answer,
                )
                put_record(span, graded.record, graded.error_type)
            limits.end(job.target, graded.usd)
            output.bugs += graded.bugs
            # No `await` from here on: a record is both written and reported, or neither.
            record = graded.reported
            output.add(record)
            if output.store(record):
                regraded.extend([job] if previous_answer is not None else [])
            output.emit(CaseFinished(record=record))

    async with asyncio.TaskGroup() as group:
        for job in jobs:
            group.create_task(one(job))
    # By now the cases that were running have finished, too.
    output.stopped = limits.stop_reason() or output.stopped
    output.failing = context.failures.in_a_row
    if output.results is not None:
        # If a record cannot be removed, the later one counts.
        with suppress(ResultsError):
            await asyncio.to_thread(output.results.sync)
            await asyncio.to_thread(drop_graded, output.results, resumed, regraded)


def _unpriced(number: int) -> str:
    return (
        f"the cost of {counted(number, 'question')} is unknown, so the budget does not include it"
    )
