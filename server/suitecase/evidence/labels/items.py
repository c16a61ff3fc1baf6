"""What of an answer people can label: the rubric items of an evaluator, for each case it grades.

A judge without rubric items has one item, `verdict`: whether the answer is good by its criteria, or, of a
judge that compares two answers, whether it is better than the other one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from operator import is_not
from typing import Any, Literal

from suitecase.evidence.labels.digests import VERDICT, text_digest, wording_digest
from suitecase.formats.suitecase.implicit_evaluators import CRITERIA, DEFAULT_JUDGE, RUBRIC
from suitecase.formats.suitecase.model import Execution, SuiteHead
from suitecase.formats.suitecase.parsed import (
    ParsedCase,
    ParsedHead,
    ParsedSuite,
    adds_evaluators,
    listed_evaluators,
)
from suitecase.schema.roles import key_with
from suitecase.text.cache import Cache
from suitecase.text.node import Mapping as MappingNode
from suitecase.text.node import Node, Scalar, Sequence, Span
from suitecase.text.taken_names import TakenNames
from suitecase_evaluators.answers.rubric import Rubric, named
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.grade.registry import description_of
from suitecase_evaluators.schema.field_role import FieldRole

_Listed = list[EvaluatorConfig] | None


@dataclass(frozen=True, slots=True)
class Item:
    """A rubric item, or the verdict of a judge without any.

    Attributes:
        mode: whether it is met or not, or has a score from 0 to 10.
        wording: the digest of what it asks.
        span: its place, in the text of its case or in the head. Items that differ only in it are equal,
            so that moving them changes nothing that is derived from them.
        in_head: whether it is in the head.
        rubric: the rubric item; None for a verdict.
    """

    mode: Literal["check", "range"]
    wording: str
    span: Span = field(compare=False)
    in_head: bool = False
    rubric: Rubric | None = None


#: Items by their ids.
Items = Mapping[str, Item]


@dataclass(frozen=True, eq=False)
class GradedItems:
    """The items of an evaluator.

    Attributes:
        by_case: the items by the id of each case that the evaluator grades.
        cases: the ids of all cases.
        unread: the ids of cases that have errors, so that their items are unknown.
        all_read: whether the id of every case can be read.
    """

    by_case: Mapping[str, Items]
    cases: frozenset[str]
    unread: frozenset[str]
    all_read: bool
    #: What others derive from it.
    derived: dict[Cache[Any], Any] = field(default_factory=dict)

    @property
    def is_graded(self) -> bool:
        """Whether the evaluator grades any case, as far as that is known."""
        return bool(self.by_case)


@dataclass(frozen=True, slots=True)
class _OfCase:
    """What a case itself says about what can be labeled.

    Attributes:
        id: its id; None if it cannot be read.
        listed: the items of each evaluator it lists; None if it lists none.
        rubrics: the items of its `rubrics`.
        verdict: what the default judge asks.
        adds: whether its evaluators may be in addition to the suite's.
        is_read: whether it has no errors.
    """

    id: str | None
    listed: tuple[tuple[str, Items], ...] | None = None
    rubrics: Items | None = None
    verdict: Item | None = None
    adds: bool = False
    is_read: bool = False


@dataclass(frozen=True, slots=True)
class _OfHead:
    """What the head of a suite says about what can be labeled."""

    listed: tuple[tuple[str, Items | None], ...] | None
    criteria: Items | None
    mode: str | None
    appends: bool


@dataclass(frozen=True, slots=True)
class _Known:
    cases: Collection[_OfCase]
    head: _OfHead
    by_name: dict[str, GradedItems] = field(default_factory=dict)

    def moved(self, cases: Collection[_OfCase]) -> _Known:
        """Return the same for cases of which some have their items at other places."""
        pairs = zip(self.cases, cases, strict=True)
        moved = [new for old, new in pairs if old is not new]
        by_name = {name: self._moved(it, moved, name) for name, it in self.by_name.items()}
        return _Known(cases, self.head, by_name)

    def _moved(self, items: GradedItems, cases: Collection[_OfCase], name: str) -> GradedItems:
        found = ((case.id, _of_evaluator(case, self.head, name)) for case in cases if case.is_read)
        by_case = {case: it for case, it in found if case is not None and it is not None}
        return replace(items, by_case={**items.by_case, **by_case})


_KNOWN: Cache[_Known] = Cache()


def items_of(suite: ParsedSuite, name: str) -> Mapping[str, Items]:
    """Return the items of an evaluator by the id of each case that it grades."""
    return graded_items(suite, name).by_case


def graded_items(suite: ParsedSuite, name: str) -> GradedItems:
    """Return the items of an evaluator; the same object as long as no case and no head changes.

    While only places of items change, what is derived from them is kept.

    Args:
        suite: the suite.
        name: the name of the evaluator.
    """
    cases = suite.case_index.values(_of_case)
    known = _KNOWN.get(suite.head.content)
    if known is None or known.head.appends != suite.appends or known.cases != cases:
        known = _Known(cases, _of_head(suite.head, appends=suite.appends))
    elif known.cases is not cases:
        same = not any(map(is_not, known.cases, cases))
        known = replace(known, cases=cases) if same else known.moved(cases)
    _KNOWN.set(suite.head.content, known)
    if name not in known.by_name:
        known.by_name[name] = _graded(cases, known.head, name)
    return known.by_name[name]


def _graded(cases: Collection[_OfCase], head: _OfHead, name: str) -> GradedItems:
    by_case: dict[str, Items] = {}
    unread: set[str] = set()
    for case in cases:
        if case.id is None:
            continue
        if not case.is_read:
            unread.add(case.id)
            continue
        items = _of_evaluator(case, head, name)
        if items is not None:
            by_case.setdefault(case.id, items)
    ids = frozenset(it.id for it in cases if it.id is not None)
    return GradedItems(by_case, ids, frozenset(unread), all(it.id is not None for it in cases))


def _of_evaluator(case: _OfCase, head: _OfHead, name: str) -> Items | None:
    """Return the items of an evaluator of a case; None if it does not grade it.

    `suite.gates.grading.graded_by` decides the same for names.
    """
    chosen = case.listed if case.listed is not None else head.listed or ()
    if case.listed is not None and head.appends and case.adds:
        taken = TakenNames(it for it, _ in case.listed)
        added = ((taken.take(it), items) for it, items in head.listed or ())
        chosen = (*case.listed, *added)
    if name == CRITERIA and head.criteria is not None:
        return head.criteria
    if name == RUBRIC and case.rubrics is not None:
        return case.rubrics
    is_implied = head.mode in ("llm", "schema") or case.rubrics is not None
    if name == DEFAULT_JUDGE and not is_implied and not chosen and case.verdict is not None:
        return {VERDICT: case.verdict}
    for other, items in chosen:
        if other == name:
            # The suite's judge without rubric items asks what the case expects.
            return {VERDICT: case.verdict} if items is None and case.verdict else items
    return None


def _of_case(case: ParsedCase) -> _OfCase:
    """Return what a case says about what can be labeled: a look for `ParsedSuite.case_index`."""
    case_id = case.id.text if case.id is not None else None
    model, node = case.model, case.node
    if model is None or node is None:
        return _OfCase(case_id)
    execution = model.execution
    configs = execution.evaluators if execution is not None else None
    if configs is None:
        configs = model.evaluators
    outcome = node.get("expected_outcome") or case.id or node
    verdict = Item("check", text_digest(model.expected_outcome or ""), _short(outcome))
    listed = listed_evaluators(node)
    own = None
    if configs is not None and listed is not None:
        own = tuple(
            (name, {VERDICT: verdict} if items is None else items)
            for name, items in _of_configs(configs, listed)
        )
    rubrics = _of_rubrics(named(model.rubrics), node.get("rubrics")) if model.rubrics else None
    return _OfCase(case_id, own, rubrics, verdict, adds_evaluators(case), is_read=True)


def _of_head(head: ParsedHead, *, appends: bool) -> _OfHead:
    model, node = head.model, head.node
    if model is None or node is None:
        return _OfHead(None, None, None, appends)
    listed = None
    configs, sequence = _evaluators(model.execution), listed_evaluators(node)
    if configs is not None and sequence is not None:
        listed = tuple(_of_configs(configs, sequence, in_head=True))
    return _OfHead(listed, _criteria(model, node), model.evaluation_mode, appends)


def _evaluators(execution: Execution | None) -> _Listed:
    return execution.evaluators if execution is not None else None


def _criteria(model: SuiteHead, node: MappingNode) -> Items | None:
    criteria = model.evaluation_criteria
    written = node.get("evaluation_criteria")
    if model.evaluation_mode != "llm" or not criteria or not criteria.strip() or written is None:
        return None
    return {VERDICT: Item("check", text_digest(criteria), _short(written), in_head=True)}


def _of_configs(
    configs: list[EvaluatorConfig], listed: Sequence, *, in_head: bool = False
) -> Iterator[tuple[str, Items | None]]:
    """Yield evaluators with their items; None for a judge that asks what the case expects."""
    for config, node in zip(configs, listed.items, strict=False):
        written = node if isinstance(node, MappingNode) else None
        key = key_with(type(config), FieldRole.CRITERIA)
        criteria = getattr(config, key) if key is not None else None
        if key is not None and isinstance(criteria, str):  # others list fields, or numbers of calls
            place = (written.get(key) if written is not None else None) or node
            item = Item("check", text_digest(criteria), _short(place), in_head)
            yield config.name, {VERDICT: item}
            continue
        description = description_of(config)
        prompt = description.prompt(config)
        rubrics = prompt.rubrics if prompt is not None else ()
        if not rubrics and (found := getattr(config, "rubrics", None)):
            rubrics = named(found)
        if rubrics:
            listed_rubrics = written.get("rubrics") if written is not None else None
            yield config.name, _of_rubrics(rubrics, listed_rubrics, in_head=in_head)
        else:
            is_judge = prompt is not None and not description.members(config)
            yield config.name, None if is_judge else {}


def _of_rubrics(rubrics: Iterable[Rubric], written: Node | None, *, in_head: bool = False) -> Items:
    nodes = written.items if isinstance(written, Sequence) else []
    found: dict[str, Item] = {}
    for number, rubric in enumerate(rubrics):
        span = _rubric_span(nodes[number]) if number < len(nodes) else Span(0, 0)
        item = Item(rubric.mode, wording_digest(rubric), span, in_head, rubric)
        found.setdefault(rubric.id or "", item)
    return found


def _rubric_span(node: Node) -> Span:
    """Return the id of a rubric item, else its text, else where it starts."""
    if isinstance(node, MappingNode):
        for key in ("id", "expected_outcome"):
            value = node.get(key)
            if isinstance(value, Scalar):
                return value.span
    return _short(node)


def _short(node: Node) -> Span:
    return node.span if isinstance(node, Scalar) else Span(node.start, node.start + 1)
