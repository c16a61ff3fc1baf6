"""What rules on a whole configuration can learn from a test: its shape, without the texts that say nothing to them.

While somebody types in a text that no rule on the whole looks at, the shapes of all tests stay the same, and so do the
findings of these rules.
"""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.text.cache import Cache
from suitecase.text.document import Content
from suitecase.text.node import Mapping, Node, Scalar, Sequence
from suitecase_evaluators.promptfoo.assertion_types import assertion_type

#: What may make a text more than a text: a template, code in braces, or a path.
_SPEAKS = ("{", "}", "://")
_SHAPES: Cache[str] = Cache()


def shape_of(content: Content) -> str:
    """Return the shape of a test: the same for tests that differ in plain texts alone."""
    return _SHAPES.of(content, _shape_of, content)


def _shape_of(content: Content) -> str:
    if content.broken or not isinstance(content.node, Mapping):
        return content.text
    return "".join(_test(content.node))


def _test(test: Mapping) -> Iterator[str]:
    for name, entry in test:
        yield f"\0{name}="
        if name == "vars":
            yield from _tree(entry.value, plain=True)
        elif name == "assert" and isinstance(entry.value, Sequence):
            yield from _assertions(entry.value)
        else:
            yield from _tree(entry.value, plain=False)


def _assertions(listed: Sequence) -> Iterator[str]:
    for item in listed.items:
        yield "\0-"
        kind = item.get("type") if isinstance(item, Mapping) else None
        if not isinstance(item, Mapping) or not isinstance(kind, Scalar):
            yield from _tree(item, plain=False)
            continue
        known = assertion_type(kind.text)
        is_text = known is None or not known[0].is_code  # code uses variables
        for name, entry in item:
            yield f"\0{name}="
            if name == "assert" and isinstance(entry.value, Sequence):
                yield from _assertions(entry.value)
            else:
                yield from _tree(entry.value, plain=is_text and name == "value")


def _tree(node: Node, *, plain: bool) -> Iterator[str]:
    """Yield the parts of the shape of a tree; `plain` leaves out texts that are only texts."""
    if isinstance(node, Scalar):
        is_plain = plain and isinstance(node.value, str) and bool(node.text.strip())
        says_nothing = is_plain and not any(speak in node.text for speak in _SPEAKS)
        yield "\0text" if says_nothing else f"\0{node.style}{node.tag}{node.text}"
    elif isinstance(node, Mapping):
        yield "\0{"
        for name, entry in node:
            yield f"\0{name}="
            yield from _tree(entry.value, plain=plain)
        yield "\0}"
    else:
        yield "\0["
        for item in node.items:
            yield from _tree(item, plain=plain)
        yield "\0]"
