"""The elements of a case that rules check, with their places: messages, rubrics, evaluators."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from suitecase.format.protocols import JudgeProtocol
from suitecase.formats.suitecase.implicit_evaluators import RUBRIC
from suitecase.schema.roles import Holder, RoleValue, all_values, holders_in
from suitecase.text.node import Mapping, Node, Scalar, Sequence, plain
from suitecase_evaluators.grade.evaluator import Description, Evaluator, EvaluatorConfig
from suitecase_evaluators.grade.registry import by_type, is_third_party, read_entry
from suitecase_evaluators.schema.field_role import FieldRole

#: The keys of a head and of a case that contain evaluators, or settings of evaluators.
EVALUATORS_UNDER = ("evaluators", "execution", "judges")

_INTEGER = re.compile(r"[-+]?\d{1,9}")


ConfigModel = type[EvaluatorConfig]


@dataclass(slots=True, eq=False)
class ParsedMessage:
    """A message of an input or of an expected answer."""

    node: Mapping


@dataclass(frozen=True, slots=True)
class RubricSpelling:
    """How a format spells the keys of a rubric.

    Attributes:
        texts: the keys of its text; the first one is written.
        minimum: the key of its minimum score.
    """

    texts: tuple[str, ...] = ("expected_outcome",)
    minimum: str = "required_min_score"

    def text(self, item: Mapping) -> Node | None:
        """Return the text of an item."""
        return next((found for key in self.texts if (found := item.get(key)) is not None), None)


#: The spelling of our own format.
OWN_SPELLING = RubricSpelling()


@dataclass(slots=True, eq=False)
class ParsedRubric:
    """A rubric item that is a mapping; `number` is its position in the list, from 1."""

    node: Mapping
    number: int
    spelling: RubricSpelling = OWN_SPELLING
    _ranges: _Ranges | None = None

    @property
    def id(self) -> str:
        id_node = self.node.get("id")
        return id_node.text if isinstance(id_node, Scalar) else f"rubric-{self.number}"

    def listed_ranges(self) -> list[tuple[int, int, Mapping]] | None:
        """The ranges of the list form as (min, max, node); None for another form or type."""
        return self._known_ranges.listed

    def mapped_ranges(self) -> list[tuple[int, Scalar]] | None:
        """The lower bounds of the map form with their keys; None for another form or type."""
        return self._known_ranges.mapped

    @property
    def _known_ranges(self) -> _Ranges:
        """Parsed once, since many rules use it."""
        if self._ranges is None:
            ranges = self.node.get("score_ranges")
            self._ranges = _Ranges(_listed_ranges(ranges), _mapped_ranges(ranges))
        return self._ranges


class _Ranges(NamedTuple):
    listed: list[tuple[int, int, Mapping]] | None
    mapped: list[tuple[int, Scalar]] | None


def _listed_ranges(ranges: Node | None) -> list[tuple[int, int, Mapping]] | None:
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


def _mapped_ranges(ranges: Node | None) -> list[tuple[int, Scalar]] | None:
    if not isinstance(ranges, Mapping):
        return None
    # Names of keys are normalized: a number has its plain spelling.
    if not all(map(_INTEGER.fullmatch, ranges.entries)):
        return None
    return [(int(name), entry.key) for name, entry in ranges]


def has_ranges(item: Node) -> bool:
    """Whether an item of a list of rubrics gets a score, and is not just met or not."""
    return isinstance(item, Mapping) and "score_ranges" in item


@dataclass(slots=True, eq=False)
class ParsedRubrics:
    """A list of rubrics, of a case or of an evaluator."""

    node: Sequence
    spelling: RubricSpelling = OWN_SPELLING
    _items: list[ParsedRubric] | None = None

    @property
    def items(self) -> list[ParsedRubric]:
        if self._items is None:
            self._items = [
                ParsedRubric(item, number, self.spelling)
                for number, item in enumerate(self.node.items, 1)
                if isinstance(item, Mapping)
            ]
        return self._items


@dataclass(slots=True, eq=False)
class ParsedEvaluator:
    """An entry of a list of evaluators that is a mapping."""

    node: Mapping
    _asked: tuple[Evaluator | None] | None = None
    _values: list[RoleValue] | None = None
    _read: tuple[EvaluatorConfig | None] | None = None

    @property
    def type(self) -> str | None:
        type_node = self.node.get("type")
        return type_node.text if isinstance(type_node, Scalar) else None

    @property
    def name(self) -> Scalar | None:
        name_node = self.node.get("name")
        return name_node if isinstance(name_node, Scalar) else None

    @property
    def evaluator(self) -> Evaluator | None:
        """The evaluator that its type selects; None for one that is unknown or does not work."""
        if self._asked is None:
            name = self.type
            self._asked = (by_type(name) if name is not None else None,)
        return self._asked[0]

    @property
    def config(self) -> ConfigModel | None:
        """The model of its entry; None where its type is unknown."""
        evaluator = self.evaluator
        return evaluator.config if evaluator is not None else None

    @property
    def description(self) -> Description[Any]:
        """What its evaluator says of entries; nothing where that is unknown."""
        evaluator = self.evaluator
        return Description() if evaluator is None else evaluator.description

    def values(self, *roles: FieldRole) -> Iterator[RoleValue]:
        """Yield what has one of some roles in its entry; its members have their own."""
        if self._values is None:  # looked for once, since many rules ask
            config = self.config
            self._values = all_values(config, self.node) if config is not None else []
        return (value for value in self._values if value.role in roles)

    def holders(self, role: FieldRole) -> Iterator[Holder]:
        """Yield the mappings of its entry that may have a value of a role."""
        config = self.config
        return iter(()) if config is None else holders_in(config, self.node, role)

    def read(self) -> EvaluatorConfig | None:
        """Return the entry as its model reads it; None where it is wrong."""
        if self._read is None:
            self._read = (read_entry(plain(self.node)) if self.evaluator is not None else None,)
        return self._read[0]

    @property
    def has_rubrics(self) -> bool:
        found = (it.node for it in self.values(FieldRole.RUBRICS))
        return any(isinstance(it, Sequence) and it.items for it in found)


@dataclass(slots=True, eq=False)
class ParsedEvaluators:
    """A list of evaluators: of a suite, a case or a composite."""

    node: Sequence
    _items: list[ParsedEvaluator] | None = None

    @property
    def items(self) -> list[ParsedEvaluator]:
        if self._items is None:
            items = self.node.items
            self._items = [ParsedEvaluator(item) for item in items if isinstance(item, Mapping)]
        return self._items


@dataclass(slots=True, eq=False)
class ParsedJudge(ParsedEvaluator):
    """The settings that a suite has for all judges of a name.

    To rules on prompts, files and targets it is an evaluator; other rules do not see it.
    """

    judge: str = ""

    @property
    def config(self) -> ConfigModel | None:
        """The model of the settings, which has the roles of a judge's keys."""
        return cast("ConfigModel", JudgeProtocol)

    @property
    def has_rubrics(self) -> bool:
        """Whether it is known that the judge has rubrics."""
        return self.judge == RUBRIC


