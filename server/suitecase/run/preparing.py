"""Preparing a run: what it needs is there before it starts, or it does not start."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections import deque
from collections.abc import Iterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from suitecase.format.results_files import last_record
from suitecase.run.effective import EffectiveHashes
from suitecase.run.jobs import Job, Jobs
from suitecase.run.outcome import Outcome
from suitecase.run.output_file import check_output
from suitecase.run.plan import Plan
from suitecase.run.planning import plan
from suitecase.run.previous_results import FailedCases
from suitecase.run.protocol import CaseNotRun, RunRequest, Warned
from suitecase.run.replaying import replayed
from suitecase.run.results import results_path
from suitecase.run.resuming import Resumed, find_resumed
from suitecase.run.sandboxing import SandboxSetup, isolates, lowered, require, required, sandbox_of
from suitecase.run.setting_up import require_prices, set_up
from suitecase.run.target_pool import TargetPool
from suitecase.run.too_few_resources import open_files_for
from suitecase_evaluators.answers.records.case_version import CaseVersion
from suitecase_evaluators.answers.sandbox_level import Level
from suitecase_evaluators.grade.registry import shadowed
from suitecase_evaluators.system.path_kinds import is_file, is_folder, real_path
from suitecase_evaluators.targets.redactor import Redactor
from suitecase_evaluators.targets.target import TargetError


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A run that can start."""

    planned: Plan
    pool: TargetPool
    hashes: EffectiveHashes
    #: The state that it starts from.
    resumed: Resumed
    #: Where its records go; None if they are not kept, or go to the file that is resumed.
    path: Path | None
    #: All its jobs, whether they are done or not.
    jobs: Jobs
    #: The sandbox level that its programs need at least.
    level: Level

    @property
    def open_jobs(self) -> Jobs:
        """The jobs that are not done."""
        return self.resumed.open(self.jobs)


async def planned_run(request: RunRequest, output: Outcome) -> Plan | None:
    """Return the plan of a run; None if it cannot be run, which is emitted."""
    planned = await asyncio.to_thread(plan, request)
    if isinstance(planned, Plan):
        planned = await asyncio.to_thread(replayed, planned, request)
    if not isinstance(planned, Plan):
        output.emit(planned)
        return None
    for not_run in planned.not_run:
        output.emit(not_run)
    output.ids = planned.ids
    if planned.asked is not None:
        from suitecase.run.figure_tally import figure_tally

        output.figures = figure_tally(planned, planned.asked, request)
    return planned


async def prepare(
    planned: Plan,
    request: RunRequest,
    output: Outcome,
    redactor: Redactor,
    opened: AsyncExitStack,
) -> Prepared:
    """Set up targets, find what is resumed, and see that the run can have what it asks for.

    Args:
        opened: closes the targets.

    Raises:
        NothingToResumeError, TooManyRepeatsError: there is nothing to resume, or too much.
        SandboxError: programs would run with less isolation than is required.
        TargetError: a target or the pool cannot be set up for any case.
        UnknownPriceError: there is a budget, and the price of a model is unknown.
        UnusableOutputError: the results would overwrite what the run reads.
    """
    sandboxed = sandbox_of(
        planned.configuration,
        Path(request.workspace_root),
        request.sandbox,
        results=(request.results_path, request.resume_from),
    )
    pool = TargetPool(
        planned.targets,
        folder=planned.folder.path,
        environ=os.environ,
        redactor=redactor,
        workers=request.concurrency,
        sandbox=sandboxed.sandbox,
        replay=request.replay_from,
    )
    opened.push_async_callback(pool.close)
    hashes = EffectiveHashes(planned, pool, os.environ)
    planned = await asyncio.to_thread(_without_unchanged, planned, request, hashes)
    output.ids = planned.ids
    _warn_of_shadowed(Jobs(planned.cases, request, 1).kinds(), output)
    resumed = await asyncio.to_thread(find_resumed, planned, request, hashes)
    output.repeats = resumed.repeats
    planned = _without_unavailable(planned, resumed, pool, request, output, redactor)
    jobs = Jobs(planned.cases, request, resumed.repeats)
    _require_open_files(resumed.open(jobs), pool, request)
    level = await _sandbox_level(jobs.kinds(), sandboxed, pool, request, output)
    if request.budget_usd is not None:
        await asyncio.to_thread(require_prices, resumed.open(jobs), resumed.answers, pool)
    path = None
    if (
        resumed.path is None
        and request.results_path
        and (jobs.planned or request.previous_hashes is None)
    ):
        path = _continued(planned.failed, jobs, request)
        if path is None:
            path = results_path(request.results_path, planned.suite.dataset)
    keeps_inputs = not request.dry_run and isolates(jobs.kinds(), pool)
    if path is not None or keeps_inputs:
        inputs = await asyncio.to_thread(sorted, _inputs(planned, request, hashes))
        if path is not None:
            await asyncio.to_thread(check_output, path, inputs)
        if keeps_inputs:
            # What programs act on later in this run, or in the next one; the suite and its targets first.
            targets = () if planned.targets is None else (planned.targets.path,)
            sandboxed.sandbox.keep((planned.suite.path, *targets, *inputs))
    run_id = await asyncio.to_thread(_run_id_of, resumed.path or path)
    failed = planned.failed.verdicts if planned.failed is not None else {}
    jobs = jobs.of_run(run_id, {**failed, **resumed.asked_again})
    return Prepared(
        planned=planned,
        pool=pool,
        hashes=hashes,
        resumed=resumed,
        path=path,
        jobs=jobs,
        level=level,
    )


