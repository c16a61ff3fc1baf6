"""What people see of a run: a line for each case as it comes, and why."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from typing import Any

import click

from suitecase.cli.output.control_characters import without_controls
from suitecase.cli.output.run.run_table import Fact, duration
from suitecase_evaluators.records.doubts import doubts_in
from suitecase_evaluators.records.record import ResultRecord
from suitecase_evaluators.records.tally import CaseTally, Tally
from suitecase_evaluators.score import Verdict, shown_score, verdict_for

#: Columns where the output is not a terminal, and the most that are used of one.
WIDTH = 100

_LABELS = {
    Verdict.PASS: ("PASS", "bold green"),
    Verdict.BORDERLINE: ("BORDERLINE", "bold yellow"),
    Verdict.FAIL: ("FAIL", "bold red"),
    Verdict.NOT_EVALUATED: ("NOT EVALUATED", "bold cyan"),
    Verdict.ERROR: ("ERROR", "bold magenta"),
}
_LABEL_COLUMNS = len("BORDERLINE")

Segment = tuple[str, str]


class Screen:
    """Prints lines of styled segments; where no terminal is looked at, without the styles."""

    def __init__(self) -> None:
        self.console: Any = None
        self._width = WIDTH
        if sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
            from rich.console import Console

            self.console = Console(highlight=False, soft_wrap=True)
            self._width = min(WIDTH, shutil.get_terminal_size().columns)
        # What the terminal's encoding lacks is shown as its number rather than ending the run.
        reconfigure = getattr(sys.stdout, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")

    def case(self, record: ResultRecord, seconds: float | None) -> None:
        """Show the record of a case."""
        verdict, graded = record.verdict, record.graded_score
        label, style = _LABELS[verdict]
        score = "   -" if graded is None else shown_score(graded)
        time = "" if seconds is None else f"  {duration(seconds)}"
        self._line(
            (label.ljust(_LABEL_COLUMNS), style),
            (f"  {score}  ", ""),
            (record.eval_id, "bold"),
            (f" ({record.repeat}/{record.repeats})" if record.repeats > 1 else "", ""),
            (time, "dim"),
        )
        if verdict is Verdict.FAIL and verdict_for(graded or 0.0) is not Verdict.FAIL:
            self._indented(
                "! ", "a required item is not met, so it fails whatever the score", "red"
            )
        if record.error:
            self._indented("! ", record.error, "magenta")
        several = len(record.evaluator_results) > 1
        for it in doubts_in(record):
            self._indented("? ", it.told if several or len(it.where) > 1 else it.text, "yellow")
        for hit in record.hits:
            self._indented("+ ", hit, "green")
        for miss in record.misses:
            self._indented("- ", miss, "red")
        if record.reasoning:
            self._indented("", record.reasoning, "dim")

    def not_run(self, cases: list[str]) -> None:
        """Name the cases that were left out, and whole suites."""
        self._line()
        self._line(("Not run:", "bold"))
        for case in cases:
            self._indented("", case, "")

    def repeats(self, cases: list[tuple[str, CaseTally]]) -> None:
        """Show how each case did that was asked several times."""
        self._line()
        self._line(("Repeats:", "bold"))
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
            self._line(*segments)
        always = sum(case.passed == case.runs for _, case in cases)
        noun = "case" if len(cases) == 1 else "cases"
        self._line((f"    {always:,} of {len(cases):,} {noun} passed each time", ""))

    def table(self, facts: list[Fact]) -> None:
        """Show what the run came to, fact by fact."""
        self._line()
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
                    shown = title if not at else " " * column
                    self._line((f"{shown}  ", "bold"), (part, ""))

    def summary(self, total: Tally, results: list[str], not_run: int) -> None:
        """Show what all cases came to."""
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
        self._line()
        self._line(*segments)
        for remark in total.remarks():
            self._line((remark, "yellow"))
        for path in results:
            self._line(("Results: ", "dim"), (path, ""))

    def _indented(self, sign: str, text: str, style: str) -> None:
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
                self._line((line, style))
            first = " " * (4 + len(sign))

    def _line(self, *segments: Segment) -> None:
        shown = [(without_controls(text), style) for text, style in segments]
        if self.console is None:
            click.echo("".join(text for text, _ in shown).rstrip())
            return
        from rich.text import Text

        self.console.print(Text.assemble(*shown))


def verdict_counts(total: Tally) -> list[tuple[Verdict, str]]:
    """Return how many cases have each verdict, as people say it; those of none are left out."""
    words = {
        Verdict.PASS: "passed",
        Verdict.BORDERLINE: "borderline",
        Verdict.FAIL: "failed",
        Verdict.NOT_EVALUATED: "not evaluated",
        Verdict.ERROR: "could not be graded",
    }
    return [
        (verdict, f"{total.verdicts[verdict]:,} {word}")
        for verdict, word in words.items()
        if total.verdicts[verdict]
    ]
