"""Offsets, and lines and columns, lead to each other."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from suitecase.text.lines import Lines

TEXTS = st.lists(
    st.sampled_from(("a", "é", "😀", "\n", "\r", "\r\n", "\u2028", "\x85", "\x0c", ""))
).map("".join)


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_every_offset_leads_to_itself(text: str) -> None:
    lines = Lines(text)
    assert len(lines) == len(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    for offset in range(len(text) + 1):
        line, column = lines.position(offset)
        assert lines.start(line) + column == offset
        if column <= len(lines.text(line)):
            assert lines.offset(line, column) == offset


def test_places_outside_the_text_are_moved_to_its_nearer_end() -> None:
    lines = Lines("ab\ncd")
    assert lines.position(-3) == (0, 0)
    assert lines.position(99) == (1, 2)
    assert lines.offset(0, 99) == 2
    assert lines.offset(9, 0) == 5
    assert lines.offset(-1, 1) == 1
    assert lines.offset(1, -1) == 3


def test_only_what_yaml_and_editors_agree_on_breaks_a_line() -> None:
    text = "a\u2028b\x85c\x0bd\x0ce\x1cf\r\ng\rh\ni"
    assert [Lines(text).text(n) for n in range(4)] == [
        "a\u2028b\x85c\x0bd\x0ce\x1cf",
        "g",
        "h",
        "i",
    ]
