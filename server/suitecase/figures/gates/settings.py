"""The settings of a head that figures depend on, also of a head that has errors elsewhere."""

from __future__ import annotations

from suitecase.figures.gates.names import SuiteFigures
from suitecase.figures.gates.slices import group_of
from suitecase.format.figure_keys import Intervals
from suitecase.text.node import Mapping, Scalar


def repeats_of(figures: SuiteFigures) -> int:
    """Return how often each case is asked, as the suite says."""
    node = _value(figures, "execution", "repeats")
    value = node.value if node is not None else None
    return value if type(value) is int and value > 0 else 1


def confidence_of(figures: SuiteFigures) -> float:
    """Return the confidence level of intervals."""
    model = figures.head.model
    intervals = model.intervals if model is not None else None
    return (intervals or Intervals()).confidence


def groups_node(figures: SuiteFigures) -> Scalar | None:
    """Return the node of `intervals.groups`."""
    return _value(figures, "intervals", "groups")


def groups_of(figures: SuiteFigures) -> dict[str | None, list[int]]:
    """Return the cases that are resampled together; under None those that are alone."""
    node = groups_node(figures)
    groups = node.text if node is not None else Intervals().groups
    found: dict[str | None, list[int]] = {}
    for number, it in enumerate(figures.profiles):
        found.setdefault(group_of(groups, it.facts), []).append(number)
    return found


def _value(figures: SuiteFigures, key: str, inner: str) -> Scalar | None:
    node = figures.head.node.get(key) if figures.head.node is not None else None
    found = node.get(inner) if isinstance(node, Mapping) else None
    return found if isinstance(found, Scalar) else None
