"""What a judge, or people, say about an answer: a value for each item, and whether the answer passes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from suitecase.evidence.calibration_file import Value
from suitecase.evidence.labels.digests import VERDICT
from suitecase_evaluators.answers.rubric import Rubric
from suitecase_evaluators.answers.score import Score, Verdict
from suitecase_evaluators.grade.evaluator import EvaluatorConfig
from suitecase_evaluators.grade.judge.reply import Check, Checks
from suitecase_evaluators.grade.judge.scoring import rubric_score
from suitecase_evaluators.grade.registry import description_of


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a judge says about an answer.

    Attributes:
        values: the value of each item; None if no reply could be read.
        passed: whether the answer passes; None if no reply could be read.
        quotes: how many quotes are in the answer, and how many the judge gave.
        error: why the judge could not be asked; then nothing else is known.
        consistent: whether a judge that compares says the same in both orders; None for other judges.
    """

    values: Mapping[str, Value] | None = None
    passed: bool | None = None
    quotes: tuple[int, int] = (0, 0)
    error: str | None = None
    consistent: bool | None = None


def rubrics_of(config: EvaluatorConfig) -> tuple[Rubric, ...]:
    """Return the items that a judge grades by; none for one that gives a verdict on the whole."""
    prompt = description_of(config).prompt(config)
    return tuple(prompt.rubrics) if prompt is not None else ()


def opinion_of(config: EvaluatorConfig, score: Score) -> Opinion:
    """Return what the score of a judge says.

    A reply that leaves items out was not readable: what was left out is not known to be a failure.
    """
    if score.error is not None:
        return Opinion(error=score.error)
    if score.verdict is Verdict.NOT_EVALUATED:
        return Opinion(error=score.reasoning)
    if score.parse_failed:
        return Opinion()
    passed = score.verdict is Verdict.PASS
    rubrics = rubrics_of(config)
    values: dict[str, Value] = {VERDICT: passed}
    if rubrics:
        raw = score.details.get("raw_scores", {})
        values = {
            name: bool(raw[name]) if rubric.mode == "check" else raw[name]
            for rubric in rubrics
            if raw.get(name := rubric.id or "") is not None
        }
    quotes = score.quotes or ()
    consistent = score.details.get("consistent")
    return Opinion(
        values,
        passed,
        (sum(quote.in_answer for quote in quotes), len(quotes)),
        consistent=consistent if isinstance(consistent, bool) else None,
    )


def people_pass(config: EvaluatorConfig, values: Mapping[str, Value]) -> bool:
    """Return whether an answer passes by people's values, scored as the judge's are.

    Half points, such as medians have, are rounded down: a minimum is reached or it is not.

    Args:
        config: the judge.
        values: a value for each of its items.
    """
    rubrics = rubrics_of(config)
    if not rubrics:
        return bool(values[VERDICT])
    checks = {name: Check(math.floor(value)) for name, value in values.items()}
    score = rubric_score(Checks(checks), rubrics, {})
    return score.held_against(config.gate).verdict is Verdict.PASS
