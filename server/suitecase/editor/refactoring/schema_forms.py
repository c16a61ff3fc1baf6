"""Converting JSON Schemas between JSON in a string and YAML."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from suitecase.checking.rules.schemas import ParsedSchema, written_schemas
from suitecase.editor.refactoring.part import Part, Proposal
from suitecase.format.rewriting.lines import as_written, column, indented, line_end, newline
from suitecase.format.rule import Edit
from suitecase.text.emitting import in_quotes, yaml_text
from suitecase.text.encoders.visible import escaped_in_json
from suitecase.text.node import Mapping, Scalar, Span, plain


def schema_forms(part: Part) -> Iterator[Proposal]:
    """Propose the other form of the selected schema."""
    for schema in written_schemas(part.written):
        if not part.touches(Span(schema.key.start, schema.node.end)):
            continue
        holder = as_written(part.written.node, schema.key)
        if holder is None:
            continue
        if isinstance(schema.node, Mapping):
            edit = _to_json(part.text, schema, in_braces=holder.flow)
            name = "a text of JSON"
        else:
            edit = _to_yaml(part.text, schema, schema.node, in_braces=holder.flow)
            name = "an object" if part.is_json else "YAML"
        if edit is not None:
            yield Proposal(f"Write the schema as {name}", "refactor.rewrite", (edit,))


def _to_yaml(text: str, schema: ParsedSchema, node: object, *, in_braces: bool) -> Edit | None:
    value = _json_object(node.text) if isinstance(node, Scalar) else None
    if value is None:
        return None
    if in_braces or not value:
        return Edit(schema.node.span, in_quotes(value))
    sign = text[schema.node.start : line_end(text, schema.node.start)]
    comment = sign[sign.find("#") :].rstrip() if sign[:1] in "|>" and "#" in sign else ""
    lines = yaml_text(value).removesuffix("\n")
    return _below(text, schema, f":{comment and '  '}{comment}", lines)


def _to_json(text: str, schema: ParsedSchema, *, in_braces: bool) -> Edit | None:
    try:
        lines = escaped_in_json(
            json.dumps(
                plain(schema.node),
                ensure_ascii=False,
                allow_nan=False,
                indent=None if in_braces else 2,
            )
        )
    except ValueError:
        return None  # YAML allows infinity
    if in_braces:
        return Edit(schema.node.span, in_quotes(lines))
    rest_of_line = (
        text[schema.key.end : schema.node.start].partition("\n")[0].lstrip(": \t").rstrip()
    )
    comment = f"  {rest_of_line}" if rest_of_line.startswith("#") else ""
    return _below(text, schema, f": |{comment}", lines)


def _below(text: str, schema: ParsedSchema, sign: str, lines: str) -> Edit:
    """Insert lines below a key, in place of its value."""
    br, depth = newline(text), column(text, schema.key.start) + 2
    block = f"{sign}\n{indented(lines, depth)}".replace("\n", br)
    return Edit(Span(schema.key.end, schema.node.end), block)


def _json_object(text: str) -> dict[str, Any] | None:
    """Return the object a JSON text encodes; None if YAML cannot represent it fully."""
    try:
        text.encode()
        value = json.loads(text, object_pairs_hook=_once, parse_constant=float)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Create an object from its pairs.

    Raises:
        ValueError: a key is duplicated, and one value would be lost.
    """
    unique = dict(pairs)
    if len(unique) != len(pairs):
        raise ValueError("a key is given twice")
    return unique
