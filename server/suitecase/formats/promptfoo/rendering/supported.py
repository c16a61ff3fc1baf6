"""What of a template is not supported, before anything is filled in."""

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
from suitecase.formats.promptfoo.rendering.text_filters import FILTERS
from suitecase.formats.promptfoo.rendering.tree import Node
from suitecase.formats.promptfoo.rendering.value_tests import TESTS
from suitecase.formats.promptfoo.suite.templates.template import is_template


def unsupported(text: str) -> Iterator[TemplateError]:
    """Yield what keeps a template from being filled in, with its places; nothing if all is fine.

    A template may still fail when it is filled in, for the values of its variables.
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
    """Yield the nodes of a tree, in the order of the text."""
    stack = [part]
    found: list[Node] = []
    while stack:
        it = stack.pop()
        if isinstance(it, Node):
            found.append(it)
            stack += [getattr(it, field.name) for field in fields(it)]
        elif isinstance(it, tuple):
            stack += it
    found.sort(key=lambda node: node.start)
    yield from found
