"""The tree: scalars, mappings and sequences, each with its place."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from suitecase.text.scalar import VALUE_START, Plain, resolve, resolve_tagged


class Span(NamedTuple):
    """A stretch of text, in code points; the end is exclusive."""

    start: int
    end: int

    def shifted(self, by: int) -> Span:
        return Span(self.start + by, self.end + by)


#: The style of an alias of an unknown anchor.
UNRESOLVED = "*"
#: Messages quote so many characters of a value.
_LONGEST_QUOTE = 200


class Scalar:
    """A scalar with its `text` and its `value`.

    `style` is empty for a plain scalar, else its indicator: `'`, `"`, `|` or `>`, or `UNRESOLVED`.
    """

    # Trees consist of scalars for the most part, and nearly none has a tag.
    __slots__ = ("end", "start", "style", "text")

    tag: str | None = None

    def __init__(self, start: int, end: int, text: str, style: str) -> None:
        self.start = start
        self.end = end
        self.text = text
        self.style = style

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)

    @property
    def value(self) -> Plain:
        if self.tag is not None:
            return self.text if self.tag == "!" else resolve_tagged(self.text, self.tag)
        if self.style:
            return self.text if self.style != UNRESOLVED else None
        return resolve(self.text)

    @property
    def name(self) -> str:
        """This scalar as a key: numbers in their plain spelling, so that `0` is also `"0"`."""
        value = self.value
        return str(value) if type(value) is int else self.text


class Tagged(Scalar):
    """A scalar that may have a tag."""

    __slots__ = ("tag",)

    def __init__(self, start: int, end: int, text: str, style: str, tag: str | None) -> None:
        super().__init__(start, end, text, style)
        self.tag = tag


class Copied(Tagged):
    """The value of an alias, at the place of the alias; `origin` is where it is defined."""

    __slots__ = ("origin",)

    def __init__(self, start: int, end: int, origin: Scalar) -> None:
        super().__init__(start, end, origin.text, origin.style, origin.tag)
        self.origin: Scalar = origin.origin if isinstance(origin, Copied) else origin


#: Creates an entry without the overhead of a named tuple's constructor.
_new_tuple = tuple.__new__


class Entry(NamedTuple):
    """A key of a mapping with its value; `merged` if it comes from a merge key (`<<`)."""

    key: Scalar
    value: Node
    merged: bool = False


#: The entries of a mapping in a third of their memory, four items each: name, key, value, and where a value
#: starts that is given by its text. A key is given by its start if its text is its name. So are plain
#: scalars, which end where their text does; other keys, values and their places are as they are.
Packed = tuple[Any, ...]


class Mapping:
    """Entries in the order of the text; the last one of a duplicate key counts.

    A mapping may be packed (`syntax.compact`). Then it creates its entries when they are asked for, and
    keeps them until they are released: scalars are other objects after that; mappings and lists stay the same.
    """

    __slots__ = ("end", "entries", "flow", "packed", "start")

    packed: Packed

    def __init__(self, start: int, end: int, entries: dict[str, Entry], *, flow: bool) -> None:
        self.start = start
        self.end = end
        self.entries = entries
        self.flow = flow
        # `packed` is not set, since nearly no mapping is.

    def __getattr__(self, name: str) -> Any:
        # Only what is not set arrives here.
        if name != "entries":
            raise AttributeError(name)
        self.entries = entries = _unpacked(self.packed)
        _UNPACKED.append(self)
        if len(_UNPACKED) > _MOST_UNPACKED:
            release_entries(_MOST_UNPACKED // 2)
        return entries

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)

    def get(self, name: str) -> Node | None:
        entry = self.entries.get(name)
        return entry.value if entry else None

    def key(self, name: str) -> Scalar | None:
        entry = self.entries.get(name)
        return entry.key if entry else None

    def __contains__(self, name: str) -> bool:
        return name in self.entries

    def __iter__(self) -> Iterator[tuple[str, Entry]]:
        return iter(self.entries.items())


#: The packed mappings whose entries were asked for, until these are released.
_UNPACKED: list[Mapping] = []
#: So many of them have entries at most, about 300 cases.
_MOST_UNPACKED = 4_000


def release_entries(most: int | None = None) -> None:
    """Release entries of packed mappings, which are created again when they are asked for.

    Args:
        most: of so many mappings, those that were asked for first; None for all.
    """
    for mapping in _UNPACKED[:most]:
        with suppress(AttributeError):  # released by another thread
            del mapping.entries
    del _UNPACKED[:most]


def _unpacked(packed: Packed) -> dict[str, Entry]:
    entries: dict[str, Entry] = {}
    items = iter(packed)
    for name, key, value, start in zip(items, items, items, items, strict=True):
        if type(key) is int:
            key = Scalar(key, key + len(name), name, "")
        if start is not None:
            value = Scalar(start, start + len(value), value, "")
        entries[name] = _new_tuple(Entry, (key, value, False))
    return entries


class Sequence:
    """Items in the order of the text."""

    __slots__ = ("end", "flow", "items", "start")

    def __init__(self, start: int, end: int, items: list[Node], *, flow: bool) -> None:
        self.start = start
        self.end = end
        self.items = items
        self.flow = flow

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


Node = Scalar | Mapping | Sequence


def plain(node: Node) -> Any:
    """Return the value of a tree as Python values; keys are strings."""
    if isinstance(node, Mapping):
        values: dict[str, Any] = {}
        for name, (_, value, _) in node.entries.items():
            # Most values are scalars without a tag, which need no further call.
            if type(value) is not Scalar:
                values[name] = plain(value)
            elif value.style:
                values[name] = value.text if value.style != UNRESOLVED else None
            else:
                text = value.text
                values[name] = resolve(text) if text[:1] in VALUE_START else text
        return values
    if isinstance(node, Sequence):
        return [item.value if isinstance(item, Scalar) else plain(item) for item in node.items]
    return node.value


def is_empty(node: Node) -> bool:
    """Whether a value has nothing in it: no text, no items, null; an unknown alias may have."""
    if isinstance(node, Scalar):
        return node.style != UNRESOLVED and (not node.text.strip() or node.value is None)
    return not (node.items if isinstance(node, Sequence) else node.entries)


def describe(node: Node) -> str:
    """Return the type of a node as text: `text`, `a whole number`, `a mapping`."""
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node, Sequence):
        return "a list"
    match node.value:
        case None:
            return "nothing"
        case bool():
            return "`true`" if node.value else "`false`"
        case int():
            return "a whole number"
        case float():
            return "a number"
        case _:
            return "text" if node.text.strip() else "empty text"


def quote_value(node: Node) -> str:
    """Return a scalar as messages quote it, up to 200 characters of it; the type of any other node."""
    if not isinstance(node, Scalar):
        return describe(node)
    text = node.text
    return f"`{text}`" if len(text) <= _LONGEST_QUOTE else f"`{text[:_LONGEST_QUOTE]}...`"


def child_at(node: Node, offset: int) -> Node | None:
    """Return the value or item of a node at an offset; the first of several."""
    if isinstance(node, Sequence):
        items = node.items
        number: int = bisect_right(items, offset, key=lambda child: child.start) - 1
        # Several may be at one place, that of an alias; the first counts.
        while number > 0 and items[number - 1].start == items[number].start:
            number -= 1
        return items[number] if number >= 0 and offset < items[number].end else None
    if isinstance(node, Mapping):
        values = (entry.value for entry in node.entries.values())
        return next((value for value in values if value.start <= offset < value.end), None)
    return None


def is_same(one: Node, other: Node) -> bool:
    """Whether two nodes are the same one of a text, which may have been parsed twice."""
    if one is other:
        return True
    if type(one) is not type(other) or (one.start, one.end) != (other.start, other.end):
        return False
    return not isinstance(one, Scalar) or one.text == other.text  # type: ignore[union-attr]


def index_of(item: Node, sequence: Sequence) -> int | None:
    """Return the index of a node in a list; None if it is not an item."""
    items = sequence.items
    number: int = bisect_left(items, item.start, key=lambda child: child.start)
    if number < len(items) and items[number] is item:
        return number
    return next((number for number, it in enumerate(items) if is_same(it, item)), None)


def at(node: Node, path: tuple[str | int, ...]) -> tuple[Node, Scalar | None, int]:
    """Walk a path of keys and indexes as far as it exists.

    Returns:
        the node reached, its key if it has one, and the number of steps taken.
    """
    key: Scalar | None = None
    for taken, step in enumerate(path):
        if isinstance(node, Mapping) and isinstance(step, str) and step in node.entries:
            key, node, _ = node.entries[step]
        elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
            key, node = None, node.items[step]
        else:
            return node, key, taken
    return node, key, len(path)
