"""What the names of figures stand for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum

from suitecase.figures.gates.grammar import Figure
from suitecase.format.protocols import PROBES


class Unit(Enum):
    """The unit of a figure."""

    SHARE = "a share from 0 to 1"
    MILLISECONDS = "milliseconds"
    US_DOLLARS = "US dollars"
    TOKENS = "tokens"
    COEFFICIENT = "a coefficient from -1 to 1"


class FigureKind(StrEnum):
    """What a figure measures. The built-in ones are named like their values."""

    PASS_RATE = "pass_rate"  # noqa: S105 - a figure
    SCORE = "score"
    VIOLATION_RATE = "violation_rate"
    REFUSAL_RATE = "refusal_rate"
    ERROR_RATE = "error_rate"
    JUDGE_FAILURE_RATE = "judge_failure_rate"
    LATENCY = "latency_ms"
    COST = "cost_usd"
    TOKENS = "tokens"
    #: `pass@3`: at least one of 3 answers passes.
    PASS_AT = "pass@"  # noqa: S105
    #: `pass^3`: all of 3 answers pass.
    PASS_HAT = "pass^"  # noqa: S105
    EVALUATOR_SCORE = "evaluator score"
    EVALUATOR_PASS_RATE = "evaluator pass rate"  # noqa: S105
    #: A rubric item of a judge, or a member of a composite.
    EVALUATOR_PART = "evaluator part"
    MACRO_F1 = "macro F1"
    RECALL = "recall"
    TIES = "ties"
    CONSISTENCY = "consistency"
    METRIC = "metric"
    # Of people's labels, under `human.NAME`:
    ALPHA = "alpha"
    KAPPA = "kappa of people"
    AGREEMENT = "agreement"
    # Of a judge's calibration, under `judges.NAME`:
    JUDGE_KAPPA = "kappa of the judge"
    SENSITIVITY = "sensitivity"
    SPECIFICITY = "specificity"
    SELF_AGREEMENT = "self_agreement"
    QUOTES = "quotes"
    #: The share of verdicts that a probe changes; without a probe, that any of them changes.
    FLIPS = "flips"


_UNITS = {
    FigureKind.LATENCY: Unit.MILLISECONDS,
    FigureKind.COST: Unit.US_DOLLARS,
    FigureKind.TOKENS: Unit.TOKENS,
    FigureKind.ALPHA: Unit.COEFFICIENT,
    FigureKind.KAPPA: Unit.COEFFICIENT,
    FigureKind.JUDGE_KAPPA: Unit.COEFFICIENT,
}
#: What is measured of people's labels, by the name after `human.NAME`.
OF_PEOPLE = {
    "alpha": FigureKind.ALPHA,
    "kappa": FigureKind.KAPPA,
    "agreement": FigureKind.AGREEMENT,
}
#: What is measured of a judge's calibration, by the name after `judges.NAME`.
OF_JUDGES = {
    "kappa": FigureKind.JUDGE_KAPPA,
    "sensitivity": FigureKind.SENSITIVITY,
    "specificity": FigureKind.SPECIFICITY,
    "self_agreement": FigureKind.SELF_AGREEMENT,
    "quotes": FigureKind.QUOTES,
    "flips": FigureKind.FLIPS,
}
#: The figures that are computed from files of the suite, not from the answers of a run.
FROM_FILES = frozenset({*OF_PEOPLE.values(), *OF_JUDGES.values()})
#: The figures that every suite has, without `pass@K` and `pass^K`.
BUILT_IN = (
    FigureKind.PASS_RATE,
    FigureKind.SCORE,
    FigureKind.VIOLATION_RATE,
    FigureKind.REFUSAL_RATE,
    FigureKind.ERROR_RATE,
    FigureKind.JUDGE_FAILURE_RATE,
    FigureKind.LATENCY,
    FigureKind.COST,
    FigureKind.TOKENS,
)
#: What is 0 or 1 for each answer.
ZERO_OR_ONE = frozenset(
    {
        FigureKind.PASS_RATE,
        FigureKind.VIOLATION_RATE,
        FigureKind.REFUSAL_RATE,
        FigureKind.ERROR_RATE,
        FigureKind.JUDGE_FAILURE_RATE,
        FigureKind.EVALUATOR_PASS_RATE,
    }
)
_BUILT_IN = {it.value: it for it in BUILT_IN}
_PASS_K = re.compile(r"pass([@^])([1-9]\d{0,5})")


@dataclass(frozen=True, slots=True)
class EvaluatorNames:
    """What can be measured of an evaluator.

    Attributes:
        parts: the ids of its rubric items, or the names of its members.
        labels: the labels it expects; None if it does not classify answers.
        compares: whether it compares two answers, so that there are ties.
    """

    parts: frozenset[str] = frozenset()
    labels: frozenset[str] | None = None
    compares: bool = False


@dataclass(frozen=True, slots=True)
class FigureNames:
    """The names that a suite adds to the built-in figures."""

    evaluators: Mapping[str, EvaluatorNames] = field(default_factory=dict)
    metrics: frozenset[str] = frozenset()
    #: The names under `human` and under `judges`.
    people: frozenset[str] = frozenset()
    judges: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a figure measures.

    Attributes:
        evaluator: the evaluator that it is about; for a metric, its name.
        part: the rubric, the member, the label, or the probe; of people, an item.
        k: the number of answers of `pass@k` and `pass^k`.
    """

    kind: FigureKind
    evaluator: str | None = None
    part: str | None = None
    k: int | None = None

    @property
    def unit(self) -> Unit:
        """Its unit; of a metric, that of its terms decides."""
        return _UNITS.get(self.kind, Unit.SHARE)


