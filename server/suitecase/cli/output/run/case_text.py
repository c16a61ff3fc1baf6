"""A graded case as text: a line, and below it why, and what was answered."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from suitecase.cli.output.printing import cells
from suitecase.cli.output.run.facts import duration
from suitecase.cli.running.detail import Detail
from suitecase.cli.running.graded_case import GradedCase
from suitecase.text.encoders.terminal import Line
from suitecase.text.encoders.visible import visible
from suitecase_evaluators.answers.records.doubts import doubts_in
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.status import SETTLED, Status
from suitecase_evaluators.answers.score import Verdict, shown_score, verdict_for

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
    if len(results) > 1 and any(it.reasoning for it in results):
        for it in results:
            if it.reasoning and it.reasoning not in said:
                yield f"{it.label}: {it.reasoning}"
    elif record.reasoning and record.reasoning not in said:
        yield record.reasoning
