"""A run as Markdown, for the summary of a CI job: `>> "$GITHUB_STEP_SUMMARY"`.

GitHub takes up to a megabyte of it for a step. What is not shown for that is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from suitecase.cli.output.formatter import Document
from suitecase.cli.output.run.facts import SUITES, TARGETS, duration, estimate_lines, facts_of
from suitecase.cli.output.run.target_table import table_cells
from suitecase.cli.running.case_spool import SpooledCases
from suitecase.cli.running.graded_case import GradedCase
from suitecase.cli.running.run_report import RunReport, SuiteRecords
from suitecase.cli.shown_paths import shown_path
from suitecase.figures.gate_words import counts_text
from suitecase.text.encoders.markdown import CELL, cut, escaped, html
from suitecase.text.encoders.visible import visible
from suitecase.text.shell_words import shell_command
from suitecase_evaluators.answers.records.doubts import doubts_in
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.status import GRAVEST_FIRST, Status
from suitecase_evaluators.answers.records.tally import Tally, TargetTally
from suitecase_evaluators.answers.score import shown_score

#: As many cases that did not pass are shown with their reasons, and of those that passed as many
#: with their scores.
MOST_SHOWN, MOST_PASSED = 200, 500
#: A text that unfolds has at most so many characters.
BLOCK = 2_000

_SIGNS = {
    Status.PASS: "✅",
    Status.REHEARSED: "⚪",
    Status.BORDERLINE: "🟡",
    Status.FAIL: "❌",
    Status.JUDGE_FAILED: "⚠️",
    Status.NOT_EVALUATED: "⚪",
    Status.ERROR: "⚠️",
}
#: These need no reasons.
_AS_WANTED = (Status.PASS, Status.REHEARSED)


class MarkdownFormatter(Document):
    """The Markdown, when everything is done."""

    def finish(self, run: RunReport, /) -> Iterator[str]:
        cases = [suite.cases for suite in run.suites.values()]
        yield f"## {_headline(run)}"
        yield ""
        warnings = (f"Warning: {warning}" for warning in run.warnings)
        notes = (*run.remarks(), *run.skipped, *warnings)
        for message in (*run.general_problems, *notes):
            yield f"> {escaped(message, BLOCK)}"
            yield ""
        for suite in run.suites.values():
            yield from _findings(suite)
        yield from _gates(run)
        if run.total.verdicts:
            yield from _verdicts(run)
            yield from _comparisons(run)
            yield from _facts(run)
        several = len(run.tallies) > 1
        yield from _not_passed(cases, several=several)
        yield from _repeats(run, several=several)
        yield from _passed(cases, several=several)
        if run.not_run:
            again = [] if run.resume is None else ["", *_block(shell_command(run.resume))]
            yield from _unfolding(
                f"{run.not_run_count:,} not run",
                [*(f"- {escaped(it.address)}" for it in run.not_run), *again],
            )
        if run.estimates:
            lines = [line for estimate in run.estimates for line in estimate_lines(estimate)]
            yield from (*_block("\n".join(lines)), "")
        if run.results_files:
            paths = ", ".join(
                _code(shown_path(Path(results_file))) for results_file in run.results_files
            )
            yield f"Results: {paths}"


def _signed(status: Status) -> str:
    return f"{_SIGNS[status]} {status.word}"


def _headline(run: RunReport) -> str:
    statuses = run.total.statuses
    number = sum(statuses.values())
    if not number:
        return "suitecase run: nothing was run"
    passed, rehearsed = statuses[Status.PASS], statuses[Status.REHEARSED]
    no_model = run.total.answerers.no_model
    # A green sign would say of a model that it passes.
    sign = "❌" if run.exit_code else "⚪" if no_model or rehearsed else "✅"
    if rehearsed and not passed:
        headline = f"{sign} suitecase run: {rehearsed:,} of {number:,} rehearsed"
    else:
        headline = f"{sign} suitecase run: {passed:,} of {number:,} passed"
        headline += f", {rehearsed:,} rehearsed" if rehearsed else ""
    for status in (Status.JUDGE_FAILED, Status.NOT_EVALUATED):
        if statuses[status]:
            headline += f", {status.counted(statuses[status])}"
    if run.not_run:
        headline += f", {run.not_run_count:,} not run"
    return f"{headline}, no model was called" if no_model else headline


def _gates(run: RunReport) -> Iterator[str]:
    from suitecase.cli.output.gates_markdown import gates_table

    for gates in run.gates:
        suite = escaped(gates.suite.label)
        if gates.decisions:
            yield f"Gates of {suite}: {escaped(counts_text(gates.decisions))}"
            yield ""
            yield from gates_table(gates.decisions)
        elif gates.not_decided:
            yield f"> The gates of {suite} are not decided: {escaped(gates.not_decided)}"
        yield ""


def _findings(suite: SuiteRecords) -> Iterator[str]:
    for case in suite.left_out[:MOST_SHOWN]:
        name = f"line {case.line}" if case.case is None else case.case
        yield f"**{escaped(name)}** of {escaped(suite.suite.shown)} was not run:"
        yield ""
        if not case.findings:
            yield f"- {escaped(case.message)}"
        for finding in case.findings:
            where = _code(f"{finding['file']}:{finding['line']}:{finding['column']}")
            yield f"- {where} {finding['code']} {escaped(finding['message'])}"
        yield ""
    yield from _more(len(suite.left_out), MOST_SHOWN, "cases that were not run")
    if not suite.findings:
        return
    yield f"**{escaped(suite.suite.shown)}** has errors, so it was not run:"
    yield ""
    for item in suite.findings[:MOST_SHOWN]:
        where = _code(f"{item['file']}:{item['line']}:{item['column']}")
        yield f"- {where} {item['code']} {escaped(item['message'])}"
    yield from _more(len(suite.findings), MOST_SHOWN, "errors")
    yield ""


def _verdicts(run: RunReport) -> Iterator[str]:
    rows: list[tuple[str, Tally | TargetTally]] = [
        (suite.label, tally) for suite, tally in run.tallies if tally.verdicts
    ]
    if len(rows) > 1:
        rows.append(("**all**", run.total))
    if run.total.several_targets and not run.comparisons:
        rows += [(f"target {name}", it) for name, it in run.total.targets.items()]
    statuses = [status for status in Status if run.total.statuses[status]]
    yield f"| Suite | {' | '.join(_signed(status) for status in statuses)} | mean score |"
    yield f"| --- |{' ---: |' * (len(statuses) + 1)}"
    for name, tally in rows:
        counts = " | ".join(f"{tally.statuses[status]:,}" for status in statuses)
        label = name if tally is run.total else escaped(name)
        yield f"| {label} | {counts} | {_mean(tally)} |"
    yield ""


def _comparisons(run: RunReport) -> Iterator[str]:
    for comparison in run.comparisons:
        head, *rows = table_cells(comparison)
        yield f"Targets of {escaped(comparison.suite.shown)}:"
        yield ""
        yield f"| {' | '.join(head)} |"
        yield f"| --- | --- |{' ---: |' * (len(head) - 2)}"
        for row in rows:
            yield f"| {' | '.join(map(escaped, row))} |"
        yield ""
        differing = comparison.differing
        if differing:
            lines = [f"- {escaped(it.case)}: {escaped(it.text)}" for it in differing[:MOST_SHOWN]]
            title = f"{len(differing):,} of {comparison.cases:,} cases differ between targets"
            more = _more(len(differing), MOST_SHOWN, "cases")
            yield from _unfolding(title, [*lines, "", *more])


def _mean(tally: Tally | TargetTally) -> str:
    return "" if tally.mean_score is None else shown_score(tally.mean_score)


def _facts(run: RunReport) -> Iterator[str]:
    facts = [fact for fact in facts_of(run) if fact[0] not in (SUITES, TARGETS)]
    if facts:
        yield "| | |"
        yield "| --- | --- |"
        for name, lines in facts:
            yield f"| {name} | {'<br>'.join(escaped(line) for line in lines)} |"
        yield ""


def _not_passed(cases: Sequence[SpooledCases], *, several: bool) -> Iterator[str]:
    order = [status for status in GRAVEST_FIRST if status not in _AS_WANTED]
    number = sum(own.statuses[status] for status in order for own in cases)
    if not number:
        return
    every = (graded for status in order for own in cases for graded in own.of_status(status))
    ranked = list(islice(every, MOST_SHOWN))
    yield f"### {number:,} not passed"
    yield ""
    yield "| Case | Verdict | Score | Why |"
    yield "| --- | --- | ---: | --- |"
    for entry in ranked:
        record = entry.record
        yield (
            f"| {_name(entry, several=several)} | {_signed(record.status)} | {_score(record)} | "
            f"{_why(record)} |"
        )
    yield ""
    yield from _more(number, MOST_SHOWN, "cases that did not pass; the results file has them")
    for entry in ranked:
        record = entry.record
        if record.candidate_answer:
            yield from _unfolding(
                f"Answer of {_name(entry, several=several, markup=False)}",
                _block(record.candidate_answer),
            )


def _why(record: ResultRecord) -> str:
    gate = "a required item is not met" if record.gate_failed else ""
    parts = [
        gate,
        record.error,
        record.cut_off,
        *(doubt.told for doubt in doubts_in(record)),
        *record.misses,
    ]
    if not record.misses and not record.error:
        parts.append(record.reasoning)
    return "<br>".join(escaped(part, CELL) for part in parts if part)


def _repeats(run: RunReport, *, several: bool) -> Iterator[str]:
    cases = [
        (f"{suite.label}::{case}" if several else case, repeats)
        for suite, tally in run.tallies
        for case, repeats in tally.repeated.items()
    ]
    if not cases:
        return
    rehearsed = any(repeats.rehearsed for _, repeats in cases)
    counted = "Rehearsed" if rehearsed else "Passed"
    rows = [
        f"| Case | {counted} | Mean | Lowest | Highest |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for name, repeats in cases[:MOST_PASSED]:
        scores = (
            "" if one is None else shown_score(one)
            for one in (repeats.mean, repeats.lowest, repeats.highest)
        )
        number = repeats.rehearsed if rehearsed else repeats.passed
        rows.append(f"| {escaped(name)} | {number}/{repeats.runs} | {' | '.join(scores)} |")
    always = sum(repeats.passed == repeats.runs for _, repeats in cases)
    title = f"Repeats: {always:,} of {len(cases):,} cases passed each time"
    if rehearsed:
        title = f"Repeats of {len(cases):,} cases, rehearsed"
    yield from _unfolding(title, [*rows, "", *_more(len(cases), MOST_PASSED, "cases")])


def _passed(cases: Sequence[SpooledCases], *, several: bool) -> Iterator[str]:
    for status in _AS_WANTED:
        number = sum(own.statuses[status] for own in cases)
        if not number:
            continue
        entries = (graded for own in cases for graded in own.of_status(status))
        rows = ["| Case | Score | Time |", "| --- | ---: | ---: |"]
        for entry in islice(entries, MOST_PASSED):
            elapsed = "" if entry.seconds is None else duration(entry.seconds)
            rows.append(f"| {_name(entry, several=several)} | {_score(entry.record)} | {elapsed} |")
        more = _more(number, MOST_PASSED, f"cases {status.heading}; the results file has them")
        yield from _unfolding(status.counted(number), [*rows, "", *more])


def _unfolding(title: str, lines: Sequence[str]) -> Iterator[str]:
    yield f"<details><summary>{html(title)}</summary>"
    yield ""
    yield from lines
    yield ""
    yield "</details>"
    yield ""


def _more(number: int, most: int, what: str) -> Iterator[str]:
    if number > most:
        yield f"... and {number - most:,} more {what}."
        yield ""


def _name(case: GradedCase, *, several: bool, markup: bool = True) -> str:
    record = case.record
    name = f"{case.suite.label}::{record.eval_id}" if several else record.eval_id
    if record.repeats > 1:
        name += f" ({record.repeat}/{record.repeats})"
    return escaped(name) if markup else name


def _score(record: ResultRecord) -> str:
    if record.score is None or record.status is Status.JUDGE_FAILED:
        return ""
    return shown_score(record.score)


def _code(text: str) -> str:
    return f"<code>{escaped(text)}</code>"


def _block(text: str) -> list[str]:
    """Return a text in a fence that it cannot run."""
    content = visible(cut(text, BLOCK))
    longest = max((len(it) for it in re.findall("`+", content)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", content, fence]
