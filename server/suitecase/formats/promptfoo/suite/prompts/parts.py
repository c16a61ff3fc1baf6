"""The texts that promptfoo fills as templates in one prompt, each with its place.

A text prompt has one part. Of a chat in JSON or YAML each text is a part of its own, because
promptfoo parses the chat first and fills its texts then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from suitecase.text.embedded import embedded
from suitecase.text.jsonl import parse_json_text
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span

#: Returns the place of a stretch of a text.
Locate = Callable[[int, int], Span]


@dataclass(frozen=True, slots=True)
class PromptPart:
    """A text that is filled as one template; `path` is None where it is in the configuration."""

    text: str
    path: Path | None
    _locate: Locate = field(repr=False, compare=False)

    def span(self, start: int, end: int) -> Span:
        """Return the span, in the file of the part, of a stretch of its text."""
        return self._locate(start, end)


def slice_part(text: str, start: int, path: Path | None) -> PromptPart:
    """Make a part of a text that stands in its file as it is, from an offset on."""
    return PromptPart(text, path, lambda first, end: Span(start + first, start + end))


def scalar_parts(scalar: Scalar, source: str, path: Path | None) -> tuple[PromptPart, ...]:
    """Make the parts of a scalar in YAML that is a prompt: several if its text is a chat in JSON."""
    outer: Locate = lambda first, end: embedded(scalar, source).span(first, end)
    return json_parts(scalar.text, path, outer) or (PromptPart(scalar.text, path, outer),)


def json_parts(text: str, path: Path | None, outer: Locate) -> tuple[PromptPart, ...]:
    """Make the parts of a text in JSON; none if it is not JSON, or has no texts."""
    if not text.lstrip("\ufeff \t\r\n").startswith(("[", "{", '"')):
        return ()
    root = parse_json_text(text).node
    return () if root is None else tuple(tree_parts(root, text, path, outer))


def tree_parts(
    root: Node, source: str, path: Path | None, outer: Locate | None = None
) -> Iterator[PromptPart]:
    """Yield the texts among the values of a tree.

    Args:
        root: the tree.
        source: the text that its places are relative to.
        path: the file.
        outer: where the source stands in the file, if it is not all of it.
    """
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, Mapping):
            pending.extend(reversed([entry.value for _, entry in node]))
        elif isinstance(node, Sequence):
            pending.extend(reversed(node.items))
        elif isinstance(node.value, str):
            yield PromptPart(node.text, path, _within(node, source, outer))


def _within(scalar: Scalar, source: str, outer: Locate | None) -> Locate:
    def locate(first: int, end: int) -> Span:
        span = embedded(scalar, source).span(first, end)
        return outer(*span) if outer else span

    return locate
