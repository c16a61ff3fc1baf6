"""The places of a suite at which differences from its lock are reported."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from suitecase.format.workspace import Folder, Found
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span

#: What is under these keys is a command line, whose words may be paths.
_COMMANDS = ("script", "command")
#: Longer texts are not paths.
_LONGEST = 1024


class Place(NamedTuple):
    """A place in a suite: in a case, or in its head where `number` is None."""

    number: int | None
    span: Span


def place_of_key(head: ParsedHead, key: str) -> Place:
    """Return the place of a key of a head, given as a path with dots.

    It is that of the last key on the path that there is, and of `version` if there is none.
    """
    node: Node | None = head.node
    found: Span | None = None
    for name in key.split("."):
        entry = node.entries.get(name) if isinstance(node, Mapping) else None
        if entry is None:
            break
        found, node = entry.key.span, entry.value
    if found is None and head.node is not None and key != "version":
        other = {"prompt": "expected_schema", "evaluation_mode": "evaluation_criteria"}
        return place_of_key(head, other.get(key, "version"))
    return Place(None, found or Span(0, 0))


def place_of_judge(head: ParsedHead, name: str, key: str | None) -> Place:
    """Return the place of a key of a judge's protocol, or that of the protocol."""
    judges = head.node.get("judges") if head.node is not None else None
    entry = judges.entries.get(name) if isinstance(judges, Mapping) else None
    if entry is None:
        return place_of_key(head, "judges")
    inner = entry.value.entries.get(key) if key and isinstance(entry.value, Mapping) else None
    return Place(None, (inner or entry).key.span)


def place_of_case(suite: ParsedSuite, number: int) -> Place:
    """Return the place of the id of a case."""
    id_node = suite.cases[number].id
    return Place(number, id_node.span if id_node is not None else Span(0, 0))


def place_of_file(suite: ParsedSuite, path: Path, folder: Folder) -> Place:
    """Return the first place that names a file, in the head or in a case; else that of `version`."""
    for span in _naming(_paths_in(suite.head.node), path, folder):
        return Place(None, span)
    for number, texts in suite.case_index.where(_texts_of):
        for span in _naming(texts, path, folder):
            return Place(number, span)
    return place_of_key(suite.head, "version")


class _Text(NamedTuple):
    text: str
    span: Span
    is_command: bool


def _naming(texts: list[_Text], path: Path, folder: Folder) -> Iterator[Span]:
    for text, span, is_command in texts:
        if path.name not in text:
            continue
        found = folder.find(text.strip())
        words = text.split() if is_command else []
        if (isinstance(found, Found) and found.path == path) or any(
            os.path.normpath(folder.path / it) == str(path) for it in words if "\0" not in it
        ):
            yield span


def _texts_of(case: ParsedCase) -> list[_Text]:
    """Return the texts of a case that may name files."""
    return _paths_in(case.node)


def _paths_in(node: Node | None) -> list[_Text]:
    return list(_walk(node, is_command=False)) if node is not None else []


def _walk(node: Node, *, is_command: bool) -> Iterator[_Text]:
    if isinstance(node, Mapping):
        for name, entry in node:
            yield from _walk(entry.value, is_command=is_command or name in _COMMANDS)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _walk(item, is_command=is_command)
    elif isinstance(node, Scalar) and isinstance(node.value, str) and len(node.text) < _LONGEST:
        # A path has no line breaks, and a command line may have some.
        may_name = is_command or "\n" not in node.text.strip()
        yield from [_Text(node.text, node.span, is_command)] if may_name else ()