def _require_open_files(jobs: Jobs, pool: TargetPool, request: RunRequest) -> None:
    """Make sure that as many calls can be made at once as the targets may have.

    Raises:
        TargetError: the system allows too few open files.
    """
    if request.dry_run or request.cluster is not None:
        return
    calls = sum(pool.workers(target) for target in jobs.targets() if pool.costs(target))
    why = open_files_for(min(calls, jobs.planned))
    if why is not None:
        raise TargetError(why, kind="configuration")


def _warn_of_shadowed(kinds: list[Job], output: Outcome) -> None:
    for message in shadowed(
        evaluator.config.type for job in kinds for evaluator in job.case.evaluators
    ):
        output.emit(Warned(message=message))


def _without_unavailable(
    planned: Plan,
    resumed: Resumed,
    pool: TargetPool,
    request: RunRequest,
    output: Outcome,
    redactor: Redactor,
) -> Plan:
    """Leave out the cases whose target or judge cannot be set up, which is emitted for each."""
    cases = planned.cases
    unavailable = set_up(resumed.open(Jobs(cases, request, resumed.repeats)), pool, request)
    for index, error in unavailable.items():
        output.emit(
            CaseNotRun(
                case=cases.ids[index],
                line=cases.line(index),
                kind="environment",
                message=redactor(error.message),
                test=planned.tests.get(cases.ids[index]),
            )
        )
    if not unavailable:
        return planned
    planned = replace(planned, cases=cases.where(lambda it: it not in unavailable))
    output.ids = planned.ids
    return planned


async def _sandbox_level(
    kinds: list[Job],
    sandboxed: SandboxSetup,
    pool: TargetPool,
    request: RunRequest,
    output: Outcome,
) -> Level:
    """Return the level that is required, which this machine has unless others run the programs."""
    level = required(request.require_sandbox, sandboxed)
    if request.cluster is None:
        await asyncio.to_thread(require, level, kinds, pool)
    for message in (*sandboxed.ignored, *lowered(kinds, pool)):
        output.emit(Warned(message=message))
    return level


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


def _inputs(planned: Plan, request: RunRequest, hashes: EffectiveHashes) -> Iterator[Path]:
    """Yield the files that a run reads; each case is read for that."""
    if planned.configuration is not None:
        yield planned.configuration.path
    if request.replay_from is not None:
        yield Path(request.replay_from)
    deque(hashes.versions(Jobs(planned.cases, request, 1)), maxlen=0)
    yield from hashes.files


def _run_id_of(results: Path | None) -> str:
    """Return the id of the run of a results file: that of its records, or a new one.

    Args:
        results: the file, which need not exist; None for a run that writes none.
    """
    if results is not None and is_file(results):
        with suppress(OSError):
            last = last_record(results)
            if last is not None and last.run_id is not None:
                return last.run_id
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}"


def _continued(failed: FailedCases | None, jobs: Jobs, request: RunRequest) -> Path | None:
    """Return the results file that a run of failed cases continues; None if it is a run of its own.

    It continues the run in which they failed if that one is where this one's results go, and has answers
    of the same targets, as often.
    """
    if failed is None or request.replay_from is not None or not request.results_path:
        return None
    place = Path(request.results_path)
    if not (request.results_path.endswith(("/", os.sep)) or is_folder(place)):
        return None
    in_place = real_path(failed.path.parent) == real_path(place)
    same = failed.targets.issuperset(jobs.targets()) and failed.repeats == jobs.repeats
    return failed.path if in_place and same else None
