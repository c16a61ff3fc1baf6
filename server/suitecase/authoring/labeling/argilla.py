"""Sheets as records of Argilla, for a dataset with the questions `value` and `note`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from suitecase.authoring.labeling.sheets import SheetRow
from suitecase.text.encoders.json_text import json_text


def argilla_records(rows: Sequence[SheetRow]) -> str:
    """Return a sheet as the text of a JSON file, which `dataset.records.from_json` reads."""
    return json_text([_record(it) for it in rows], indent=1) + "\n"


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
