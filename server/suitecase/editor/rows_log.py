"""The log of another tool's test as a Markdown document: its rows, then all that is known of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from suitecase.editor.markdown import escaped
from suitecase.editor.results import CaseResult
from suitecase.editor.run_log import run_log
from suitecase.editor.verdicts import cut, worded
from suitecase_evaluators.answers.records.record import ResultRecord

#: Longer texts in the table are cut off; the log of the row has them in full.
_LONGEST = 120
_HEAD = ("Row", "Prompt", "Provider", "Verdict", "Hits", "Misses")


def rows_log(result: CaseResult, records: Sequence[ResultRecord]) -> str:
    """Return the result of a test as a document.

    Args:
        result: the result, with those of its rows.
        records: the records of the rows that still exist.
    """
    rows = f" ({result.counted_rows})" if result.counted_rows is not None else ""
    parts = [f"# {escaped(worded(result))}: {escaped(result.case)}{rows}"]
    if len(result.rows) > 1:
        parts.append("\n".join(_table(result.rows)))
    # Each log is a part of this document.
    parts += [f"#{run_log(record)}".replace("\n## ", "\n### ").rstrip() for record in records]
    return "\n\n".join(parts) + "\n"


def _table(rows: Sequence[CaseResult]) -> Iterator[str]:
    yield _line(_HEAD)
    yield _line(["---"] * len(_HEAD))
    for row in rows:
        cells = (
            row.case, row.prompt or "", row.target, worded(row), "; ".join(row.hits),
            row.error or "; ".join(row.misses),
        )  # fmt: skip
        yield _line([escaped(_brief(cell)) for cell in cells])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _brief(text: str) -> str:
    line = cut(text)
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
