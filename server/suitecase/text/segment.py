"""Splitting a text into its head and the items of its one long list, where that is safe.

Each item is then parsed alone and kept by its text, so that a keystroke costs one item whatever
the size of the file, and a syntax error blinds one item and not the file.

Parsing an item alone equals parsing it in its place when

- the list is a block list under a plain key at column 0, and the head, parsed without the items,
  has that key exactly there with an empty value, once (so the key is not inside a quoted text, a
  block text or a flow collection);
- every line indented no deeper than the items starts an item, is blank or a comment, stands at
  column 0 and ends the list, or is an error (block texts and nested collections are indented
  deeper, so only a quoted text or a flow collection could hold such a line, and then the item
  before it lacks its end when parsed alone; behind an item that has its end, only a key or `?` at
  column 0 can stand there);
- no directive (`%`) and no lone carriage return is in the text;
- each item parses alone to exactly one item, or fails before its own end: an error is found before
  anything behind it is read, so the whole text fails at the same place, whatever stands behind;
- no item uses an anchor that another part defines.

A list at the root of a file has no key: nothing stands before it but blank lines, comments and one
`---`, and nothing behind it. There the first point needs no head, and any line that does not belong
to an item makes the item before it fail, as it makes the whole text fail.

The first three are checked here, the last two by `parsing`, which parses the whole text where
one of them does not hold, and takes the whole where it parses.

All of this but the first is a matter of single lines. A text of which only a stretch was edited is
therefore split by splitting its head, that stretch, and the items around it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

_LONE_CARRIAGE_RETURN = re.compile(r"\r(?!\n)")
#: A key at column 0, or a document marker: the intended end of the list.
_ENDS_LIST = re.compile(r"(?:[^ \t\r\n#-]|-[^ \t\r\n])[^\n]*?:(?=[ \t\r\n]|\Z)|---|\.\.\.")
_BLANK_LINES = r"(?:[ ]*(?:#[^\n]*)?\r?\n)*"
_FIRST_ITEM = re.compile(_BLANK_LINES + r"([ ]*)-(?=[ \t\r\n]|\Z)")
_FIRST_ITEM_AT_ROOT = re.compile(
    rf"\ufeff?{_BLANK_LINES}(?:---[ ]*(?:[ ]#[^\n]*)?\r?\n{_BLANK_LINES})?([ ]*)-(?=[ \t\r\n]|\Z)"
)
_ENDS_DOCUMENT = re.compile(r"^(?:---|\.\.\.)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Split:
    """Where the parts of a text are, as offsets.

    `key` is where the list's key starts, None of a list at the root; `indent` how far the items are indented; `items` where
    each item's line starts; the items end at `end`, where the rest of the head goes on. `proven`
    says that the split is safe as far as lines can tell; otherwise it is the best guess for a text
    that does not parse anyway.
    """

    key: int | None
    indent: int
    items: tuple[int, ...]
    end: int
    proven: bool


def split(text: str, list_keys: Collection[str], *, root_list: bool = False) -> Split | None:
    """Split a text at the items of the list under one of the keys; None if there is none.

    Args:
        text: the text.
        list_keys: the names the list may have.
        root_list: a list at the root is split as well.
    """
    if root_list and (first := _FIRST_ITEM_AT_ROOT.match(text)):
        return _split_root(text, first)
    found = list(_key_line(list_keys).finditer(text))
    if len(found) != 1:
        return None
    proven = _has_plain_lines(text)
    (key_line,) = found
    first = _FIRST_ITEM.match(text, key_line.end())
    if first is None:
        return None
    indent = len(first.group(1))
    items: list[int] = []
    end = len(text)
    # A line break ends the line before the first item; starting with it makes the search quick.
    shallow = re.compile(rf"\n( {{0,{indent}}})([^ \r\n#])(.?)")
    for line in shallow.finditer(text, first.start(1) - 1):
        start, depth = line.start(1), len(line.group(1))
        if depth == indent and line.group(2) == "-" and line.group(3) in ("", " ", "\t", "\r"):
            items.append(start)
        elif depth == 0 and _ENDS_LIST.match(text, start):
            end = start
            break
        elif depth == 0 and line.group(2) == "?":
            proven = False
    return Split(key_line.start(), indent, tuple(items), end, proven)


def _split_root(text: str, first: re.Match[str]) -> Split | None:
    """Split a text that is a list; None where a second document follows it."""
    if _ENDS_DOCUMENT.search(text, first.end()):
        return None
    indent = len(first.group(1))
    item = re.compile(rf"\n( {{{indent}}})-(?=[ \t\r\n]|\Z)")
    items = (first.start(1), *(match.start(1) for match in item.finditer(text, first.end())))
    return Split(None, indent, items, len(text), _has_plain_lines(text))


def _has_plain_lines(text: str) -> bool:
    """Whether the text has neither a directive nor a lone carriage return."""
    return not (_LONE_CARRIAGE_RETURN.search(text) or text.startswith("%") or "\n%" in text)


def _key_line(keys: Collection[str]) -> re.Pattern[str]:
    names = "|".join(re.escape(key) for key in keys)
    return re.compile(rf"^\ufeff?(?:{names})[ \t]*:[ \t]*(?:[ \t]#[^\n]*)?\r?\n", re.MULTILINE)
