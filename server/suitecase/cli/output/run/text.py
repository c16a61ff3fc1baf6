"""A run for people: styled where they look at a terminal, plain elsewhere."""

from __future__ import annotations

from pathlib import Path

import click

from suitecase.cli.output.run.run_text import Screen
from suitecase.cli.running.progress import progress_on
from suitecase.cli.running.run_output import Output, RunEnd
from suitecase.cli.shown_paths import shown_path
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.run.protocol import Estimated
from suitecase_evaluators.records.record import ResultRecord


class TextOutput(Output):
    """A line for each case as it comes, and why; at the end what all came to."""

    def __init__(self) -> None:
        super().__init__()
        self._screen = Screen()
        self.progress = progress_on(self._screen.console)

    def case(self, suite: SuiteArgument, record: ResultRecord, seconds: float | None) -> None:
        self._screen.case(record, seconds)

    def estimated(self, suite: SuiteArgument, event: Estimated) -> None:
        from suitecase.cli.output.run.run_estimate import estimate_lines

        for line in estimate_lines(suite.shown, event.estimate):
            click.echo(line)

    def end(self, end: RunEnd) -> None:
        if end.not_run:
            self._screen.not_run(end.not_run)
        repeated = [
            (case if len(end.suites) == 1 else f"{suite.shown}::{case}", it)
            for suite, tally in end.suites
            for case, it in tally.repeated.items()
        ]
        if repeated:
            self._screen.repeats(repeated)
        if end.total.verdicts:
            from suitecase.cli.output.run.run_table import table_of

            self._screen.table(table_of(end, self.spending))
            paths = [shown_path(Path(it)) for it in self.results]
            self._screen.summary(end.total, paths, len(end.not_run))
