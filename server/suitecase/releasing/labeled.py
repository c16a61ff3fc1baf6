"""Conditions on the people who label: their agreement was asked for, and measured."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.releasing.condition import Condition
from suitecase.releasing.release import Release


def label_conditions(release: Release) -> Iterator[Condition]:
    """Yield the labels whose agreement is not measured."""
    return iter(())