Element = ParsedMessage | ParsedRubrics | ParsedRubric | ParsedEvaluators | ParsedEvaluator


def messages_in(node: Node | None, *, only_with_role: bool) -> Iterator[ParsedMessage]:
    if isinstance(node, Sequence):
        for item in node.items:
            if isinstance(item, Mapping) and (not only_with_role or "role" in item):
                yield ParsedMessage(item)


def rubrics_in(
    node: Node | None, spelling: RubricSpelling = OWN_SPELLING
) -> Iterator[ParsedRubrics | ParsedRubric]:
    if isinstance(node, Sequence):
        rubrics = ParsedRubrics(node, spelling)
        yield rubrics
        yield from rubrics.items


def evaluators_in(node: Node | None) -> Iterator[Element]:
    if isinstance(node, Sequence):
        evaluators = ParsedEvaluators(node)
        yield evaluators
        for entry in evaluators.items:
            yield entry
            if is_third_party(entry.type):
                continue  # the meaning of its keys is known to its package only
            yield from rubrics_in(entry.node.get("rubrics"))
            yield from evaluators_in(entry.node.get("evaluators"))


def judges_in(node: Node | None) -> Iterator[ParsedJudge]:
    for name, entry in node if isinstance(node, Mapping) else ():
        if isinstance(entry.value, Mapping) and not entry.merged:
            yield ParsedJudge(entry.value, judge=name)


def execution_in(node: Node | None) -> Iterator[Element]:
    if isinstance(node, Mapping):
        yield from evaluators_in(node.get("evaluators"))
