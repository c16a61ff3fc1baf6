"""What `suitecase run` prints: for people or for programs."""

from __future__ import annotations

import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from suitecase.cli.findings import shown_path
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.run.protocol import Estimated, Started
from suitecase.run.tally import Tally


class Output(ABC):
    """Shows a run as it goes. Problems go to standard error, whatever the form."""

    def __init__(self) -> None:
        self.results: list[str] = []
        self.spending: dict[str, Any] = {}

    def started(self, suite: SuiteArgument, event: Started) -> None:
        """Take note that a suite's cases are being run."""
        if event.results_path is not None and event.results_path not in self.results:
            self.results.append(event.results_path)
        for note in event.notes:
            click.echo(note, err=True)

    def kept(self, record: Mapping[str, Any]) -> None:
        """Take note of a record that counts and is not of this run."""
        return

    def spent(self, spending: Mapping[str, Any]) -> None:
        """Take note of what the questions of a suite came to, as `protocol.Finished` has it."""
        for name, value in spending.items():
            self.spending[name] = self.spending.get(name, 0) + value

    def warned(self, message: str) -> None:
        """Say what is not as it should be, though the run goes on."""
        click.echo(f"warning: {message}", err=True)

    @abstractmethod
    def estimated(self, suite: SuiteArgument, event: Estimated) -> None:
        """Show what a suite's run would ask."""

    @abstractmethod
    def case(self, record: Mapping[str, Any], seconds: float | None) -> None:
        """Show the record of a case that is done."""

    @abstractmethod
    def end(
        self,
        suites: list[tuple[SuiteArgument, Tally]],
        total: Tally,
        not_run: list[str],
        exit_code: int,
    ) -> None:
        """Show what each suite and all together came to."""

    def refused(self, suite: SuiteArgument, findings: list[dict[str, Any]]) -> None:
        """Say why a suite was not run."""
        from suitecase.cli.run_refusal import refusal

        for line in refusal(suite, findings):
            click.echo(line, err=True)

    def problem(self, message: str, detail: str) -> None:
        """Say what went wrong, apart from cases."""
        click.echo(message, err=True)
        if detail:
            click.echo(detail, err=True)


class JsonLines(Output):
    """A record a line, as it comes."""

    def case(self, record: Mapping[str, Any], seconds: float | None) -> None:
        click.echo(_json(record))

    def kept(self, record: Mapping[str, Any]) -> None:
        self.case(record, None)

    def estimated(self, suite: SuiteArgument, event: Estimated) -> None:
        click.echo(_json(event.estimate))

    def end(
        self,
        suites: list[tuple[SuiteArgument, Tally]],
        total: Tally,
        not_run: list[str],
        exit_code: int,
    ) -> None:
        for case in not_run:
            click.echo(f"not run: {case}", err=True)


class JsonAtEnd(Output):
    """One object, when everything is done."""

    def __init__(self) -> None:
        super().__init__()
        self._records: list[Mapping[str, Any]] = []
        self._problems: list[dict[str, Any]] = []
        self._warnings: list[str] = []
        self._estimates: list[dict[str, Any]] = []

    def case(self, record: Mapping[str, Any], seconds: float | None) -> None:
        self._records.append(record)

    def kept(self, record: Mapping[str, Any]) -> None:
        self.case(record, None)

    def warned(self, message: str) -> None:
        super().warned(message)
        self._warnings.append(message)

    def estimated(self, suite: SuiteArgument, event: Estimated) -> None:
        self._estimates.append(event.estimate)

    def refused(self, suite: SuiteArgument, findings: list[dict[str, Any]]) -> None:
        super().refused(suite, findings)
        relative = [{**it, "file": shown_path(Path(it["file"]))} for it in findings]
        message = f"{suite.shown} has errors, so it was not run"
        self._problems.append({"message": message, "findings": relative})

    def problem(self, message: str, detail: str) -> None:
        super().problem(message, detail)
        self._problems.append({"message": message, "findings": []})

    def end(
        self,
        suites: list[tuple[SuiteArgument, Tally]],
        total: Tally,
        not_run: list[str],
        exit_code: int,
    ) -> None:
        summary: dict[str, Any] = {**total.summary(()), "not_run": not_run}
        summary.pop("repeats", None)
        if self.spending:
            summary["spending"] = self.spending
        repeats = [
            {"suite": suite.shown, "case": case, **it.summary()}
            for suite, tally in suites
            for case, it in tally.repeated.items()
        ]
        if repeats:
            summary["repeats"] = repeats
        told: dict[str, Any] = {
            "schema_version": 1,
            "results": self._records,
            "summary": summary,
            "results_files": self.results,
            "problems": self._problems,
            "exit_code": exit_code,
        }
        if self._warnings:
            told["warnings"] = self._warnings
        if self._estimates:
            told["estimates"] = self._estimates
        click.echo(_json(told, indent=2))


class Text(Output):
    """For people: styled where they look at a terminal, plain elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        from suitecase.cli.run_text import Screen

        self._screen = Screen()

    def case(self, record: Mapping[str, Any], seconds: float | None) -> None:
        self._screen.case(record, seconds)

    def estimated(self, suite: SuiteArgument, event: Estimated) -> None:
        from suitecase.cli.run_estimate import estimate_lines

        for line in estimate_lines(suite.shown, event.estimate):
            click.echo(line)

    def end(
        self,
        suites: list[tuple[SuiteArgument, Tally]],
        total: Tally,
        not_run: list[str],
        exit_code: int,
    ) -> None:
        if not_run:
            self._screen.not_run(not_run)
        repeated = [
            (case if len(suites) == 1 else f"{suite.shown}::{case}", it)
            for suite, tally in suites
            for case, it in tally.repeated.items()
        ]
        if repeated:
            self._screen.repeats(repeated)
        if total.verdicts:
            self._screen.spending(self.spending)
            self._screen.summary(total, [shown_path(Path(it)) for it in self.results])


def output_of(form: str) -> Output:
    """Return what prints in the form of that name."""
    outputs: dict[str, type[Output]] = {"text": Text, "json": JsonAtEnd, "jsonl": JsonLines}
    return outputs[form]()


def _json(value: Any, indent: int | None = None) -> str:
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    return json.dumps(value, indent=indent, ensure_ascii=encoding != "utf8")
