"""Parts of a configuration that promptfoo loads from elsewhere, and that a run would leave out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from suitecase.formats.promptfoo.suite.parsed import Reading
from suitecase.formats.promptfoo.suite.prompts.prompts import has_value
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span
from suitecase_evaluators.system.path_kinds import FILE_SCHEME

_REFERENCE: Final = "$ref"
#: Below these keys of a provider's settings promptfoo does not resolve references.
_NOT_RESOLVED: Final = frozenset({"functions", "tools"})


def unresolved_in_test(node: Node | None, reading: Reading) -> Iterator[tuple[str, Span]]:
    """Yield which parts of a test cannot be read, with their places in its text.

    Args:
        node: the test, or the one that applies to all.
        reading: how the suite is read.
    """
    if not isinstance(node, Mapping):
        return
    listed = node.get(reading.key("assert"))
    if isinstance(listed, Sequence):
        for item in listed.items:
            is_text = isinstance(item, Scalar) and isinstance(item.value, str)
            if is_text and not (reading.has_text_assertions and _is_rubric(item)):
                yield "`suitecase run` does not take assertions from other files", item.span
    elif listed is not None and has_value(listed):
        yield "`suitecase run` reads `assert` only if it is a list in this file", listed.span
    for key in ("options", "metadata"):
        found = node.get(reading.key(key))
        if found is not None and has_value(found) and not isinstance(found, Mapping):
            yield f"`suitecase run` reads `{key}` only if it is a mapping in this file", found.span


def _is_rubric(node: Node) -> bool:
    return isinstance(node, Scalar) and not node.text.startswith(FILE_SCHEME)


def references_in(node: Node | None) -> Iterator[tuple[str, Span]]:
    """Yield the places of `$ref`, which promptfoo replaces by what they refer to."""
    waiting = [node]
    while waiting:
        match waiting.pop():
            case Sequence() as listed:
                waiting += listed.items
            case Mapping() as mapping:
                for key, entry in mapping:
                    if key == _REFERENCE and isinstance(entry.value, Scalar):
                        message = "`suitecase run` does not resolve `$ref`; write what it refers to"
                        yield message, entry.value.span
                    elif key not in _NOT_RESOLVED:
                        waiting.append(entry.value)
