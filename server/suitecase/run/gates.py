"""The gates of a suite in a run: fed with records as they arrive, decided at the end."""

from __future__ import annotations

from pathlib import Path

from suitecase.figures.answer_values import UnusableScoreError
from suitecase.figures.asked import Asked
from suitecase.figures.table import Tables
from suitecase.run.plan import Plan
from suitecase.run.protocol import GatesDecided, RunRequest
from suitecase_evaluators.records.reading import read_records
from suitecase_evaluators.records.record import ResultRecord


class RunGates:
    """Collects what the gates of a suite are decided by.

    Attributes:
        partial: why the run decides no gate, for users: it is of a part of the suite.
    """

    def __init__(self, asked: Asked, *, partial: str | None, baseline: Path | None = None) -> None:
        """
        Args:
            asked: the suite.
            baseline: the results file that gates on a `change` compare with.
        """
        self._asked = asked
        self._tables = Tables()
        self._baseline = baseline
        self._unusable: str | None = None
        self.partial = partial

    def add(self, record: ResultRecord) -> None:
        """Add the record of an answer."""
        if self.partial is not None:
            return
        try:
            self._tables.add(record)
        except UnusableScoreError as error:
            self._unusable = f"`{record.eval_id}`: {error.message}"

    def decided(self) -> GatesDecided:
        """Decide the gates. Imports numpy, and may take a second for many cases."""
        not_decided = self.partial or self._unusable
        if not_decided is not None:
            return GatesDecided(not_decided=not_decided)
        from suitecase.figures.deciding import decide

        try:
            baseline = self._earlier()
        except (OSError, UnusableScoreError) as error:
            reason = error.message if isinstance(error, UnusableScoreError) else error.strerror
            return GatesDecided(not_decided=f"the baseline cannot be used: {reason}")
        decisions = decide(self._tables, self._asked, baseline)
        return GatesDecided(
            decisions=[it.to_json() for it in decisions],
            file=None if self._asked.head_file is None else str(self._asked.head_file),
        )

    def _earlier(self) -> Tables | None:
        """Return the answers of the baseline to this suite."""
        if self._baseline is None:
            return None
        tables = Tables()
        for record in read_records(self._baseline):
            if record.suite == self._asked.suite_path or record.dataset == self._asked.dataset:
                tables.add(record)
        return tables


def gates_of(planned: Plan, request: RunRequest) -> RunGates | None:
    """Return the gates of a suite that is about to be run; None if it has none, or nothing is run."""
    if planned.asked is None or request.dry_run:
        return None
    partial = None
    if len(planned.ids) < planned.all_cases or request.previous_hashes:
        partial = "only a part of the suite is run, which decides no gate"
    baseline = Path(request.baseline) if request.baseline is not None else None
    return RunGates(planned.asked, partial=partial, baseline=baseline)
