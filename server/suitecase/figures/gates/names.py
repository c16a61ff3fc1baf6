"""The figures, slices and facets that a suite has, and the cases that each of them is about.

Everything is derived from the head and from a small profile of each case. Where a change to the suite
changes neither, what was derived from an earlier version is used again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

from pydantic import ValidationError

from suitecase.figures.gates.grading import (
    CaseProfile,
    HeadGrading,
    OwnGrading,
    graded_by,
    head_grading,
    merged,
    profile_of,
)
from suitecase.figures.gates.grammar import Figure
from suitecase.figures.gates.meaning import EvaluatorNames, FigureNames, Meaning, meaning_of
from suitecase.figures.gates.slices import (
    SliceChoice,
    choose_slice,
    facet_value,
    has_case,
    selects,
)
from suitecase.figures.gates.written import WrittenGate, WrittenMetric, gates_of, metrics_of
from suitecase.format.figure_keys import Slice
from suitecase.formats.suitecase.parsed import ParsedHead, ParsedSuite, looks_like_suite
from suitecase.text.cache import Cache
from suitecase.text.node import Mapping as MappingNode
from suitecase.text.node import plain


@dataclass(eq=False)
class SuiteFigures:
    """What a suite can measure. Numbers of cases count from 0.

    Attributes:
        head: the head of the suite.
        grading: what the head says about evaluators.
        profiles: what figures depend on of each case.
    """

    head: ParsedHead
    grading: HeadGrading
    profiles: Sequence[CaseProfile]
    _cases: dict[SliceChoice, tuple[int, ...]] = field(default_factory=dict)
    _values: dict[str, dict[str | None, list[int]]] = field(default_factory=dict)
    #: What others derive from it.
    derived: dict[Cache[Any], Any] = field(default_factory=dict)

    @cached_property
    def names(self) -> FigureNames:
        """The names of evaluators and metrics."""
        of_head = {} if self.grading.evaluators is None else dict(self.grading.evaluators)
        people, judges = self._keys_under("human"), self._keys_under("judges")
        return FigureNames(merged([of_head, *self._distinct]), self.metric_names, people, judges)

    @cached_property
    def uncertain(self) -> frozenset[str]:
        """The names of evaluators of which an entry has errors, so that its parts are unknown."""
        found = {name for name, it in self.grading.evaluators or () if it is None}
        for of_case in self._distinct:
            found |= {name for name, it in of_case.items() if it is None}
        return frozenset(found)

    @cached_property
    def gates(self) -> list[WrittenGate]:
        """The gates, in their order."""
        return gates_of(self.head)

    @cached_property
    def metrics(self) -> dict[str, WrittenMetric]:
        """The metrics by name."""
        return metrics_of(self.head)

    @property
    def formulas(self) -> Iterator[WrittenGate | WrittenMetric]:
        """The gates and the metrics."""
        yield from self.gates
        yield from self.metrics.values()

    def meaning(self, figure: Figure) -> Meaning | None:
        """Return what a figure stands for; None for an unknown name."""
        return meaning_of(figure, self.names)

    @cached_property
    def metric_names(self) -> frozenset[str]:
        """The names of all metrics, also of those that have errors."""
        return self._keys_under("metrics")

    @cached_property
    def slices(self) -> dict[str, Slice]:
        """The declared slices by name, without those that have errors."""
        model = self.head.model
        if model is not None:
            return model.slices or {}
        found: dict[str, Slice] = {}
        for name, entry in self._under("slices") or ():
            try:
                found[name] = Slice.model_validate(plain(entry.value))
            except ValidationError:
                continue
        return found

    @cached_property
    def declared(self) -> frozenset[str]:
        """The names of all declared slices, also of those that have errors."""
        return self._keys_under("slices")

    @property
    def facets(self) -> dict[str, Slice]:
        """The slices with `by`."""
        return {name: it for name, it in self.slices.items() if it.by}

    @cached_property
    def tags(self) -> Counter[str]:
        """The tags of the cases, with the number of cases of each."""
        return Counter(chain.from_iterable(profile.facts.tags for profile in self.profiles))

    @cached_property
    def all_known(self) -> bool:
        """Whether the text of every case can be read."""
        return all(profile.grading is not None for profile in self.profiles)

    def choose(self, name: str) -> SliceChoice | None:
        """Return what the name of a slice stands for; None if it is unknown, or if its declaration
        has errors.
        """
        if name in self.declared and name not in self.slices:
            return None  # it is not the tag of its name
        return choose_slice(name, self.slices, self.tags)

    def cases_of(self, choice: SliceChoice | None) -> tuple[int, ...]:
        """Return the numbers of the cases of a slice; None for all cases."""
        if choice is None:
            return tuple(range(len(self.profiles)))
        if choice not in self._cases:
            self._cases[choice] = tuple(
                number
                for number, it in enumerate(self.profiles)
                if has_case(choice, self.slices, it.facts)
            )
        return self._cases[choice]

    def selected(self, name: str) -> tuple[int, ...]:
        """Return the numbers of the cases that match all selectors of a declared slice or facet."""
        declared = self.slices[name]
        return tuple(n for n, it in enumerate(self.profiles) if selects(declared, it.facts))

    def values_of(self, facet: str) -> dict[str | None, list[int]]:
        """Return the values of a facet with their cases; None for cases without a value."""
        if facet in self._values:
            return self._values[facet]
        declared = self.slices[facet]
        found = self._values.setdefault(facet, {})
        for number, it in enumerate(self.profiles):
            if selects(declared, it.facts):
                found.setdefault(facet_value(declared, it.facts), []).append(number)
        return found

    def evaluators_of(self, number: int) -> Mapping[str, EvaluatorNames | None] | None:
        """Return the evaluators that grade a case; see `evaluators`."""
        return self.evaluators[number]

    @cached_property
    def evaluators(self) -> list[dict[str, EvaluatorNames | None] | None]:
        """For each case, the evaluators that grade it, by name; cases may share an object.

        It is None for a case that cannot be read. An evaluator is None if its entry has errors.
        """
        found: dict[OwnGrading, dict[str, EvaluatorNames | None]] = {}
        listed: list[dict[str, EvaluatorNames | None] | None] = []
        for profile in self.profiles:
            own = profile.grading
            if own is None:
                listed.append(None)
                continue
            of_case = found.get(own)
            if of_case is None:
                of_case = found[own] = graded_by(own, self.grading)
            listed.append(of_case)
        return listed

    @cached_property
    def _distinct(self) -> list[dict[str, EvaluatorNames | None]]:
        """The evaluators of cases, those that cases share once."""
        return list(
            {
                id(evaluator): evaluator for evaluator in self.evaluators if evaluator is not None
            }.values()
        )

    def _keys_under(self, key: str) -> frozenset[str]:
        node = self._under(key)
        return frozenset(node.entries) if node is not None else frozenset()

    def _under(self, key: str) -> MappingNode | None:
        node = self.head.node.get(key) if self.head.node is not None else None
        return node if isinstance(node, MappingNode) else None


_FIGURES: Cache[SuiteFigures] = Cache()


def suite_figures(suite: ParsedSuite) -> SuiteFigures:
    """Return what a suite can measure; of an unchanged head and profiles, the same object."""
    profiles = suite.case_index.values(profile_of)
    known = _FIGURES.get(suite.head.content)
    if (
        known is not None
        and known.head is suite.head
        and known.grading.appends == suite.appends
        and known.profiles == profiles
    ):
        return known
    found = SuiteFigures(suite.head, head_grading(suite.head, appends=suite.appends), profiles)
    _FIGURES.set(suite.head.content, found)
    return found


def has_figures(suite: ParsedSuite) -> bool:
    """Whether a suite has any of the keys that are about figures."""
    if not suite.head.defines_figures:
        return False
    return suite.kind != "suite" or looks_like_suite(suite.document)


def figure_names(suite: ParsedSuite) -> FigureNames:
    """Return the names that a suite adds to the built-in figures."""
    return suite_figures(suite).names
