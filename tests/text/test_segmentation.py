"""Parsing a suite case by case gives what parsing it whole gives, whatever is typed into it."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suitecase.checking.check import check
from suitecase.format.rule import Finding
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_suite
from suitecase.text.document import Document
from suitecase.text.node import Mapping, Scalar
from support.suites.dumped import dump, in_range
from support.suites.random_edits import PLAIN, SUITES, edited

#: A folder with nothing in it or above it, so that a suite's references lead nowhere.
NOWHERE = Folder(Workspace(Path("/nowhere")), Path("/nowhere"))

SEEDS = st.integers(0, 2**32)


def test_suites_are_parsed_case_by_case() -> None:
    for text in SUITES:
        if "&first" not in text:
            assert parse_suite(text).document.segmented, text


@pytest.mark.parametrize(
    "text",
    [
        "evalcases:\n  - ? id: a\n      input: b\n\n  - id: c\n",
        "evalcases:\n  - id: a\n    ? input\n    # behind\n  - id: c\n",
        "evalcases:\n  - &first\n    id: a\n  - <<a: *first\n    id: b\n",
        "evalcases:\n  -\n  -\n    # nothing\n  - id: a\ndescription: b\n",
        "evalcases:\n  - id: a\rb: c\n",
        "evalcases:\n  - id: a\n---\nevalcases:\n  - id: b\n",
        "evalcases:\n  - id: a\n...\n# the end\n",
        "tests:\n  - id: a\ncases:\n  - id: b\n",
        "x: &x\nevalcases:\n  - *x\n  - id: a\n",
        "evalcases:\n  - id: &i a\nname: *i\n",
        "evalcases:\n  - id: &i a\n  - id: &i b\n  - *i\n",
        "evalcases:\r\n  - id: a\r\n\r\n  - input: |\r\n\r\n      x\r\n\r\nversion: 1\r\n",
        "\ufeffevalcases:\n- id: a\n- id: b\n",
        "evalcases:\n  - a\u2028- b\n  - id: c\x85d\n",
    ],
)
def test_both_ways_agree(text: str) -> None:
    assert not parse_suite(text, segmented=False).document.head.content.broken
    agree(text, None)


@pytest.mark.parametrize(
    "text",
    [
        "{# head\ntests:\n    -   id: deep\n        criteria: Says hel",
        'evalcases:\n  - id: "a\n  - id: b\n',
        "evalcases:\n  - id: [a\n  - id: b\n",
        "description: 'a\nevalcases:\n  - id: b\n",
        "evalcases:\n  - id: a\n b: c\n",
        "evalcases:\n  - id: a\n\t- id: b\n",
        "evalcases:\n  - id: a\n: empty key\n",
    ],
)
def test_a_broken_text_is_read_as_far_as_it_goes(text: str) -> None:
    assert parse_suite(text, segmented=False).document.head.content.broken
    agree(text, None)


def test_a_broken_case_blinds_itself_alone() -> None:
    text = "evalcases:\n  - id: a\n    x: y: z\n  - id: b\n    input: 'it''s'\n  - id: c\n"
    suite = parse_suite(text)
    assert [it.node is not None for it in suite.cases] == [False, True, True]
    assert [it.id.text for it in suite.cases if it.id] == ["b", "c"]


def test_a_change_costs_one_case() -> None:
    text = "evalcases:\n" + "".join(f"  - id: case-{n}\n    input: Hi\n" for n in range(50))
    before = parse_suite(text)
    after = parse_suite(text.replace("case-7\n", "case-seven\n"), reuse=before)
    taken = [new is old for new, old in zip(after.cases, before.cases, strict=True)]
    assert taken.count(False) == 1
    assert after.document.cases[49].start == before.document.cases[49].start + 4


def test_a_case_is_found_by_an_offset_in_it() -> None:
    for segmented in (True, False):
        document = parse_suite(PLAIN, segmented=segmented).document
        for number, case_id in enumerate(("greet", "part", "noise")):
            assert document.case_at(PLAIN.index(f"id: {case_id}")) == number
        assert document.case_at(0) is None


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SUITES), SEEDS, st.integers(1, 6))
def test_both_ways_agree_after_edits(text: str, seed: int, edits: int) -> None:
    hold_together(text, Random(seed), edits)


def hold_together(text: str, random: Random, edits: int) -> None:
    """Edit a suite several times, and after each edit hold both ways of reading it together."""
    earlier: ParsedSuite | None = None
    for _ in range(edits):
        before, text = text, edited(random, text)
        earlier = agree(text, earlier)
        if any(it.content.broken for it in earlier.document.pieces) and random.random() < 0.7:
            text = before  # else most texts would be broken after a few edits


def agree(text: str, earlier: ParsedSuite | None) -> ParsedSuite:
    """Assert that a text reads alike case by case, whole, and from an earlier version."""
    whole = parse_suite(text, segmented=False)
    parts = parse_suite(text)
    again = parse_suite(text, reuse=earlier) if earlier else parts
    wanted, broken = findings(whole), whole.document.head.content.broken
    for it in (parts, again):
        found = findings(it)
        if broken:
            assert any(code in ("SC001", "SC005") for code, *_ in found), text
        else:
            assert shape(it.document) == shape(whole.document), text
            assert found == wanted, text
    assert shape(parts.document) == shape(again.document), text
    assert findings(parts) == findings(again), text
    return again


def shape(document: Document) -> dict[str, Any]:
    """Return all there is to a document, with places in its text."""
    head = document.head
    root = head.node
    problems = {
        (it.kind, piece.absolute(it.span), it.message, it.other and piece.absolute(it.other))
        for piece in document.pieces
        for it in piece.content.problems
    }
    for _, span, _, other in problems:
        in_range(span, document.text)
        in_range(other or span, document.text)
    is_list = document.segmented or not isinstance(document.list_node, (Scalar, Mapping))
    return {
        "root": type(root),
        "key": document.list_key
        and (document.list_key.text, head.absolute(document.list_key.span)),
        "entries": [
            (name, dump(entry.key, head), entry.merged)
            + ((dump(entry.value, head),) if entry.key is not document.list_key else (is_list,))
            for name, entry in root
        ]
        if isinstance(root, Mapping)
        else root and dump(root, head),
        "cases": [it.node and dump(it.node, it) for it in document.cases],
        "problems": problems,
    }


def findings(suite: ParsedSuite) -> list[Any]:
    """Return what is found in a suite, all of it within the text."""
    analysis = check(suite, NOWHERE)
    assert analysis.failures == []
    return [_plain(it, suite.document.text) for it in analysis.findings]


def _plain(found: Finding, text: str) -> Any:
    edits = found.fix.edits if found.fix else ()
    for span in (found.span, *(it.span for it in edits), *(it.span for it in found.related)):
        in_range(span, text)
    # A fix takes the line break of its case, which in a text with several kinds is not always the
    # first of the text; applying it makes them alike.
    written = [(it.span, it.text.replace("\r\n", "\n")) for it in edits]
    fix = found.fix and (found.fix.title, written, found.fix.safe)
    return found.code, found.span, found.message, fix, found.related
