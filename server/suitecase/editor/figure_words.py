"""What figures measure, in words, for hovers and completion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from suitecase.figures.gates.grammar import Gate, figures_in
from suitecase.figures.gates.meaning import BUILT_IN, FROM_FILES, FigureKind, Meaning, meaning_of
from suitecase.figures.gates.names import SuiteFigures
from suitecase.figures.gates.parsing import parse_gate
from suitecase.figures.gates.slices import group_of
from suitecase.figures.gates.spelling import protocol_meanings, protocol_text, spelt
from suitecase.format.figure_keys import Intervals

#: What a figure is of each case. Of several cases it is the mean.
WORDS: dict[FigureKind, str] = {
    FigureKind.PASS_RATE: "The share of answers with the verdict `pass`.",
    FigureKind.SCORE: "The mean score of the answers, from 0 to 1.",
    FigureKind.VIOLATION_RATE: "The share of answers that do not pass, in a safety slice: "
    "`1 - pass_rate`.",
    FigureKind.REFUSAL_RATE: "The share of answers that refuse, however they are graded.",
    FigureKind.ERROR_RATE: "The share of answers that are missing, because the target or the grading "
    "failed.",
    FigureKind.JUDGE_FAILURE_RATE: "The share of answers whose judge gave no readable reply.",
    FigureKind.LATENCY: "The mean time that an answer took, in milliseconds.",
    FigureKind.COST: "The mean cost of an answer, in US dollars.",
    FigureKind.TOKENS: "The mean number of tokens of an answer.",
    FigureKind.PASS_AT: "The probability that at least one of K answers to a case passes: "
    "`1 - C(n-c, K) / C(n, K)`, where `c` of `n` answers pass (Chen et al. 2021).",
    FigureKind.PASS_HAT: "The probability that all of K answers to a case pass: "
    "`C(c, K) / C(n, K)`, where `c` of `n` answers pass (Yao et al. 2024).",
    FigureKind.EVALUATOR_SCORE: "The mean score that this evaluator gives, from 0 to 1.",
    FigureKind.EVALUATOR_PASS_RATE: "The share of answers that pass by this evaluator alone.",
    FigureKind.EVALUATOR_PART: "The mean value of this item alone, from 0 to 1.",
    FigureKind.MACRO_F1: "The mean over the labels of F1 = `2PR / (P + R)`, from the confusion table "
    "of all cases.",
    FigureKind.RECALL: "Of the cases that expect this label, the share that got it.",
    FigureKind.TIES: "The share of comparisons without a winner.",
    FigureKind.CONSISTENCY: "The share of comparisons with the same winner in both orders.",
    FigureKind.METRIC: "A weighted sum of figures, which the suite defines under `metrics`.",
    FigureKind.ALPHA: "Krippendorff's alpha of people's labels: 1 if raters always agree, 0 if they agree "
    "as often as by chance. Checks are compared as equal or not, scores by their order (or their "
    "distance); of a judge with both, the lower alpha counts.",
    FigureKind.KAPPA: "Cohen's kappa of people's labels, the mean over pairs of raters: 1 if they always "
    "agree, 0 if they agree as often as by chance. Scores that are further apart count as more different.",
    FigureKind.AGREEMENT: "The share of pairs of people's labels that are equal.",
    FigureKind.JUDGE_KAPPA: "Cohen's kappa of the judge and people, from the calibration: 1 if they always "
    "agree, 0 if they agree as often as by chance.",
    FigureKind.SENSITIVITY: "Of the answers that people pass, the share that the judge passes, from the "
    "calibration.",
    FigureKind.SPECIFICITY: "Of the answers that people fail, the share that the judge fails, from the "
    "calibration.",
    FigureKind.SELF_AGREEMENT: "The share of answers on which the judge gives the same verdict if it is "
    "asked again, from the probe `repeat` of the calibration.",
    FigureKind.QUOTES: "The share of the judge's quotes that are in the answer, from the calibration.",
    FigureKind.FLIPS: "The share of labelled answers whose verdict a bias probe changes, from the "
    "calibration: any probe, or the one that is named.",
}
#: What a function of gates does.
FUNCTION_WORDS = {
    "lower": "The lower bound of the figure's confidence interval. `lower(pass_rate) >= 90%` asks for "
    "evidence, where `pass_rate >= 90%` compares the estimate.",
    "upper": "The upper bound of the figure's confidence interval. `upper(violation_rate) <= 5%` asks "
    "for evidence, where `violation_rate <= 5%` compares the estimate.",
    "change": "The difference to the run given as `--baseline`, over the cases that both have. "
    "Without a baseline the gate is undecided.",
    "corrected": "The pass rate of a judge, corrected for its errors: "
    "`(p + specificity - 1) / (sensitivity + specificity - 1)`. Sensitivity and specificity come from the "
    "calibration, and the interval includes their uncertainty.",
    "min": "The least value among the slices of a facet: `min(pass_rate by language)`.",
    "max": "The greatest value among the slices of a facet: `max(pass_rate by language)`.",
    "gap": "The greatest value among the slices of a facet minus the least: "
    "`gap(pass_rate by language)`.",
}


class FigureChoice(NamedTuple):
    """A figure of a suite: its name as gates have it, and what it stands for."""

    text: str
    meaning: Meaning


def figure_choices(figures: SuiteFigures) -> Iterator[FigureChoice]:
    """Yield the figures of a suite, the most common ones first."""
    names = figures.names
    yield from (FigureChoice(it.value, Meaning(it)) for it in BUILT_IN[:2])
    wanted = [Meaning(FigureKind.METRIC, metric) for metric in figures.metrics]
    wanted += [Meaning(FigureKind.EVALUATOR_SCORE, it) for it in names.evaluators]
    for name, evaluator in names.evaluators.items():
        wanted.append(Meaning(FigureKind.EVALUATOR_PASS_RATE, name))
        wanted += [
            Meaning(FigureKind.EVALUATOR_PART, name, part) for part in sorted(evaluator.parts)
        ]
        if evaluator.labels is not None:
            wanted.append(Meaning(FigureKind.MACRO_F1, name))
            wanted += [
                Meaning(FigureKind.RECALL, name, label) for label in sorted(evaluator.labels)
            ]
        if evaluator.compares:
            wanted += [Meaning(FigureKind.TIES, name), Meaning(FigureKind.CONSISTENCY, name)]
    wanted += protocol_meanings(names)
    for meaning in wanted:
        text = _text(meaning)
        # A built-in figure or a metric goes before an evaluator of its name.
        if text is not None and meaning_in(text, figures) == meaning:
            yield FigureChoice(text, meaning)
    yield from (FigureChoice(it.value, Meaning(it)) for it in BUILT_IN[2:])
    k = repeats(figures)
    for kind in (FigureKind.PASS_AT, FigureKind.PASS_HAT) if k > 1 else ():
        yield FigureChoice(f"{kind.value}{k}", Meaning(kind, k=k))


def meaning_in(figure: str, figures: SuiteFigures) -> Meaning | None:
    """Return what the text of a figure stands for in a suite; None if it is unknown."""
    gate = parse_gate(f"{figure} >= 0")
    found = next(figures_in(gate), None) if isinstance(gate, Gate) else None
    return meaning_of(found, figures.names) if found is not None else None


def repeats(figures: SuiteFigures) -> int:
    """Return how often a suite asks each case."""
    model = figures.head.model
    execution = model.execution if model is not None else None
    return (execution.repeats or 1) if execution is not None else 1


def intervals(figures: SuiteFigures) -> Intervals:
    """Return how a suite computes intervals."""
    model = figures.head.model
    return (model.intervals if model is not None else None) or Intervals()


def units(figures: SuiteFigures, numbers: Sequence[int]) -> int:
    """Return how many units of some cases are resampled: groups, if any has more than one case."""
    by = intervals(figures).groups
    groups = Counter(group_of(by, figures.profiles[number].facts) for number in numbers)
    alone = groups.pop(None, 0)
    return alone + len(groups)


def _text(meaning: Meaning) -> str | None:
    name = meaning.evaluator or ""
    if meaning.kind in FROM_FILES:
        return protocol_text(meaning)
    match meaning.kind:
        case FigureKind.EVALUATOR_PASS_RATE:
            return spelt(name, "pass_rate")
        case FigureKind.MACRO_F1:
            return spelt(name, "macro_f1")
        case FigureKind.RECALL:
            label = spelt(name, meaning.part)
            first = spelt(name)
            return (
                None if label is None or first is None else f"{first}.recall{label[len(first) :]}"
            )
        case FigureKind.TIES | FigureKind.CONSISTENCY:
            return spelt(name, meaning.kind.value)
        case _:
            return spelt(name, meaning.part)
