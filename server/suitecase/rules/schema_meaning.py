"""Rules on what the schemas of a suite mean: what they refuse, and whether they are used."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from suitecase.rule import Finding, Related, Severity, rule
from suitecase.rules.schemas import SCHEMAS_UNDER, WrittenSchema, place_in, written_schemas
from suitecase.suite.written import WrittenCase, WrittenHead
from suitecase.syntax.embedded import Embedded
from suitecase.syntax.json_text import JsonPlaces
from suitecase.syntax.jsonl import parse_json_text
from suitecase.syntax.node import Mapping, Node, Scalar, Sequence, Span, at, plain
from suitecase.syntax.schema_contradictions import contradictions
from suitecase_evaluators.json_values import NotJsonError, parse_json
from suitecase_evaluators.schema_validation import (
    SchemaError,
    may_take_long,
    schema_problem,
    violations,
)


@rule("SC403", Severity.WARNING, keys=SCHEMAS_UNDER)
def unsatisfiable_schema(part: WrittenHead | WrittenCase) -> Iterator[Finding]:
    """A schema contradicts itself, so that nothing can meet it.

    Every answer would fail, whatever it says: a smallest value above the largest, a required
    property that may not be there, an `enum` without values.

    ```yaml bad
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema:
          type: object
          required: [total]
          properties:
            total:
              type: number
              minimum: 100  # <- finding
              maximum: 1
    ```

    ```yaml good
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        evaluation_schema:
          type: object
          required: [total]
          properties:
            total:
              type: number
              minimum: 1
              maximum: 100
    ```
    """
    for schema, value in _sound(part):
        for found in contradictions(value):
            span = place_in(schema, found.path, part.source)
            yield Finding(span, f"{schema.what} cannot be met: {found.message}")


def _sound(part: WrittenHead | WrittenCase) -> Iterator[tuple[WrittenSchema, Any]]:
    """Yield the schemas of a part that can validate something, with their values."""
    for schema in written_schemas(part):
        try:
            if isinstance(schema.node, Scalar):
                value = parse_json(schema.node.text)
            else:
                value = plain(schema.node)
            text = json.dumps(value, allow_nan=False)
        except (NotJsonError, ValueError, RecursionError):
            continue
        if _validates(text):
            yield schema, value


@lru_cache(maxsize=128)
def _validates(text: str) -> bool:
    """Whether a schema is one; many cases share one schema."""
    return schema_problem(json.loads(text)) is None


@rule("SC404", Severity.WARNING, keys=SCHEMAS_UNDER)
def expected_answer_fails_schema(case: WrittenCase) -> Iterator[Finding]:
    """The expected answer of a case does not meet the case's own schema.

    An answer that is just as expected would fail. One of the two is wrong. Schemas with regular
    expressions are left out, since these may take any time.

    ```yaml bad
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        expected_output:
          total: "12.50"  # <- finding
        evaluation_schema:
          type: object
          properties:
            total: {type: number}
    ```

    ```yaml good
    evaluation_mode: schema
    evalcases:
      - id: extract
        input: Extract the total of this invoice.
        expected_outcome: The total is there
        expected_output:
          total: 12.50
        evaluation_schema:
          type: object
          properties:
            total: {type: number}
    ```
    """
    answer = expected_answer(case)
    if answer is None:
        return
    for schema, value in _sound(case):
        expected, text = _value_of(answer)
        if expected is None or may_take_long(value):
            continue
        if next(contradictions(value), None) is not None or _has_key_twice(schema):
            continue  # no answer at all meets it, or not what was meant does
        try:
            broken = violations(value, expected)
        except SchemaError:
            continue
        for violation in broken[:1]:
            span = _place(answer, tuple(violation.value_path), case.source, inside=text)
            yield Finding(
                span,
                f"the expected answer does not meet {schema.what}: {violation.message}",
                related=(Related("the schema", schema.key.span),),
            )


def _has_key_twice(schema: WrittenSchema) -> bool:
    node = schema.node
    return isinstance(node, Scalar) and bool(parse_json_text(node.text).problems)


def expected_answer(case: WrittenCase) -> Node | None:
    """Return what a case expects as the answer: the last expected message, or its short form."""
    if case.node is None:
        return None
    messages = case.node.get("expected_messages")
    listed = messages if messages is not None else case.node.get("expected_output")
    if isinstance(listed, Sequence) and listed.items:
        last = listed.items[-1]
        if isinstance(last, Mapping) and "role" in last:
            role = last.get("role")
            said = isinstance(role, Scalar) and role.text == "assistant"
            return last.get("content") if said else None
        return listed if messages is None else None
    if isinstance(listed, Mapping) and "role" in listed:
        return listed.get("content")
    return listed if messages is None else None


def _value_of(answer: Node) -> tuple[Any, bool]:
    """Return an answer as JSON, and whether it stands in a text; None for one that is prose."""
    if isinstance(answer, Mapping) or (isinstance(answer, Sequence) and not _has_parts(answer)):
        value = plain(answer)
        try:
            json.dumps(value, allow_nan=False)
        except (ValueError, RecursionError):
            return None, False
        return value, False
    if isinstance(answer, Scalar) and isinstance(answer.value, str):
        text = answer.text.lstrip()
        if text[:1] in ("{", "["):
            try:
                return parse_json(answer.text), True
            except NotJsonError:
                return None, True
    return None, False


def _has_parts(answer: Sequence) -> bool:
    """Whether a list is the parts of a message, which is text and no value."""
    return any(isinstance(it, Mapping) and "type" in it and "value" in it for it in answer.items)


def _place(answer: Node, path: tuple[str | int, ...], source: str, *, inside: bool) -> Span:
    if inside and isinstance(answer, Scalar):
        start, end = JsonPlaces(answer.text).span(path)
        return Embedded(answer, source).span(start, end)
    node, key, _ = at(answer, path)
    if isinstance(node, Scalar) and node.end > node.start:
        return node.span
    if key is not None:
        return key.span
    if isinstance(answer, Mapping) and answer.entries:
        return next(iter(answer.entries.values())).key.span
    return Span(node.start, min(node.end, node.start + 1))
