"""Reads a file of people's labels, whichever of the formats it has.

- CSV has a row for each value, with a header that names the columns.
- JSON has an object for each value, on a line of its own or in a list.
- Argilla exports records with `responses`. `metadata.case` and `metadata.answer` are those that the sheet
  had. The name of a question is the item, unless `metadata.items` has its id under that name. Only what was
  submitted counts.
- Label Studio exports tasks with `annotations`: `data.case` and `data.answer` are those of the sheet. The
  name of a control is the item, unless `data.items` has its id under that name.

In `metadata` or `data`, `wording` has the digest of each item's wording. A question or a text area with the
name `note` has the rater's remarks.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as AnyMapping
from pathlib import Path

from suitecase.evidence.labels.fields import Field, Labels
from suitecase.evidence.labels.json_fields import field_of, of_item, opening, texts_by_item
from suitecase.evidence.labels.label import COLUMNS, REQUIRED, LabelFile, LabelFormat
from suitecase.evidence.labels.spreadsheet_cells import unprotected
from suitecase.text.composed import Problem
from suitecase.text.csv_text import SEPARATORS, Cell, plain_row_at, row_at, start_of_table
from suitecase.text.garbage_collection import without_garbage_collection
from suitecase.text.jsonl import parse_json_text, parse_lines
from suitecase.text.near_names import nearest
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span, describe
from suitecase.text.recent import recent

#: Endings of names of files that are tables, whatever their text starts with.
_TABLES = frozenset((".csv", ".tsv"))


def read_labels(path: Path, text: str) -> LabelFile:
    """Return the labels of a file and what cannot be read of it. Never raises on any text.

    Args:
        path: the file; one that does not end in `.csv` or `.tsv` is read by what it has in it.
        text: its text.
    """
    with without_garbage_collection():
        return _read(text, path.suffix.lower() in _TABLES)


@recent(most=64)
def _read(text: str, is_table: bool) -> LabelFile:
    start = text.lstrip("\ufeff \t\r\n")[:1]
    if is_table or start not in ("[", "{"):
        return read_csv(text)
    if start == "{" and not _is_one_object(text):
        return read_json_lines(text)
    return read_json(text)


def _is_one_object(text: str) -> bool:
    """Whether a text that starts with an object has nothing else, on more than one line."""
    return "\n" in text.strip() and parse_json_text(text).node is not None


def read_csv(text: str) -> LabelFile:
    """Return the labels of a CSV file; see `read_labels`."""
    found = Labels(text, LabelFormat.CSV)
    start, separator = start_of_table(text)
    separator = separator or _separator(text, start)
    header, at = _header(text, start, separator)
    if not header:
        found.problem(
            Span(start, start), f"the file is empty; its header must have {_named(REQUIRED)}"
        )
        return found.file
    columns = _columns(header, found)
    while columns is not None and at < len(text):
        plain = plain_row_at(text, at, separator)
        if plain is not None and found.add_plain(plain[0], at, columns, len(header)):
            at = plain[1]
            continue
        row, at = row_at(text, at, separator)
        if not _is_blank(row):
            _read_row(row, columns, len(header), separator, found)
    return found.file


def _separator(text: str, start: int) -> str:
    """Return the separator with which the header has the most columns that are known."""

    def known(separator: str) -> tuple[int, int]:
        header, _ = _header(text, start, separator)
        return len({_name(cell) for cell in header} & set(COLUMNS)), len(header)

    return max(SEPARATORS, key=known)


def _header(text: str, at: int, separator: str) -> tuple[list[Cell], int]:
    """Return the first row that is not blank, and where the next one starts; empty if there is none."""
    while at < len(text):
        row, at = row_at(text, at, separator)
        if not _is_blank(row):
            return row, at
    return [], at


def _columns(header: list[Cell], found: Labels) -> dict[str, int] | None:
    """Return the number of each column that is known; None if one is missing."""
    columns: dict[str, int] = {}
    for number, cell in enumerate(header):
        name = _name(cell)
        if name in COLUMNS and columns.setdefault(name, number) != number:
            found.problem(cell.span, f"the column `{name}` is there twice")
    missing = [column for column in REQUIRED if column not in columns]
    if not missing:
        return columns
    others = [_name(cell) for cell in header if _name(cell) and _name(cell) not in COLUMNS]
    for name in missing:
        near = nearest(name, others)
        named = next((cell for cell in header if near and _name(cell) == near), None)
        whole = Span(header[0].span.start, header[-1].span.end)
        hint = f"; is `{near}` meant to be it?" if near else ""
        found.problem(named.span if named else whole, f"there is no column `{name}`{hint}")
    return None


def _read_row(
    row: list[Cell], columns: dict[str, int], width: int, separator: str, found: Labels
) -> None:
    broken = next((cell for cell in row if cell.problem), None)
    if broken is not None and broken.problem is not None:
        found.problem(broken.span, broken.problem)
        return
    extra = [cell for cell in row[width:] if cell.text.strip()]
    if extra:
        shown = {",": "commas", ";": "semicolons", "\t": "tabs"}[separator]
        found.problem(
            extra[0].span,
            f"this row has {len(row)} cells, and the header {width}; put quotes around cells that "
            f"have {shown} in them",
        )
        return
    fields = dict(_fields(row, columns))
    place = Span(row[0].span.start, row[-1].span.end)
    found.add(fields, place)


def _fields(row: list[Cell], columns: dict[str, int]) -> Iterator[tuple[str, Field]]:
    for name, number in columns.items():
        if number < len(row):
            yield name, _field(row[number])


def _field(cell: Cell) -> Field:
    stripped = cell.text.strip()
    text = unprotected(stripped)
    if text == cell.text:
        return Field(text, cell.span)
    before = len(cell.text) - len(cell.text.lstrip()) + len(stripped) - len(text)
    start = cell.span.start + before if text else cell.span.start
    end = cell.span.end - (len(cell.text) - len(cell.text.rstrip()))
    return Field(text, Span(start, max(start, end)))


def _name(cell: Cell) -> str:
    return cell.text.strip().casefold()


def _is_blank(row: list[Cell]) -> bool:
    return all(not cell.text.strip() for cell in row)


def _named(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def read_json(text: str) -> LabelFile:
    """Return the labels of a text with one JSON value; see `read_labels`."""
    content = parse_json_text(text)
    root = content.node
    items: list[Node] = [] if root is None else [root]
    if isinstance(root, Sequence):
        items = root.items
    found = Labels(text, _format_of(items))
    _add_problems(content.problems, found)
    _add_all(items, found)
    return found.file


def read_json_lines(text: str) -> LabelFile:
    """Return the labels of a text with a JSON value on each line; see `read_labels`."""
    found = Labels(text, LabelFormat.JSON_LINES)
    for piece in parse_lines(text).cases:
        start = piece.start
        for problem in piece.content.problems:
            found.problem(problem.span.shifted(start), problem.message)
        node = piece.content.node
        if isinstance(node, Mapping):
            found.add(dict(_fields_of_object(node, start)), opening(node, start))
        elif node is not None:
            found.problem(
                node.span.shifted(start), f"a label must be an object; got {describe(node)}"
            )
    return found.file


def _add_problems(problems: tuple[Problem, ...], found: Labels) -> None:
    for problem in problems:
        found.problem(problem.span, problem.message)


def _format_of(items: list[Node]) -> LabelFormat:
    first = next((item for item in items if isinstance(item, Mapping)), None)
    if first is None:
        return LabelFormat.JSON
    if "annotations" in first:
        return LabelFormat.LABEL_STUDIO
    return LabelFormat.ARGILLA if "responses" in first else LabelFormat.JSON


def _add_all(items: list[Node], found: Labels) -> None:
    for item in items:
        if not isinstance(item, Mapping):
            found.problem(item.span, f"a label must be an object; got {describe(item)}")
        elif "annotations" in item:
            add_task(item, found)
        elif "responses" in item:
            add_record(item, found)
        elif isinstance(data := item.get("data"), Mapping):
            message = "this task has no `annotations`; export the tasks of Label Studio as JSON"
            found.problem(opening(data), message)
        else:
            found.add(dict(_fields_of_object(item)), opening(item))


def _fields_of_object(node: Mapping, start: int = 0) -> Iterator[tuple[str, Field]]:
    for name in COLUMNS:
        field = field_of(node.get(name), start)
        if field is not None:
            yield name, field


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


#: Where the value of a control is, by its type.
_VALUES = ("choices", "rating", "number")


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
        note = next((result for name, result in results if name == _NOTE), None)
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
    texts = [item.text for item in node.items if isinstance(item, Scalar)]
    return Field(", ".join(texts), opening(node)) if texts else None


def _rater(node: Node | None) -> Field | None:
    """Return who completed an annotation: a number, or an account with an address."""
    if isinstance(node, Mapping):
        return next((it for key in ("email", "id") if (it := field_of(node.get(key)))), None)
    return field_of(node)


def _is_true(node: Node | None) -> bool:
    return isinstance(node, Scalar) and node.value is True
