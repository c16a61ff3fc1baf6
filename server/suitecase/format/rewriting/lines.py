"""Small edits of a suite's text: an entry taken out, moved or added, items indented or copied.

Each function gets the text its nodes count in and returns edits of it, or None where the text is
written in a way that leaves no safe edit; then nothing is changed. What is not named by an edit
stays as it is: comments, quoting, order, line endings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from suitecase.format.rule import Edit
from suitecase.text.node import Entry, Mapping, Node, Scalar, Span, child_at, is_same
from suitecase.text.node import Sequence as SequenceNode

_DASH = re.compile(r"[ ]*-[ ]+\Z")
_BLANKS = " \t"
#: What a text in JSON starts with.
QUOTE = '"'


def apply(text: str, edits: Iterable[Edit], within: Span | None = None) -> str:
    """Return the text, or the stretch of it that is asked for, with the edits made."""
    start, end = within or Span(0, len(text))
    parts: list[str] = []
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        parts += (text[edit.span.end : end], edit.text)
        end = edit.span.start
    return "".join((text[start:end], *reversed(parts)))


def line_start(text: str, offset: int) -> int:
    """Return where the line of an offset starts, behind a byte order mark."""
    start = text.rfind("\n", 0, offset) + 1
    return start + text.startswith("\ufeff", start)


def line_end(text: str, offset: int) -> int:
    """Return where the line of an offset ends, its line break included."""
    end = text.find("\n", offset)
    return len(text) if end < 0 else end + 1


def newline(text: str) -> str:
    """Return the line break a text is written with."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def column(text: str, offset: int) -> int:
    """Return how far an offset stands from the start of its line."""
    return offset - line_start(text, offset)


def starts_line(text: str, offset: int) -> bool:
    """Whether nothing but blanks stands before an offset on its line."""
    return not text[line_start(text, offset) : offset].strip(_BLANKS)


def dash_of(text: str, item: Node) -> int | None:
    """Return where the dash of an item stands; None where the item does not follow it at once."""
    start = line_start(text, item.start)
    if not _DASH.match(text[start : item.start]):
        return None
    return text.index("-", start)


def indented(text: str, by: int) -> str:
    """Return lines moved by some columns; blank lines stay as they are.

    A line that lacks the columns that are to go keeps its text: only blanks are ever taken.
    """
    moved = []
    for line in text.splitlines(keepends=True):
        if not line.strip():
            moved.append(line)
        elif by >= 0:
            moved.append(" " * by + line)
        else:
            moved.append(line[min(-by, len(line) - len(line.lstrip(" "))) :])
    return "".join(moved)


def shifted(text: str, span: Span, by: int) -> list[Edit]:
    """Move the lines that begin within a stretch by some columns; blank lines stay as they are.

    A line that lacks the columns that are to go keeps its text: only blanks are ever taken.
    """
    edits: list[Edit] = []
    start = line_end(text, span.start)
    while by and start < span.end:
        line = text[start : line_end(text, start)]
        if line.strip():
            gone = min(max(-by, 0), len(line) - len(line.lstrip(" ")))
            edits.append(Edit(Span(start, start + gone), " " * max(by, 0)))
        start += len(line)
    return edits


def block_of(text: str, entry: Entry) -> Span | None:
    """Return the lines an entry of a block mapping stands on, the last line break included.

    None where the key is not the first thing on its line, or something follows the value on its
    last line other than a comment.
    """
    if not starts_line(text, entry.key.start):
        return None
    last = max(entry.key.end, entry.value.end)
    end = line_end(text, last)
    rest = text[last:end].strip().lstrip(":").strip()
    if rest and not rest.startswith("#"):
        return None
    return Span(line_start(text, entry.key.start), end)


def as_written(root: Node | None, key: Scalar) -> Mapping | None:
    """Return the mapping a key stands in, as it is written, with all its entries."""
    node = root
    while node is not None:
        if isinstance(node, Mapping):
            entry = node.entries.get(key.text)
            if entry is not None and is_same(entry.key, key):
                return node
            if any(is_same(it.key, key) for it in node.entries.values()):
                return node
        node = child_at(node, key.start)
    return None


