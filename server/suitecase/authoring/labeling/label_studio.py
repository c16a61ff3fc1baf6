"""Sheets as tasks of Label Studio, with the labeling configuration of their project.

A project has one configuration, and cases have different items, so each item of an answer is a task, whose
choices are the values that the item may have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from suitecase.authoring.labeling.sheets import SheetRow
from suitecase.text.encoders.json_text import json_text

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
    return json_text([{"data": _data(it)} for it in rows], indent=1) + "\n"


def label_studio_config(rows: Sequence[SheetRow]) -> str:
    """Return the labeling configuration of a project with these tasks."""
    shown = [
        f'  <Header value="{title}"/>\n  <Text name="{name}" value="${name}"/>'
        for name, title in _SHOWN
        if any(_data(it).get(name) for it in rows)
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
        "values": [{"value": it} for it in row.item.values],
    }
    return data | {"ratings": row.ratings} if row.ratings else data
