"""Which processes grade the jobs of a run."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from suitecase.run.jobs import Jobs
from suitecase.run.metered_target import RunContext
from suitecase.run.plan import Plan
from suitecase.run.protocol import RunRequest
from suitecase.run.sharing.grading_jobs import Grader, OwnProcess
from suitecase.run.tracing import Tracing

if TYPE_CHECKING:
    from suitecase.run.cluster.cluster import Cluster
    from suitecase.run.sharing.children import Children

#: A further process is worth its start only if it has so many jobs to grade.
JOBS_PER_PROCESS = 1_000
#: One process keeps so many calls of models under way without being busy all the time.
CALLS_PER_PROCESS = 16
#: The size of a suite in bytes, or of a data set, from which on planning takes longer than to start a
#: process.
LONG_SUITE = 400_000
#: On so many processors one process is as fast as several.
FEW_CORES = 2


def started_early(request: RunRequest) -> Children | None:
    """Start the processes that grade while the suite is planned.

    Only those that a request asks for are started: what is worth it by default is known when the suite
    is planned.

    Returns:
        None if none are started; they have to be closed.
    """
    number = request.workers or 1
    if sys.platform == "win32" or number == 1 or request.dry_run or request.cluster is not None:
        return None
    if _size(request) < LONG_SUITE:
        return None
    from suitecase.run.sharing.children import Children

    children = Children()
    children.start(number)
    return children


def _size(request: RunRequest) -> int:
    if request.text is not None:
        return len(request.text)
    try:
        return Path(request.suite_path).stat().st_size
    except OSError:
        return 0  # the run reports it


@asynccontextmanager
async def grader_of(
    planned: Plan,
    jobs: Jobs,
    request: RunRequest,
    context: RunContext,
    tracing: Tracing,
    cluster: Cluster | None,
    started: Children | None,
) -> AsyncIterator[Grader]:
    """Return what grades the jobs of a run: this process, others that it starts, or a cluster.

    Args:
        started: processes that are started already.
    """
    number = number_of_processes(jobs, planned, request, context)
    if cluster is None and number == 1:
        yield OwnProcess(planned, context, request.timeout_seconds)
        return
    from suitecase.run.sharing.coordinator import Coordinator
    from suitecase.run.sharing.setup import Setup

    setup = Setup.of(
        planned, request, context.pool.sandbox, tracing, cache=context.cache is not None
    )
    if cluster is None:
        from suitecase.run.sharing.children import Children

        children = started or Children()
        async with Coordinator(setup, planned, context, children.connect, number) as coordinator:
            yield coordinator
        return
    from suitecase.run.cluster.cluster import MOST_MACHINES

    async with Coordinator(setup, planned, context, cluster.connect, MOST_MACHINES) as coordinator:
        try:
            yield coordinator
        finally:
            cluster.stop()


def number_of_processes(jobs: Jobs, planned: Plan, request: RunRequest, context: RunContext) -> int:
    """Return how many processes grade the jobs; 1 is this one."""
    if sys.platform == "win32":
        return 1
    number = len(jobs)
    configured = None if planned.configuration is None else planned.configuration.model.run.workers
    chosen = request.workers or configured
    if chosen is not None:
        return max(1, min(chosen, number))
    if number < 2 * JOBS_PER_PROCESS or cores() <= FEW_CORES:
        return 1
    return useful_processes(number, _calls_at_once(jobs, context), cores())


def useful_processes(jobs: int, calls: int, cores: int) -> int:
    """Return how many processes are worth their start.

    On two processors that is one: two graders, their coordinator and the command that prints were slower.

    Args:
        jobs: the number of jobs.
        calls: how many calls may be under way at once.
        cores: the number of processors.
    """
    if cores <= FEW_CORES:
        return 1
    return max(1, min(jobs // JOBS_PER_PROCESS, calls // CALLS_PER_PROCESS, cores))


def _calls_at_once(jobs: Jobs, context: RunContext) -> int:
    """Return how many calls of models and programs may be under way at once.

    Mocks and replays answer at once: to send a case elsewhere takes as long as to grade it.
    """
    pool = context.pool
    asked: set[str] = set()
    for job in jobs.kinds():
        configs = (evaluator.config for evaluator in job.case.evaluators)
        asked |= {job.target, *(judge for judge, _ in pool.judge_calls(configs, job.target))}
    return sum(pool.workers(it) for it in asked if pool.costs(it))


def cores() -> int:
    """Return the number of processors that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
