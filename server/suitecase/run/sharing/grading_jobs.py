"""Where the jobs of a run are graded: a `Grader`, of which this process has the simplest one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from suitecase.run.assignment import Assignment
from suitecase.run.case_spans import case_span, put_record
from suitecase.run.grading import Bug, grade_case
from suitecase.run.metered_target import RunContext
from suitecase.run.suite_in_run import SuiteInRun
from suitecase_evaluators.answers.records.record import ResultRecord


@dataclass(frozen=True, slots=True)
class GradedJob:
    """What a run needs of a graded job.

    Attributes:
        record: its record, without secrets.
        usd: the cost of the case in this run, in US dollars, as far as targets report it.
    """

    record: ResultRecord
    bugs: tuple[Bug, ...] = ()
    usd: float = 0.0


class Grader(Protocol):
    """Grades jobs, here or elsewhere; may be given many at once."""

    async def grade(self, assignment: Assignment, answered: Callable[[], None], /) -> GradedJob:
        """Grade a job. What goes wrong with the job is in its record.

        Args:
            answered: called when its target has answered, unless nothing has to be graded then.

        Raises:
            NoGraderError: nothing is left that could grade it.
        """
        ...


class NoGraderError(Exception):
    """No process is left that could grade the jobs of a run; `message` is shown to users.

    Attributes:
        trace: of the bug that is the reason; None if it is not a bug.
        stops: there were graders, so the run stops as by a limit, and can be resumed.
    """

    def __init__(self, message: str, trace: str | None = None, *, stops: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.trace = trace
        self.stops = stops


class OwnProcess:
    """Grades jobs in this process."""

    def __init__(
        self, suite: SuiteInRun, context: RunContext, timeout_seconds: float | None
    ) -> None:
        self._suite = suite
        self._context = context
        self._timeout_seconds = timeout_seconds

    async def grade(self, assignment: Assignment, answered: Callable[[], None]) -> GradedJob:
        """Grade a job."""
        with case_span(assignment.job, self._suite) as span:
            graded = await grade_case(
                assignment,
                self._suite,
                self._context,
                self._timeout_seconds,
                lambda _: answered(),
            )
            put_record(span, graded.record, graded.error_type)
        return GradedJob(graded.reported, graded.bugs, graded.usd)
