"""Gates that a run decides in addition to those of its suite: `run --gate`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from suitecase.figures.asked import Asked, AskedCase, AskedGate
from suitecase.near_names import nearest
from suitecase.suite.effective_suite import EffectiveCase
from suitecase.suite.gates.grading import merged, names_of_evaluators
from suitecase.suite.gates.grammar import figures_in
from suitecase.suite.gates.meaning import FigureNames, meaning_of
from suitecase.suite.gates.parsing import GateProblem, parse_gate
from suitecase.suite.gates.slices import CaseFacts
from suitecase.suite.gates.spelling import figure_spellings
from suitecase_evaluators.records.case_version import case_hash


class UnknownFigureError(Exception):
    """A gate names a figure that the suite does not measure; `message` says which."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def with_gates(asked: Asked, gates: Sequence[str]) -> Asked:
    """Return the description of a suite that figures are measured by, with more gates.

    Args:
        asked: the suite.
        gates: the gates as written.

    Raises:
        UnknownFigureError: one of them names no figure of the suite.
    """
    for text in gates:
        parsed = parse_gate(text)
        if isinstance(parsed, GateProblem):
            raise UnknownFigureError(f"--gate `{text}`: {parsed.message}")
        for figure in figures_in(parsed):
            if meaning_of(figure, asked.names) is None:
                meant = nearest(figure.name, figure_spellings(asked.names))
                hint = f"; did you mean `{meant}`?" if meant else ""
                raise UnknownFigureError(
                    f"--gate `{text}`: no figure, metric or evaluator is called `{figure.name}`{hint}"
                )
    return replace(asked, gates=(*asked.gates, *map(AskedGate, gates)))


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
        graders.append(names_of_evaluators(it.config for it in case.evaluators))
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
