"""A run as JSON: one object, or a record per line as it arrives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from suitecase.cli.output.formatter import Aside, Document
from suitecase.cli.output.printing import json_text
from suitecase.cli.output.run.facts import gates_lines, known_cost
from suitecase.cli.running.graded_case import GradedCase
from suitecase.cli.running.run_report import RunReport, SuiteEstimate, SuiteStart

#: Where records stand in a document, before they are filled in. It is the second key of all.
_RESULTS = '"results": []'


class JsonFormatter(Document):
    """One object, when everything is done; records stand in it in the order of the suite."""

    def finish(self, run: RunReport, /) -> Iterator[str]:
        summary: dict[str, Any] = {
            **run.total.summary(()),
            "remarks": run.remarks(),
            "not_run": [it.address for it in run.not_run],
        }
        summary.pop("repeats", None)
        if run.models:
            summary["models"] = {name: it.to_json() for name, it in run.models.items()}
        if run.spending:
            summary["spending"] = run.spending | {"cost_usd": known_cost(run.spending)}
        repeats = [
            {"suite": suite.shown, "case": case, **case_repeats.summary()}
            for suite, tally in run.tallies
            for case, case_repeats in tally.repeated.items()
        ]
        if repeats:
            summary["repeats"] = repeats
        result: dict[str, Any] = {
            "schema_version": 1,
            "results": [],
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
                    **({} if gates.suite.target is None else {"target": gates.suite.target}),
                    "decisions": [decision.to_json() for decision in gates.decisions],
                    "not_decided": gates.not_decided,
                }
                for gates in run.gates
            ]
        if run.comparisons:
            result["target_comparisons"] = [comparison.to_json() for comparison in run.comparisons]
        if run.resume is not None:
            result["resume_command"] = run.resume
        if run.skipped:
            result["skipped"] = run.skipped
        if run.warnings:
            result["warnings"] = run.warnings
        if run.estimates:
            result["estimates"] = [case_repeats.estimate for case_repeats in run.estimates]
        records = (case.record.fields for suite in run.suites.values() for case in suite.cases)
        # Records are the bulk of it, so they are not in memory together.
        head, tail = json_text(result, indent=2).split(_RESULTS, 1)
        yield from _filled(head, records, tail)


def _filled(head: str, records: Iterator[Mapping[str, Any]], tail: str) -> Iterator[str]:
    """Yield a document with records in its empty list of results."""
    first = next(records, None)
    if first is None:
        yield f"{head}{_RESULTS}{tail}"
        return
    yield f"{head}{_RESULTS[:-1]}"
    text = _indented(first)
    for record in records:
        yield f"{text},"
        text = _indented(record)
    yield text
    yield f"  ]{tail}"


def _indented(record: Mapping[str, Any]) -> str:
    """Return a record as it stands in the list."""
    return "\n".join(f"    {part}" for part in json_text(record, indent=2).split("\n"))


class JsonLinesFormatter:
    """A record a line, also of those that are kept, and of a dry run an estimate for each suite.

    If a suite was run with several targets, the last line has `target_comparison`.
    """

    def result(self, result: GradedCase | SuiteEstimate | SuiteStart, /) -> Iterator[str]:
        if isinstance(result, SuiteEstimate):
            yield json_text(result.estimate)
        elif isinstance(result, GradedCase):
            yield json_text(result.record.fields)

    def finish(self, run: RunReport, /) -> Iterator[str]:
        for line in gates_lines(run):
            yield Aside(line)
        for comparison in run.comparisons:
            yield json_text({"target_comparison": comparison.to_json()})
        for case in run.not_run:
            yield Aside(f"not run: {case.address}")
        for remark in run.remarks():
            yield Aside(remark)
