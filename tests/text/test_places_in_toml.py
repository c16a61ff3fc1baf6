"""Places in TOML: every key and value is where it is written."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suitecase.text.node import Mapping, Scalar, Sequence, Span, at, plain
from suitecase.text.toml_text import TomlError, read_toml

NAMES = st.text("ab-_1", min_size=1, max_size=3)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.text(st.characters(blacklist_categories=["Cs"], min_codepoint=32), max_size=6),
        st.integers(-(10**9), 10**9),
        st.booleans(),
        st.floats(-10, 10).map(lambda it: round(it, 2) + 0.001),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
TABLES = st.dictionaries(NAMES, st.dictionaries(NAMES, VALUES, max_size=4), max_size=4)


def written(value: Any, blanks: str) -> str:
    if isinstance(value, dict):
        inner = ", ".join(f"{name} = {written(it, '')}" for name, it in value.items())
        return f"{{{inner}}}"
    if isinstance(value, list):
        return f"[{blanks}{f',{blanks}'.join(written(it, blanks) for it in value)}{blanks}]"
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def check(node: Any, values: Any, text: str) -> None:
    """Hold each value against what stands at its place."""
    if isinstance(node, Mapping):
        assert set(node.entries) == set(values)
        for name, entry in node:
            key = text[entry.key.start : entry.key.end]
            assert tomllib.loads(f"{key} = 1") == {name: 1}
            check(entry.value, values[name], text)
    elif isinstance(node, Sequence):
        assert len(node.items) == len(values)
        for item, value in zip(node.items, values, strict=True):
            check(item, value, text)
    elif isinstance(node, Scalar):
        assert tomllib.loads(f"x = {text[node.start : node.end]}") == {"x": values}


@given(TABLES, st.sampled_from(["", " ", "\n  ", " # ] no\n"]), st.sampled_from(["\n", "\r\n"]))
def test_each_key_and_value_is_found(tables: dict[str, Any], blanks: str, end: str) -> None:
    lines: list[str] = []
    for number, (name, table) in enumerate(tables.items()):
        lines.append(f"[[list.{name}]]" if number % 2 else f"[{name}] # ]")
        lines += [f'"{key}"  =  {written(it, blanks)}' for key, it in table.items()]
    text = "\ufeff" + "\n".join(lines).replace("\n", end) + end
    try:
        values = tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError:
        assert isinstance(read_toml(text), TomlError)
        return
    root = read_toml(text)
    assert isinstance(root, Mapping)
    check(root, values, text)


def test_every_way_to_write_is_understood() -> None:
    text = '''
a.b."c d" = """
x = 1 # "quotes" ""\\"""""
'l' = \'\'\'two\'\'\'\'\'
when = 1979-05-27 07:32:00Z # a date
[[t]]
[[t.u]]
v = ['\\', "\\\\", "]",]
[t.w]
x = {y.z = [{}], "" = ''}
'''
    root = read_toml(text)
    assert isinstance(root, Mapping)
    values = tomllib.loads(text)
    values["when"] = str(values["when"])
    assert plain(root) == values
    node, _, _ = at(root, ("t", 0, "u", 0, "v", 2))
    assert text[node.start : node.end] == '"]"'


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a = \n", Span(4, 5)),
        ("a = 1\r\nb = ?\r\n", Span(11, 12)),
        ("\ufeffa ? 1", Span(3, 4)),
        ("a = [1,\n", Span(7, 8)),
        ("a = " + "[" * 5000, None),
        ("a = " + "1" * 5000, None),
        ("a = '\x00'", Span(5, 6)),
    ],
)
def test_what_is_no_toml_has_a_place(text: str, place: Span | None) -> None:
    error = read_toml(text)
    assert isinstance(error, TomlError)
    assert 0 <= error.span.start <= error.span.end <= len(text)
    if place is not None:
        assert error.span == place, error


@given(st.text("ab=[]{}\"'.,# \n\r1", max_size=25))
def test_no_text_raises(text: str) -> None:
    assert isinstance(read_toml(text), (Mapping, TomlError))
