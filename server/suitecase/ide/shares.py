"""What weights come to: the share each item has in a score."""

from __future__ import annotations

from dataclasses import dataclass

from suitecase.rules.composite_weights import averaged
from suitecase.rules.evaluator_lists import own_list
from suitecase.suite.elements import ParsedEvaluator
from suitecase.suite.parsed import ParsedSuite
from suitecase.syntax.node import Mapping, Node, Scalar, Sequence, at

#: The lists whose items have weights.
LISTS = ("rubrics", "evaluators", "fields")


@dataclass(frozen=True, slots=True)
class Shares:
    """The weights of a list, by index; None for an item that has none that counts.

    `beside` is the weight of what grades beside the list and does not stand in it. `written` says
    that any weight is written down, so that shares are not simply equal. `elsewhere` are the
    members of a composite whose weights stand at its aggregator.
    """

    weights: tuple[float | None, ...]
    beside: float = 0.0
    written: bool = False
    elsewhere: frozenset[int] = frozenset()

    @property
    def total(self) -> float:
        return self.beside + sum(it for it in self.weights if it is not None)

    def of(self, index: int) -> float | None:
        """Return the share of an item, from 0 to 1; None where that cannot be said."""
        weight = self.weights[index] if index < len(self.weights) else None
        if weight is None or None in self.weights or self.total <= 0:
            return None
        return weight / self.total


def percent(share: float) -> str:
    """Return a share for people: `40 %`, `33.3 %`, `< 0.1 %`."""
    if 0 < share < 0.001:
        return "< 0.1 %"
    return f"{round(100 * share, 1):g} %"


def weight_of(item: Node) -> float | None:
    """Return the weight of an item of a list: 1 where none is written, None where it is not a weight."""
    written = item.get("weight") if isinstance(item, Mapping) else None
    if written is None:
        return 1.0
    return _number(written)


def _number(node: Node | None) -> float | None:
    value = node.value if isinstance(node, Scalar) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e300:
        return None
    return float(value)


def shares_at(
    suite: ParsedSuite, number: int | None, root: Mapping, path: tuple[str | int, ...]
) -> Shares | None:
    """Return the shares of the items of the list at a path; None where it has no weights.

    Args:
        suite: the suite, which says what grades beside a case's own evaluators.
        number: the case that `root` is; None for the head.
        root: the case or the head.
        path: leads to the list; or to the `weights` of an aggregator, by whose members it counts.
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
    weights = tuple(weight_of(it) for it in node.items)
    written = any(isinstance(it, Mapping) and "weight" in it for it in node.items)
    if path[-1] != "evaluators":
        return Shares(weights, 0.0, written)
    return Shares(weights, _beside(suite, number), written)


def _of_members(composite: Node) -> Shares | None:
    """Return the shares of a composite's members; None where nothing is averaged by weight."""
    if not isinstance(composite, Mapping):
        return None
    members, named = averaged(ParsedEvaluator(composite))
    listed = composite.get("evaluators")
    if not members or not isinstance(listed, Sequence) or len(members) != len(listed.items):
        return None
    weights: list[float | None] = []
    elsewhere: set[int] = set()
    for index, it in enumerate(members):
        entry = named.entries.get(it.name.text) if named is not None and it.name else None
        weights.append(_number(entry.value) if entry else weight_of(it.node))
        if entry is not None:
            elsewhere.add(index)
    written = named is not None or any("weight" in it.node for it in members)
    return Shares(tuple(weights), 0.0, written, frozenset(elsewhere))


def _beside(suite: ParsedSuite, number: int | None) -> float:
    """Return the weight of the evaluators that grade beside a list: those that nobody wrote down."""
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
        beside += sum(weight_of(it) or 0.0 for it in items)
    return beside
