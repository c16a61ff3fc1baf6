"""A run as workflow commands of GitHub Actions: verdicts and misses at cases and rubrics.

They are the marks that an editor shows after a run. GitHub shows ten of a kind and a step; the log
has them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from suitecase.cli.output.formatter import Document
from suitecase.cli.output.run.facts import decision_text, estimate_lines, status_counts
from suitecase.cli.output.workflow_command import COMMANDS, workflow_command
from suitecase.cli.running.run_report import RunReport, SuiteGates, SuiteRecords
from suitecase.cli.shown_paths import shown_path
from suitecase.editor.dialect_features import features_of
from suitecase.editor.dialect_tests import DialectTests
from suitecase.editor.grading_hashes import grading_of
from suitecase.editor.results import CaseResult
from suitecase.editor.run_mark import RunMark
from suitecase.editor.run_marks import marks_of_case
from suitecase.editor.runnable_cases import RunnableCases
from suitecase.editor.test_marks import marks_elsewhere, marks_of_shared
from suitecase.figures.gate_words import counts_text
from suitecase.format.dialect import DialectFile
from suitecase.format.reading import parse_document
from suitecase.format.rule import Severity
from suitecase.format.workspace import Folder, Unreadable, Workspace, find_root, read_text
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.lines import Lines
from suitecase.text.working_directory import working_directory
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.status import SETTLED, Status

#: As many cases that were not run are named.
MOST_NOT_RUN = 200


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
            listed = ", ".join(it.address for it in run.not_run[:MOST_NOT_RUN])
            more = len(run.not_run) - MOST_NOT_RUN
            listed += f" and {more:,} more" if more > 0 else ""
            yield workflow_command("warning", f"not run: {listed}", title)
        for remark in run.remarks():
            # A run without a model may be meant to be one.
            of_stand_ins = remark in run.stand_in_remarks()
            yield workflow_command("notice" if of_stand_ins else "warning", remark, title)
        for estimate in run.estimates:
            yield from estimate_lines(estimate)
        for comparison in run.comparisons:
            for case in comparison.differing:
                yield f"{comparison.suite.shown}::{case.case}: {case.text}"
        if run.total.verdicts:
            counts = [text for _, text in status_counts(run.total)]
            if run.not_run:
                counts.append(f"{run.not_run_count:,} not run")
            if run.total.answerers.no_model:
                counts.append("no model was called")
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
    for decision in gates.decisions:
        if decision.outcome.is_met:
            continue
        place = {"file": file, "line": str(decision.line or 1)}
        of = "" if gates.suite.target is None else f"[{gates.suite.target}] "
        message = (
            f"{file}:{decision.line or 1}: {of}{decision.gate}: {decision.outcome}: "
            f"{decision_text(decision)}"
        )
        title = {"title": f"suitecase gate ({decision.outcome})", **place}
        yield workflow_command("warning" if decision.warns else "error", message, title)
    if gates.decisions:
        yield counts_text(gates.decisions)


def _marks(suite: SuiteRecords, *, by_gates: bool) -> Iterator[str]:
    """Yield a command for each mark, and one without a line for each case that is in no file any more."""
    places = suite.cases.gravest()
    if not places:
        return
    parsed = _runnable(suite)
    named = {} if parsed is None else {name: number for number, name in parsed.named_cases()}
    own = suite.suite.shown
    cases = _by_case(suite, places, is_tests=isinstance(parsed, DialectTests))
    elsewhere = parsed.elsewhere if isinstance(parsed, DialectTests) else {}
    failing: dict[str, CaseResult] = {}
    in_files: dict[str, CaseResult] = {}
    for name, of_case in sorted(cases.items(), key=lambda it: named.get(it[0], len(named))):
        number = named.get(name)
        if parsed is None or (number is None and name not in elsewhere):
            for at in of_case:
                yield from _unplaced(suite, suite.cases[at].record, by_gates=by_gates)
            continue
        result = _result(suite, of_case, parsed, name)
        if isinstance(parsed, DialectTests) and result.status not in SETTLED:
            failing[name] = result
        if number is None:
            in_files[name] = result
            continue
        case_id = parsed.cases[number].id
        start = None if case_id is None else parsed.place(number, case_id.span).start
        for mark in marks_of_case(parsed, number, result):
            named_by = name if mark.span.start == start else ""
            yield _mark(suite, own, parsed.document.lines, mark, named_by, by_gates=by_gates)
    if isinstance(parsed, DialectTests):
        for path, of_file in marks_elsewhere(parsed, in_files).items():
            shown, lines = shown_path(path), Lines(of_file.text)
            for mark in of_file.marks:
                is_verdict = mark.span == elsewhere[mark.case].name_span
                named_by = mark.case if is_verdict else ""
                yield _mark(suite, shown, lines, mark, named_by, by_gates=by_gates)
        for mark in marks_of_shared(parsed, failing):
            yield _mark(suite, own, parsed.document.lines, mark, "", by_gates=by_gates)


def _by_case(
    suite: SuiteRecords, places: Mapping[str, int], *, is_tests: bool
) -> dict[str, list[int]]:
    """Return the places of records by case, or by the test that they are rows of."""
    if not is_tests:
        return {name: [at] for name, at in places.items()}
    by_test: dict[str, list[int]] = {}
    for name, at in places.items():
        row = suite.cases[at].record.row
        by_test.setdefault(name if row is None else row.test, []).append(at)
    return by_test


def _result(
    suite: SuiteRecords, places: Sequence[int], parsed: RunnableCases, name: str
) -> CaseResult:
    """Return the result of a case, or of a test from those of its rows."""
    grading, now = grading_of(parsed, name), datetime.now(UTC)
    records = [suite.cases[at].record for at in places]
    results = [CaseResult.of_record(record, grading=grading, at=now) for record in records]
    row = records[0].row
    return results[0] if row is None else CaseResult.of_rows(row.test, results)


def _unplaced(suite: SuiteRecords, record: ResultRecord, *, by_gates: bool) -> Iterator[str]:
    """Yield a command for a case whose place is not known, if it did not pass."""
    if record.status in (Status.PASS, Status.REHEARSED):
        return
    reasons = [reason for reason in (record.cut_off, record.error or record.reasoning) if reason]
    message = f"{record.eval_id}: {record.status.word}: {'; '.join(reasons)}"
    properties = {"title": "suitecase run", "file": suite.suite.shown}
    yield workflow_command("warning" if by_gates else "error", message, properties)


def _mark(
    suite: SuiteRecords,
    display_path: str,
    lines: Lines,
    mark: RunMark,
    name: str,
    *,
    by_gates: bool,
) -> str:
    """Return the command for a mark.

    Args:
        suite: the records of the suite.
        display_path: the file of the mark.
        lines: the lines of the file.
        mark: the mark.
        name: the case, of a mark at its id; else empty.
        by_gates: whether the gates alone decide the exit code.
    """
    place = lines.place(mark.span)
    properties = {
        "title": f"suitecase run ({mark.status.word})",
        "file": display_path,
        "line": str(place.line),
        "endLine": str(place.end_line),
    }
    if place.line == place.end_line:
        # GitHub accepts columns only within one line.
        properties |= {"col": str(place.column), "endColumn": str(place.end_column)}
    of = "" if suite.suite.target is None else f"[{suite.suite.target}] "
    where = f"{display_path}:{place.line}:{place.column}: {of}{f'{name}: ' if name else ''}"
    # A case that failed is what the job fails for, though to an editor it is a warning.
    failed = mark.severity is Severity.WARNING and bool(name) and not by_gates
    command = "error" if failed else COMMANDS[mark.severity]
    return workflow_command(command, where + mark.message, properties)


def _runnable(suite: SuiteRecords) -> RunnableCases | None:
    """Return the cases of a suite as they are in its file; None if that cannot be read any more."""
    path = suite.suite.path
    text = read_text(path)
    if isinstance(text, Unreadable):
        return None
    workspace = Workspace(find_root(path, working_directory()))
    parsed = parse_document(path, text, workspace)
    if isinstance(parsed, DialectFile):
        return DialectTests(parsed, Folder(workspace, path.parent), features_of(parsed.dialect))
    return parsed if isinstance(parsed, ParsedSuite) else None
