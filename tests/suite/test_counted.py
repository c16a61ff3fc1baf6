"""Amounts in messages."""

from __future__ import annotations

import pytest

from suitecase.suite.counted import dollars


@pytest.mark.parametrize(
    ("usd", "text"),
    [
        (0, "$0"),
        (1.2, "$1.2"),
        (0.00314159, "$0.003142"),
        (2.925e-05, "$0.00002925"),
        (1234.5, "$1,234.50"),
    ],
)
def test_dollars_are_written_out(usd: float, text: str) -> None:
    assert dollars(usd) == text
