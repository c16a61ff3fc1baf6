"""A run as one JSON object."""

from __future__ import annotations

from typing import Any

import click

from suitecase.cli.running.run_output import Document, RunEnd, json_text
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.run.protocol import CaseNotRun
from suitecase_evaluators.records.record import ResultRecord


class JsonOutput(Document):
    """One object, when everything is done; records stand in it in the order of the suite."""

    def __init__(self) -> None:
        super().__init__()
        self._records: list[ResultRecord] = []
        self._problems: list[dict[str, Any]] = []

    def case(self, suite: SuiteArgument, record: ResultRecord, seconds: float | None) -> None:
        self._records.append(record)

    def refused(self, suite: SuiteArgument, findings: list[dict[str, Any]], sound: int) -> None:
        super().refused(suite, findings, sound)
        message = f"{suite.shown} has errors, so it was not run"
        self._problems.append({"message": message, "findings": self.of(suite).findings})

    def not_run(self, suite: SuiteArgument, event: CaseNotRun) -> None:
        super().not_run(suite, event)
        left_out = self.of(suite).left_out[-1]
        name = f"the case on line {event.line}" if event.case is None else f"`{event.case}`"
        why = "it has errors" if event.kind == "unsound" else event.message
        message = f"{suite.shown}: {name} was not run: {why}"
        self._problems.append({"message": message, "findings": left_out.findings})

    def problem(self, message: str, detail: str) -> None:
        super().problem(message, detail)
        self._problems.append({"message": message, "findings": []})

    def end(self, end: RunEnd) -> None:
        summary: dict[str, Any] = {**end.total.summary(()), "not_run": end.not_run}
        summary.pop("repeats", None)
        if self.spending:
            summary["spending"] = self.spending
        repeats = [
            {"suite": suite.shown, "case": case, **it.summary()}
            for suite, tally in end.suites
            for case, it in tally.repeated.items()
        ]
        if repeats:
            summary["repeats"] = repeats
        told: dict[str, Any] = {
            "schema_version": 1,
            "results": [it.fields for it in self._records],
            "summary": summary,
            "results_files": self.results,
            "problems": self._problems,
            "seconds": round(end.seconds, 3),
            "exit_code": end.exit_code,
        }
        if self.warnings:
            told["warnings"] = self.warnings
        if self.estimates:
            told["estimates"] = [estimate for _, estimate in self.estimates]
        click.echo(json_text(told, indent=2))
