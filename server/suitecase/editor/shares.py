"""The share that each weighted item has in a score."""

from __future__ import annotations

from dataclasses import dataclass

from suitecase.checking.rules.composite_weights import averaged
from suitecase.checking.rules.evaluator_lists import own_list
from suitecase.formats.suitecase.elements import ParsedEvaluator
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.node import Mapping, Node, Scalar, Sequence, at

#: The lists whose items have weights.
LISTS = ("rubrics", "evaluators", "fields")


@dataclass(frozen=True, slots=True)
class Shares:
    """The weights of a list, by index; None for an item without a valid weight.

    `beside` is the weight of evaluators outside the list. `written` is whether any weight is given,
    so that shares are not simply equal. `elsewhere` are the members of a composite whose weights
    are at its aggregator.
    """

    weights: tuple[float | None, ...]
    beside: float = 0.0
    written: bool = False
    elsewhere: frozenset[int] = frozenset()

    @property
    def total(self) -> float:
        return self.beside + sum(weight for weight in self.weights if weight is not None)

    def of(self, index: int) -> float | None:
        """Return the share of an item, from 0 to 1; None if unknown."""
        weight = self.weights[index] if index < len(self.weights) else None
        if weight is None or None in self.weights or self.total <= 0:
            return None
        return weight / self.total


def percent(share: float) -> str:
    """Format a share: `40 %`, `33.3 %`, `< 0.1 %`."""
    if 0 < share < 0.001:
        return "< 0.1 %"
    return f"{round(100 * share, 1):g} %"


def share_label(share: float) -> str:
    """Return a share for a hint behind a weight: `40% of the score`."""
    return f"{percent(share).replace(' %', '%')} of the score"


def weight_of(item: Node) -> float | None:
    """Return the weight of a list item: 1 by default, None if it is invalid."""
    weight = item.get("weight") if isinstance(item, Mapping) else None
    if weight is None:
        return 1.0
    return _number(weight)


def _number(node: Node | None) -> float | None:
    value = node.value if isinstance(node, Scalar) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e300:
        return None
    return float(value)


def shares_at(
    suite: ParsedSuite, number: int | None, root: Mapping, path: tuple[str | int, ...]
) -> Shares | None:
    """Return the shares of the items of the list at a path; None if it has no weights.

    Args:
        suite: the suite, which may add evaluators to a case's own.
        number: the number of the case `root`; None for the head.
        root: the case or the head.
        path: the path of the list, or of the `weights` of an aggregator for its members.
    """
    if path[-2:] == ("aggregator", "weights"):
        path = (*path[:-2], "evaluators")
    if not path or path[-1] not in LISTS:
        return None
    node, _, taken = at(root, path)
    if taken < len(path) or not isinstance(node, Sequence):
        return None
    if path[-1] == "evaluators" and any(isinstance(step, int) for step in path):
        return _of_members(at(root, path[:-1])[0])
    weights = tuple(weight_of(item) for item in node.items)
    has_weights = any(isinstance(item, Mapping) and "weight" in item for item in node.items)
    if path[-1] != "evaluators":
        return Shares(weights, 0.0, has_weights)
    return Shares(weights, _beside(suite, number), has_weights)


def _of_members(composite: Node) -> Shares | None:
    """Return the shares of a composite's members; None if there is no weighted average."""
    if not isinstance(composite, Mapping):
        return None
    members, aggregator_weights = averaged(ParsedEvaluator(composite))
    listed = composite.get("evaluators")
    if not members or not isinstance(listed, Sequence) or len(members) != len(listed.items):
        return None
    weights: list[float | None] = []
    elsewhere: set[int] = set()
    for index, member in enumerate(members):
        entry = (
            aggregator_weights.entries.get(member.name.text)
            if aggregator_weights is not None and member.name
            else None
        )
        weights.append(_number(entry.value) if entry else weight_of(member.node))
        if entry is not None:
            elsewhere.add(index)
    has_weights = aggregator_weights is not None or any("weight" in it.node for it in members)
    return Shares(tuple(weights), 0.0, has_weights, frozenset(elsewhere))


def _beside(suite: ParsedSuite, number: int | None) -> float:
    """Return the weight of the implicit evaluators beside a list."""
    head = suite.head.node
    beside = 1.0 if head is not None and "evaluation_mode" in head else 0.0
    if number is None:
        return beside
    case = suite.cases[number]
    rubrics = case.node.get("rubrics") if case.node is not None else None
    if isinstance(rubrics, Sequence) and rubrics.items:
        beside += 1.0
    if suite.appended_to(number):
        listed = own_list(suite.head)
        items = listed.value.items if listed and isinstance(listed.value, Sequence) else []
        beside += sum(weight_of(item) or 0.0 for item in items)
    return beside
