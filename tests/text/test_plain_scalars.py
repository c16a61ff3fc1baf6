"""Plain scalars mean what the core schema of YAML 1.2 says."""

from __future__ import annotations

import math
from typing import Any

import pytest

from suitecase.text.compose import compose
from suitecase.text.node import Mapping, Scalar

TABLE: dict[str, Any] = {
    "~": None, "null": None, "Null": None, "NULL": None, "nULL": "nULL", "None": "None",
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
    "tRUE": "tRUE", "yes": "yes", "Yes": "Yes", "no": "no", "on": "on", "off": "off",
    "y": "y", "n": "n", "Y": "Y", "N": "N",
    "0": 0, "12": 12, "-12": -12, "+12": 12, "012": 12, "08": 8, "0o14": 12, "0x1F": 31,
    "0b11": "0b11", "0o8": "0o8", "0xG": "0xG", "-0o14": "-0o14", "-0x1F": "-0x1F",
    "1_000": "1_000", "1,000": "1,000", "12:30:45": "12:30:45", "1:30": "1:30",
    "1.5": 1.5, "-1.5": -1.5, "1.": 1.0, ".5": 0.5, "-.5": -0.5, "1e3": 1000.0, "1E+3": 1000.0,
    "1.5e-3": 0.0015, "1e": "1e", "e3": "e3", ".": ".", "+": "+", "1.2.3": "1.2.3",
    "..5": "..5", "+-5": "+-5",
    ".inf": math.inf, "-.inf": -math.inf, "+.Inf": math.inf, ".INF": math.inf, ".iNF": ".iNF",
    "2026-02-01": "2026-02-01", "2026-02-01T10:00:00Z": "2026-02-01T10:00:00Z",
    "=": "=", "a b": "a b", "١٢": "١٢",
    "1" * 5000: math.inf,
}  # fmt: skip


@pytest.mark.parametrize(("written", "meant"), TABLE.items(), ids=lambda it: str(it)[:20])
def test_a_plain_scalar_means(written: str, meant: Any) -> None:
    value = _value(written)
    assert value == meant
    assert type(value) is type(meant)


def test_not_a_number() -> None:
    value = _value(".NaN")
    assert isinstance(value, float)
    assert math.isnan(value)


@pytest.mark.parametrize("quoted", ["'12'", '"true"', "'~'", '""', "|-\n  12", ">-\n  null"])
def test_what_is_quoted_is_text(quoted: str) -> None:
    assert isinstance(_value(quoted), str)


@pytest.mark.parametrize(
    ("tagged", "meant"),
    [
        ("!!str 12", "12"),
        ("!!str", ""),
        ("! 12", "12"),
        ("!!int '12'", 12),
        ("!!int twelve", "twelve"),
        ("!!float 1", 1.0),
        ("!!bool 'true'", True),
        ("!!null ''", None),
        ("&a !!str 12", "12"),
        ("!!str &a 12", "12"),
        ("!mine 12", "12"),
    ],
)
def test_a_tag_says_what_is_meant(tagged: str, meant: Any) -> None:
    value = _value(tagged)
    assert value == meant
    assert type(value) is type(meant)


def _value(written: str) -> Any:
    root = compose(f"key: {written}\n").root
    assert isinstance(root, Mapping)
    node = root.get("key")
    assert isinstance(node, Scalar)
    return node.value
