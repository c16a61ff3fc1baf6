"""Parses YAML in prompts and in the files of variables."""

from __future__ import annotations

from typing import Any

from suitecase.formats.promptfoo.rendering.errors import TemplateError, UnsupportedTemplateError
from suitecase.formats.promptfoo.rendering.values import UNDEFINED
from suitecase.text.node import Mapping, Node, Scalar, Sequence, plain
from suitecase.text.parsing import parse
from suitecase.text.scalar import OLD_READINGS

_DATE = OLD_READINGS["a date"]


def read_yaml(text: str, name: str) -> Any:
    """Return the value of YAML; `undefined` if it is empty.

    Args:
        text: the YAML.
        name: its name in messages.

    Raises:
        TemplateError: the text is not valid YAML.
    """
    document = parse(text, ())
    for _, problem in document.problems():
        raise TemplateError(f"{name} is not YAML: {problem.message}")
    node = document.head.node
    if document.broken:
        raise TemplateError(f"{name} is not YAML")
    if node is None or (isinstance(node, Scalar) and node.text == "" and not node.style):
        return UNDEFINED
    try:
        if _has_date(node):
            raise UnsupportedTemplateError(f"{name} has an unquoted date, which is not a string")
        return plain(node)
    except RecursionError:
        raise UnsupportedTemplateError(f"{name} is nested too deeply") from None


def _has_date(node: Node) -> bool:
    match node:
        case Mapping():
            return any(_has_date(entry.value) for entry in node.entries.values())
        case Sequence():
            return any(_has_date(item) for item in node.items)
        case _:
            return not node.style and node.tag is None and _DATE.fullmatch(node.text) is not None
