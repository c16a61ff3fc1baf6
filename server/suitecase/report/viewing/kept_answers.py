"""Where the records are of the runs whose pages were made last, so that a page can ask for them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from suitecase.report.past_run import PastRun
from suitecase.report.record_blocks import block_of
from suitecase.report.results_file import NotResultsError, Run, read_run
from suitecase.report.viewing.catalogue import version_of
from suitecase.run.record_redaction import without_secrets_here
from suitecase.text.taken_names import ChangedNames
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.record_file import ChangedFileError

#: Of so many runs it is known where their records are: eight bytes a record.
_MOST_RUNS = 16


@dataclass(slots=True)
class KeptAnswers:
    """The answers of runs, as they were when a page about them was made; none of their records."""

    _runs: OrderedDict[tuple[Path, str], Sequence[ResultRecord]] = field(
        default_factory=OrderedDict
    )
    #: One for all runs, since they are compared.
    _names: ChangedNames = field(default_factory=ChangedNames)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def read(self, run: PastRun) -> Run:
        """Read a run for a page about it.

        Raises:
            NotResultsError: its results are not there any more.
        """
        found = read_run(run.path, without_secrets_here(run.path, names=self._names))
        self._keep((run.path, version_of(run)), found.answers)
        return found

    def block(self, run: PastRun, version: str, number: int) -> bytes | None:
        """Return a block of records of a run; None if there is none, or results have changed.

        Args:
            run: the run as it is now.
            version: of the run when the page was made that asks for it.
            number: the number of the block.
        """
        key = run.path, version
        with self._lock:
            answers = self._runs.get(key)
        with suppress(NotResultsError, ChangedFileError):
            if answers is None and version == version_of(run):
                answers = self.read(run).answers
            if answers is not None:
                return block_of(answers, number) or None
        return None

    def _keep(self, key: tuple[Path, str], answers: Sequence[ResultRecord]) -> None:
        with self._lock:
            self._runs.pop(key, None)
            self._runs[key] = answers
            while len(self._runs) > _MOST_RUNS:
                self._runs.popitem(last=False)
