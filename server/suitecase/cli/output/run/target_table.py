"""The results of several targets as a table, for people."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.cli.output.printing import cells
from suitecase.cli.output.run.facts import duration
from suitecase.cli.running.target_comparison import TargetComparison, TargetRow
from suitecase.text.encoders.terminal import Line
from suitecase.text.encoders.visible import visible
from suitecase.text.plural import counted, dollars
from suitecase_evaluators.answers.records.status import Status
from suitecase_evaluators.answers.score import shown_score

#: As many differing cases are listed; JSON has them all.
MOST_DIFFERING = 20
_GAP = "  "
_LONGEST_TARGET, _LONGEST_MODEL = 24, 32
#: The headings of the columns, and whether there is a column if no result has the status.
_COLUMNS = {
    Status.PASS: ("pass", True),
    Status.REHEARSED: ("rehearsed", False),
    Status.BORDERLINE: ("border", True),
    Status.FAIL: ("fail", True),
    Status.JUDGE_FAILED: ("judge failed", False),
    Status.ERROR: ("error", True),
    Status.NOT_EVALUATED: ("none", False),
}


def table_cells(comparison: TargetComparison) -> list[list[str]]:
    """Return the head of the table and a row for each target; the second column is the model."""
    shown = [
        status
        for status, (_, always) in _COLUMNS.items()
        if always or any(row.tally.statuses[status] for row in comparison.rows)
    ]
    head = ["target", "model", *(_COLUMNS[status][0] for status in shown)]
    rows = [[*head, "score", "cost", "median", "p95", "tokens"]]
    for row in comparison.rows:
        mean, answers = row.tally.mean_score, row.figures.answers
        rows.append(
            [
                visible(row.target),
                visible(", ".join(row.models)),
                *(f"{row.tally.statuses[status]:,}" for status in shown),
                "-" if mean is None else shown_score(mean),
                cost_text(row),
                _time(answers.median),
                _time(answers.p95),
                "-" if row.figures.tokens is None else f"{row.figures.tokens:,}",
            ]
        )
    return rows


def cost_text(row: TargetRow) -> str:
    """Return what the answers of a target cost."""
    if not row.tally.verdicts:
        return "-"
    answers = row.figures.answers
    if answers.unpriced:
        return f"{dollars(answers.usd)}+?" if answers.usd else "unknown"
    return dollars(answers.usd)


def _time(seconds: float | None) -> str:
    return "-" if seconds is None else duration(seconds)


def comparison_lines(comparison: TargetComparison, width: int) -> Iterator[Line]:
    """Yield the table, as wide as the terminal, and the cases in which the targets differ."""
    yield ()
    yield ((f"Targets of {comparison.suite.shown}:", "bold"),)
    rows = table_cells(comparison)
    rows = [[_cut(row[0], _LONGEST_TARGET), _cut(row[1], _LONGEST_MODEL), *row[2:]] for row in rows]
    models = [row[1] for row in rows[1:]]
    apart = not any(models)
    while _width(rows) > width and len(rows[0]) > 7:
        # What does not fit stands below, or goes: tokens, then the slowest answers.
        rows = [[row[0], *row[2:]] if not apart else row[:-1] for row in rows]
        apart = True
    if apart and len(rows[0]) > 1 and rows[0][1] == "model":
        rows = [[row[0], *row[2:]] for row in rows]
    widths = [max(cells(row[at]) for row in rows) for at in range(len(rows[0]))]
    has_models = rows[0][1] == "model"
    for number, row in enumerate(rows):
        parts = [
            _padded(text, widths[at], left=at == 0 or (has_models and at == 1))
            for at, text in enumerate(row)
        ]
        yield ((f"    {_GAP.join(parts)}".rstrip(), "dim" if number == 0 else ""),)
    if not has_models:
        for target, model in zip(comparison.rows, models, strict=True):
            if model:
                yield ((f"    {target.target}: {model}", "dim"),)
    yield from _differing(comparison)


def _differing(comparison: TargetComparison) -> Iterator[Line]:
    found = comparison.differing
    total = counted(comparison.cases, "case")
    if not found:
        yield ((f"    No case passes with one target and fails with another, of {total}.", ""),)
        return
    be = "passes" if len(found) == 1 else "pass"
    fail = "fails" if len(found) == 1 else "fail"
    yield (
        (f"    {len(found):,} of {total} {be} with one target and {fail} with another:", "yellow"),
    )
    for it in found[:MOST_DIFFERING]:
        yield (f"      {it.case}", "bold"), (f"  {it.text}", "")
    if len(found) > MOST_DIFFERING:
        more = len(found) - MOST_DIFFERING
        yield ((f"      ... and {more:,} more; --format json lists all of them", "dim"),)


def _width(rows: list[list[str]]) -> int:
    widths = [max(cells(row[at]) for row in rows) for at in range(len(rows[0]))]
    return 4 + sum(widths) + len(_GAP) * (len(widths) - 1)


def _padded(text: str, width: int, *, left: bool) -> str:
    space = " " * (width - cells(text))
    return text + space if left else space + text


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
