"""Labels in the JSON that Argilla exports: records with `responses`.

`metadata.case` and `metadata.answer` are those that the sheet had. The name of a question is the item,
unless `metadata.items` has its id under that name. `metadata.wording` has the digest of each item's
wording. A question with the name `note` has the rater's remarks. Only what was submitted counts.
"""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.evidence.labels.fields import Field, Labels
from suitecase.evidence.labels.json_fields import field_of, of_item, opening, texts_by_item
from suitecase.text.node import Mapping, Scalar, Sequence

_NOTE = "note"
_SUBMITTED = "submitted"


def add_record(record: Mapping, found: Labels) -> None:
    """Add the labels of a record."""
    metadata, responses = record.get("metadata"), record.get("responses")
    if not isinstance(metadata, Mapping) or not isinstance(responses, Mapping):
        message = "a record must have `metadata`, and `responses` with a list for each question"
        found.problem(opening(record), message)
        return
    of_record = {name: it for name in ("case", "answer") if (it := field_of(metadata.get(name)))}
    items, wordings = texts_by_item(metadata.get("items")), texts_by_item(metadata.get("wording"))
    notes = {rater.text: note for rater, note in _responses(responses.get(_NOTE)) if rater and note}
    for question, entry in responses:
        if question == _NOTE:
            continue
        item = items.get(question, question) if not isinstance(items, str) else question
        wording = of_item(wordings, item)
        for rater, value in _responses(entry.value):
            fields = {**of_record, "item": Field(item, entry.key.span)}
            if value is not None:
                fields["value"] = value
            if rater is not None:
                fields["rater"] = rater
            if rater is not None and rater.text in notes:
                fields["note"] = notes[rater.text]
            if wording is not None:
                fields["wording"] = Field(wording, entry.key.span)
            found.add(fields, value.span if value is not None else entry.key.span)


def _responses(node: object) -> Iterator[tuple[Field | None, Field | None]]:
    """Yield who gave each response to a question, and its value."""
    for response in node.items if isinstance(node, Sequence) else ():
        if not isinstance(response, Mapping):
            continue
        status = response.get("status")
        if isinstance(status, Scalar) and status.text != _SUBMITTED:
            continue
        yield field_of(response.get("user_id")), field_of(response.get("value"))
