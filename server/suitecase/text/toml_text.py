"""A TOML text as a positioned tree: the values of the standard library, with their places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from suitecase.text.compose import MAX_DEPTH, TOO_DEEP_MESSAGE
from suitecase.text.node import Entry, Mapping, Node, Scalar, Sequence, Span

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY = re.compile(r"""[ \t]*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))[ \t]*""")
_LINES = r'"""(?:[^\\]|\\.)*?"{3,5}|' + r"'''.*?'{3,5}"
_LINE = r'"(?:[^"\\\n]|\\.)*"|' + r"'[^'\n]*'"
_TEXT = re.compile(f"{_LINES}|{_LINE}", re.DOTALL)
#: The beginning of a key that is too deep by itself, for which the standard library takes a time that grows
#: with the square of its length.
_DEEP_KEY = re.compile(
    r"""(?:^\ufeff?[ \t\[]*|[{,][ \t]*)((?:(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')[ \t]*\.[ \t]*)"""
    rf"{{{MAX_DEPTH}}})",
    re.MULTILINE,
)
#: What holds no keys: comments, and texts of several lines, also one that does not end. Texts of one line are matched so
#: that what they hold is not taken for one.
_WITHOUT_KEYS = re.compile(
    rf"""(#[^\n]*|{_LINES}|\"\"\".*|'''.*)|{_LINE}""",
    re.DOTALL,
)
_ATOM = re.compile(r"[^,\]}#\n\r]+")
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(frozen=True, slots=True)
class TomlError:
    """Why a text is not valid TOML, and where."""

    span: Span
    message: str


def read_toml(text: str) -> Mapping | TomlError:
    """Parse a TOML text; never raises on any text."""
    import tomllib

    # The standard library counts lines by `\n`, and rejects a byte order mark.
    bare = text.removeprefix("\ufeff")
    if _DEEP_KEY.search(text) and (deep := _DEEP_KEY.search(_WITHOUT_KEYS.sub(_blank, text))):
        return TomlError(Span(*deep.span(1)), TOO_DEEP_MESSAGE)
    try:
        values = tomllib.loads(bare)
    except ValueError as error:  # also that of a number with too many digits
        return _error(str(error), text)
    except RecursionError:
        return TomlError(Span(0, 0), TOO_DEEP_MESSAGE)
    root = _Places(text, len(text) - len(bare)).tree(values)
    place = _too_deep_in(root)
    return root if place is None else TomlError(place, TOO_DEEP_MESSAGE)


def _blank(found: re.Match[str]) -> str:
    return "\n" * len(found[0]) if found[1] is not None else found[0]


def _too_deep_in(root: Node) -> Span | None:
    """Return the place of a value that is nested too deeply, as dotted keys can be without brackets."""
    nodes = [root]
    for _ in range(MAX_DEPTH):
        nodes = [child for node in nodes for child in _children(node)]
        if not nodes:
            return None
    return nodes[0].span


def _children(node: Node) -> list[Node]:
    if isinstance(node, Mapping):
        values = (entry.value for entry in node.entries.values())
        return [value for value in values if not isinstance(value, Scalar)]
    if isinstance(node, Sequence):
        return [item for item in node.items if not isinstance(item, Scalar)]
    return []


def _error(message: str, text: str) -> TomlError:
    place = _PLACE.search(message)
    reason = message[: place.start()] if place else message
    start = len(text.rstrip())
    if place and place[1]:
        lines = text.replace("\r\n", " \n").split("\n")
        line, column = int(place[1]), int(place[2])
        start = sum(len(it) + 1 for it in lines[: line - 1]) + column - 1
        start += line == 1 and text.startswith("\ufeff")
    start = min(start, len(text))
    return TomlError(Span(start, min(start + 1, len(text))), reason[:1].lower() + reason[1:])


class _Places:
    """Walks a valid TOML text in parallel with its values."""

    def __init__(self, text: str, place: int) -> None:
        self._text = text
        self._place = place

    def tree(self, values: dict[str, Any]) -> Mapping:
        root = Mapping(0, len(self._text), {}, flow=False)
        table: tuple[Mapping, Any] = (root, values)
        self._skip()
        while self._place < len(self._text):
            if self._text[self._place] == "[":
                listed = self._text.startswith("[[", self._place)
                self._place += 1 + listed
                *above, last = self._keys()
                self._place += 1 + listed
                owner, parsed = self._descend(root, values, above)
                table = self._item(owner, parsed, last) if listed else (
                    self._descend(owner, parsed, [last])
                )  # fmt: skip
            else:
                self._entry(*table)
            self._skip()
        return root

    def _entry(self, table: Mapping, values: Any) -> None:
        *above, last = self._keys()
        owner, parsed = self._descend(table, values, above)
        self._place += 1  # the equals sign
        self._skip()
        owner.entries[last.text] = Entry(last, self._value(parsed[last.text]))

    def _descend(self, table: Mapping, values: Any, keys: list[Scalar]) -> tuple[Mapping, Any]:
        """Return the table under some keys, and its values; of a list of tables the last."""
        for key in keys:
            values = values[key.text]
            entry = table.entries.get(key.text)
            if entry is None:
                entry = Entry(key, Mapping(key.start, key.end, {}, flow=False))
                table.entries[key.text] = entry
            node = entry.value
            if isinstance(node, Sequence):
                values = values[len(node.items) - 1]
                node = node.items[-1]
            if not isinstance(node, Mapping):
                raise TypeError("TOML lets no table stand below a value")
            table = node
        return table, values

    def _item(self, owner: Mapping, values: Any, key: Scalar) -> tuple[Mapping, Any]:
        entry = owner.entries.get(key.text)
        if entry is None:
            entry = Entry(key, Sequence(key.start, key.end, [], flow=False))
            owner.entries[key.text] = entry
        node = entry.value
        if not isinstance(node, Sequence):
            raise TypeError("TOML lets no table be added to a value")
        item = Mapping(key.start, key.end, {}, flow=False)
        node.items.append(item)
        return item, values[key.text][len(node.items) - 1]

    def _keys(self) -> list[Scalar]:
        keys: list[Scalar] = []
        while match := _KEY.match(self._text, self._place):
            group = match.lastindex or 3
            start, end = match.span(group)
            text = match[group]
            if group == 1:
                text = _quoted(f'"{text}"')
            quotes = group < 3
            keys.append(Scalar(start - quotes, end + quotes, text, '"' if quotes else ""))
            self._place = match.end()
            if self._text[self._place : self._place + 1] != ".":
                break
            self._place += 1
        return keys

    def _value(self, value: Any) -> Node:
        start = self._place
        if isinstance(value, dict):
            table = Mapping(start, start, {}, flow=True)
            self._place += 1
            self._skip()
            while self._text[self._place] != "}":
                self._entry(table, value)
                self._past_comma()
            self._place += 1
            table.end = self._place
            return table
        if isinstance(value, list):
            items: list[Node] = []
            self._place += 1
            self._skip()
            while self._text[self._place] != "]":
                items.append(self._value(value[len(items)]))
                self._past_comma()
            self._place += 1
            return Sequence(start, self._place, items, flow=True)
        if isinstance(value, str):
            match = _TEXT.match(self._text, start)
            self._place = match.end() if match else start
            return Scalar(start, self._place, value, '"')
        match = _ATOM.match(self._text, start)
        self._place = start + len(match[0].rstrip()) if match else start
        literal = str(value).lower() if isinstance(value, bool) else str(value)
        # Dates are not a type of ours: they stay text.
        style = "" if isinstance(value, (bool, int, float)) else '"'
        return Scalar(start, self._place, literal, style)

    def _past_comma(self) -> None:
        self._skip()
        if self._text[self._place] == ",":
            self._place += 1
            self._skip()

    def _skip(self) -> None:
        match = _BLANK.match(self._text, self._place)
        self._place = match.end() if match else self._place


def _quoted(text: str) -> str:
    import tomllib

    return str(tomllib.loads(f"key = {text}")["key"])
