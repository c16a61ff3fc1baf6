"""The version after one, as an action proposes it."""

from __future__ import annotations

import pytest

from suitecase.editor.release_actions import next_version


@pytest.mark.parametrize(
    ("version", "following"),
    [
        ("2026.2", "2026.3"),
        ("2026.9", "2026.10"),
        ("v1", "v2"),
        ("2.0-rc1", "2.0-rc2"),
        ("007", "008"),
    ],
)
def test_the_last_number_is_raised(version: str, following: str) -> None:
    assert next_version(version) == following


@pytest.mark.parametrize("version", ["", "final"])
def test_a_version_without_a_number_has_no_next_one(version: str) -> None:
    assert next_version(version) is None
