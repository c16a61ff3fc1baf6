"""Labels in JSON: one object for each value, on a line of its own or in a list."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.evidence.labels.argilla import add_record
from suitecase.evidence.labels.fields import Field, Labels
from suitecase.evidence.labels.json_fields import field_of, opening
from suitecase.evidence.labels.label import COLUMNS, LabelFile, LabelFormat
from suitecase.evidence.labels.label_studio import add_task
from suitecase.text.composed import Problem
from suitecase.text.jsonl import parse_json_text, parse_lines
from suitecase.text.node import Mapping, Node, Sequence, describe


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
            found.add(dict(_fields(node, start)), opening(node, start))
        elif node is not None:
            found.problem(
                node.span.shifted(start), f"a label must be an object; got {describe(node)}"
            )
    return found.file


def _add_problems(problems: tuple[Problem, ...], found: Labels) -> None:
    for problem in problems:
        found.problem(problem.span, problem.message)


def _format_of(items: list[Node]) -> LabelFormat:
    first = next((it for it in items if isinstance(it, Mapping)), None)
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
            found.add(dict(_fields(item)), opening(item))


def _fields(node: Mapping, start: int = 0) -> Iterator[tuple[str, Field]]:
    for name in COLUMNS:
        field = field_of(node.get(name), start)
        if field is not None:
            yield name, field
