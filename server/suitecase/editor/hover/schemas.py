"""Hovers in a JSON Schema: keywords, types, formats, properties."""

from __future__ import annotations

from typing import NamedTuple

from suitecase.editor.markdown import code
from suitecase.editor.place import Place
from suitecase.editor.schema_place import draft_at, node_at, schema_at, texts_of
from suitecase.text.embedded import Embedded
from suitecase.text.jsonl import parse_json_text
from suitecase.text.node import Mapping, Node, Scalar, Span
from suitecase.text.plural import capitalized
from suitecase_evaluators.schema.formats import FORMATS
from suitecase_evaluators.schema.free_keys import ELSEWHERE
from suitecase_evaluators.schema.keywords import KEYWORDS, TYPES, Keyword
from suitecase_evaluators.schema.walk import Path, stands_for

_UNDEFINED_FORMAT = "Not checked: JSON Schema does not define it."


class SchemaHover(NamedTuple):
    """Markdown, and its span in the text."""

    span: Span
    markdown: str


def meaning_in_schema(place: Place) -> str | None:
    """Return the meaning of what is at a place in a YAML schema; None elsewhere."""
    start = schema_at(place.model, place.root, place.path)
    schema = node_at(place.root, start) if start is not None else None
    if start is None or schema is None or start == place.path:
        return None
    return _meaning(schema, place.path[len(start) :], place.value, on_key=place.on_key)


def meaning_in_text(place: Place, source: str, offset: int) -> SchemaHover | None:
    """Return the hover at an offset of a schema that is JSON in a string; None elsewhere.

    Args:
        place: the string.
        source: the part of the document that contains it.
        offset: in that part.
    """
    if place.on_key or schema_at(place.model, place.root, place.path) != place.path:
        return None
    if not isinstance(place.value, Scalar) or not isinstance(place.value.value, str):
        return None
    schema = parse_json_text(place.value.text).node
    if schema is None:
        return None
    inside = Embedded(place.value, source)
    location = _at(schema, inside.place(offset))
    if location is None:
        return None
    path, word, value, on_key = location
    meaning = _meaning(schema, path, value, on_key=on_key)
    span = inside.span(*word.span)
    # After an escaped quote, the word ends before its text does.
    return SchemaHover(span, meaning) if meaning and span.start <= offset <= span.end else None


def meaning_of_keyword(keyword: Keyword) -> str:
    """Return a keyword's name, its type and its meaning."""
    facts = f"**{code(keyword.name)}** · {keyword.takes}"
    types = ", ".join(f"`{kind}`" for kind in keyword.types)
    meaning = f"{keyword.meaning} Only for values of type {types}." if types else keyword.meaning
    return f"{facts}\n\n{meaning}"


def _meaning(schema: Node, path: Path, value: Node, *, on_key: bool) -> str | None:
    holder = path[:-1]
    if on_key and stands_for(holder) == "names" and holder[-1] == "properties":
        return _property(schema, path, value)
    if on_key:
        return _keyword(schema, path) if stands_for(holder) == "schema" else None
    name = str(holder[-1] if isinstance(path[-1], int) and holder else path[-1])
    owner = holder[:-1] if isinstance(path[-1], int) else holder
    if stands_for(owner) != "schema" or not isinstance(value, Scalar):
        return None
    if name == "type" and value.text in TYPES:
        return f"**{code(value.text)}** · type\n\n{_sentence(TYPES[value.text])}"
    if name == "format":
        format_entry = FORMATS.get(value.text)
        meaning = _sentence(format_entry.meaning) if format_entry else _UNDEFINED_FORMAT
        return f"**{code(value.text)}** · format\n\n{meaning}"
    return None


def _keyword(schema: Node, path: Path) -> str | None:
    name = str(path[-1])
    keyword = KEYWORDS.get(name)
    if keyword is None:
        return _sentence(ELSEWHERE[name]) if name in ELSEWHERE else None
    text = meaning_of_keyword(keyword)
    if not keyword.holds_in(draft_at(schema)) and keyword.checks:
        text += "\n\nIt is not a keyword of this schema's draft, and has no effect here."
    return text


def _property(schema: Node, path: Path, value: Node) -> str:
    """Return a property's name, whether it is required, its type, title and description."""
    owner = node_at(schema, path[:-2])
    required = owner.get("required") if isinstance(owner, Mapping) else None
    facts = [f"**{code(str(path[-1]))}**", "property"]
    facts.append("required" if path[-1] in texts_of(required) else "optional")
    annotations: list[str] = []
    if isinstance(value, Mapping):
        facts += [" or ".join(f"`{text}`" for text in texts_of(value.get("type")))]
        annotations = [
            text for key in ("title", "description") for text in texts_of(value.get(key))
        ]
    return "\n\n".join([" · ".join(fact for fact in facts if fact), *annotations])


def _sentence(text: str) -> str:
    return f"{capitalized(text)}."


def _at(node: Node, offset: int, path: Path = ()) -> tuple[Path, Scalar, Node, bool] | None:
    """Return path, word and value at an offset of a JSON text, and whether the word is the key."""
    if isinstance(node, Scalar):
        return None
    steps: list[tuple[str | int, Scalar | None, Node]]
    if isinstance(node, Mapping):
        steps = [(name, it.key, it.value) for name, it in node]
    else:
        steps = [(number, None, it) for number, it in enumerate(node.items)]
    for step, key, value in steps:
        if key is not None and key.start <= offset <= key.end:
            return (*path, step), key, value, True
        if value.start <= offset <= value.end:
            if isinstance(value, Scalar):
                return (*path, step), value, value, False
            return _at(value, offset, (*path, step))
    return None
