"""Renaming inside gates and metrics, verified: each has to mean what it meant before."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from suitecase.editor.index.occurrence import InFormula, Occurrence, WrittenAs
from suitecase.editor.navigation.spelled_name import spelled
from suitecase.figures.gates.grammar import Extreme, Figure, Gate, Sum, Term, functions_in, sum_of
from suitecase.figures.gates.meaning import FigureKind, Meaning
from suitecase.figures.gates.names import SuiteFigures
from suitecase.figures.gates.spelling import facet_text, slice_text, spelt
from suitecase.format.rule import Edit
from suitecase.schema.key_roles import Kind
from suitecase.text.node import Span

#: A name that needs no quotes, whatever it stands in.
_SIMPLE = re.compile(r"[^\W\d][\w@^-]*")


@dataclass(slots=True)
class FormulaEdits:
    """The new names in the gates and metrics of a file, by the place of the whole text."""

    names: dict[Span, list[tuple[InFormula, Span, str]]] = field(default_factory=dict)

    def add(self, occurrence: Occurrence, span: Span, new: str) -> bool:
        """Add a new name; whether a gate can have it."""
        formula = occurrence.formula
        text = _written(new, formula.written_as) if formula is not None else None
        if formula is None or text is None:
            return False
        replaced = self.names.setdefault(formula.span, [])
        if all(it.start != formula.start for it, _, _ in replaced):
            replaced.append((formula, span, text))
        return True

    def edits(self, source: str, *, is_json: bool) -> Iterator[Edit | Span]:
        """Yield the edits; the place of a text that is written so that it cannot be edited."""
        for whole, replaced in self.names.items():
            if all(_SIMPLE.fullmatch(it) for _, _, it in replaced):
                yield from (Edit(span, it) for _, span, it in replaced)
                continue
            text = replaced[0][0].text
            for formula, _, new in sorted(replaced, key=lambda it: -it[0].start):
                text = text[: formula.start] + new + text[formula.end :]
            written = spelled(text, source[whole.start : whole.end], is_json=is_json)
            yield Edit(whole, written) if written is not None else whole


def _written(new: str, written_as: WrittenAs) -> str | None:
    match written_as:
        case WrittenAs.FIGURE:
            return spelt(new)
        case WrittenAs.PART:
            text = spelt("x", new)
            return None if text is None else text.removeprefix("x.")
        case WrittenAs.SLICE:
            return slice_text(new)
        case WrittenAs.FACET:
            return facet_text(new)


@dataclass(frozen=True, slots=True)
class Renamed:
    """What is renamed, for the figures that are about it."""

    kind: Kind
    old: str
    new: str
    owners: frozenset[str | None]

    def meaning(self, meaning: Meaning | None) -> Meaning | None:
        """Return what a figure stands for afterwards."""
        if meaning is None:
            return None
        is_metric = meaning.kind is FigureKind.METRIC
        if self.kind is Kind.METRIC:
            renamed = is_metric and meaning.evaluator == self.old
            return replace(meaning, evaluator=self.new) if renamed else meaning
        if is_metric or self.kind not in (Kind.EVALUATOR, Kind.RUBRIC):
            return meaning
        if meaning.evaluator == self.old and None in self.owners:
            return replace(meaning, evaluator=self.new)
        is_part = meaning.kind is FigureKind.EVALUATOR_PART and meaning.part == self.old
        return (
            replace(meaning, part=self.new)
            if is_part and meaning.evaluator in self.owners
            else meaning
        )


def changed_formula(before: SuiteFigures, after: SuiteFigures, renamed: Renamed) -> str | None:
    """Return the text of a gate or metric that would mean something else; None if there is none."""
    old, new = [*before.formulas], [*after.formulas]
    if len(old) != len(new):
        return old[0].node.text if old else ""
    for one, other in zip(old, new, strict=True):
        expected = [*_signature(one.tree, before, renamed.meaning)]
        if expected != [*_signature(other.tree, after, lambda it: it)]:
            return one.node.text
    return None


def _signature(
    tree: object, figures: SuiteFigures, changed: Callable[[Meaning | None], Meaning | None]
) -> Iterator[Any]:
    """Yield what a gate or a metric measures, without the names of slices."""
    if isinstance(tree, Gate):
        yield (
            tree.comparison,
            tree.threshold.value,
            [function.text for function in functions_in(tree)],
        )
    if isinstance(tree, Gate | Sum):
        yield from _terms(sum_of(tree).terms, figures, changed)


def _terms(
    terms: Iterable[Term],
    figures: SuiteFigures,
    changed: Callable[[Meaning | None], Meaning | None],
) -> Iterator[Any]:
    for term in terms:
        of = term.of
        figure = of.figure if isinstance(of, Extreme) else of
        meaning = figures.meaning(figure)
        yield term.weight, changed(meaning), _cases(figure, figures), _graded(meaning, figures)
        if isinstance(of, Extreme):
            facet = figures.slices.get(of.facet.text)
            yield of.function.text, figures.values_of(of.facet.text) if facet is not None else None


def _cases(figure: Figure, figures: SuiteFigures) -> object:
    if figure.slice is None:
        return None
    choice = figures.choose(figure.slice.text)
    return "unknown" if choice is None else (choice.value, figures.cases_of(choice))


def _graded(meaning: Meaning | None, figures: SuiteFigures) -> tuple[int, ...]:
    """Return the cases that an evaluator grades."""
    if meaning is None or meaning.evaluator is None or meaning.kind is FigureKind.METRIC:
        return ()
    numbers = range(len(figures.profiles))
    return tuple(
        number for number in numbers if meaning.evaluator in (figures.evaluators_of(number) or ())
    )
