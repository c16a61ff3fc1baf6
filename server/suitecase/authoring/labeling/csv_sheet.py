"""Sheets as CSV for spreadsheets. `suitecase.evidence.labels` reads them back."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from suitecase.authoring.labeling.sheets import SheetRow
from suitecase.evidence.labels.spreadsheet_cells import protected
from suitecase_evaluators.answers.message import well_formed

#: Spreadsheets cut off or split longer cells.
LONGEST_CELL = 32_000
#: The mark by which spreadsheets know that the text is UTF-8.
_BYTE_ORDER_MARK = "\ufeff"


def csv_sheet(rows: Sequence[SheetRow], rater: str, *, adjudicates: bool = False) -> str:
    """Return a sheet as the text of a CSV file, with empty cells for values and notes."""
    has_reference = any(it.answer.reference for it in rows)
    columns = (
        *(("question", "reference") if has_reference else ("question",)),
        *("response", "criterion", "scale"),
        *(("ratings",) if adjudicates else ()),
        *("value", "note", "case", "answer", "item", "wording", "rater"),
    )
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(columns)
    for row in rows:
        cells = {
            "question": row.answer.question,
            "reference": row.answer.reference,
            "response": row.answer.text,
            "criterion": row.item.criterion,
            "scale": row.item.scale,
            "ratings": row.ratings,
            "case": row.answer.case,
            "answer": row.answer.digest,
            "item": row.item.id,
            "wording": row.item.wording,
            "rater": rater,
        }
        writer.writerow([protected(_shortened(cells.get(column, ""))) for column in columns])
    return _BYTE_ORDER_MARK + text.getvalue()


def is_shortened(row: SheetRow) -> bool:
    """Whether a text of a row is too long for a cell."""
    answer = row.answer
    return any(len(it) > LONGEST_CELL for it in (answer.question, answer.reference, answer.text))


def _shortened(text: str) -> str:
    text = well_formed(text).replace("\0", "\N{REPLACEMENT CHARACTER}")
    if len(text) <= LONGEST_CELL:
        return text
    left_out = len(text) - LONGEST_CELL
    return f"{text[:LONGEST_CELL]}\n[{left_out:,} more characters are in the results file]"
