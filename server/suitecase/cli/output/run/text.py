"""A run as text: a line for each case with its reasons as it arrives, and a summary."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

from suitecase.cli.output.printing import cells, columns
from suitecase.cli.output.run.facts import Fact, duration, estimate_lines, facts_of, status_counts
from suitecase.cli.output.run.target_table import comparison_lines
from suitecase.cli.running.detail import Detail
from suitecase.cli.running.graded_case import GradedCase
from suitecase.cli.running.run_report import RunReport, SuiteEstimate, SuiteStart
from suitecase.cli.shown_paths import shown_path
from suitecase.text.encoders.terminal import Line, Segment
from suitecase.text.encoders.visible import visible
from suitecase.text.shell_words import shell_command, shell_word
from suitecase_evaluators.answers.records.doubts import doubts_in
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.status import SETTLED, Status
from suitecase_evaluators.answers.records.tally import CaseTally
from suitecase_evaluators.answers.score import Verdict, shown_score, verdict_for


class TextFormatter:
    """Lines of pieces with styles, as wide as the terminal."""

    def __init__(self, detail: Detail) -> None:
        self._detail = detail
        self._width = columns()
        self._cases = CaseText(self._width, detail)
        #: What the cases that come next belong to; None once that is printed.
        self._start: SuiteStart | None = None
        self._headed = False
        #: Something was printed.
        self._begun = False

    def result(self, result: GradedCase | SuiteEstimate | SuiteStart, /) -> Iterator[Line]:
        if isinstance(result, SuiteEstimate):
            yield from estimate_lines(result)
        elif isinstance(result, SuiteStart):
            self._start = result
        elif not result.kept and self._cases.is_shown(result.record):
            self._begun = True
            yield from self._heading()
            yield from self._cases.lines(result)

    def finish(self, run: RunReport, /) -> Iterator[Line]:
        for line in self._end(run):
            # Blank lines set apart what follows from what stands above.
            if line or self._begun:
                self._begun = True
                yield line

    def _end(self, run: RunReport) -> Iterator[Line]:
        left_out = [it.address for it in run.not_run if it.line is not None]
        if left_out:
            yield from self._not_run(left_out)
        repeated = [
            (case if len(run.tallies) == 1 else f"{suite.label}::{case}", repeats)
            for suite, tally in run.tallies
            for case, repeats in tally.repeated.items()
        ]
        if repeated:
            yield from self._repeats(repeated)
        if run.total.verdicts:
            for comparison in run.comparisons:
                yield from comparison_lines(comparison, self._width)
            if not self._detail.quiet:
                yield from self._table(facts_of(run))
            yield from self._summary(run)
        yield from self._gates(run)
        if run.total.verdicts and not self._detail.quiet:
            for path in run.results_files:
                yield ("Results: ", "dim"), (shown_path(Path(path)), "")
        if self._cases.cut:
            yield from self._whole_answers(run.results_files)
        yield from self._unreached(run)

    def _whole_answers(self, results: list[str]) -> Iterator[Line]:
        hint = "--format json has all of each"
        if results:
            path = shown_path(Path(results[-1]))
            hint = f"`suitecase report {shell_word(path)}` shows all of each"
        yield ((f"Long answers are cut; {hint}.", "dim"),)

    def _heading(self) -> Iterator[Line]:
        start, self._start = self._start, None
        if start is not None and start.of > 1:
            if self._headed:
                yield ()
            self._headed = True
            yield ((start.suite.label, "bold underline"),)

    def _unreached(self, run: RunReport) -> Iterator[Line]:
        if not run.unreached:
            return
        yield ()
        how = " To run them:" if run.resume is not None else ""
        yield ((f"Not run: {run.unreached.text}.{how}", "bold"),)
        if run.resume is not None:
            yield ((f"    {shell_command(run.resume)}", ""),)

    def _not_run(self, cases: list[str]) -> Iterator[Line]:
        yield ()
        yield (("Not run:", "bold"),)
        for case in cases:
            yield from self._cases.indented("", case, "")

    def _repeats(self, cases: list[tuple[str, CaseTally]]) -> Iterator[Line]:
        """Yield the results of each repeated case."""
        yield ()
        yield (("Repeats:", "bold"),)
        column = min(max(len(name) for name, _ in cases), 40)
        for name, case in cases:
            segments = [
                (f"    {name.ljust(column)}  ", ""),
                (
                    f"{case.passed}/{case.runs} passed",
                    "green" if case.passed == case.runs else "red",
                ),
            ]
            if case.rehearsed:
                segments[1:] = [(f"{case.rehearsed}/{case.runs} rehearsed", REHEARSAL)]
            if case.mean is not None and case.lowest is not None and case.highest is not None:
                lowest, highest = shown_score(case.lowest), shown_score(case.highest)
                spread = f"  mean {shown_score(case.mean)}, from {lowest} to {highest}"
                if case.deviation is not None:
                    spread += f", deviation {case.deviation:.2f}"
                segments.append((spread, "dim"))
            yield segments
        if any(case.rehearsed for _, case in cases):
            return
        always = sum(case.passed == case.runs for _, case in cases)
        noun = "case" if len(cases) == 1 else "cases"
        yield ((f"    {always:,} of {len(cases):,} {noun} passed each time", ""),)

    def _gates(self, run: RunReport) -> Iterator[Line]:
        if not run.gates:
            return
        from suitecase.cli.output.gates_text import gates_text

        for gates in run.gates:
            suite = f" of {gates.suite.label}" if len(run.suites) > 1 else ""
            yield ()
            if gates.decisions:
                yield ((f"Gates{suite}:", "bold"),)
                yield from gates_text(gates.decisions, no_model=run.total.answerers.no_model)
            elif gates.not_decided:
                yield ((f"Gates{suite} are not decided: {gates.not_decided}.", "yellow"),)

    def _table(self, facts: list[Fact]) -> Iterator[Line]:
        yield ()
        column = max(len(name) for name, _ in facts)
        for name, lines in facts:
            for number, line in enumerate(lines):
                title = (name if not number else "").ljust(column)
                wrapped = textwrap.wrap(
                    visible(line),
                    max(self._width - column - 2, 20),
                    subsequent_indent="  ",
                    break_on_hyphens=False,
                )
                for at, part in enumerate(wrapped):
                    label = title if not at else " " * column
                    yield (f"{label}  ", "bold"), (part, "")

    def _summary(self, run: RunReport) -> Iterator[Line]:
        """Yield the summary of all cases."""
        total, not_run = run.total, run.not_run_count
        no_model = total.answerers.no_model
        segments: list[Segment] = []
        for status, text in status_counts(total):
            style = REHEARSAL if no_model and status.graded else STYLES[status]
            segments += [(", " if segments else "", ""), (text, style)]
        if not_run:
            segments.append((f", {not_run:,} not run", "bold"))
        if total.mean_score is not None:
            segments.append(
                (f"; mean score {shown_score(total.mean_score)} of {total.graded:,} graded", "")
            )
        if total.judge_errors:
            broken = "1 judge" if total.judge_errors == 1 else f"{total.judge_errors:,} judges"
            segments.append((f"; {broken} could not be asked", "yellow"))
        yield ()
        yield segments
        of_stand_ins = run.stand_in_remarks()
        for remark in run.remarks():
            yield ((remark, "bold yellow" if remark in of_stand_ins else "yellow"),)


STYLES = {
    Status.PASS: "bold green",
    Status.REHEARSED: "dim",
    Status.BORDERLINE: "bold yellow",
    Status.FAIL: "bold red",
    Status.JUDGE_FAILED: "bold magenta",
    Status.ERROR: "bold magenta",
    Status.NOT_EVALUATED: "bold cyan",
}
#: A rehearsal has no colors.
REHEARSAL = "dim"
_LABEL_COLUMNS = len("BORDERLINE")
#: Longer answers are cut after so many lines.
MOST_LINES = 12


class CaseText:
    """Prints cases, as wide as the terminal.

    Attributes:
        cut: whether an answer was cut.
    """

    def __init__(self, width: int, detail: Detail) -> None:
        self._width = width
        self._detail = detail
        self.cut = False

    def is_shown(self, record: ResultRecord) -> bool:
        """Whether anything of a case is printed."""
        if self._detail.show == "none":
            return False
        return not (self._detail.quiet and record.status in SETTLED)

    def lines(self, case: GradedCase) -> Iterator[Line]:
        """Yield the lines about a case."""
        record, seconds = case.record, case.seconds
        status, graded = record.status, record.graded_score
        label = status.word.upper()
        style = REHEARSAL if record.rehearsed and status.graded else STYLES[status]
        score = "   -" if graded is None else shown_score(graded)
        time = "" if seconds is None else f"  {duration(seconds)}"
        yield (
            (label.ljust(_LABEL_COLUMNS), style),
            (f"  {score}  ", ""),
            (record.eval_id, "bold"),
            (f" ({record.repeat}/{record.repeats})" if record.repeats > 1 else "", ""),
            (time, "dim"),
            (f"  {record.stood_in}" if record.stood_in else "", "yellow"),
            ("  cut off" if record.cut_off else "", "yellow"),
        )
        if self._detail.show == "all" or status not in SETTLED:
            yield from self._reasons(record)
        else:
            yield from self._doubts(record)
        if self._detail.answers and record.candidate_answer is not None:
            yield from self._answer(record.candidate_answer)

    def _reasons(self, record: ResultRecord) -> Iterator[Line]:
        if record.gate_failed and verdict_for(record.graded_score or 0.0) is not Verdict.FAIL:
            yield from self.indented(
                "! ", "a required item is not met, so it fails whatever the score", "red"
            )
        if record.error:
            yield from self.indented("! ", record.error, "magenta")
        for reservation in filter(None, (record.cut_off, record.without_secret)):
            yield from self.indented("? ", reservation, "yellow")
        yield from self._doubts(record)
        for hit in record.hits:
            yield from self.indented("+ ", hit, "green")
        for miss in record.misses:
            yield from self.indented("- ", miss, "red")
        for reason in _further_reasons(record):
            yield from self.indented("", reason, "dim")

    def _doubts(self, record: ResultRecord) -> Iterator[Line]:
        several = len(record.evaluator_results) > 1
        for doubt in doubts_in(record):
            text = doubt.told if several or len(doubt.where) > 1 else doubt.text
            yield from self.indented("? ", text, "yellow")

    def _answer(self, answer: str) -> Iterator[Line]:
        text = answer.strip("\n") or "(the answer is empty)"
        lines = self._wrapped(text, "    | ", "    | ", break_words=True)
        rest = len(lines) - MOST_LINES
        if rest > 1:
            self.cut = True
            lines = lines[:MOST_LINES]
        for line in lines:
            yield ((line, ""),)
        if rest > 1:
            yield ((f"    ... {rest:,} more lines", "dim"),)

    def indented(self, sign: str, text: str, style: str) -> Iterator[Line]:
        """Yield a text below a case."""
        for line in self._wrapped(text, f"    {sign}", " " * (4 + len(sign))):
            yield ((line, style),)

    def _wrapped(
        self, text: str, first: str, indent: str, *, break_words: bool = False
    ) -> list[str]:
        lines: list[str] = []
        for paragraph in visible(text.replace("\r\n", "\n")).split("\n"):
            # Characters that take two columns have no spaces between them, either.
            share = len(paragraph) / max(cells(paragraph), 1)
            wrapped = textwrap.wrap(
                paragraph,
                max(int(self._width * min(share, 1)), 30),
                initial_indent=first,
                subsequent_indent=indent,
                break_long_words=break_words or share < 1,
                break_on_hyphens=False,
            )
            lines += wrapped or [first.rstrip()]
            first = indent
        return lines


def _further_reasons(record: ResultRecord) -> Iterator[str]:
    """Yield the reasons that do not repeat a hit or a miss; those of checks without a judge do."""
    said = {*record.hits, *record.misses}
    results = record.evaluator_results
    if len(results) > 1 and any(result.reasoning for result in results):
        for result in results:
            if result.reasoning and result.reasoning not in said:
                yield f"{result.label}: {result.reasoning}"
    elif record.reasoning and record.reasoning not in said:
        yield record.reasoning
