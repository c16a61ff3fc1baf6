"""After any edits, the server has the same text as the client."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from suitecase.lsp.documents import OpenDocument
from support.lsp.client import RawClient
from support.lsp.positions import ENCODINGS, PIECES, places, position
from support.suites.slow import GREET_CASES

texts = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


def opened(text: str, encoding: str) -> OpenDocument:
    item = types.TextDocumentItem("untitled:x", "yaml", 1, text)
    return OpenDocument(item, encoding)


def partial(start: dict[str, int], end: dict[str, int], text: str) -> Any:
    place = types.Range(types.Position(**start), types.Position(**end))
    return types.TextDocumentContentChangePartial(place, text)


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(data=st.data())
def test_any_edits_give_the_text_they_give_in_the_client(
    data: st.DataObject, encoding: str
) -> None:
    text = data.draw(texts)
    document = opened(text, encoding)
    for _ in range(data.draw(st.integers(1, 5))):
        start, end = sorted(data.draw(st.sampled_from(places(text))) for _ in range(2))
        new = data.draw(texts)
        document.change(
            partial(position(text, start, encoding), position(text, end, encoding), new)
        )
        text = text[:start] + new + text[end:]

        assert document.text == text


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=texts)
def test_an_offset_has_the_position_that_leads_back_to_it(text: str, encoding: str) -> None:
    positions = opened(text, encoding).positions
    for offset in places(text):
        found = positions.position(offset)

        assert {"line": found.line, "character": found.character} == position(
            text, offset, encoding
        )
        assert positions.offset(found) == offset


@pytest.mark.parametrize(
    ("text", "line", "character", "expected"),
    [
        ("ab", 0, 99, "ab|"),
        ("ab\ncd", 0, 99, "ab|\ncd"),
        ("ab\r\ncd", 0, 3, "ab|\r\ncd"),
        ("ab\r\ncd", 1, 99, "ab\r\ncd|"),
        ("ab\n", 1, 0, "ab\n|"),
        ("ab\n", 7, 0, "ab\n|"),
        ("", 0, 5, "|"),
        ("😀b", 0, 1, "|😀b"),
        ("😀b", 0, 2, "😀|b"),
        ("a😀", 0, 9, "a😀|"),
        ("a\u2028b\nc", 1, 0, "a\u2028b\n|c"),
    ],
)
def test_a_position_outside_the_text_means_the_nearest_in_it(
    text: str, line: int, character: int, expected: str
) -> None:
    document = opened(text, "utf-16")
    at = {"line": line, "character": character}
    document.change(partial(at, at, "|"))

    assert document.text == expected


def test_a_range_given_backwards_means_the_same_forwards() -> None:
    document = opened("abcd", "utf-16")
    document.change(partial({"line": 0, "character": 3}, {"line": 0, "character": 1}, "-"))

    assert document.text == "a-d"


START = (
    GREET_CASES
    + "  - id: 😀\u2028x\n    input: ä\n    weight: 1\n    expected_outcome: y\n"
    + "execution: {target: mock}\n"
)


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
async def test_after_many_edits_the_findings_are_those_of_the_text_opened_anew(
    start: Any, encoding: str, line_break: str
) -> None:
    chance = random.Random(f"{encoding}{line_break!r}")
    client: RawClient = await start()
    await client.initialize({"general": {"positionEncodings": [encoding]}})
    text = START.replace("\n", line_break)
    edited = "untitled:edited.eval.yaml"
    client.open(edited, text, version=0)
    for version in range(1, 41):
        changes = []
        for _ in range(chance.choice([1, 1, 1, 3])):
            at = chance.choice(places(text))
            end = chance.choice([it for it in places(text) if at <= it <= at + 5])
            new = "".join(chance.choices(PIECES, k=chance.choice([0, 1, 1, 2])))
            changes.append(
                {
                    "range": {
                        "start": position(text, at, encoding),
                        "end": position(text, end, encoding),
                    },
                    "text": new,
                }
            )
            text = text[:at] + new + text[end:]
        client.change(edited, version, *changes)
        if version % 10 == 0:
            fresh = f"untitled:fresh{version}.eval.yaml"
            client.open(fresh, text)

            found = await client.diagnostics(edited, version)

            assert found == await client.diagnostics(fresh, 1)
            assert found
