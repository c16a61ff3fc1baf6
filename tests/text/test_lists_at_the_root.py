"""A file that is a list is parsed item by item, with what parsing it whole gives."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suitecase.text.document import Document
from suitecase.text.lines import Lines
from suitecase.text.parsing import parse
from support.suites.dumped import dump, in_range
from support.suites.random_edits import edited

SEEDS = st.integers(0, 2**32)

PLAIN = """\
# Tests of the front desk.
- description: greets
  vars:
    name: Ann
  assert:
    - type: contains
      value: Ann

- vars: {name: "Bob
    Smith"}
  assert:
  - type: llm-rubric
    value: |
      Greets Bob.

      - not an item
# between
- file://more.yaml
-
  vars:
    name: 'It''s me'
"""
INDENTED = """\
---
# yaml-language-server: $schema=https://example.com/schema.json
  - vars: &v {a: 1}
  - vars: {b: 2}
  # behind
  - vars: {b: [1,
    2]}
"""
AT_ONCE = "- vars: {a: 1}\n- &x vars: {b: 2}\n- vars:\n    c: >\n      text\n\n      more\n"
ALIASES = "- vars: &v {a: 1}\n- vars: *v\n- vars: {b: 2}\n"
TEXTS = (PLAIN, INDENTED, AT_ONCE, ALIASES, "\ufeff" + AT_ONCE, AT_ONCE.replace("\n", "\r\n"))


def _parse(text: str | Lines, **options: Any) -> Document:
    return parse(text, ("listed",), root_list=True, **options)


@pytest.mark.parametrize("text", TEXTS)
def test_lists_are_parsed_item_by_item(text: str) -> None:
    document = _parse(text)
    assert document.root_list
    assert document.segmented == (text != ALIASES)
    assert document.head.node is None or not document.segmented
    assert shape(document) == shape(_parse(text, segmented=False))


@pytest.mark.parametrize(
    "text",
    [
        "- a\n...\n",
        "- a\n---\n- b\n",
        "--- # comment\n- a\n",
        "%YAML 1.2\n---\n- a\n",
        "- - a\n  - b\n- - c\n",
        "-\n-\n- a\n",
        "- ? a\n  : b\n- ? c\n",
        "- a\n  \n\n# the end",
        "  # indented\n\n- a\n",
    ],
)
def test_rare_lists_are_read_all_the_same(text: str) -> None:
    whole = _parse(text, segmented=False)
    assert not whole.head.content.broken
    assert shape(_parse(text)) == shape(whole)


@pytest.mark.parametrize(
    "text", ["- a: b\nkey: x\n- c\n", "- a: b\n  c: d: e\n- f\n", "- [a\n- b\n", "  - a\n- b\n"]
)
def test_a_broken_list_is_broken_both_ways(text: str) -> None:
    assert _parse(text, segmented=False).broken
    assert _parse(text).broken


def test_a_broken_item_blinds_itself_alone() -> None:
    document = _parse("- vars: {a: 1}\n- x: y: z\n- vars: {b: 2}\n")
    assert [it.broken for it in document.cases.contents] == [False, True, False]


def test_a_list_at_the_root_has_cases_only_for_who_asks() -> None:
    document = parse(AT_ONCE, ("tests",))
    assert not document.root_list
    assert not document.cases


@pytest.mark.parametrize("head", ["", "# Tests\n"])
def test_a_change_costs_one_item(head: str) -> None:
    text = head + "".join(f"- vars: {{n: {n}}}\n  assert: []\n" for n in range(50))
    before = _parse(Lines(text))
    at = text.index("{n: 7}") + 4
    after = _parse(before.lines.replaced(at, at + 1, "70"), reuse=before)
    taken = [a is b for a, b in zip(after.cases.contents, before.cases.contents, strict=True)]
    assert taken.count(False) == 1
    assert after.cases[49].start == before.cases[49].start + 1


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(TEXTS), SEEDS, st.integers(1, 6))
def test_both_ways_agree_after_edits(text: str, seed: int, edits: int) -> None:
    random = Random(seed)
    earlier = _parse(Lines(text))
    for _ in range(edits):
        before, text = text, edited(random, text)
        earlier = _agree(text, earlier)
        if earlier.broken and random.random() < 0.7:
            text = before


def _agree(text: str, earlier: Document) -> Document:
    """Assert that a text reads alike item by item, whole, and from an earlier version."""
    whole, parts = _parse(text, segmented=False), _parse(text)
    again = _parse(earlier.lines.become(text), reuse=earlier)
    if whole.head.content.broken:
        assert parts.broken, text
        assert again.broken, text
    else:
        assert shape(parts) == shape(whole), text
    assert shape(again) == shape(parts), text
    return again


def shape(document: Document) -> dict[str, Any]:
    """Return what a list at the root consists of, with places in its text."""
    problems = {(it.kind, piece.absolute(it.span), it.message) for piece, it in document.problems()}
    for _, span, _ in problems:
        in_range(span, document.text)
    head = document.head
    return {
        "root": document.root and dump(document.root, head),
        "list": document.root_list,
        "cases": [it.node and dump(it.node, it) for it in document.cases],
        "problems": problems,
    }
