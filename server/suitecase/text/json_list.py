"""A JSON text with a list of cases as a document: each case is parsed alone, and kept by its text.

The text is split at the lines that start an object as the first case does. A string of JSON holds no line
break, so such a line is not inside a string, and where each part is one value the whole is what it
seems to be. A text that is written in another way is parsed as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace

from suitecase.text.case_index import Change
from suitecase.text.composed import Problem
from suitecase.text.document import Content, Document, Piece, Pieces
from suitecase.text.garbage_collection import without_garbage_collection
from suitecase.text.jsonl import BLANK_LINES, json_content
from suitecase.text.lines import Lines
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span
from suitecase_evaluators.text.json_values import NotJsonError, parse_json

_LIST_AT_ROOT = re.compile(r"\ufeff?[ \t\r\n]*\[")
_FIRST_ITEM = re.compile(r"[ \t\r\n]*\n([ \t]*)(?=\{)")


@dataclass(frozen=True, slots=True)
class _Split:
    """Where the parts of a text are: the bracket of the list, the start of each item, their end."""

    bracket: int
    items: tuple[int, ...]
    end: int


def parse_json_list(
    text: str | Lines, list_keys: Collection[str], *, reuse: Document | None = None
) -> Document:
    """Parse a JSON text whose cases are in a list under one of the keys, or at the root. Never raises.

    Args:
        text: the text, with or without a byte order mark.
        list_keys: the names the list of cases may have.
        reuse: an earlier version, whose unchanged parts are reused.
    """
    lines = Lines(text) if isinstance(text, str) else text
    with without_garbage_collection():
        parts = _split(str(lines), list_keys)
        document = _of_parts(lines, parts, list_keys, reuse) if parts is not None else None
        if document is not None and (not document.broken or not _is_json(str(lines))):
            return document
        return _of_whole(lines, list_keys)


def json_instead(document: Document, list_keys: Collection[str]) -> Document:
    """Return a text of JSON that YAML refuses as what it is; any other document as it is.

    Emojis that are escaped as JSON does, in two halves, are no characters to YAML.
    """
    if not document.broken or str(document.lines).lstrip("\ufeff \t\r\n")[:1] not in ("{", "["):
        return document
    whole = _of_whole(document.lines, list_keys)
    return document if whole.head.content.broken else whole


def _is_json(text: str) -> bool:
    try:
        parse_json(text.removeprefix("\ufeff"), last_key_counts=True)
    except NotJsonError:
        return False
    return True


def _split(text: str, list_keys: Collection[str]) -> _Split | None:
    """Split a text at the items of its list; None if they do not stand on lines of their own."""
    opening = _LIST_AT_ROOT.match(text)
    if opening is None:
        names = "|".join(re.escape(key) for key in list_keys)
        opening = re.search(rf'"(?:{names})"[ \t\r\n]*:[ \t\r\n]*\[', text)
    first = _FIRST_ITEM.match(text, opening.end()) if opening is not None else None
    if opening is None or first is None:
        return None
    indent = first.group(1)
    closing = re.compile(rf"\n(?!{indent}[ \t])[ \t]*\]").search(text, first.end())
    end = closing.start() if closing is not None else len(text)
    starts = re.compile(rf"\n{indent}(?=\{{)").finditer(text, first.end(), end)
    return _Split(opening.end() - 1, (first.end(), *(start.end() for start in starts)), end)


def _of_parts(
    lines: Lines, parts: _Split, list_keys: Collection[str], reuse: Document | None
) -> Document | None:
    """Return the document of the parts; None if the head shows that they are not such parts."""
    text = str(lines)
    first = parts.items[0]
    earlier = reuse if reuse is not None and reuse.segmented else None
    head = _head(text[:first] + text[parts.end :], earlier)
    key = None
    if not head.broken:
        key, listed = _list_in(head.node, list_keys)
        if not isinstance(listed, Sequence) or listed.start != parts.bracket:
            return None
    contents = earlier.cases.contents if earlier is not None else ()
    reusable = {content.text: content for content in contents if not content.broken}
    ends = (*parts.items[1:], parts.end)
    items = tuple(
        _item(text[start:end], reusable, is_last=end == parts.end)
        for start, end in zip(parts.items, ends, strict=True)
    )
    document = Document(
        lines,
        Piece(head, 0, first, parts.end - first),
        Pieces(items, parts.items),
        key,
        None,
        segmented=True,
        root_list=isinstance(head.node, Sequence),
    )
    if earlier is not None:
        change = _change(tuple(contents), items)
        document.case_index = earlier.case_index.changed(items, change)
    return document


def _head(text: str, earlier: Document | None) -> Content:
    if earlier is not None and earlier.head.content.text == text:
        return earlier.head.content
    return _content(text)


def _content(text: str) -> Content:
    """Return the content of a text of one value, in which a byte order mark counts as blank."""
    start = text.startswith("\ufeff")
    return replace(json_content(" " * start + text[start:], "this", BLANK_LINES), text=text)


def _item(text: str, reusable: dict[str, Content], *, is_last: bool) -> Content:
    """Return the content of an item, without the comma that separates it from the next one."""
    text = text.rstrip(" \t\r\n")
    separated = is_last or text.endswith(",")
    if not is_last and separated:
        text = text[:-1].rstrip(" \t\r\n")
    content = reusable.get(text) if separated else None
    if content is None:
        content = json_content(text, "this", BLANK_LINES)
        if separated and not content.broken:
            reusable[text] = content
    if separated or content.broken:
        return content
    missing = Span(len(text) - 1, len(text))
    problem = Problem("json", missing, "this is not JSON: a comma is missing behind this object")
    return replace(content, problems=(*content.problems, problem), broken=True)


def _of_whole(lines: Lines, list_keys: Collection[str]) -> Document:
    """Return the document of a text that is parsed as a whole."""
    text = str(lines)
    content = _content(text)
    key, listed = _list_in(content.node, list_keys)
    items: tuple[Content, ...] = ()
    if isinstance(listed, Sequence):
        items = tuple(
            Content(text, item, (), content.broken, False, frozenset(), frozenset())
            for item in listed.items
        )
    return Document(
        lines,
        Piece(content),
        Pieces(items, (0,) * len(items)),
        key,
        listed,
        segmented=False,
        root_list=isinstance(content.node, Sequence),
    )


def _list_in(root: Node | None, list_keys: Collection[str]) -> tuple[Scalar | None, Node | None]:
    """Return the key of the list of cases, None for a list at the root, and what stands there."""
    if isinstance(root, Sequence):
        return None, root
    if isinstance(root, Mapping):
        for name, entry in root:
            if name in list_keys:
                return entry.key, entry.value
    return None, None


def _change(before: tuple[Content, ...], now: tuple[Content, ...]) -> Change:
    """Return which of the items are others than before."""
    least = min(len(before), len(now))
    first = next((i for i in range(least) if before[i] is not now[i]), least)
    last = 0
    while last < least - first and before[-1 - last] is now[-1 - last]:
        last += 1
    return Change(first, len(before) - last, len(now) - last)
