"""Which evaluators grade a case, by name, as far as figures need to know it.

`suite.resolve` decides the same for a run. This reads no files, and works where cases have errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from suitecase.figures.gates.meaning import EvaluatorNames
from suitecase.figures.gates.slices import CaseFacts, facts_of
from suitecase.formats.suitecase.elements import ParsedEvaluators
from suitecase.formats.suitecase.implicit_evaluators import CRITERIA, DEFAULT_JUDGE, RUBRIC, SCHEMA
from suitecase.formats.suitecase.parsed import (
    ParsedCase,
    ParsedHead,
    adds_evaluators,
    listed_evaluators,
)
from suitecase.text.node import Mapping as MappingNode
from suitecase.text.node import Scalar, Sequence, plain
from suitecase.text.taken_names import TakenNames
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.grade.registry import description_of

#: Evaluators by name; None for one that has errors, so that nobody knows what it measures.
Named = tuple[tuple[str, EvaluatorNames | None], ...]


@dataclass(frozen=True, slots=True)
class OwnGrading:
    """What a case itself says about its evaluators.

    Attributes:
        evaluators: those that it lists; None if it lists none, not even an empty list.
        rubrics: the ids of its rubrics.
        has_schema: whether it has a schema for `evaluation_mode: schema`.
        adds: whether its evaluators may be in addition to the suite's.
    """

    evaluators: Named | None = None
    rubrics: frozenset[str] = frozenset()
    has_schema: bool = False
    adds: bool = False


@dataclass(frozen=True, slots=True)
class CaseProfile:
    """Everything that gates, slices and metrics depend on of a case.

    Attributes:
        facts: what slices look at.
        grading: what it says about its evaluators; None if its text cannot be read.
        exact: distinguishes values of `metadata` that are equal in Python, such as 1 and true.
    """

    facts: CaseFacts
    grading: OwnGrading | None
    exact: str = ""


@dataclass(frozen=True, slots=True)
class HeadGrading:
    """What the head of a suite says about evaluators.

    Attributes:
        evaluators: those that it lists; None if it lists none.
        mode: its `evaluation_mode`.
        has_criteria: whether its `evaluation_criteria` are not blank.
        appends: whether its evaluators grade in addition to those of cases.
    """

    evaluators: Named | None = None
    mode: str | None = None
    has_criteria: bool = False
    appends: bool = False


def profile_of(case: ParsedCase) -> CaseProfile:
    """Return what figures depend on of a case: a look for `ParsedSuite.case_index`."""
    facts = facts_of(case)
    exact = repr(facts.metadata) if facts.metadata else ""
    return CaseProfile(facts, _own_grading(case), exact)


def _own_grading(case: ParsedCase) -> OwnGrading | None:
    node = case.node
    if node is None:
        return None
    schema = node.get("evaluation_schema")
    listed = _own_evaluators(case)
    return OwnGrading(
        listed,
        _rubric_ids(case, node),
        schema is not None and plain(schema) not in (None, ""),
        listed is not None and adds_evaluators(case),
    )


def head_grading(head: ParsedHead, *, appends: bool) -> HeadGrading:
    """Return what the head of a suite says about evaluators.

    Args:
        head: the head.
        appends: whether its evaluators grade in addition to those of cases.
    """
    node = head.node
    if node is None:
        return HeadGrading()
    execution = head.model.execution if head.model is not None else None
    listed = (
        _names_of(execution.evaluators)
        if execution is not None and execution.evaluators is not None
        else _names_in(listed_evaluators(node))
    )
    mode, criteria = node.get("evaluation_mode"), node.get("evaluation_criteria")
    return HeadGrading(
        listed,
        mode.text if isinstance(mode, Scalar) else None,
        isinstance(criteria, Scalar) and bool(criteria.text.strip()),
        appends,
    )


def graded_by(own: OwnGrading, head: HeadGrading) -> dict[str, EvaluatorNames | None]:
    """Return the evaluators that grade a case, by name."""
    chosen = own.evaluators if own.evaluators is not None else head.evaluators or ()
    if own.evaluators is not None and head.appends and own.adds:
        taken = TakenNames(name for name, _ in own.evaluators)
        chosen += tuple((taken.take(name), it) for name, it in head.evaluators or ())
    found: dict[str, EvaluatorNames | None] = {}
    is_implied = bool(own.rubrics)
    if head.mode == "llm":
        is_implied = True
        if head.has_criteria:  # without them nothing is evaluated
            found[CRITERIA] = EvaluatorNames()
    elif head.mode == "schema":
        is_implied = True
        if own.has_schema:
            found[SCHEMA] = EvaluatorNames()
    if own.rubrics:
        found[RUBRIC] = EvaluatorNames(own.rubrics)
    if not is_implied and not chosen:
        found[DEFAULT_JUDGE] = EvaluatorNames()
    for name, it in chosen:
        found.setdefault(name, it)
    return found


def _own_evaluators(case: ParsedCase) -> Named | None:
    model = case.model
    if model is None:
        return _names_in(listed_evaluators(case.node))
    if model.execution is not None and model.execution.evaluators is not None:
        return _names_of(model.execution.evaluators)
    return None if model.evaluators is None else _names_of(model.evaluators)


def names_of_evaluators(
    configs: Iterable[EvaluatorConfig],
) -> dict[str, EvaluatorNames | None]:
    """Return what can be measured for each evaluator, by name."""
    return dict(_names_of(configs))


def _names_of(configs: Iterable[EvaluatorConfig]) -> Named:
    return tuple((config.name, _names(config)) for config in configs)


def _names_in(listed: Sequence | None) -> Named | None:
    """Return the evaluators of a list that has errors."""
    if listed is None:
        return None
    found: list[tuple[str, EvaluatorNames | None]] = []
    for item in ParsedEvaluators(listed).items:
        if item.name is not None:
            config = item.read()
            found.append((item.name.text, None if config is None else _names(config)))
    return tuple(found)


def _names(config: EvaluatorConfig) -> EvaluatorNames:
    description = description_of(config)
    prompt = description.prompt(config)
    parts = (
        {rubric.id for rubric in prompt.rubrics if rubric.id is not None}
        if prompt is not None
        else set()
    )
    parts |= {member.name for member in description.members(config)}
    labels = None if description.labels is None else frozenset(description.labels(config))
    return EvaluatorNames(frozenset(parts), labels, description.compares)


def _rubric_ids(case: ParsedCase, node: MappingNode) -> frozenset[str]:
    if case.model is not None:
        listed = case.model.rubrics or ()
        return _named(tuple([None if isinstance(it, str) else it.id for it in listed]))
    rubrics = node.get("rubrics")
    if not isinstance(rubrics, Sequence):
        return frozenset()
    found = set()
    for number, item in enumerate(rubrics.items, 1):
        id_node = item.get("id") if isinstance(item, MappingNode) else None
        found.add(id_node.text if isinstance(id_node, Scalar) else f"rubric-{number}")
    return frozenset(found)


@lru_cache(maxsize=256)
def _named(ids: tuple[str | None, ...]) -> frozenset[str]:
    """Return the ids of a list of rubrics; many cases have the same."""
    return frozenset(it or f"rubric-{number}" for number, it in enumerate(ids, 1))


def merged(found: Iterable[Mapping[str, EvaluatorNames | None]]) -> dict[str, EvaluatorNames]:
    """Return all evaluators of some cases, by name. One that has errors has no parts."""
    parts: dict[str, set[str]] = {}
    labels: dict[str, set[str]] = {}
    compares: set[str] = set()
    for it in found:
        for name, names in it.items():
            of_name = parts.setdefault(name, set())
            if names is not None:
                of_name |= names.parts
                if names.labels is not None:
                    labels.setdefault(name, set()).update(names.labels)
                if names.compares:
                    compares.add(name)
    return {
        name: EvaluatorNames(
            frozenset(of_name),
            frozenset(labels[name]) if name in labels else None,
            name in compares,
        )
        for name, of_name in parts.items()
    }
