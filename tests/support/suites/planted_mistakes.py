"""Plants one mistake at a time into a sound suite or targets file, wherever it can stand.

What may stand where is read off the models of the format, so that a new key is planted at too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_origin

import yaml
from pydantic import BaseModel

from suitecase.format.case_list_keys import CASE_LIST_KEYS
from suitecase.formats.suitecase.parsed import keys_of
from suitecase.schema.fields import alternatives, field_at, models_at
from suitecase.text.node import Entry, Mapping, Node, Scalar, Sequence, plain
from suitecase.text.parsing import parse

#: Data of the author's, and keys that take a value of any kind.
FREE = frozenset({"metadata", "sidecar", "version", "input_schema"})
#: Where empty is a value with a meaning.
MAY_BE_EMPTY = frozenset(
    {"content", "expected_output", "evaluation_schema", "expected_schema", "evaluation_criteria"}
    | {"schema", "criteria", "prompt", "note", "description", "dataset", "conversation_id"}
    | {"response", "name", "$schema"}
)


@dataclass(frozen=True, slots=True)
class Plant:
    """A text with one mistake in it, and the stretch in which it is to be found."""

    kind: str
    where: str
    text: str
    start: int
    end: int

    @property
    def id(self) -> str:
        return f"{self.kind} at {self.where} on line {self.text.count(chr(10), 0, self.start) + 1}"


def plants(text: str, model: type[BaseModel]) -> Iterator[Plant]:
    """Yield a sound text with every mistake that can be planted, one at a time."""
    root = parse(text, (), segmented=False).root
    assert root is not None
    for path, mapping in _mappings(root, ()):
        models = models_at(model, root, path)
        known = {key for it in models for key in keys_of(it)}
        owner = "|".join(it.__name__ for it in models)
        if models:
            yield Plant("unknown key", owner, *_added(text, mapping, "qqqqqq: 1"))
        for name, entry in mapping:
            field = field_at(model, root, (*path, name))
            if field is None or name not in known or name in FREE:
                continue
            where = f"{owner}.{name}"
            kinds = _kinds(field.info.annotation)
            if "any" in kinds:
                continue
            if name not in CASE_LIST_KEYS:
                yield Plant("misspelt key", where, *_renamed(text, entry.key, misspelt(name)))
            if field.info.is_required() and len(mapping.entries) > 1:
                yield Plant("missing key", where, *_removed(text, mapping, name))
            if isinstance(entry.value, Scalar) and entry.value.style in ("", '"', "'"):
                again = text[entry.key.start : entry.value.end]
                yield Plant("key given twice", where, *_added(text, mapping, again))
            for kind, value in _wrong(kinds, name, entry.value, field.info.is_required()):
                yield Plant(kind, where, *_replaced(text, entry, value))


def _wrong(kinds: set[str], name: str, node: Node, required: bool) -> Iterator[tuple[str, str]]:
    """Yield values that may not stand under a key that takes some kinds."""
    yield "unknown alias", "*nowhere"
    yield "value with a colon", "a: b: c"
    if "list" not in kinds:
        yield "list", "[1, 2]"
    if "dict" not in kinds:
        yield "mapping", "{a: 1}"
    if not kinds & {"str", "literal"}:
        yield "text", "abc"
    if "bool" not in kinds:
        yield "truth value", "true"
    if kinds & {"int", "float"}:
        yield from (("not a number", ".nan"), ("infinite", "1e999"), ("quoted number", '"5"'))
        if name != "seed":
            yield "negative", "-1"
        if "float" not in kinds:
            yield "fraction", "1.5"
    else:
        yield "number", "12"
    if required and name != "schema":
        yield "null", "null"
        yield "nothing", ""
    elif name not in MAY_BE_EMPTY:
        yield "nothing", ""
    if "str" in kinds and name not in (*MAY_BE_EMPTY, "value"):
        yield "blank text", '"  "'
    if "literal" in kinds and isinstance(node, Scalar):
        yield "misspelt word", misspelt(node.text)
        yield "empty word", '""'


def misspelt(name: str) -> str:
    """Return a name with its last two letters the other way round, or one too few."""
    if len(name) < 4:
        return name + "x"
    return name[:-2] + name[-1] + name[-2] if name[-1] != name[-2] else name[:-1]


def _kinds(annotation: Any) -> set[str]:
    found: set[str] = set()
    for it in alternatives(annotation):
        origin = get_origin(it) or it
        if origin is Literal:
            found.add("literal")
        elif isinstance(origin, type) and issubclass(origin, BaseModel):
            found.add("dict")
        else:
            found.add(origin.__name__ if origin in (str, int, float, bool, list, dict) else "any")
    return found


def _mappings(
    node: Node, path: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], Mapping]]:
    if isinstance(node, Mapping):
        yield path, node
        for name, entry in node:
            if name not in FREE:
                yield from _mappings(entry.value, (*path, name))
    elif isinstance(node, Sequence):
        for number, item in enumerate(node.items):
            yield from _mappings(item, (*path, number))


def end_of(text: str, node: Node) -> int:
    """Return where a value ends, without the blanks and breaks behind it."""
    return node.start + len(text[node.start : node.end].rstrip())


def _end(text: str, entry: Entry) -> int:
    return max(end_of(text, entry.value), entry.key.end + 1)


def _replaced(text: str, entry: Entry, value: str) -> tuple[str, int, int]:
    head = f"{text[: entry.key.end]}: {value}"
    return head + text[_end(text, entry) :], entry.key.start, max(len(head), entry.key.end + 1)


def _renamed(text: str, key: Scalar, name: str) -> tuple[str, int, int]:
    return text[: key.start] + name + text[key.end :], key.start, key.start + len(name)


def _added(text: str, mapping: Mapping, line: str) -> tuple[str, int, int]:
    last = list(mapping.entries.values())[-1]
    at = _end(text, last)
    column = last.key.start - (text.rfind("\n", 0, last.key.start) + 1)
    lead = ", " if mapping.flow else "\n" + " " * column
    return text[:at] + lead + line + text[at:], at + len(lead), at + len(lead) + len(line)


def _removed(text: str, mapping: Mapping, name: str) -> tuple[str, int, int]:
    """Take a key out; what lacks it is named by its own key, or by its first one."""
    names, entries = list(mapping.entries), list(mapping.entries.values())
    at = names.index(name)
    if at + 1 < len(names):
        start, end = entries[at].key.start, entries[at + 1].key.start
    else:
        start, end = _end(text, entries[at - 1]), _end(text, entries[at])
    left = text[:start] + text[end:]
    first = entries[0 if at else 1].key
    line_above = text.rfind("\n", 0, max(text.rfind("\n", 0, mapping.start), 0)) + 1
    return left, line_above, (first.start if at else start) + len(first.text)


def unchanged(text: str) -> Iterator[tuple[str, str]]:
    """Yield the text in other spellings that mean the same, each with its name."""
    root = parse(text, (), segmented=False).root
    assert root is not None
    scalars = sorted(_texts(root), key=lambda it: it.start)
    lines = text.split("\n")
    inside = {
        text.count("\n", 0, at)
        for it in scalars
        for at in range(it.start, it.end)
        if text[at] == "\n" and it.style
    }
    yield (
        "comments",
        "\n".join(
            line
            if number in inside or number - 1 in inside or not line.strip()
            else f"# so\n{line}"
            for number, line in enumerate(lines)
        ),
    )
    yield (
        "blank lines",
        "\n".join(
            line if number in inside or number - 1 in inside else f"\n{line}"
            for number, line in enumerate(lines)
        ),
    )
    yield "line breaks of Windows", text.replace("\n", "\r\n")
    yield "a byte order mark", f"\ufeff{text}"
    quoted = text
    for it in reversed(scalars):
        plain_text = not it.style and isinstance(it.value, str) and it.start < it.end
        if plain_text and "\n" not in text[it.start : it.end]:
            escaped = it.text.replace("\\", "\\\\").replace('"', '\\"')
            quoted = f'{quoted[: it.start]}"{escaped}"{quoted[it.end :]}'
    yield "quotes", quoted
    value = plain(root)
    yield "brackets", json.dumps(value)
    yield "another order", json.dumps(value, sort_keys=True)
    yield "another writer", yaml.safe_dump(value, indent=6, width=60, sort_keys=False)


def _texts(node: Node) -> Iterator[Scalar]:
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _texts(item)
    else:
        for _, entry in node:
            yield from _texts(entry.value)
