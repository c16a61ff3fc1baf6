"""Rules on the JSON Schemas that answers are held against."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from suitecase.rule import Finding, rule
from suitecase.suite.elements import EVALUATORS_UNDER, WrittenEvaluator
from suitecase.suite.written import WrittenCase, WrittenHead
from suitecase.syntax.embedded import Embedded
from suitecase.syntax.json_text import JsonPlaces
from suitecase.syntax.jsonl import parse_json_text
from suitecase.syntax.node import Mapping, Node, Scalar, Span, at, plain
from suitecase_evaluators.json_values import NotJsonError, parse_json
from suitecase_evaluators.schema_validation import schema_problem

#: The keys of a head and of a case under which schemas stand.
SCHEMAS_UNDER = ("evaluation_schema", "expected_schema", *EVALUATORS_UNDER)


@dataclass(frozen=True, slots=True)
class WrittenSchema:
    """A schema where it stands: its key, its value, and its name for people."""

    key: Scalar
    node: Node
    what: str


def written_schemas(part: WrittenHead | WrittenCase) -> Iterator[WrittenSchema]:
    """Yield every JSON Schema of a part that is not blank."""
    if part.node is None:
        return
    field = "evaluation_schema" if isinstance(part, WrittenCase) else "expected_schema"
    yield from _schema(part.node, field, f"`{field}`")
    for element in part.elements():
        if isinstance(element, WrittenEvaluator) and element.type == "json_schema":
            name = element.name
            where = f"`schema` of `{name.text}`" if name is not None else "`schema`"
            yield from _schema(element.node, "schema", where)


def _schema(mapping: Mapping, field: str, what: str) -> Iterator[WrittenSchema]:
    entry = mapping.entries.get(field)
    if entry is None:
        return
    node = entry.value
    blank = isinstance(node, Scalar) and (node.value is None or not node.text.strip())
    if not blank and (
        isinstance(node, Mapping) or isinstance(node.value, str)
        if isinstance(node, (Mapping, Scalar))
        else False
    ):
        yield WrittenSchema(entry.key, node, what)


@rule("SC401", keys=SCHEMAS_UNDER)
def schema_not_json(part: WrittenHead | WrittenCase) -> Iterator[Finding]:
    """A schema that is written as text is not JSON.

    A schema may be YAML, or a text that holds JSON. The finding is at the place inside the text
    where it stops being JSON.

    ```yaml bad
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema: |
          {
            "type": "object",
            "required": ["total",]  # <- finding
          }
    ```

    ```yaml good
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema: |
          {
            "type": "object",
            "required": ["total"]
          }
    ```
    """
    for schema in written_schemas(part):
        if isinstance(schema.node, Scalar):
            try:
                parse_json(schema.node.text)
            except NotJsonError as error:
                offset = _offset(schema.node.text, error.line, error.column)
                span = Embedded(schema.node, part.source).span(offset, offset + 1)
                yield Finding(span, f"{schema.what} is not JSON: {error.reason}")


def _offset(text: str, line: int, column: int) -> int:
    lines = text.split("\n")
    return sum(len(it) + 1 for it in lines[: line - 1]) + column - 1


@rule("SC402", keys=SCHEMAS_UNDER)
def invalid_schema(part: WrittenHead | WrittenCase) -> Iterator[Finding]:
    """A schema is no JSON Schema.

    It does not meet the metaschema of its draft (2020-12 where `$schema` names none), or it refers
    to something that is not in it: schemas are never fetched. No answer could be validated.

    ```yaml bad
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema: |
          {
            "type": "object",
            "properties": {"total": {"type": "numbr"}}  # <- finding
          }
    ```

    ```yaml good
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema:
          type: object
          properties:
            total: {type: number}
    ```
    """
    for schema in written_schemas(part):
        text = schema.node.text if isinstance(schema.node, Scalar) else None
        if text is not None:
            try:
                value = parse_json(text)
            except NotJsonError:
                continue
        else:
            value = plain(schema.node)
        problem = schema_problem(value)
        if problem is None:
            continue
        span = place_in(schema, problem.path, part.source)
        yield Finding(span, f"{schema.what} is no JSON Schema: {problem.message}")


@rule("SC409")
def duplicate_schema_key(part: WrittenHead | WrittenCase) -> Iterator[Finding]:
    """A key is given twice in a schema that is written as JSON.

    The last one counts, and what the first one asks for is asked of no answer.

    ```yaml bad
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema: |
          {
            "required": ["total"],
            "required": ["currency"]  # <- finding
          }
    ```

    ```yaml good
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema: |
          {
            "required": ["total", "currency"]
          }
    ```
    """
    for schema in written_schemas(part):
        if not isinstance(schema.node, Scalar):
            continue
        for problem in parse_json_text(schema.node.text).problems:
            if problem.kind == "duplicate_key":
                span = Embedded(schema.node, part.source).span(*problem.span)
                yield Finding(span, f"{schema.what}: {problem.message}")


def place_in(schema: WrittenSchema, path: tuple[str | int, ...], source: str) -> Span:
    """Return where what a path leads to stands, in a schema of YAML or of JSON in a text."""
    if isinstance(schema.node, Scalar):
        start, end = JsonPlaces(schema.node.text).span(path)
        return Embedded(schema.node, source).span(start, end)
    node, key, _ = at(schema.node, path)
    if isinstance(node, Scalar) and node.end > node.start:
        return node.span
    return key.span if key is not None else schema.key.span
