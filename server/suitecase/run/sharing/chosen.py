"""Which processes grade the jobs of a run."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from suitecase.run.jobs import Jobs
from suitecase.run.metered_target import RunContext
from suitecase.run.plan import Plan
from suitecase.run.protocol import RunRequest
from suitecase.run.sharing.grading_jobs import Grader, OwnProcess
from suitecase.run.tracing import Tracing

if TYPE_CHECKING:
    from suitecase.run.cluster.cluster import Cluster

#: A further process is worth its start only if it has so many jobs to grade.
JOBS_PER_PROCESS = 1_000
#: One process keeps so many calls of models under way without being busy all the time.
CALLS_PER_PROCESS = 16
#: On so many processors one process is as fast as several.
FEW_CORES = 2


@asynccontextmanager
async def grader_of(
    planned: Plan,
    jobs: Jobs,
    request: RunRequest,
    context: RunContext,
    tracing: Tracing,
    cluster: Cluster | None,
) -> AsyncIterator[Grader]:
    """Return what grades the jobs of a run: this process, others that it starts, or a cluster."""
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
        from suitecase.run.sharing.children import connect

        async with Coordinator(setup, planned, context, connect, number) as coordinator:
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
        configs = (it.config for it in job.case.evaluators)
        asked |= {job.target, *(judge for judge, _ in pool.judge_calls(configs, job.target))}
    return sum(pool.workers(it) for it in asked if pool.costs(it))


def cores() -> int:
    """Return the number of processors that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
