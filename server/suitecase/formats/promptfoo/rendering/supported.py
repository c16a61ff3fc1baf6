"""Finds the parts of a template that are not supported, before it is filled in."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.formats.promptfoo.rendering.errors import TemplateError, UnsupportedTemplateError
from suitecase.formats.promptfoo.rendering.expressions import (
    called_test,
    unsupported_filter,
    unsupported_names,
)
from suitecase.formats.promptfoo.rendering.list_filters import PARAMETERS
from suitecase.formats.promptfoo.rendering.members import UNSUPPORTED_METHODS
from suitecase.formats.promptfoo.rendering.string_filters import FILTERS
from suitecase.formats.promptfoo.rendering.value_tests import TESTS
from suitecase.formats.promptfoo.templates import tree
from suitecase.formats.promptfoo.templates.template import is_template, parsed_template
from suitecase.formats.promptfoo.templates.tree import Body, Node, nodes_in
from suitecase.text.recent import recent


@recent(most=512)
def supported_body(text: str) -> Body:
    """Return the tree of a template whose syntax is supported.

    Raises:
        TemplateError: nunjucks refuses the template.
        UnsupportedTemplateError: a part of its syntax is not supported.
    """
    parsed = parsed_template(text)
    if parsed.problem is not None:
        raise TemplateError(parsed.problem.value, parsed.problem.start)
    refusals = [refusal for node in nodes_in(parsed.body) for refusal in _refusals(node)]
    if refusals:
        # Of several, the one that is read first; what is inside of another is read before it.
        _, message, start = min(reversed(refusals), key=lambda refusal: refusal[0])
        raise UnsupportedTemplateError(message, start)
    if parsed.too_deep is not None:
        raise UnsupportedTemplateError("the template is nested too deeply", parsed.too_deep)
    return parsed.body


def _refusals(node: Node) -> Iterator[tuple[int, str, int]]:
    """Yield what is not supported of a node itself: where one has read it, a message, and its place."""
    match node:
        case tree.Asynchronous() | tree.Include():
            yield node.start, f"`{{% {node.tag} %}}` is not supported", node.start
        case tree.Macro():
            yield node.start, "`{% macro %}` is not supported", node.start
        case tree.CallBlock():
            yield node.start, "`{% call %}` is not supported", node.start
        case tree.NamedBlock():
            yield node.start, "`{% block %}` is not supported", node.start
        case tree.Switch(has_case=False):
            read = node.cases[0][0].start
            yield read, "`switch` without a `case` is not supported", node.start
        case tree.Regex():
            yield node.start, "regular expressions are not supported in templates", node.start
        case tree.Test() if called_test(node) is None:
            read = max(part.end for part in nodes_in((node.asked,)))
            yield read, "expected the name of a test after `is`", node.asked.start
        case tree.Lookup(target=tree.Filter()):
            yield node.start, "a member of a filter is not supported", node.start
        case tree.Call(function=tree.Filter()):
            yield node.opening, "a member of a filter is not supported", node.opening
        case tree.Call() if node.named:
            yield node.end, "named arguments are not supported here", node.opening
        case tree.NamedArgument() if not isinstance(node.key, tree.Symbol):
            yield node.key.end, "expected the name of an argument", node.key.start
        case tree.Dict():
            for key, _ in node.entries:
                if key.value == "__proto__":
                    yield key.start, "this key is not supported", key.start
        case _:
            pass


def unsupported(text: str) -> Iterator[TemplateError]:
    """Yield the problems that keep a template from being filled in, with their offsets.

    A template without problems may still fail because of the values of its variables.
    """
    if not is_template(text):
        return
    try:
        body = supported_body(text)
    except TemplateError as error:
        yield error
        return
    for node in sorted(nodes_in(body), key=lambda node: node.start):
        match node:
            case tree.Filter() if node.name not in FILTERS:
                yield unsupported_filter(node)
            case tree.Filter() if node.named and node.name not in PARAMETERS:
                yield unsupported_names(node)
            case tree.Test() if (called := called_test(node)) and called[0] not in TESTS:
                yield TemplateError(f"`{called[0]}` is not a test", node.start)
            case tree.Call(function=tree.Symbol(name="cycler")):
                yield TemplateError("`cycler` is not supported", node.start)
            case tree.Call(function=tree.Lookup(key=tree.Literal(value=str(name)) as key)):
                if name in UNSUPPORTED_METHODS:
                    message = f"`.{name}` is not supported in templates"
                    yield TemplateError(message, key.start)
            case _:
                pass
