"""Texts in sheets for raters survive a spreadsheet, and are read back as they were."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suitecase.evidence.labels.spreadsheet_cells import protected, unprotected


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+49 170 000",
        "-5 is the answer",
        "- a list",
        "@SUM(A1)",
        "\t=1+1",
        "\r\n=1+1",
        "\uff1d1+1",
    ],
)
def test_formulas_are_protected(text: str) -> None:
    assert protected(text) == f"'{text}"


@pytest.mark.parametrize(
    "text",
    [
        "12345678",
        "01234567",
        "1234e567",
        "1-2",
        "2026-01-31",
        "1/2",
        "10:30",
        "5 %",
        "€5",
        "MAR1",
        "3 May",
        "true",
        "FALSE",
    ],
)
def test_texts_that_a_spreadsheet_reads_as_values_are_protected(text: str) -> None:
    assert protected(text) == f"'{text}"


@pytest.mark.parametrize(
    "text", ["refund-late", "3f9a1c22d1b0a7e4", "rubric-1", "It's late", "", "'tis", "10 items"]
)
def test_other_texts_are_kept(text: str) -> None:
    assert protected(text) == text
    assert unprotected(text) == text


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("a;=1+1", "a;'=1+1"),
        ('a";=1+1;"', 'a";\'=1+1;"'),
        ("It is\n=2+2;", "It is\n'=2+2;"),
        ("x\n-2+3+cmd|' /C calc'!A0", "x\n'-2+3+cmd|' /C calc'!A0"),
        ("x; +HYPERLINK(1)", "x; '+HYPERLINK(1)"),
        ("Two things:\n- red\n- blue; green", "Two things:\n- red\n- blue; green"),
    ],
)
def test_no_part_of_a_text_is_a_formula_where_semicolons_separate(text: str, cell: str) -> None:
    assert protected(text) == cell
    assert unprotected(cell) == text
    rows = csv.reader(io.StringIO(f"{cell},b\n"), delimiter=";")
    assert [part for row in rows for part in row if part.strip(' "')[:1] in ("=", "+", "@")] == []


@given(st.text() | st.text("';=+- \"@\n(|") | st.text("'=+-@\t\r\n0123456789e.,:/% aprmayTRUE"))
def test_what_was_protected_is_read_back(text: str) -> None:
    assert unprotected(protected(text)) == text
