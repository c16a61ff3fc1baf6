"""The outcome of a run: where its records go, its summary, and its last event."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from suitecase.run.choosing import NAMED_CASES
from suitecase.run.grading import Bug
from suitecase.run.metered_target import RunContext
from suitecase.run.protocol import Event, Failed, Finished, GatesDecided, Warned
from suitecase.run.results import ResultsError, ResultsFile
from suitecase.text.plural import first_of
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.tally import Tally
from suitecase_evaluators.targets.redactor import Redactor

if TYPE_CHECKING:
    from suitecase.run.figure_tally import FigureTally


async def always_ready() -> None:
    """Wait for nothing, where whoever is given events keeps up with them."""


@dataclass(slots=True)
class Outcome:
    """Collects the records of a run: for the client, the results file and the summary."""

    emit: Callable[[Event], None]
    results: ResultsFile | None = None
    tally: Tally = field(default_factory=Tally)
    #: The figures of the suite; None if it names none.
    figures: FigureTally | None = None
    bugs: list[Bug] = field(default_factory=list)
    #: Why records could not be written, and how many.
    unwritten: ResultsError | None = None
    lost: int = 0
    #: The ids of all cases of the run, and the number of repeats.
    ids: Sequence[str] = ()
    repeats: int = 1
    context: RunContext | None = None
    #: Waits until events may be emitted.
    ready: Callable[[], Awaitable[None]] = always_ready
    #: Why the run stopped early.
    stopped: str | None = None
    #: Consecutive errors of each target and evaluator at the end.
    failing: Mapping[str, int] = field(default_factory=dict)

    def add(self, record: ResultRecord) -> None:
        """Count a record, of this run or of the resumed file."""
        self.tally.add(record)
        if self.figures is not None:
            self.figures.add(record)

    def measure(self) -> GatesDecided | None:
        """Measure the figures of the suite, and write them beside the results.

        Returns:
            what its gates come to; None if it has none.
        """
        if self.figures is None:
            return None
        from suitecase.figures.figures_file import write_figures
        from suitecase.run.figure_tally import NotMeasuredError

        asked = self.figures.asked
        path = self.results.path if self.results is not None else None
        try:
            found = self.figures.measured(path)
        except NotMeasuredError as error:
            partial = self.figures.partial is not None
            gates = GatesDecided(not_decided=error.message, partial=partial)
            return gates if asked.gates else None
        if path is not None:
            try:
                write_figures(path, found)
            except OSError as error:
                message = f"the figures of the run cannot be written: {error.strerror}"
                self.emit(Warned(message=message))
        if not asked.gates:
            return None
        return GatesDecided(
            decisions=[gate.to_json() for gate in found.gates],
            file=None if asked.head_file is None else str(asked.head_file),
        )

    def summary(self) -> dict[str, Any]:
        summary = self.tally.summary(self.ids, self.repeats)
        summary["stopped"] = self.stopped
        summary["failing"] = dict(self.failing)
        if self.spending is not None:
            summary["spending"] = self.spending
        return summary

    def close(self) -> None:
        """Close the cache and the results file."""
        if self.context is not None:
            self.context.close()
        if self.results is not None:
            self.results.close()

    @property
    def failure(self) -> ResultsError | None:
        """Why records are not, or may not be, in the file."""
        unsynced = None if self.results is None else self.results.failure
        return self.unwritten or unsynced

    @property
    def spending(self) -> dict[str, Any] | None:
        """The costs for `protocol.Finished`; None if there were no calls."""
        spending = self.context.spending if self.context is not None else None
        if spending is None or not (spending.questions or spending.cached):
            return None
        return spending.summary()

    def store(self, record: ResultRecord) -> bool:
        """Write a record; if that fails the run goes on, since its answers may have cost money.

        Returns:
            whether it is in the file; False if the run has none.
        """
        if self.results is None:
            return False
        try:
            self.results.append(record)
        except ResultsError as error:
            self.unwritten = error
            self.lost += 1
            return False
        return True

    def last_event(self, redactor: Redactor) -> Event:
        """Return the event that ends the run."""
        if self.bugs:
            places = first_of(list(dict.fromkeys(bug.where for bug in self.bugs)), NAMED_CASES)
            trace = "\n".join(dict.fromkeys(bug.trace for bug in self.bugs))
            return Failed(
                message=f"suitecase broke in {places}; everything else is graded",
                kind="bug",
                trace=redactor(trace),
                spending=self.spending,
            )
        if self.failure is not None:
            number = "1 record is" if self.lost == 1 else f"{self.lost} records are"
            lost = f"{number} not in the file" if self.lost else "records may not be on the disk"
            message = f"{lost}: {self.failure.message}"
            return Failed(message=message, kind="environment", spending=self.spending)
        return Finished(summary=self.summary())
