"""A run as JSON lines: each record as it comes."""

from __future__ import annotations

import click

from suitecase.cli.running.progress import Lines
from suitecase.cli.running.run_output import Output, RunEnd, json_text
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.run.protocol import Estimated
from suitecase_evaluators.records.record import ResultRecord


class JsonLinesOutput(Output):
    """A record a line, as it comes: whoever reads it waits for no slower case."""

    in_order = False

    def __init__(self) -> None:
        super().__init__()
        self.progress = Lines()

    def case(self, suite: SuiteArgument, record: ResultRecord, seconds: float | None) -> None:
        click.echo(json_text(record.fields))

    def kept(self, suite: SuiteArgument, record: ResultRecord) -> None:
        self.case(suite, record, None)

    def estimated(self, suite: SuiteArgument, event: Estimated) -> None:
        click.echo(json_text(event.estimate))

    def end(self, end: RunEnd) -> None:
        for case in end.not_run:
            self.say(f"not run: {case}")
        for remark in end.total.remarks():
            self.say(remark)
