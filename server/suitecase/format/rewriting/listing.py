"""Items at the end of a list under a key, which is made where it does not exist."""

from __future__ import annotations

from suitecase.format.rewriting.lines import added_before, column, dash_of, line_end, newline
from suitecase.format.rule import Edit
from suitecase.text.document import Content
from suitecase.text.emitting import in_quotes
from suitecase.text.node import Mapping, Sequence, Span


def listed_under(content: Content, key: str, before: str, item: str) -> Edit | None:
    """Write an item at the end of a list under a key at the top of a part.

    Args:
        content: the part.
        key: the list's key.
        before: the key in front of which the list is written if there is none.
        item: a text that is the same in YAML with and without quotes.
    """
    root = content.node
    if not isinstance(root, Mapping):
        return None
    entry = root.entries.get(key)
    if entry is None:
        other = root.entries.get(before)
        if other is None or root.flow:
            return None
        return added_before(content.text, root, other, f"{key}:{newline(content.text)}  - {item}")
    return item_added(content.text, entry.value, item) if not entry.merged else None


def item_added(text: str, sequence: object, item: str) -> Edit | None:
    """Write an item at the end of a list; None where the way it is written allows none."""
    if not isinstance(sequence, Sequence) or not sequence.items:
        return None
    last = sequence.items[-1]
    if sequence.flow:
        return Edit(Span(last.end, last.end), f", {in_quotes(item)}")
    dash = dash_of(text, last)
    if dash is None:
        return None
    at = last.end if text.endswith("\n", 0, last.end) else line_end(text, last.end)
    end = newline(text)
    first = "" if text.endswith("\n", 0, at) else end
    return Edit(
        Span(at, at), f"{first}{' ' * column(text, dash)}- {item}{end if not first else ''}"
    )
