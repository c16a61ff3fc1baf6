"""The figures of a suite in a run: fed with records as they arrive, measured at the end."""

from __future__ import annotations

from pathlib import Path

from suitecase.figures.answer_values import UnusableScoreError
from suitecase.figures.asked import Asked
from suitecase.figures.figures_file import RunFigures
from suitecase.figures.table import Tables
from suitecase.run.plan import Plan
from suitecase.run.protocol import RunRequest
from suitecase_evaluators.answers.records.reading import read_records
from suitecase_evaluators.answers.records.record import ResultRecord


class NotMeasuredError(Exception):
    """The figures cannot be measured; `message` says why, for users."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class FigureTally:
    """Collects what the figures and gates of a suite are measured by.

    Attributes:
        asked: the suite.
        partial: why the run decides no gate, for users: it is of a part of the suite.
    """

    def __init__(self, asked: Asked, *, partial: str | None, baseline: Path | None = None) -> None:
        """
        Args:
            asked: the suite.
            partial: why the run decides no gate.
            baseline: the results file that gates on a `change` compare with.
        """
        self.asked = asked
        self.partial = partial
        self._tables = Tables()
        self._baseline = baseline
        self._unusable: str | None = None

    def add(self, record: ResultRecord) -> None:
        """Add the record of an answer."""
        if self.partial is not None:
            return
        try:
            self._tables.add(record)
        except UnusableScoreError as error:
            self._unusable = f"`{record.eval_id}`: {error.message}"

    def measured(self, results: Path | None) -> RunFigures:
        """Measure the figures and decide the gates.

        Imports numpy, and may take a second for many cases.

        Args:
            results: the results file, if there is one.

        Raises:
            NotMeasuredError: the run is of a part of the suite, or a score or the baseline cannot be
                used.
        """
        why_not = self.partial or self._unusable
        if why_not is not None:
            raise NotMeasuredError(why_not)
        from suitecase.figures.run_figures import run_figures

        name = results.name if results is not None else ""
        return run_figures(self._tables, self.asked, name, self._earlier())

    def _earlier(self) -> Tables | None:
        """Return the answers of the baseline to this suite."""
        if self._baseline is None:
            return None
        tables = Tables()
        try:
            for record in read_records(self._baseline):
                if record.suite == self.asked.suite_path or record.dataset == self.asked.dataset:
                    tables.add(record)
        except OSError as error:
            raise NotMeasuredError(f"the baseline cannot be read: {error.strerror}") from error
        except UnusableScoreError as error:
            raise NotMeasuredError(f"the baseline cannot be used: {error.message}") from error
        return tables


def figure_tally(planned: Plan, asked: Asked, request: RunRequest) -> FigureTally | None:
    """Return the tally of a suite that is about to be run; None if nothing is asked."""
    if request.dry_run:
        return None
    partial = None
    if len(planned.ids) < planned.all_cases or request.previous_hashes:
        partial = "only a part of the suite is run, which decides no gate"
    baseline = Path(request.baseline) if request.baseline is not None else None
    return FigureTally(asked, partial=partial, baseline=baseline)
