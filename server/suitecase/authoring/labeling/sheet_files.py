"""The files with sheets for raters, as texts by name: CSV, and records and tasks of labeling tools.

Records of Argilla are for a dataset with the questions `value` and `note`. A project of Label Studio has
one configuration, and cases have different items, so each item of an answer is a task, whose choices are
the values that the item may have.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from suitecase.authoring.labeling.csv_sheet import csv_sheet
from suitecase.authoring.labeling.sheets import SheetRow
from suitecase.text.encoders.json_text import json_text

SheetFormat = Literal["csv", "label-studio", "argilla"]

#: The order of the rows of a file that all raters of a project share.
EVERYBODY = ""
_NOT_IN_NAMES = re.compile(r"[^\w.@+-]+")


def sheet_files(
    sheets: Mapping[str, Sequence[SheetRow]],
    evaluator: str,
    form: SheetFormat,
    *,
    adjudicates: bool = False,
) -> dict[str, str]:
    """Return the files with the sheets of an evaluator.

    Args:
        sheets: the rows for each rater; those of `EVERYBODY` are in a file that names no rater.
        evaluator: its name.
        form: the format.
        adjudicates: whether the sheets are for people who adjudicate.
    """
    stem = file_name(evaluator) + (".adjudication" if adjudicates else "")
    files: dict[str, str] = {}
    for rater, rows in sheets.items():
        name = f"{stem}.{file_name(rater)}" if rater else stem
        match form:
            case "csv":
                files[f"{name}.csv"] = csv_sheet(rows, rater, adjudicates=adjudicates)
            case "label-studio":
                files[f"{name}.label-studio.json"] = label_studio_tasks(rows)
                files[f"{stem}.label-studio.xml"] = label_studio_config(rows)
            case "argilla":
                files[f"{name}.argilla.json"] = argilla_records(rows)
    return files


def file_name(name: str) -> str:
    """Return a part of a file name for a name, the same for the same name on every system."""
    return _NOT_IN_NAMES.sub("-", name).strip(".") or "-"


def argilla_records(rows: Sequence[SheetRow]) -> str:
    """Return a sheet as the text of a JSON file, which `dataset.records.from_json` reads."""
    return json_text([_record(row) for row in rows], indent=1) + "\n"


def _record(row: SheetRow) -> dict[str, Any]:
    answer, item = row.answer, row.item
    fields = {
        "question": answer.question,
        "reference": answer.reference,
        "response": answer.text,
        "criterion": item.criterion,
        "scale": item.scale,
        "ratings": row.ratings,
    }
    return {
        "id": f"{answer.case}/{answer.digest}/{item.id}",
        # A field without text is an error there.
        "fields": {name: text for name, text in fields.items() if text.strip()},
        "metadata": {
            "case": answer.case,
            "answer": answer.digest,
            # Metadata of Argilla are texts and numbers.
            "items": json.dumps({"value": item.id}, ensure_ascii=False),
            "wording": item.wording,
        },
        "suggestions": {},
        "responses": {},
        "vectors": {},
    }


_SHOWN = (
    ("question", "Question"),
    ("reference", "Reference answer"),
    ("response", "Answer"),
    ("criterion", "Criterion"),
    ("scale", "What the values mean"),
    ("ratings", "Values of the raters"),
)
_VALUE = """\
  <Choices name="value" toName="response" value="$values" choice="single-radio" required="true"
           showInline="true"/>"""
_NOTE = '  <TextArea name="note" toName="response" placeholder="Note" maxSubmissions="1"/>'


def label_studio_tasks(rows: Sequence[SheetRow]) -> str:
    """Return a sheet as the text of a JSON file of tasks."""
    return json_text([{"data": _data(row)} for row in rows], indent=1) + "\n"


def label_studio_config(rows: Sequence[SheetRow]) -> str:
    """Return the labeling configuration of a project with these tasks."""
    shown = [
        f'  <Header value="{title}"/>\n  <Text name="{name}" value="${name}"/>'
        for name, title in _SHOWN
        if any(_data(row).get(name) for row in rows)
    ]
    return "\n".join(("<View>", *shown, _VALUE, _NOTE, "</View>\n"))


def _data(row: SheetRow) -> dict[str, Any]:
    data: dict[str, Any] = {
        "case": row.answer.case,
        "answer": row.answer.digest,
        "items": {"value": row.item.id},
        "wording": row.item.wording,
        "question": row.answer.question,
        "reference": row.answer.reference,
        "response": row.answer.text,
        "criterion": row.item.criterion,
        "scale": row.item.scale,
        "values": [{"value": value} for value in row.item.values],
    }
    return data | {"ratings": row.ratings} if row.ratings else data
