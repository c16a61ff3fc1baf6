"""Texts in sheets for raters survive a spreadsheet, and are read back as they were."""

from __future__ import annotations

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


@given(st.text() | st.text("'=+-@\t\r\n0123456789e.,:/% aprmayTRUE"))
def test_what_was_protected_is_read_back(text: str) -> None:
    assert unprotected(protected(text)) == text
