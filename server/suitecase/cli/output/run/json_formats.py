"""A run as JSON: one object, or a record per line as it arrives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from suitecase.cli.output.formatter import Aside, Document
from suitecase.cli.output.printing import json_text
from suitecase.cli.output.run.facts import gates_lines
from suitecase.cli.running.run_report import GradedCase, RunReport, SuiteEstimate


class JsonFormatter(Document):
    """One object, when everything is done; records stand in it in the order of the suite."""

    def finish(self, run: RunReport, /) -> Iterator[str]:
        summary: dict[str, Any] = {**run.total.summary(()), "not_run": run.not_run}
        summary.pop("repeats", None)
        if run.spending:
            summary["spending"] = run.spending
        repeats = [
            {"suite": suite.shown, "case": case, **case_repeats.summary()}
            for suite, tally in run.tallies
            for case, case_repeats in tally.repeated.items()
        ]
        if repeats:
            summary["repeats"] = repeats
        result: dict[str, Any] = {
            "schema_version": 1,
            "results": [
                case_repeats.record.fields
                for suite in run.suites.values()
                for case_repeats in suite.cases
            ],
            "summary": summary,
            "results_files": run.results_files,
            "problems": [
                {"message": case_repeats.message, "findings": case_repeats.findings}
                for case_repeats in run.problems
            ],
            "seconds": round(run.seconds, 3),
            "exit_code": run.exit_code,
        }
        if run.gates:
            result["gates"] = [
                {
                    "suite": gates.suite.shown,
                    "decisions": [it.to_json() for it in gates.decisions],
                    "not_decided": gates.not_decided,
                }
                for gates in run.gates
            ]
        if run.warnings:
            result["warnings"] = run.warnings
        if run.estimates:
            result["estimates"] = [case_repeats.estimate for case_repeats in run.estimates]
        yield json_text(result, indent=2)


class JsonLinesFormatter:
    """A record a line, also of those that are kept, and of a dry run an estimate for each suite."""

    def result(self, result: GradedCase | SuiteEstimate, /) -> Iterator[str]:
        if isinstance(result, SuiteEstimate):
            yield json_text(result.estimate)
        else:
            yield json_text(result.record.fields)

    def finish(self, run: RunReport, /) -> Iterator[str]:
        for line in gates_lines(run):
            yield Aside(line)
        for case in run.not_run:
            yield Aside(f"not run: {case}")
        for remark in run.total.remarks():
            yield Aside(remark)
