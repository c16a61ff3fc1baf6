"""A run as text: a line for each case with its reasons as it arrives, and a summary."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

from suitecase.cli.output.formatter import Line, Segment
from suitecase.cli.output.printing import columns, without_controls
from suitecase.cli.output.run.facts import (
    Fact,
    duration,
    estimate_lines,
    facts_of,
    verdict_counts,
)
from suitecase.cli.running.run_report import GradedCase, RunReport, SuiteEstimate
from suitecase.cli.shown_paths import shown_path
from suitecase_evaluators.records.doubts import doubts_in
from suitecase_evaluators.records.record import ResultRecord
from suitecase_evaluators.records.tally import CaseTally, Tally
from suitecase_evaluators.score import Verdict, shown_score, verdict_for

_LABELS = {
    Verdict.PASS: ("PASS", "bold green"),
    Verdict.BORDERLINE: ("BORDERLINE", "bold yellow"),
    Verdict.FAIL: ("FAIL", "bold red"),
    Verdict.NOT_EVALUATED: ("NOT EVALUATED", "bold cyan"),
    Verdict.ERROR: ("ERROR", "bold magenta"),
}
_LABEL_COLUMNS = len("BORDERLINE")


class TextFormatter:
    """Lines of pieces with styles, as wide as the terminal."""

    def __init__(self) -> None:
        self._width = columns()

    def result(self, result: GradedCase | SuiteEstimate, /) -> Iterator[Line]:
        if isinstance(result, SuiteEstimate):
            yield from estimate_lines(result)
        elif not result.kept:
            yield from self._case(result.record, result.seconds)

    def finish(self, run: RunReport, /) -> Iterator[Line]:
        if run.not_run:
            yield from self._not_run(run.not_run)
        repeated = [
            (case if len(run.tallies) == 1 else f"{suite.shown}::{case}", repeats)
            for suite, tally in run.tallies
            for case, repeats in tally.repeated.items()
        ]
        if repeated:
            yield from self._repeats(repeated)
        if run.total.verdicts:
            yield from self._table(facts_of(run))
            yield from self._summary(run.total, len(run.not_run))
        yield from self._gates(run)
        if run.total.verdicts:
            for path in run.results_files:
                yield ("Results: ", "dim"), (shown_path(Path(path)), "")

    def _case(self, record: ResultRecord, seconds: float | None) -> Iterator[Line]:
        verdict, graded = record.verdict, record.graded_score
        label, style = _LABELS[verdict]
        score = "   -" if graded is None else shown_score(graded)
        time = "" if seconds is None else f"  {duration(seconds)}"
        yield (
            (label.ljust(_LABEL_COLUMNS), style),
            (f"  {score}  ", ""),
            (record.eval_id, "bold"),
            (f" ({record.repeat}/{record.repeats})" if record.repeats > 1 else "", ""),
            (time, "dim"),
        )
        if verdict is Verdict.FAIL and verdict_for(graded or 0.0) is not Verdict.FAIL:
            yield from self._indented(
                "! ", "a required item is not met, so it fails whatever the score", "red"
            )
        if record.error:
            yield from self._indented("! ", record.error, "magenta")
        several = len(record.evaluator_results) > 1
        for doubt in doubts_in(record):
            yield from self._indented(
                "? ", doubt.told if several or len(doubt.where) > 1 else doubt.text, "yellow"
            )
        for hit in record.hits:
            yield from self._indented("+ ", hit, "green")
        for miss in record.misses:
            yield from self._indented("- ", miss, "red")
        if record.reasoning:
            yield from self._indented("", record.reasoning, "dim")

    def _not_run(self, cases: list[str]) -> Iterator[Line]:
        yield ()
        yield (("Not run:", "bold"),)
        for case in cases:
            yield from self._indented("", case, "")

    def _repeats(self, cases: list[tuple[str, CaseTally]]) -> Iterator[Line]:
        """Yield the results of each repeated case."""
        yield ()
        yield (("Repeats:", "bold"),)
        column = min(max(len(name) for name, _ in cases), 40)
        for name, case in cases:
            passed = f"{case.passed}/{case.runs} passed"
            segments = [
                (f"    {name.ljust(column)}  ", ""),
                (passed, "green" if case.passed == case.runs else "red"),
            ]
            if case.mean is not None and case.lowest is not None and case.highest is not None:
                lowest, highest = shown_score(case.lowest), shown_score(case.highest)
                spread = f"  mean {shown_score(case.mean)}, from {lowest} to {highest}"
                if case.deviation is not None:
                    spread += f", deviation {case.deviation:.2f}"
                segments.append((spread, "dim"))
            yield segments
        always = sum(case.passed == case.runs for _, case in cases)
        noun = "case" if len(cases) == 1 else "cases"
        yield ((f"    {always:,} of {len(cases):,} {noun} passed each time", ""),)

    def _gates(self, run: RunReport) -> Iterator[Line]:
        if not run.gates:
            return
        from suitecase.cli.output.gates_text import gates_text

        for gates in run.gates:
            suite = f" of {gates.suite.shown}" if len(run.suites) > 1 else ""
            yield ()
            if gates.decisions:
                yield ((f"Gates{suite}:", "bold"),)
                yield from gates_text(gates.decisions)
            elif gates.not_decided:
                yield ((f"Gates{suite} are not decided: {gates.not_decided}.", "yellow"),)

    def _table(self, facts: list[Fact]) -> Iterator[Line]:
        yield ()
        column = max(len(name) for name, _ in facts)
        for name, lines in facts:
            for number, line in enumerate(lines):
                title = (name if not number else "").ljust(column)
                wrapped = textwrap.wrap(
                    without_controls(line),
                    max(self._width - column - 2, 20),
                    subsequent_indent="  ",
                    break_on_hyphens=False,
                )
                for at, part in enumerate(wrapped):
                    label = title if not at else " " * column
                    yield (f"{label}  ", "bold"), (part, "")

    def _summary(self, total: Tally, not_run: int) -> Iterator[Line]:
        """Yield the summary of all cases."""
        segments: list[Segment] = []
        for verdict, text in verdict_counts(total):
            segments += [(", " if segments else "", ""), (text, _LABELS[verdict][1])]
        if not_run:
            segments.append((f", {not_run:,} not run", "bold"))
        if total.mean_score is not None:
            segments.append(
                (f"; mean score {shown_score(total.mean_score)} of {total.graded:,} graded", "")
            )
        if total.judge_parse_failures:
            judges = (
                "1 judge's replies"
                if total.judge_parse_failures == 1
                else f"the replies of {total.judge_parse_failures:,} judges"
            )
            partly = " in full" if total.judges_read_partly else ""
            segments.append((f"; {judges} could not be read{partly}", "yellow"))
        if total.judge_errors:
            broken = "1 judge" if total.judge_errors == 1 else f"{total.judge_errors:,} judges"
            segments.append((f"; {broken} could not be asked", "yellow"))
        yield ()
        yield segments
        for remark in total.remarks():
            yield ((remark, "yellow"),)

    def _indented(self, sign: str, text: str, style: str) -> Iterator[Line]:
        first = f"    {sign}"
        for paragraph in without_controls(text.replace("\r\n", "\n")).split("\n"):
            wrapped = textwrap.wrap(
                paragraph,
                max(self._width, 30),
                initial_indent=first,
                subsequent_indent=" " * (4 + len(sign)),
                break_long_words=False,
                break_on_hyphens=False,
            )
            for line in wrapped:
                yield ((line, style),)
            first = " " * (4 + len(sign))
