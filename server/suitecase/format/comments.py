"""Instructions to Suitecase in a suite: comments, and in JSON a key of the case."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

from suitecase.text.cache import Cache
from suitecase.text.document import Content
from suitecase.text.embedded import Embedded
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span

# Patterns are compiled on first use: most suites have no such comment.
MARK = "suitecase:"
#: The key that replaces comments in a data set.
JSON_KEY = "x-suitecase"
_COMMENT = r"(?:^|(?<=[ \t\r\n\ufeff]))#[ \t]*suitecase:(?P<said>[^\r\n]*)"
_IGNORE = r"[ \t]*ignore[ \t]*\[(?P<names>[^\]]*)\][ \t]*(?P<reason>.*?)[ \t]*"
_NAME = r"[^\s,](?:[^,]*[^\s,])?"


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment to Suitecase, with places in the text of its piece.

    `names` are the codes and names in brackets, with their places; None if the comment cannot be
    parsed. `alone` is whether it is the only content of its line.
    """

    span: Span
    names: tuple[tuple[str, Span], ...] | None
    reason: str
    alone: bool
    #: It is the key of a case in JSON.
    in_json: bool = False


def comments(content: Content) -> tuple[Comment, ...]:
    """Return the comments to Suitecase in a piece, cached with it."""
    return _COMMENTS.of(content, _comments, content)


_COMMENTS: Cache[tuple[Comment, ...]] = Cache()


def _comments(content: Content) -> tuple[Comment, ...]:
    if content.broken or MARK not in content.text:
        return ()
    found: list[Comment] = []
    passed = line_start = 0
    for match in re.finditer(_COMMENT, content.text):
        # Only what follows the last comment is searched: a text may have a comment on each line.
        line_break = max(content.text.rfind(it, passed, match.start()) for it in "\r\n")
        line_start = line_start if line_break < 0 else line_break + 1
        passed = match.end()
        if span_around(texts_with_hash(content), match.start()) is not None:
            continue
        before = content.text[line_start : match.start()].strip(" \t\ufeff")
        ignore = re.fullmatch(_IGNORE, match["said"])
        names: tuple[tuple[str, Span], ...] | None = None
        if ignore:
            at = match.start("said") + ignore.start("names")
            names = tuple(
                (match.group(), Span(at + match.start(), at + match.end()))
                for match in re.finditer(_NAME, ignore["names"])
            )
        end = match.start() + len(match.group().rstrip())
        found.append(
            Comment(
                Span(match.start(), end),
                names or None,
                ignore["reason"] if ignore else "",
                alone=before == "" or before.startswith("#"),
            )
        )
    return tuple(found)


def span_around(spans: list[Span], offset: int) -> Span | None:
    """Return the one of some stretches that an offset is inside of, after its start.

    They are in the order of the text, and do not overlap.
    """
    number = bisect_left(spans, offset, key=lambda span: span.start) - 1
    return spans[number] if number >= 0 and offset < spans[number].end else None


def texts_with_hash(content: Content) -> list[Span]:
    """Return the texts of a piece in which `#` does not start a comment, cached with it."""
    return _TEXTS_WITH_HASH.of(content, _texts_with_hash, content)


_TEXTS_WITH_HASH: Cache[list[Span]] = Cache()


def _texts_with_hash(content: Content) -> list[Span]:
    return sorted(
        Span(_body(content.text, scalar), scalar.end)
        for scalar in scalars_in(content.node)
        if "#" in content.text[scalar.start : scalar.end]
    )


def _body(text: str, scalar: Scalar) -> int:
    """Return the offset after which nothing is a comment: the end of a block text's first line."""
    if scalar.style in ("|", ">"):
        end = text.find("\n", scalar.start, scalar.end)
        return scalar.end if end < 0 else end
    return scalar.start


def key_comment(content: Content) -> Comment | None:
    """Return the instructions in the key of a case of a data set, which replaces comments."""
    node = content.node
    entry = node.entries.get(JSON_KEY) if isinstance(node, Mapping) else None
    if entry is None:
        return None
    value = entry.value
    span = Span(entry.key.start, value.end)
    ignore = None
    if isinstance(value, Scalar) and isinstance(value.value, str):
        ignore = re.fullmatch(_IGNORE, value.text)
    if ignore is None or not isinstance(value, Scalar):
        return Comment(span, None, "", alone=True, in_json=True)
    inside, at = Embedded(value, content.text), ignore.start("names")
    names = tuple(
        (match.group(), inside.span(at + match.start(), at + match.end()))
        for match in re.finditer(_NAME, ignore["names"])
    )
    return Comment(span, names or None, ignore["reason"], alone=True, in_json=True)


def scalars_in(node: Node | None) -> list[Scalar]:
    """Return the scalar keys and values of a tree, in no particular order."""
    found: list[Scalar] = []
    left: list[Node] = [node] if node is not None else []
    while left:
        current = left.pop()
        if isinstance(current, Scalar):
            found.append(current)
        elif isinstance(current, Sequence):
            left += current.items
        else:
            for _, entry in current:
                left += (entry.key, entry.value)
    return found
