"""Gates that a run decides in addition to those of its suite: `run --gate`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from suitecase.figures.asked import Asked, AskedCase, AskedGate
from suitecase.figures.gates.grading import merged, names_of_evaluators
from suitecase.figures.gates.grammar import (
    Extreme,
    Figure,
    Gate,
    figures_in,
    functions_in,
    sum_of,
)
from suitecase.figures.gates.meaning import FigureNames, Meaning, meaning_of
from suitecase.figures.gates.names import SuiteFigures
from suitecase.figures.gates.parsing import GateProblem, parse_gate
from suitecase.figures.gates.scales import off_scale_problem, scale_of
from suitecase.figures.gates.slices import CaseFacts, choose_slice, has_case
from suitecase.figures.gates.spelling import figure_spellings
from suitecase.formats.suitecase.effective_suite import EffectiveCase
from suitecase.text.near_names import nearest
from suitecase_evaluators.answers.records.case_version import case_hash


class UnknownFigureError(Exception):
    """A gate names a figure that the suite does not measure; `message` says which."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def with_gates(
    asked: Asked,
    gates: Sequence[str],
    figures: SuiteFigures | None = None,
    *,
    has_baseline: bool = False,
) -> Asked:
    """Return the description of a suite that figures are measured by, with more gates.

    Args:
        asked: the suite.
        gates: the gates as written.
        figures: what the suite measures; None for a suite without metrics of its own.
        has_baseline: whether the run is compared with an earlier one.

    Raises:
        UnknownFigureError: one of them names no figure or slice of the suite, has a threshold that its figure
            cannot have, or needs a baseline.
    """
    for text in gates:
        gate = parse_gate(text)
        problem = (
            gate.message
            if isinstance(gate, GateProblem)
            else _problem_of(gate, text, asked, figures, has_baseline=has_baseline)
        )
        if problem is not None:
            raise UnknownFigureError(f"--gate `{text}`: {problem}")
    return replace(asked, gates=(*asked.gates, *map(AskedGate, gates)))


def compares(gate: str) -> bool:
    """Whether a gate compares with an earlier run."""
    parsed = parse_gate(gate)
    return not isinstance(parsed, GateProblem) and any(
        function.text == "change" for function in functions_in(parsed)
    )


@dataclass(frozen=True, slots=True)
class _Names:
    """What figures of a suite without metrics stand for."""

    names: FigureNames

    def meaning(self, figure: Figure) -> Meaning | None:
        return meaning_of(figure, self.names)


def _problem_of(
    gate: Gate, text: str, asked: Asked, figures: SuiteFigures | None, *, has_baseline: bool
) -> str | None:
    """Return why a gate cannot be decided, whatever the answers are."""
    tags = frozenset(tag for case in asked.cases.values() for tag in case.facts.tags)
    for figure in figures_in(gate):
        if meaning_of(figure, asked.names) is None:
            meant = nearest(figure.name, figure_spellings(asked.names))
            return f"no figure, metric or evaluator is called `{figure.name}`{_hint(meant)}"
        if figure.slice is None:
            continue
        name = figure.slice.text
        if name in asked.slices and asked.slices[name].by:
            return f"`{name}` is a facet; name one of its slices, such as `{name}=VALUE`"
        choice = choose_slice(name, asked.slices, tags)
        if choice is None:
            meant = nearest(name, [*asked.slices, *sorted(tags)])
            return f"no slice and no tag is called `{name}`{_hint(meant)}"
        if not any(has_case(choice, asked.slices, case.facts) for case in asked.cases.values()):
            return f"no case is in the slice `{name}`"
    for term in sum_of(gate).terms:
        facet = term.of.facet.text if isinstance(term.of, Extreme) else None
        if facet is not None and (facet not in asked.slices or not asked.slices[facet].by):
            meant = nearest(facet, [name for name, slice_ in asked.slices.items() if slice_.by])
            return f"no facet is called `{facet}`{_hint(meant)}"
    if not has_baseline and compares(text):
        return "`change` compares with an earlier run; name its results with --baseline"
    scale = scale_of(gate.expression, figures or _Names(asked.names))
    problem = None if scale is None else off_scale_problem(gate, text, scale)
    return None if problem is None else problem[0]


def _hint(meant: str | None) -> str:
    return f"; did you mean `{meant}`?" if meant else ""


def asked_of_cases(
    cases: Iterable[EffectiveCase], suite_path: str, dataset: str, repeats: int
) -> Asked:
    """Return the description that figures are measured by, from resolved cases alone.

    Args:
        cases: the cases.
        suite_path: the path of the suite, as records have it.
        dataset: the name of the suite.
        repeats: how often each case is run.
    """
    found: dict[str, AskedCase] = {}
    graders = []
    names: dict[tuple[str, str, str], str] = {}
    for case in cases:
        name = case.id
        if case.row is not None and case.row.case:
            # As in `Tables`: rows of one case for each provider and prompt are answers to it.
            key = (case.target or "", case.row.prompt_label, case.row.case)
            if names.setdefault(key, case.id) == case.id:
                name = case.row.case
        graders.append(names_of_evaluators(evaluator.config for evaluator in case.evaluators))
        facts = CaseFacts(
            name,
            frozenset(case.case.tags or ()),
            case.case.metadata or {},
            case.case.conversation_id,
        )
        rows: frozenset[tuple[str, str]] = frozenset()
        if case.row is not None:
            earlier = found[name].rows if name in found else rows
            rows = earlier | {(case.target or "", case.row.prompt_label)}
        found[name] = AskedCase(
            facts, case.line, graders[-1], None, case_hash(case.text), case.target, rows
        )
    return Asked(
        suite_path=suite_path,
        dataset=dataset,
        cases=found,
        repeats=repeats,
        names=FigureNames(merged(graders)),
    )