def removed(text: str, root: Node | None, key: Scalar) -> tuple[Edit, ...] | None:
    """Take the entry of a key out of its mapping; a comment behind it stays.

    Args:
        root: the tree as it is written, in which the key stands.
    """
    mapping = as_written(root, key)
    if mapping is None or len(mapping.entries) < 2:
        return None
    entry = next(it for it in mapping.entries.values() if is_same(it.key, key))
    if entry.merged:
        return None
    others = [it for it in mapping.entries.values() if it is not entry and not it.merged]
    following = min(
        (other.key.start for other in others if other.key.start > entry.key.start), default=None
    )
    if mapping.flow:
        return _removed_from_flow(text, entry, others, following)
    block = block_of(text, entry)
    if block is not None:
        last = max(entry.key.end, entry.value.end)
        comment = text[last : block.end].lstrip(": \t")
        if comment.startswith("#"):
            return (Edit(Span(entry.key.start, block.end - len(comment)), ""),)
        return (Edit(_with_a_blank_line(text, block), ""),)
    # The first entry of an item: what follows takes its place behind the dash.
    if following is None or "#" in text[max(entry.key.end, entry.value.end) : following]:
        return None
    if text[entry.key.start : following].count("\n") == 0:
        return None
    return (Edit(Span(entry.key.start, following), ""),)


def _removed_from_flow(
    text: str, entry: Entry, others: Sequence[Entry], following: int | None
) -> tuple[Edit, ...] | None:
    if following is not None:
        return (Edit(Span(entry.key.start, following), ""),)
    before = max((max(other.key.end, other.value.end) for other in others), default=None)
    if before is None or text[before : entry.key.start].strip() != ",":
        return None
    return (Edit(Span(before, max(entry.key.end, entry.value.end)), ""),)


def added_before(text: str, mapping: Mapping, entry: Entry, line: str) -> Edit | None:
    """Write an entry, as `key: value` of two texts, in front of another of the same mapping.

    In front of a key in quotes, as JSON has them, it is written as JSON.
    """
    start = entry.key.start
    if entry.merged:
        return None
    if mapping.flow:
        if text.startswith(QUOTE, start):
            key, _, value = line.partition(": ")
            line = f'"{key}": {value if value.startswith(QUOTE) else json.dumps(value)}'
        return Edit(Span(start, start), f"{line}, ")
    lead = " " * column(text, start)
    return Edit(Span(start, start), f"{line}{newline(text)}{lead}")


def moved_under(
    text: str, root: Mapping, name: str, parent: str, key: str, inner: str | None = None
) -> tuple[Edit, ...] | None:
    """Move a top-level entry under another top-level key, at its end, under a name.

    Args:
        parent: the key it goes under, which is made where it does not exist.
        key: what the entry is called there.
        inner: the entry's own lines, where more than its name changes; they start with its key.
    """
    entry = root.entries[name]
    block = block_of(text, entry)
    if root.flow or entry.merged or block is None:
        return None
    base = column(text, entry.key.start)
    lines = inner if inner is not None else text[block.start : block.end]
    lines = lines[:base] + key + lines[entry.key.end - block.start :]
    end = newline(text)
    if not lines.endswith("\n"):
        lines += end
    into = root.entries.get(parent)
    if into is None:
        return (Edit(block, f"{' ' * base}{parent}:{end}{indented(lines, 2)}"),)
    place = block_of(text, into)
    if place is None or into.merged or column(text, into.key.start) != base:
        return None
    if not isinstance(into.value, Mapping) or not into.value.entries:
        return None
    edits: tuple[Edit, ...] = ()
    depth = 2
    if into.value.flow:
        opened = _opened(text, into, into.value)
        if opened is None:
            return None
        edits = opened
    else:
        depth = column(text, next(iter(into.value.entries.values())).key.start) - base
    lead = "" if text[place.start : place.end].endswith("\n") else end
    if place.end == block.start:
        # It stands right behind what it moves into: it only gets its new depth and name.
        return (*edits, Edit(block, indented(lines, depth)))
    above = comments_above(text, block, base)
    lines = text[above : block.start] + lines
    moved = Edit(Span(place.end, place.end), lead + indented(lines, depth))
    return (*edits, moved, Edit(_with_a_blank_line(text, Span(above, block.end)), ""))


