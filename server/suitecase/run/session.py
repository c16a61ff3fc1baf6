"""One run, from its request to its last event."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from suitecase import installation
from suitecase.run.case_spans import put_gates, put_summary, run_span
from suitecase.run.choosing import named
from suitecase.run.cluster.errors import ClusterError
from suitecase.run.effective import EffectiveHashes
from suitecase.run.executing import run_jobs
from suitecase.run.failures import Failures
from suitecase.run.jobs import Jobs
from suitecase.run.metered_target import RunContext
from suitecase.run.outcome import Outcome, always_ready
from suitecase.run.output_file import UnusableOutputError, check_output
from suitecase.run.plan import Plan, plan
from suitecase.run.protocol import (
    CaseKept,
    CaseNotRun,
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
    TooManyRepeatsError,
    find_resumed,
    resume,
)
from suitecase.run.sandboxing import SandboxError, lowered, require, required, sandbox_of
from suitecase.run.setting_up import UnknownPriceError, require_prices, set_up
from suitecase.run.sharing.chosen import grader_of
from suitecase.run.sharing.grading_jobs import NoGraderError
from suitecase.run.target_pool import TargetPool, UnknownTargetError
from suitecase.run.tracing import traced
from suitecase.suite.counted import counted
from suitecase_evaluators.records.case_version import CaseVersion
from suitecase_evaluators.registry import shadowed
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.target import TargetError
from suitecase_evaluators.temporary_folders import remove_abandoned

if TYPE_CHECKING:
    from suitecase.run.cluster.cluster import Cluster


async def run_suite(
    request: RunRequest,
    emit: Callable[[Event], None],
    ready: Callable[[], Awaitable[None]] = always_ready,
) -> None:
    """Run a suite; the summary of a cancelled run lists the cases that were not graded.

    Args:
        emit: called with each event, up to the run's last one.
        ready: waits until events may be emitted, which otherwise would be held in memory.
    """
    try:
        installation.require("running cases", installation.RUNS)
    except installation.NotInstalledError as missing:
        emit(Failed(message=str(missing), kind="environment"))
        return
    output = Outcome(emit, ids=request.cases or (), repeats=request.repeats or 1, ready=ready)
    redactor = Redactor()
    pool: TargetPool | None = None
    cluster: Cluster | None = None
    warned: set[str] = set()

    def warn(message: str) -> None:
        # Processes that share the jobs may have the same to say.
        if message not in warned:
            warned.add(message)
            emit(Warned(message=message))

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
        kinds = Jobs(planned.cases, request, 1).kinds()
        types = (it.config.type for job in kinds for it in job.case.evaluators)
        for message in shadowed(types):
            emit(Warned(message=message))
        resumed = await asyncio.to_thread(find_resumed, planned, request, hashes)
        output.repeats = resumed.repeats
        cases = planned.cases
        unavailable = set_up(resumed.open(Jobs(cases, request, resumed.repeats)), pool, request)
        for index, error in unavailable.items():
            emit(
                CaseNotRun(
                    case=cases.ids[index],
                    line=cases.line(index),
                    kind="environment",
                    message=redactor(error.message),
                )
            )
        if unavailable:
            planned = replace(planned, cases=cases.where(lambda it: it not in unavailable))
            output.ids = planned.ids
        jobs = Jobs(planned.cases, request, resumed.repeats)
        kinds = jobs.kinds()
        level = required(request.require_sandbox, sandboxed)
        if request.cluster is None:
            await asyncio.to_thread(require, level, kinds, pool)
        for message in (*sandboxed.ignored, *lowered(kinds, pool)):
            emit(Warned(message=message))
        open_jobs = resumed.open(jobs)
        if request.budget_usd is not None:
            await asyncio.to_thread(require_prices, open_jobs, resumed.answers, pool)
        path = None
        if (
            resumed.path is None
            and request.results_path
            and (jobs.planned or request.previous_hashes is None)
        ):
            path = results_path(request.results_path, planned.suite.dataset)
            await asyncio.to_thread(check_output, path, _inputs(planned, request, hashes))
        if request.dry_run:
            from suitecase.run.estimate import estimate

            figures = await asyncio.to_thread(estimate, planned, open_jobs, pool, resumed.answers)
            dependencies = await asyncio.to_thread(_dependencies, planned, request, hashes)
            emit(Estimated(estimate={**figures, **dependencies}, earlier_usd=resumed.usd))
            return
        for message in await asyncio.to_thread(_unsaved, planned, request, hashes):
            emit(Warned(message=message))
        if request.cluster is not None and open_jobs:
            from suitecase.run.cluster.joining import join

            cluster = await join(
                request.cluster, open_jobs, planned, request, pool, hashes, redactor,
                least=level, warn=lambda it: emit(Warned(message=it)),
            )  # fmt: skip
        output.context = RunContext(
            pool,
            redactor,
            request.cache,
            warn=warn,
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
                cases=tuple(planned.ids),
                results_path=str(output.results.path) if output.results else None,
                repeats=resumed.repeats,
                earlier_usd=0.0 if request.budget_usd is None else resumed.usd,
                notes=tuple(
                    it
                    for it in (
                        planned.choice,
                        *planned.notes,
                        *resumed.notes,
                        stale,
                        cluster and cluster.note,
                    )
                    if it
                ),
                **dependencies,
            )
        )
        for record in resumed.records():
            await ready()
            output.add(record)
            emit(CaseKept(record=record))
            await asyncio.sleep(0)  # whoever reads many records can be cancelled
        todo = resumed.open(jobs)
        decided: GatesDecided | None = None
        async with traced(redactor, warn) as tracing:
            with run_span(tracing, planned, resumed.repeats, len(todo)) as span:
                try:
                    context = output.context
                    async with grader_of(
                        planned, todo, request, context, tracing, cluster
                    ) as grader:
                        await run_jobs(
                            todo, planned, output, context, request, hashes, resumed, grader
                        )
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
    except NoGraderError as error:
        kind_of_failure: Literal["bug", "environment"] = (
            "environment" if error.trace is None else "bug"
        )
        emit(
            Failed(
                message=redactor(error.message),
                kind=kind_of_failure,
                trace=error.trace,
                spending=output.spending,
            )
        )
    except UnknownPriceError as error:
        emit(Failed(message=error.message, kind="unpriced"))
    except ClusterError as error:
        emit(Failed(message=redactor(error.message), kind="environment"))
    except (TargetError, ResultsError, ResultsInUseError) as error:
        misspelt = isinstance(error, UnknownTargetError) and error.name == request.target
        kind: Literal["usage", "environment"] = "usage" if misspelt else "environment"
        emit(Failed(message=redactor(error.message), kind=kind))
    finally:
        if cluster is not None:
            await cluster.close()
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
    cases = planned.cases
    jobs = Jobs(cases, request, 1)

    def changed(index: int) -> bool:
        earlier = CaseVersion(None, previous.get(cases.ids[index]))
        return hashes.version_at(cases, index, jobs.target(index)).changed_since(earlier)

    return replace(planned, cases=cases.where(changed))


def _dependencies(planned: Plan, request: RunRequest, hashes: EffectiveHashes) -> dict[str, Any]:
    """Return the hashes and files for `Started`, if the request wants them."""
    if request.previous_hashes is None:
        return {}
    versions = hashes.versions(Jobs(planned.sound, request, 1))
    cases = dict(zip(planned.sound.ids, versions, strict=True))
    return {
        "hashes": {name: cases[name].effective for name in planned.ids},
        "files": tuple(sorted(map(str, hashes.files))),
    }


def _inputs(planned: Plan, request: RunRequest, hashes: EffectiveHashes) -> list[Path]:
    """Return the files that a run reads."""
    deque(hashes.versions(Jobs(planned.cases, request, 1)), maxlen=0)
    configuration = planned.configuration
    configurations = [] if configuration is None else [configuration.path]
    replayed_from = [] if request.replay_from is None else [Path(request.replay_from)]
    return [*hashes.files, *configurations, *replayed_from]


def _unsaved(planned: Plan, request: RunRequest, hashes: EffectiveHashes) -> list[str]:
    """Return warnings about unsaved files whose content on disk is used."""
    if not request.open_texts:
        return []
    deque(hashes.versions(Jobs(planned.cases, request, 1)), maxlen=0)
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
    changed = hashes.changed_since_passed(Jobs(planned.sound, request, 1).target)
    if not changed:
        return None
    suite = planned.folder.shown(planned.suite.path)
    return f"{suite}: passed, but have changed since and are not rerun: {named(changed)}"


def _unpriced(number: int) -> str:
    return (
        f"the cost of {counted(number, 'question')} is unknown, so the budget does not include it"
    )
