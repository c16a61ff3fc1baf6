"""Places in a text inside a scalar lead back to the places in the file."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from suitecase.text.compose import compose
from suitecase.text.embedded import Embedded
from suitecase.text.jsonl import span_in_json
from suitecase.text.node import Mapping, Scalar, Span, at, plain

TEXTS = st.lists(
    st.one_of(
        st.sampled_from((*"ab'\"\\:#-{}[],&*!|>%@ \n\t", "  ", "\n\n", "\\n", "''", "é", "😀"))
        | st.sampled_from(("\u2028", "\x85", "\xa0", "\x07", "x: y", "- a", " #c")),
        st.text("abc", min_size=1, max_size=9),
    ),
    max_size=25,
).map("".join)
STYLES = st.sampled_from((None, "'", '"', "|", ">"))


@settings(max_examples=250, deadline=None)
@given(TEXTS, STYLES, st.sampled_from((20, 1000)), st.booleans(), st.booleans())
@example("it's\n'quoted'", "'", 20, False, False)
@example('a\\b "c" \x07', '"', 20, False, False)
@example("  indented\nless", "|", 20, False, True)
@example("\n\nfolded\nlines\n\n  more\nend", ">", 20, True, True)
def test_every_character_leads_to_itself(
    text: str, style: str | None, width: int, windows: bool, nested: bool
) -> None:
    value: Any = [{"deep": text}] if nested else text
    source = yaml.dump({"key": value}, default_style=style, width=width, allow_unicode=True)
    if windows:
        source = source.replace("\n", "\r\n")
    root = compose(source).root
    assume(isinstance(root, Mapping))
    assert root is not None
    node, _, _ = at(root, ("key", 0, "deep") if nested else ("key",))
    assert isinstance(node, Scalar)
    every_character_leads_to_itself(node, source)


def every_character_leads_to_itself(node: Scalar, source: str) -> None:
    embedded = Embedded(node, source)
    last = node.start
    for place, char in enumerate(node.text):
        span = embedded.span(place, place + 1)
        assert node.start <= span.start < span.end <= node.end, (source, place)
        if char.isspace():
            continue
        assert span.start >= last, (source, place, char)
        there = source[span.start]
        assert there == char or (node.style == '"' and there == "\\"), (source, place, char, there)
        last = span.start + 1


@pytest.mark.parametrize(
    ("source", "inner", "there"),
    [
        ("k: plain text", "text", "text"),
        ("k: over\n  two lines", "two", "two"),
        ("k: 'it''s here'", "here", "here"),
        ("k: 'it''s here'", "'", "'"),
        ('k: "a\\tb\\u00e9c"', "c", "c"),
        ('k: "a\\tb\\u00e9c"', "é", "\\"),
        ('k: "a\\x41 \\U0001F600 z"', "z", "z"),
        ('k: "a\\\n  b  \\\n   c d"', "d", "d"),
        ('k: "a\n\n  b\n  c"', "c", "c"),
        ("k: |\n  a\n    b\n\n  c", "c", "c"),
        ("k: |2-\n    a\n   b", "b", "b"),
        ("k: >\n  a\n  b\n\n\n  c\n   d\n  e\n", "e", "e"),
        ("k: | # why\n  # no comment\n  a", "a", "a"),
        ("k: &a !!str |\n  x y\n", "y", "y"),
        ("k: !!str 'x y'\n", "y", "y"),
        ("k: &a x y\n", "y", "y"),
        ("k: {{ who }}\n", "who", "who"),
    ],
)
def test_a_stretch_is_where_it_is_written(source: str, inner: str, there: str) -> None:
    root = compose(source).root
    assert isinstance(root, Mapping)
    node = root.get("k")
    assert isinstance(node, Scalar)
    start = node.text.rindex(inner)
    span = Embedded(node, source).span(start, start + len(inner))
    assert source[span.start : span.end] == there or source[span.start] == there
    assert span.start == (source.rindex(there) if there != "'" else source.index("''"))


def test_what_an_alias_stands_for_is_at_the_alias() -> None:
    source = "a: &a 'one two'\nb: *a\n"
    root = compose(source).root
    assert isinstance(root, Mapping)
    node = root.get("b")
    assert isinstance(node, Scalar)
    start = source.index("*a")
    assert Embedded(node, source).span(4, 7).start == start
    assert Embedded(node, source).span(0, 7).start == start


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-99, 99)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(JSON, st.sampled_from((None, 1)), st.booleans())
def test_every_value_of_a_json_text_is_found(
    value: Any, indent: int | None, only_ascii: bool
) -> None:
    text = "\n " + json.dumps(value, indent=indent, ensure_ascii=only_ascii) + " \n"
    for path, inner in _values(value, ()):
        span = span_in_json(text, path)
        if isinstance(inner, (dict, list)):
            assert text[span.start : span.end] in ("{", "[")
            found, _ = json.JSONDecoder().raw_decode(text, span.start)
        else:
            found = json.loads(text[span.start : span.end])
        assert found == inner


def _values(value: Any, path: tuple[str | int, ...]) -> Any:
    yield path, value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _values(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _values(inner, (*path, index))


def test_a_path_that_leads_nowhere_ends_where_it_still_led() -> None:
    text = '{"a": [1, {"b": 2}]}'
    assert span_in_json(text, ("a", 1, "c")) == Span(10, 11)
    assert span_in_json(text, ("a", 7)) == Span(6, 7)
    assert span_in_json(text, ("z",)) == Span(0, 1)
    assert span_in_json(text, ("a", "b")) == Span(6, 7)


def test_of_two_equal_keys_the_last_counts() -> None:
    assert span_in_json('{"a": 1, "a": 2}', ("a",)) == Span(14, 15)


def test_embedded_json_leads_to_the_file() -> None:
    source = 's: >-\n  {"a":\n  [1,\n   "x"]}\n'
    root = compose(source).root
    assert root is not None
    node, _, _ = at(root, ("s",))
    assert isinstance(node, Scalar)
    assert plain(node) == '{"a": [1,\n "x"]}'
    inner = span_in_json(node.text, ("a", 1))
    span = Embedded(node, source).span(inner.start, inner.end)
    assert span == Span(source.index('"x"'), source.index('"x"') + 3)