def meaning_of(figure: Figure, names: FigureNames) -> Meaning | None:
    """Return what a figure stands for; None for an unknown name.

    Built-in figures go before metrics, and metrics before evaluators.
    """
    parts = [it.text for it in figure.names]
    whole = ".".join(parts)
    if whole in _BUILT_IN:
        return Meaning(_BUILT_IN[whole])
    match = _PASS_K.fullmatch(whole)
    if match:
        kind = FigureKind.PASS_AT if match[1] == "@" else FigureKind.PASS_HAT
        return Meaning(kind, k=int(match[2]))
    if whole in names.metrics:
        return Meaning(FigureKind.METRIC, whole)
    # The names of evaluators may contain dots: the longest one counts.
    for end in range(len(parts), 0, -1):
        name = ".".join(parts[:end])
        evaluator = names.evaluators.get(name)
        if evaluator is not None:
            return _of_evaluator(name, evaluator, parts[end:])
    return _of_protocol(parts, names)


def _of_protocol(parts: list[str], names: FigureNames) -> Meaning | None:
    """Return the meaning of `human.NAME.FIGURE`, `human.NAME.ITEM.FIGURE` or `judges.NAME.FIGURE`."""
    known = {"human": names.people, "judges": names.judges}.get(parts[0], frozenset[str]())
    for end in range(len(parts) - 1, 1, -1):
        name, rest = ".".join(parts[1:end]), parts[end:]
        if name not in known:
            continue
        if parts[0] == "human":
            kind, part = OF_PEOPLE.get(rest[-1]), ".".join(rest[:-1]) or None
            items = names.evaluators.get(name, EvaluatorNames()).parts
        else:
            kind, part = OF_JUDGES.get(rest[0]), ".".join(rest[1:]) or None
            items = frozenset(PROBES) if kind is FigureKind.FLIPS else frozenset()
        if kind is not None and (part is None or part in items):
            return Meaning(kind, name, part)
    return None


def _of_evaluator(name: str, evaluator: EvaluatorNames, rest: list[str]) -> Meaning | None:
    part = ".".join(rest)
    if not rest:
        return Meaning(FigureKind.EVALUATOR_SCORE, name)
    if part == "pass_rate":
        return Meaning(FigureKind.EVALUATOR_PASS_RATE, name)
    if evaluator.compares and part in ("ties", "consistency"):
        return Meaning(FigureKind(part), name)
    if evaluator.labels is not None:
        if part == "macro_f1":
            return Meaning(FigureKind.MACRO_F1, name)
        if rest[0] == "recall" and part.removeprefix("recall.") in evaluator.labels:
            return Meaning(FigureKind.RECALL, name, part.removeprefix("recall."))
    if part in evaluator.parts:
        return Meaning(FigureKind.EVALUATOR_PART, name, part)
    return None
