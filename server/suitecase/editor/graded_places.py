"""The positions of rubrics and evaluators in a case, for the lines of a result."""

from __future__ import annotations

import re

from suitecase.formats.suitecase.elements import (
    ParsedEvaluator,
    ParsedEvaluators,
    ParsedRubric,
    ParsedRubrics,
)
from suitecase.formats.suitecase.parsed import ParsedCase
from suitecase.text.node import Mapping as Tree
from suitecase.text.node import Node, Scalar, Sequence, Span

#: The prefix of hits and misses: the rubric, in a composite after its member.
_NAMED = re.compile(r"\[([^\]]+)\] ")
#: The evaluator of a case's own `rubrics`.
_OF_CASE = "rubric"


def named_item(said: str) -> tuple[str, str]:
    """Return the item that a hit or miss names in front, empty if it names none, and the rest."""
    prefix = _NAMED.match(said)
    return (prefix.group(1), said[prefix.end() :]) if prefix else ("", said)


class GradedPlaces:
    """The rubrics and evaluators in a case, by evaluator and rubric id."""

    def __init__(self, case: ParsedCase) -> None:
        self._rubrics: dict[tuple[str, str], tuple[Span, ParsedRubric | None]] = {}
        self._evaluators: dict[str, Span] = {}
        node = case.node or Tree(0, 0, {}, flow=False)
        self._add_rubrics(_OF_CASE, node.get("rubrics"))
        self._add_evaluators(node.get("evaluators"))
        execution = node.get("execution")
        if isinstance(execution, Tree):
            self._add_evaluators(execution.get("evaluators"))

    def of(self, evaluator: str | None, said: str) -> tuple[Span | None, str, ParsedRubric | None]:
        """Return the span and rubric of a hit or miss, and its text without the leading names.

        Args:
            evaluator: the name of its evaluator; empty for the case's own rubrics, None if unknown.
            said: the text of the hit or miss.
        """
        path, text = ["" if evaluator is None else evaluator or _OF_CASE], said
        while prefix := _NAMED.match(text):
            inner, rest = prefix.group(1), text[prefix.end() :]
            rubric = self._rubrics.get((path[-1], inner))
            if rubric is not None:
                return rubric[0], rest, rubric[1]
            if inner not in self._evaluators:
                break
            path.append(inner)
            text = rest
        return self._evaluators.get(path[-1]), text, None

    def _add_evaluators(self, node: Node | None) -> None:
        if not isinstance(node, Sequence):
            return
        for entry in ParsedEvaluators(node).items:
            self._add_evaluator(entry)

    def _add_evaluator(self, entry: ParsedEvaluator) -> None:
        if entry.name is not None:
            self._evaluators.setdefault(entry.name.text, entry.name.span)
            self._add_rubrics(entry.name.text, entry.node.get("rubrics"))
        self._add_evaluators(entry.node.get("evaluators"))

    def _add_rubrics(self, evaluator: str, node: Node | None) -> None:
        if not isinstance(node, Sequence):
            return
        for rubric in ParsedRubrics(node).items:
            self._rubrics.setdefault((evaluator, rubric.id), (_place(rubric), rubric))
        for number, item in enumerate(node.items, 1):
            if isinstance(item, Scalar):
                self._rubrics.setdefault((evaluator, f"rubric-{number}"), (item.span, None))


def _place(rubric: ParsedRubric) -> Span:
    own = rubric.node.get("id")
    if isinstance(own, Scalar):
        return own.span
    return min((entry.key.span for _, entry in rubric.node), default=rubric.node.span)