def comments_above(text: str, block: Span, base: int) -> int:
    """Return where the comment starts that stands right above some lines, as deep as they.

    A comment that the text starts with is about all of it.
    """
    start = block.start
    while start > 0:
        above = line_start(text, start - 1)
        line = text[above:start]
        if not line.lstrip(" ").startswith("#") or len(line) - len(line.lstrip(" ")) != base:
            break
        start = above
    return start if text[:start].strip("\ufeff") else block.start


def _with_a_blank_line(text: str, block: Span) -> Span:
    """Take the blank line behind some lines along where one stands before them too."""
    before = text[line_start(text, block.start - 1) : block.start] if block.start else "\n"
    behind = line_end(text, block.end)
    if not before.strip() and block.end < len(text) and not text[block.end : behind].strip():
        return Span(block.start, behind)
    return block


def _opened(text: str, entry: Entry, mapping: Mapping) -> tuple[Edit, ...] | None:
    """Write a mapping in braces, on one line, as lines of its own."""
    written = text[mapping.start : mapping.end]
    if "\n" in written or "#" in written or not written.startswith("{"):
        return None
    entries = [
        text[it.key.start : it.value.end] for it in mapping.entries.values() if not it.merged
    ]
    lead = newline(text) + " " * (column(text, entry.key.start) + 2)
    lines = "".join(f"{lead}{it}" for it in entries)
    return (Edit(Span(entry.key.end, mapping.end), f":{lines}"),)


def item_lines(text: str, item: Node) -> str | None:
    """Return an item's text, its comments within included, as if it stood at column 0."""
    if dash_of(text, item) is None:
        return None
    end = line_end(text, item.end)
    rest = text[item.end : end].strip()
    if rest and not rest.startswith("#"):
        return None
    first_line, rest_of_it = (
        text[item.start : end].split("\n", 1)
        if "\n" in text[item.start : end]
        else (text[item.start : end], "")
    )
    if not rest_of_it:
        return first_line.rstrip("\r")
    depth = column(text, item.start)
    return f"{first_line}\n{indented(rest_of_it, -depth)}".rstrip("\r\n")


def appended_items(text: str, sequence: SequenceNode, items: Sequence[str]) -> Edit | None:
    """Add items, each a text as `item_lines` returns it, at the end of a block list."""
    if sequence.flow or not sequence.items:
        return None
    last = sequence.items[-1]
    dash = dash_of(text, last)
    if dash is None:
        return None
    end, depth = line_end(text, last.end), column(text, dash)
    rest = text[last.end : end].strip()
    if rest and not rest.startswith("#"):
        return None
    br = newline(text)
    written = ""
    for item in items:
        written += indented(f"- {hanging(item, 2)}", depth) + br
    lead = "" if text[:end].endswith("\n") else br
    return Edit(Span(end, end), lead + written)


def hanging(lines: str, by: int) -> str:
    """Return lines with all but the first moved by some columns."""
    first, _, rest = lines.partition("\n")
    return f"{first}\n{indented(rest, by)}" if rest else first


def on_one_line(flow: str) -> str | None:
    """Return something in brackets or quotes on one line; None where that could change it."""
    if "\n" not in flow:
        return flow
    if "#" in flow or re.search(r"\\\r?\n|\n[ \t\r]*\n", flow):
        return None
    return re.sub(r"(?:(?<![ \t])[ \t]++)?\r?\n[ \t]*", " ", flow)
