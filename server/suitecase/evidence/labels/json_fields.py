"""Fields of labels out of trees of JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping as AnyMapping

from suitecase.evidence.labels.fields import Field
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span


def field_of(node: Node | None, start: int = 0) -> Field | None:
    """Return the field that a value is; None for nothing, and for `null`.

    Args:
        node: the value.
        start: where the text that its places count in starts.
    """
    if node is None or (isinstance(node, Scalar) and node.value is None):
        return None
    if not isinstance(node, Scalar):
        return Field("a list" if isinstance(node, Sequence) else "an object", opening(node, start))
    if node.style:
        return Field(node.text.strip(), Span(node.start + 1, node.end - 1).shifted(start))
    value = node.value
    typed = value if isinstance(value, bool | int | float) else None
    if isinstance(typed, float) and typed.is_integer():
        typed = int(typed)
    return Field(node.text, node.span.shifted(start), typed)


def opening(node: Node, start: int = 0) -> Span:
    """Return the place of the first character of a value, so that not all of it is marked."""
    return Span(node.start, node.start + 1).shifted(start)


def texts_by_item(node: Node | None) -> AnyMapping[str, str] | str:
    """Return what tasks say of their items: a text for each item by its id, or one for all.

    Tools that allow only texts beside a task have the JSON of such an object as a text.
    """
    if isinstance(node, Mapping):
        return {name: entry.value.text for name, entry in node if isinstance(entry.value, Scalar)}
    if not isinstance(node, Scalar):
        return {}
    if not node.text.lstrip().startswith("{"):
        return node.text
    try:
        read = json.loads(node.text)
    except (ValueError, RecursionError):
        return node.text
    return {str(name): str(text) for name, text in read.items()} if isinstance(read, dict) else {}


def of_item(texts: AnyMapping[str, str] | str, item: str) -> str | None:
    """Return the text for an item out of `texts_by_item`."""
    return (texts or None) if isinstance(texts, str) else texts.get(item)
