"""Running the jobs of a run: each target answers as many at once as it has workers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from time import perf_counter

from suitecase.run.assignment import Assignment
from suitecase.run.effective import EffectiveHashes
from suitecase.run.jobs import Job, Jobs
from suitecase.run.limits import Limits
from suitecase.run.metered_target import RunContext
from suitecase.run.outcome import Outcome
from suitecase.run.plan import Plan
from suitecase.run.protocol import CaseFinished, CaseStarted, RunRequest
from suitecase.run.results import ResultsError
from suitecase.run.resuming import Resumed, drop_graded
from suitecase.run.sharing.grading_jobs import Grader, NoGraderError
from suitecase_evaluators.grade.registry import description_of, is_third_party, with_members

#: The number of jobs that a target may have at once for each of its places: one that it answers, and
#: one whose answer is graded, which may wait for a judge.
JOBS_PER_PLACE = 2


class Underway:
    """A job that was taken: it has a place of its target until it is answered."""

    def __init__(self, job: Job, upcoming: Upcoming) -> None:
        self.job = job
        self._upcoming = upcoming
        self._answered = False

    def answered(self) -> None:
        """Free the place of its target, which need not wait for the grading; safe to call twice."""
        if not self._answered:
            self._answered = True
            self._upcoming.free(self.job.target)

    def end(self) -> None:
        """Let another job take its turn."""
        self.answered()
        self._upcoming.end(self.job.target)


class Upcoming:
    """The jobs that have not started, drawn one at a time in their order.

    A job whose target is busy does not hold up those of other targets. A target answers further jobs
    while judges grade its answers. It does not if it has one place, so that cases are run one after
    the other; if programs grade, whose number its places limit; and while calls fail, so that a judge
    that is down does not cost more answers than necessary.
    """

    def __init__(self, jobs: Jobs, places: dict[str, int], failing: Mapping[str, int]) -> None:
        """
        Args:
            jobs: the jobs.
            places: how many jobs each target may answer at once.
            failing: by what fails, how often it has failed in a row; empty while nothing fails.
        """
        self._places = places
        one_after_the_other = {name for name, number in places.items() if number == 1}
        self._keeps_place = one_after_the_other.union(
            job.target for job in jobs.kinds() if _is_graded_by_programs(job)
        )
        self._failing = failing
        #: By target, the jobs that are not answered, and all that have not ended.
        self._asking = dict.fromkeys(places, 0)
        self._under_way = dict.fromkeys(places, 0)
        self._rest = {name: jobs.of_target(name) for name in places}
        self._next = {
            name: first
            for name, rest in self._rest.items()
            if (first := next(rest, None)) is not None
        }
        self._changed = asyncio.Event()

    async def take(self) -> Underway | None:
        """Wait for the next job whose target has a free place; None if all have been taken."""
        while self._next:
            ready = [
                (number, name) for name, (number, _) in self._next.items() if self._has_room(name)
            ]
            if ready:
                _, name = min(ready)
                return self._taken(name)
            self._changed.clear()
            await self._changed.wait()
        return None

    def _taken(self, name: str) -> Underway:
        _, job = self._next.pop(name)
        following = next(self._rest[name], None)
        if following is not None:
            self._next[name] = following
        self._asking[name] += 1
        self._under_way[name] += 1
        return Underway(job, self)

    def _has_room(self, target: str) -> bool:
        places = self._places[target]
        keeps_place = self._failing or target in self._keeps_place
        most = places if keeps_place else JOBS_PER_PLACE * places
        return self._asking[target] < places and self._under_way[target] < most

    def free(self, target: str) -> None:
        """Free the place of a job that is answered."""
        self._asking[target] -= 1
        self._changed.set()

    def end(self, target: str) -> None:
        """Take note that a job has ended."""
        self._under_way[target] -= 1
        self._changed.set()


def _is_graded_by_programs(job: Job) -> bool:
    """Whether programs, or evaluators of packages, grade a job, which may compute for long."""
    configs = [evaluator.config for evaluator in job.case.evaluators]
    return any(
        is_third_party(with_member.type) or any(description_of(with_member).commands(with_member))
        for with_member in with_members(configs)
    )


async def run_jobs(
    jobs: Jobs,
    planned: Plan,
    output: Outcome,
    context: RunContext,
    request: RunRequest,
    hashes: EffectiveHashes,
    resumed: Resumed,
    grader: Grader,
) -> None:
    """Run jobs; no more are in memory than their targets may have at once."""
    places = {name: context.pool.workers(name) for name in jobs.targets()}
    upcoming = Upcoming(jobs, places, context.failures.in_a_row)
    limits = Limits(request, context, resumed.usd, resumed.unpriced)
    #: The lines of the answers that are graded now.
    regraded: list[int] = []

    async def one(underway: Underway) -> None:
        job = underway.job
        if output.failure is not None:
            return  # do not pay for answers that cannot be written
        if not await limits.begin(job.target):
            output.stopped = limits.stopped
            return
        began = perf_counter()
        if request.starts:
            output.emit(CaseStarted(case=job.case.id, repeat=job.repeat))
        previous_answer, previous_line = None, None
        if resumed.answers.has(job):
            previous_answer = await asyncio.to_thread(resumed.answers.find, job)
        if previous_answer is not None or not context.pool.costs(job.target):
            underway.answered()  # it is known, or takes no time
        if previous_answer is not None and resumed.previous is not None:
            previous_line = resumed.previous.line_of_answer(job)
        graded = await grader.grade(
            Assignment(
                job=job,
                version=hashes.version(job),
                digests=hashes.digests(job.case),
                previous=previous_answer,
            ),
            underway.answered,
        )
        limits.end(job.target, graded.usd)
        output.bugs += graded.bugs
        # No `await` from here on: a record is both written and reported, or neither.
        record = graded.record
        output.add(record)
        if output.store(record):
            regraded.extend([] if previous_line is None else [previous_line])
        output.emit(CaseFinished(record=record, seconds=perf_counter() - began))

    async def one_in_its_place(underway: Underway) -> None:
        try:
            await one(underway)
        finally:
            underway.end()

    try:
        async with asyncio.TaskGroup() as group:
            while (underway := await upcoming.take()) is not None:
                await output.ready()
                if output.stopped or output.failure is not None:
                    break
                group.create_task(one_in_its_place(underway))
    except ExceptionGroup as errors:
        no_grader = next(
            (exception for exception in errors.exceptions if isinstance(exception, NoGraderError)),
            errors,
        )
        if not (isinstance(no_grader, NoGraderError) and no_grader.stops):
            raise no_grader from None
        output.stopped = no_grader.message
    # By now the cases that were running have finished, too.
    output.stopped = limits.stop_reason() or output.stopped
    output.failing = context.failures.in_a_row
    if output.results is not None:
        # If a record cannot be removed, the later one counts.
        with suppress(ResultsError):
            await asyncio.to_thread(output.results.sync)
            await asyncio.to_thread(drop_graded, output.results, regraded)
