"""Finds the parts of a template that are not supported, before it is filled in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from suitecase.formats.promptfoo.rendering import tree
from suitecase.formats.promptfoo.rendering.errors import TemplateError
from suitecase.formats.promptfoo.rendering.expressions import unsupported_filter, unsupported_names
from suitecase.formats.promptfoo.rendering.list_filters import PARAMETERS
from suitecase.formats.promptfoo.rendering.members import UNSUPPORTED_METHODS
from suitecase.formats.promptfoo.rendering.parsing import parse
from suitecase.formats.promptfoo.rendering.string_filters import FILTERS
from suitecase.formats.promptfoo.rendering.tree import Node
from suitecase.formats.promptfoo.rendering.value_tests import TESTS
from suitecase.formats.promptfoo.templates.template import is_template


def unsupported(text: str) -> Iterator[TemplateError]:
    """Yield the problems that keep a template from being filled in, with their offsets.

    A template without problems may still fail because of the values of its variables.
    """
    if not is_template(text):
        return
    try:
        body = parse(text)
    except TemplateError as error:
        yield error
        return
    for node in _nodes(body):
        match node:
            case tree.Filter() if node.name not in FILTERS:
                yield unsupported_filter(node)
            case tree.Filter() if node.named and node.name not in PARAMETERS:
                yield unsupported_names(node)
            case tree.Test() if node.name not in TESTS:
                yield TemplateError(f"`{node.name}` is not a test", node.start)
            case tree.Call(function=tree.Symbol(name="cycler")):
                yield TemplateError("`cycler` is not supported", node.start)
            case tree.Call(function=tree.Lookup(key=tree.Literal(value=str(name)) as key)):
                if name in UNSUPPORTED_METHODS:
                    message = f"`.{name}` is not supported in templates"
                    yield TemplateError(message, key.start)
            case _:
                pass


def _nodes(part: Any) -> Iterator[Node]:
    """Yield the nodes of a tree, ordered by offset."""
    stack = [part]
    found: list[Node] = []
    while stack:
        part = stack.pop()
        if isinstance(part, Node):
            found.append(part)
            stack += [getattr(part, field.name) for field in fields(part)]
        elif isinstance(part, tuple):
            stack += part
    found.sort(key=lambda node: node.start)
    yield from found
