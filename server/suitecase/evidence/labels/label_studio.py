"""Labels in the JSON that Label Studio exports: tasks with `annotations`.

`data.case` and `data.answer` are those that the sheet had. The name of a control is the item, unless
`data.items` has its id under that name. `data.wording` has the digest of each item's wording. A
`TextArea` with the name `note` has the rater's remarks.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as AnyMapping

from suitecase.evidence.labels.fields import Field, Labels
from suitecase.evidence.labels.json_fields import field_of, of_item, opening, texts_by_item
from suitecase.text.node import Mapping, Node, Scalar, Sequence

#: Where the value of a control is, by its type.
_VALUES = ("choices", "rating", "number")
_NOTE = "note"


def add_task(task: Mapping, found: Labels) -> None:
    """Add the labels of a task."""
    data, annotations = task.get("data"), task.get("annotations")
    if not isinstance(data, Mapping) or not isinstance(annotations, Sequence):
        found.problem(opening(task), "a task must have `data`, and `annotations` as a list")
        return
    of_task = {name: it for name in ("case", "answer") if (it := field_of(data.get(name)))}
    items, wordings = texts_by_item(data.get("items")), texts_by_item(data.get("wording"))
    for annotation in annotations.items:
        if not isinstance(annotation, Mapping) or _is_true(annotation.get("was_cancelled")):
            continue
        rater = _rater(annotation.get("completed_by"))
        results = list(_results(annotation))
        note = next((it for name, it in results if name == _NOTE), None)
        for name, value in results:
            if name != _NOTE:
                item = items.get(name, name) if not isinstance(items, str) else name
                fields = dict(of_task)
                fields |= _of_item(item, value, rater, note, wordings)
                found.add(fields, opening(annotation))
        if not results:
            found.add({}, opening(annotation))


def _of_item(
    item: str,
    value: Field,
    rater: Field | None,
    note: Field | None,
    wordings: AnyMapping[str, str] | str,
) -> dict[str, Field]:
    fields = {"item": Field(item, value.span), "value": value}
    wording = of_item(wordings, item)
    if wording is not None:
        fields["wording"] = Field(wording, value.span)
    if rater is not None:
        fields["rater"] = rater
    if note is not None:
        fields["note"] = note
    return fields


def _results(annotation: Mapping) -> Iterator[tuple[str, Field]]:
    """Yield the name of each control with its value; of a choice of several, all of them."""
    results = annotation.get("result")
    for result in results.items if isinstance(results, Sequence) else ():
        if not isinstance(result, Mapping):
            continue
        name, value = result.get("from_name"), result.get("value")
        if not isinstance(name, Scalar) or not isinstance(value, Mapping):
            continue
        keys = ("text",) if name.text == _NOTE else _VALUES
        node = next((it for key in keys if (it := value.get(key)) is not None), None)
        field = _only(node)
        if field is not None:
            yield name.text, field


def _only(node: Node | None) -> Field | None:
    if not isinstance(node, Sequence):
        return field_of(node)
    if len(node.items) == 1:
        return field_of(node.items[0])
    texts = [it.text for it in node.items if isinstance(it, Scalar)]
    return Field(", ".join(texts), opening(node)) if texts else None


def _rater(node: Node | None) -> Field | None:
    """Return who completed an annotation: a number, or an account with an address."""
    if isinstance(node, Mapping):
        return next((it for key in ("email", "id") if (it := field_of(node.get(key)))), None)
    return field_of(node)


def _is_true(node: Node | None) -> bool:
    return isinstance(node, Scalar) and node.value is True
