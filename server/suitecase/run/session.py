"""One run, from its request to its last event."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from suitecase import installation
from suitecase.run.case_spans import put_gates, put_summary, run_span
from suitecase.run.choosing import named
from suitecase.run.cluster.errors import ClusterError
from suitecase.run.executing import run_jobs
from suitecase.run.failures import Failures
from suitecase.run.jobs import Jobs
from suitecase.run.metered_target import RunContext
from suitecase.run.outcome import Outcome, always_ready
from suitecase.run.output_file import UnusableOutputError
from suitecase.run.own_folder import removed_if_unused
from suitecase.run.preparing import Prepared, planned_run, prepare
from suitecase.run.protocol import (
    CaseKept,
    Estimated,
    Event,
    Failed,
    Finished,
    GatesDecided,
    RateLimited,
    RunRequest,
    Started,
    Warned,
)
from suitecase.run.replaying import changed_since
from suitecase.run.results import ResultsError, ResultsFile, ResultsInUseError
from suitecase.run.resuming import NothingToResumeError, TooManyRepeatsError, resume
from suitecase.run.sandboxing import SandboxError
from suitecase.run.setting_up import UnknownPriceError
from suitecase.run.sharing.chosen import grader_of, started_early
from suitecase.run.sharing.grading_jobs import NoGraderError
from suitecase.run.target_pool import UnknownTargetError
from suitecase.run.too_few_resources import why_too_few_by
from suitecase.run.tracing import traced
from suitecase.text.plural import counted
from suitecase_evaluators.system.temporary_folders import remove_abandoned
from suitecase_evaluators.system.waiting import RATE_WAITS
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.sandbox.changed_configuration import noticed_changes
from suitecase_evaluators.targets.target import TargetError

if TYPE_CHECKING:
    from suitecase.run.cluster.cluster import Cluster
    from suitecase.run.sharing.children import Children


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
    async with AsyncExitStack() as opened:
        opened.callback(output.close)
        try:
            await _run(request, output, redactor, opened)
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
            too_few = None if error.trace is None else why_too_few_by(error.trace)
            is_bug = error.trace is not None and too_few is None
            emit(
                Failed(
                    message=redactor(too_few or error.message),
                    kind="bug" if is_bug else "environment",
                    trace=error.trace if is_bug else None,
                    spending=output.spending,
                )
            )
        except UnknownPriceError as error:
            emit(Failed(message=error.message, kind="unpriced"))
        except ClusterError as error:
            emit(Failed(message=redactor(error.message), kind="environment"))
        except (TargetError, ResultsError, ResultsInUseError) as error:
            misspelt = isinstance(error, UnknownTargetError) and error.name == request.target
            emit(
                Failed(message=redactor(error.message), kind="usage" if misspelt else "environment")
            )


async def _run(
    request: RunRequest, output: Outcome, redactor: Redactor, opened: AsyncExitStack
) -> None:
    """Plan a run, and run what is planned; what is open is closed with `opened`."""
    await asyncio.to_thread(remove_abandoned)
    started = started_early(request)
    if started is not None:
        opened.push_async_callback(started.close)
    planned = await planned_run(request, output)
    if planned is None:
        return
    opened.enter_context(removed_if_unused(planned.folder.workspace.root))
    prepared = await prepare(planned, request, output, redactor, opened)
    open_jobs = prepared.open_jobs
    if request.dry_run:
        await _estimate(prepared, request, output)
        return
    for message in await asyncio.to_thread(_unsaved, prepared, request):
        output.emit(Warned(message=message))
    cluster: Cluster | None = None
    if request.cluster is not None and open_jobs:
        from suitecase.run.cluster.joining import join

        cluster = await join(
            request.cluster, open_jobs, prepared.planned, request, prepared.pool, prepared.hashes,
            redactor, least=prepared.level, warn=lambda it: output.emit(Warned(message=it)),
        )  # fmt: skip
        opened.push_async_callback(cluster.close)
    warn = _each_once(output)
    context = RunContext(
        prepared.pool,
        redactor,
        request.cache,
        warn=warn,
        rate_limited=lambda target, seconds: output.emit(
            RateLimited(target=target, seconds=seconds)
        ),
        failures=Failures.after(request.failing, request.max_errors),
    )
    RATE_WAITS.set(context.rate_limited)
    output.context = context
    prepared = await _open_results(prepared, output)
    context.open_cache(Path(request.workspace_root))
    await _start(prepared, request, output, cluster)
    decided = await _grade(prepared, request, output, context, cluster, started)
    if request.budget_usd is not None and context.spending.unpriced and not output.stopped:
        output.emit(Warned(message=_unpriced(context.spending.unpriced)))
    if not output.stopped:
        for remark in context.failures.remarks():
            output.emit(Warned(message=remark))
    if context.prompt_changed:
        output.emit(Warned(message=changed_since(request, context.prompt_changed)))
    if decided is not None:
        output.emit(decided)
    output.emit(output.last_event(redactor))


def _each_once(output: Outcome) -> Callable[[str], None]:
    """Return a function that emits a warning once: processes that share jobs may have the same."""
    warned: set[str] = set()

    def warn(message: str) -> None:
        if message not in warned:
            warned.add(message)
            output.emit(Warned(message=message))

    return warn


async def _estimate(prepared: Prepared, request: RunRequest, output: Outcome) -> None:
    """Emit what a run would come to."""
    from suitecase.run.estimate import estimate

    resumed = prepared.resumed
    figures = await asyncio.to_thread(
        estimate, prepared.planned, prepared.open_jobs, prepared.pool, resumed.answers
    )
    dependencies = await asyncio.to_thread(_dependencies, prepared, request)
    output.emit(Estimated(estimate={**figures, **dependencies}, earlier_usd=resumed.usd))


async def _open_results(prepared: Prepared, output: Outcome) -> Prepared:
    """Open the results file that records are written to, if there is one."""
    if prepared.resumed.path is not None:
        output.results, resumed = await asyncio.to_thread(
            resume, prepared.planned, prepared.resumed, prepared.jobs, prepared.hashes
        )
        return replace(prepared, resumed=resumed)
    if prepared.path is not None:
        root = prepared.planned.folder.root
        output.results = await asyncio.to_thread(ResultsFile.open, prepared.path, within=root)
    return prepared


async def _start(
    prepared: Prepared, request: RunRequest, output: Outcome, cluster: Cluster | None
) -> None:
    """Emit that the run starts, and the records that are kept."""
    planned, resumed = prepared.planned, prepared.resumed
    stale = await asyncio.to_thread(_stale, prepared, request)
    dependencies = await asyncio.to_thread(_dependencies, prepared, request)
    notes = (*planned.notes, *resumed.notes, stale, cluster and cluster.note)
    output.emit(
        Started(
            cases=tuple(planned.ids),
            results_path=str(output.results.path) if output.results else None,
            repeats=resumed.repeats,
            tests={it: planned.tests[it] for it in planned.ids if it in planned.tests},
            earlier_usd=0.0 if request.budget_usd is None else resumed.usd,
            notes=tuple(note for note in (planned.choice, *notes) if note),
            **dependencies,
        )
    )
    for record in resumed.records():
        await output.ready()
        output.add(record)
        output.emit(CaseKept(record=record))
        await asyncio.sleep(0)  # whoever reads many records can be cancelled


async def _grade(
    prepared: Prepared,
    request: RunRequest,
    output: Outcome,
    context: RunContext,
    cluster: Cluster | None,
    started: Children | None,
) -> GatesDecided | None:
    """Grade the cases, and return what the gates of the suite come to."""
    planned, resumed, jobs = prepared.planned, prepared.resumed, prepared.open_jobs
    decided: GatesDecided | None = None
    with noticed_changes(lambda it: context.warn(f"a program {it}")):
        async with traced(context.redactor, context.warn) as tracing:
            with run_span(tracing, planned, resumed.repeats, len(jobs)) as span:
                try:
                    async with grader_of(
                        planned, jobs, request, context, tracing, cluster, started
                    ) as grader:
                        await run_jobs(
                            jobs,
                            planned,
                            output,
                            context,
                            request,
                            prepared.hashes,
                            resumed,
                            grader,
                        )
                    decided = await asyncio.to_thread(output.measure)
                finally:
                    put_summary(span, output.summary(), bugs=bool(output.bugs))
                    if decided is not None:
                        put_gates(span, decided)
                    # What they leave behind is told before the last event.
                    await context.pool.bridges.close()
    return decided


def _dependencies(prepared: Prepared, request: RunRequest) -> dict[str, Any]:
    """Return the hashes and files for `Started`, if the request wants them."""
    if request.previous_hashes is None:
        return {}
    planned, hashes = prepared.planned, prepared.hashes
    versions = hashes.versions(Jobs(planned.sound, request, 1))
    cases = dict(zip(planned.sound.ids, versions, strict=True))
    return {
        "hashes": {name: cases[name].effective for name in planned.ids},
        "files": tuple(sorted(map(str, hashes.files))),
    }


def _unsaved(prepared: Prepared, request: RunRequest) -> list[str]:
    """Return warnings about unsaved files whose content on disk is used."""
    if not request.open_texts:
        return []
    planned, hashes = prepared.planned, prepared.hashes
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


def _stale(prepared: Prepared, request: RunRequest) -> str | None:
    """Return a warning about cases that passed and are not run, although they have changed."""
    planned = prepared.planned
    changed = prepared.hashes.changed_since_passed(Jobs(planned.sound, request, 1).target)
    if not changed:
        return None
    suite = planned.folder.shown(planned.suite.path)
    return f"{suite}: passed, but have changed since and are not rerun: {named(changed)}"


def _unpriced(number: int) -> str:
    return (
        f"the cost of {counted(number, 'question')} is unknown, so the budget does not include it"
    )
