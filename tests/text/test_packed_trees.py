"""A packed tree reads as the tree that it was made of, however often its entries are released."""

from __future__ import annotations

from typing import Any

import pytest

from suitecase.text import node as nodes
from suitecase.text.compact import pack
from suitecase.text.compose import compose
from suitecase.text.node import Copied, Mapping, Node, Scalar, Sequence, release_entries

TEXT = """\
id: first
"quoted": 'text'
plain: over
 two lines
empty:
block: |-
  two
  lines
12: a number as a key
0x10: another
{flow: {a: 1, "b": [c, d, {e: f}]}, ? g : h}: dropped
tagged: !!str 12
!!str tagged_key: x
twice: 1
twice: 2
anchored: &anchor {one: 1, two: plain}
alias: *anchor
merged: {<<: *anchor, three: 3}
unknown: *nothing
list: [one, "two", {three: 3}]
long: %s
""" % ("x" * 9000 + "\nlast: 1")


@pytest.fixture(autouse=True)
def nothing_unpacked() -> None:
    release_entries()


def read(node: Node) -> Any:
    """Return everything that a node says, as plain values."""
    if isinstance(node, Sequence):
        return ("list", node.start, node.end, node.flow, [read(it) for it in node.items])
    if isinstance(node, Mapping):
        entries = [(name, read(it.key), read(it.value), it.merged) for name, it in node]
        return ("mapping", node.start, node.end, node.flow, entries)
    origin = node.origin.start if isinstance(node, Copied) else None
    return (type(node), node.start, node.end, node.text, node.style, node.tag, origin)


def containers(node: Node) -> list[Node]:
    if isinstance(node, Scalar):
        return []
    inside = node.items if isinstance(node, Sequence) else [it.value for _, it in node]
    return [node, *(found for it in inside for found in containers(it))]


def composed(text: str) -> Node:
    root = compose(text).root
    assert root is not None
    return root


def test_a_packed_tree_reads_as_before() -> None:
    root = composed(TEXT)
    before, mappings = read(root), containers(root)

    pack(root)

    for _ in range(2):
        assert read(root) == before
        assert all(map(lambda one, other: one is other, containers(root), mappings))
        release_entries()


def test_a_tree_may_be_packed_again() -> None:
    root = composed(TEXT)
    before = read(root)

    for _ in range(2):
        pack(root)
        assert read(root) == before


def test_entries_stay_until_they_are_released() -> None:
    root = composed("key: value\n")
    assert isinstance(root, Mapping)
    pack(root)

    entries = root.entries

    assert root.entries is entries
    release_entries()
    assert root.entries is not entries


def test_what_was_asked_for_first_is_released_where_much_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(nodes, "_MOST_UNPACKED", 4)
    roots = [composed(f"key: {number}\n") for number in range(6)]
    for root in roots:
        pack(root)
    mappings = [it for it in roots if isinstance(it, Mapping)]

    entries = [it.entries for it in mappings]

    assert mappings[-1].entries is entries[-1]
    assert mappings[0].entries is not entries[0]


def test_other_attributes_are_missing_as_usual() -> None:
    with pytest.raises(AttributeError, match="items"):
        _ = composed("key: value\n").items  # type: ignore[union-attr]
