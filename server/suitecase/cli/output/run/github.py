"""A run as workflow commands of GitHub Actions: verdicts and misses at cases and rubrics.

They are the marks that an editor shows after a run. GitHub shows ten of a kind and a step; the log
has them all.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from suitecase.cli.output.formatter import Document
from suitecase.cli.output.run.facts import decision_text, estimate_lines, verdict_counts
from suitecase.cli.output.workflow_command import COMMANDS, workflow_command
from suitecase.cli.running.run_report import RunReport, SuiteGates, SuiteRecords
from suitecase.cli.shown_paths import shown_path
from suitecase.figures.decision import Outcome
from suitecase.figures.gate_words import counts_text
from suitecase.ide.results import CaseResult, grading_hash
from suitecase.ide.run_marks import run_marks
from suitecase.rule import Severity
from suitecase.suite.parsed import ParsedSuite
from suitecase.suite.reading import parse_document
from suitecase.suite.workspace import Unreadable, Workspace, find_root, read_text
from suitecase_evaluators.records.record import ResultRecord
from suitecase_evaluators.score import Verdict

#: A case that was asked several times is marked by the gravest of its verdicts.
_GRAVEST_FIRST = (
    Verdict.ERROR,
    Verdict.FAIL,
    Verdict.BORDERLINE,
    Verdict.NOT_EVALUATED,
    Verdict.PASS,
)


class GitHubFormatter(Document):
    """Annotations, when everything is done, and a line of counts."""

    def finish(self, run: RunReport, /) -> Iterator[str]:
        for suite in run.suites.values():
            yield from _findings(suite)
            yield from _marks(suite, by_gates=run.ended_by_gates(suite.suite))
        for gates in run.gates:
            yield from _gates(gates)
        title = {"title": "suitecase run"}
        for problem in run.general_problems:
            yield workflow_command("error", problem, title)
        for warning in run.warnings:
            yield workflow_command("warning", warning, title)
        if run.not_run:
            yield workflow_command("warning", f"not run: {', '.join(run.not_run)}", title)
        for remark in run.total.remarks():
            yield workflow_command("warning", remark, title)
        for estimate in run.estimates:
            yield from estimate_lines(estimate)
        if run.total.verdicts:
            counts = [text for _, text in verdict_counts(run.total)]
            if run.not_run:
                counts.append(f"{len(run.not_run):,} not run")
            yield ", ".join(counts)


def _findings(suite: SuiteRecords) -> Iterator[str]:
    # One error may keep several cases from being run.
    each = {
        tuple(finding.values()): finding for case in suite.left_out for finding in case.findings
    }
    for case in suite.left_out:
        if not case.findings:
            name = case.case or f"line {case.line}"
            place = {"file": suite.suite.shown, "line": str(case.line)}
            message = f"{name} was not run: {case.message}"
            yield workflow_command("error", message, {"title": "suitecase run", **place})
    for finding in (*suite.findings, *each.values()):
        place = {
            "file": finding["file"],
            "line": str(finding["line"]),
            "col": str(finding["column"]),
        }
        title = {"title": f"suitecase ({finding['code']})"}
        yield workflow_command(
            "error", f"{finding['code']} {finding['message']}", {**title, **place}
        )


def _gates(gates: SuiteGates) -> Iterator[str]:
    """Yield a command for each gate that does not hold, at its line."""
    file = gates.suite.shown if gates.file is None else shown_path(gates.file)
    if gates.not_decided:
        message = f"the gates are not decided: {gates.not_decided}"
        yield workflow_command("notice", message, {"title": "suitecase run", "file": file})
    for it in gates.decisions:
        if it.outcome is Outcome.HOLDS:
            continue
        place = {"file": file, "line": str(it.line or 1)}
        message = f"{file}:{it.line or 1}: {it.gate}: {it.outcome}: {decision_text(it)}"
        title = {"title": f"suitecase gate ({it.outcome})", **place}
        yield workflow_command("warning" if it.warns else "error", message, title)
    if gates.decisions:
        yield counts_text(gates.decisions)


def _marks(suite: SuiteRecords, *, by_gates: bool) -> Iterator[str]:
    """Yield a command for each mark; where the suite cannot be read any more, one for each case."""
    records = _gravest(suite)
    if not records:
        return
    display_path = suite.suite.shown
    parsed = _written(suite)
    if parsed is None:
        for name, record in records.items():
            if record.verdict is not Verdict.PASS:
                message = f"{name}: {record.verdict}: {record.error or record.reasoning}"
                yield workflow_command(
                    "warning" if by_gates else "error",
                    message,
                    {"title": "suitecase run", "file": display_path},
                )
        return
    now = datetime.now(UTC)
    numbers = {case.id.text: it for it, case in enumerate(parsed.cases) if case.id is not None}
    results = {
        name: CaseResult.of_record(record, grading=grading_hash(parsed, numbers[name]), at=now)
        for name, record in records.items()
        if name in numbers
    }
    ids = {
        parsed.place(number, case.id.span).start: case.id.text
        for number, case in enumerate(parsed.cases)
        if case.id is not None
    }
    for mark in run_marks(parsed, results):
        place = parsed.document.lines.place(mark.span)
        properties = {
            "title": f"suitecase run ({mark.verdict.value.replace('_', ' ')})",
            "file": display_path,
            "line": str(place.line),
            "endLine": str(place.end_line),
        }
        if place.line == place.end_line:
            # GitHub accepts columns only within one line.
            properties |= {"col": str(place.column), "endColumn": str(place.end_column)}
        name = ids.get(mark.span.start, "")
        where = f"{display_path}:{place.line}:{place.column}: {f'{name}: ' if name else ''}"
        # A case that failed is what the job fails for, though to an editor it is a warning.
        failed = mark.severity is Severity.WARNING and mark.span.start in ids and not by_gates
        command = "error" if failed else COMMANDS[mark.severity]
        yield workflow_command(command, where + mark.message, properties)


def _gravest(suite: SuiteRecords) -> dict[str, ResultRecord]:
    records: dict[str, ResultRecord] = {}
    for record in (it.record for it in suite.cases):
        previous = records.get(record.eval_id)
        if previous is None or _rank(record) < _rank(previous):
            records[record.eval_id] = record
    return records


def _rank(record: ResultRecord) -> int:
    return _GRAVEST_FIRST.index(record.verdict)


def _written(suite: SuiteRecords) -> ParsedSuite | None:
    path = suite.suite.path
    text = read_text(path)
    if isinstance(text, Unreadable):
        return None
    parsed = parse_document(path, text, Workspace(find_root(path, Path.cwd())))
    return parsed if isinstance(parsed, ParsedSuite) else None
