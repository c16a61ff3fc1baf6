"""YAML as it is written: what it says to readers of 1.1 and of 1.2, and how it looks."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from suitecase.text.compose import compose
from suitecase.text.emitting import in_quotes, yaml_text
from suitecase.text.encoders.visible import is_visible
from suitecase.text.node import plain

#: Texts that one reader or another takes for something else where they are not quoted.
SPECIAL = (
    *("yes", "No", "on", "y", "N", "true", "null", "~", "", "=", "<<", ".inf", "-"),
    *("012", "0o7", "0x1F", "1e3", "08", "1_000", "1:30", "+1", ".5", "5.", "2001-01-01", "1.0"),
    *("\ta\nb", "\n\ta", " a\n b", "a\n", "\n", " \n ", "a  \n b\t\n\n", "a\u2028b\nc", "a\rb\n"),
    *("a: b", "a #b", "- a", "? a", "!a", "&a", "*a", "%a", "@a", "`a", "[a", "{a", "---", "..."),
)
_CHARACTERS = st.one_of(
    st.sampled_from(" \t\n\r-:#'\"|>&*!%@`{}[],?0123456789eynox.~=<\\\x85\u2028\ufeff\x00"),
    st.characters(exclude_categories=["Cs"]),
)
#: `st.text` would draw from all characters alike.
_TEXTS = st.one_of(st.lists(_CHARACTERS, max_size=20).map("".join), st.sampled_from(SPECIAL))
_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), _TEXTS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(_TEXTS, inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(_TEXTS, _VALUES, max_size=3))
def test_any_value_is_read_as_it_was(value: dict[str, Any]) -> None:
    written = yaml_text(value)
    read = compose(written)
    assert read.problems == []
    assert read.root is not None
    assert plain(read.root) == value


@pytest.mark.parametrize("text", SPECIAL)
def test_a_text_is_text_to_every_reader(text: str) -> None:
    written = yaml_text({"key": text})
    assert yaml.safe_load(written) == {"key": text}
    root = compose(written).root
    assert root is not None
    assert plain(root) == {"key": text}


def test_what_is_written_is_pleasant_to_read() -> None:
    value = {
        "prompt": "Be short.\n\n  - And kind.\t\n",
        "last": "No line break\nat the end",
        "long": "word " * 24 + "end",
        "say": 'It\'s "fine": nothing to quote',
        "tags": ["a", "b"],
        "rubrics": ["Brief", {"id": "x", "score_ranges": {"0": "Bad", "10": "Good"}}],
        "none": [],
    }
    assert yaml_text(value) == (
        "prompt: |\n"
        "  Be short.\n"
        "\n"
        "    - And kind.\t\n"
        "last: |-\n"
        "  No line break\n"
        "  at the end\n"
        "long: >-\n"
        f"  {('word ' * 20).strip()}\n"
        f"  {'word ' * 4}end\n"
        "say: 'It''s \"fine\": nothing to quote'\n"
        "tags: [a, b]\n"
        "rubrics:\n"
        "  - Brief\n"
        "  - id: x\n"
        "    score_ranges:\n"
        "      0: Bad\n"
        "      10: Good\n"
        "none: []\n"
    )


def test_a_text_in_quotes_is_the_same_to_parsers_of_json_and_yaml_and_hides_nothing() -> None:
    for code in (*range(0xD800), *range(0xE000, 0x10000), 0x1F600, 0xE0041, 0x10FFFE):
        text = f"a {chr(code)} b"
        written = in_quotes(text)
        assert json.loads(written) == text
        assert code > 0xFFFF or is_visible(written)
    texts = [f"a {chr(code)} b" for code in (*range(0xD800), *range(0xE000, 0x10000), 0xE0041)]
    assert yaml.load(in_quotes(texts), yaml.CSafeLoader) == texts
