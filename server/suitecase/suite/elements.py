"""The parts of a case that rules look at, where they are written: messages, rubrics, evaluators."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from suitecase.syntax.node import Mapping, Node, Scalar, Sequence, plain

_INTEGER = re.compile(r"[-+]?\d{1,9}")


@dataclass(frozen=True, slots=True)
class WrittenMessage:
    """A message of an input or of an expected answer."""

    node: Mapping


@dataclass(frozen=True, slots=True)
class WrittenRubric:
    """A rubric item that is a mapping; `number` counts from 1 in its list."""

    node: Mapping
    number: int

    @property
    def id(self) -> str:
        written = self.node.get("id")
        return written.text if isinstance(written, Scalar) else f"rubric-{self.number}"

    def listed_ranges(self) -> list[tuple[int, int, Mapping]] | None:
        """The ranges of the list form as (min, max, node); None for another form or type."""
        ranges = self.node.get("score_ranges")
        if not isinstance(ranges, Sequence):
            return None
        found: list[tuple[int, int, Mapping]] = []
        for item in ranges.items:
            node = item.get("score_range") if isinstance(item, Mapping) else None
            pair = plain(node) if isinstance(node, Sequence) else []
            if not isinstance(item, Mapping) or [type(it) for it in pair] != [int, int]:
                return None
            found.append((pair[0], pair[1], item))
        return found

    def mapped_ranges(self) -> list[tuple[int, Scalar]] | None:
        """The lower bounds of the map form with their keys; None for another form or type."""
        ranges = self.node.get("score_ranges")
        if not isinstance(ranges, Mapping):
            return None
        keys = [entry.key for _, entry in ranges]
        if not all(_INTEGER.fullmatch(key.name) for key in keys):
            return None
        return [(int(key.name), key) for key in keys]


@dataclass(frozen=True, slots=True)
class WrittenRubrics:
    """A list of rubrics, of a case or of an evaluator."""

    node: Sequence

    @property
    def items(self) -> list[WrittenRubric]:
        return [
            WrittenRubric(item, number)
            for number, item in enumerate(self.node.items, 1)
            if isinstance(item, Mapping)
        ]


@dataclass(frozen=True, slots=True)
class WrittenEvaluator:
    """An entry of a list of evaluators that is a mapping."""

    node: Mapping

    @property
    def type(self) -> str | None:
        written = self.node.get("type")
        return written.text if isinstance(written, Scalar) else None

    @property
    def name(self) -> Scalar | None:
        written = self.node.get("name")
        return written if isinstance(written, Scalar) else None

    @property
    def has_rubrics(self) -> bool:
        rubrics = self.node.get("rubrics")
        return isinstance(rubrics, Sequence) and bool(rubrics.items)


@dataclass(frozen=True, slots=True)
class WrittenEvaluators:
    """A list of evaluators: of a suite, a case or a composite."""

    node: Sequence

    @property
    def items(self) -> list[WrittenEvaluator]:
        return [WrittenEvaluator(item) for item in self.node.items if isinstance(item, Mapping)]


Element = WrittenMessage | WrittenRubrics | WrittenRubric | WrittenEvaluators | WrittenEvaluator


def messages_in(node: Node | None, *, only_with_role: bool) -> Iterator[WrittenMessage]:
    if isinstance(node, Sequence):
        for item in node.items:
            if isinstance(item, Mapping) and (not only_with_role or "role" in item):
                yield WrittenMessage(item)


def rubrics_in(node: Node | None) -> Iterator[Element]:
    if isinstance(node, Sequence):
        rubrics = WrittenRubrics(node)
        yield rubrics
        yield from rubrics.items


def evaluators_in(node: Node | None) -> Iterator[Element]:
    if isinstance(node, Sequence):
        evaluators = WrittenEvaluators(node)
        yield evaluators
        for entry in evaluators.items:
            yield entry
            yield from rubrics_in(entry.node.get("rubrics"))
            yield from evaluators_in(entry.node.get("evaluators"))


def execution_in(node: Node | None) -> Iterator[Element]:
    if isinstance(node, Mapping):
        yield from evaluators_in(node.get("evaluators"))
