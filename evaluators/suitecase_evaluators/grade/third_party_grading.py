"""Grading by an evaluator of another package, which may raise or return anything."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace

from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import Evaluator, EvaluatorConfig, Services, Subject
from suitecase_evaluators.grade.third_party import find, providers, told
from suitecase_evaluators.targets.program import ProgramError
from suitecase_evaluators.targets.target import TargetError


async def graded(config: EvaluatorConfig, subject: Subject, services: Services) -> Score:
    """Grade an answer by an evaluator of a package, which the score's `details` name.

    Whatever the package raises is told as its own error; `details` have the `traceback`.

    Raises:
        TargetError: a target cannot be asked.
        ProgramError: a program cannot be started.
    """
    found = find(config.type)
    if not isinstance(found, Evaluator):
        message = found.message if found else f"no package provides `{config.type}`"
        return Score.failed_to_grade(message)
    provider = providers()[config.type][0]
    package = {"package": str(provider)}
    try:
        score = await found.evaluate(config, subject, services)
        problems = list(_wrong_with(score))
    except (TargetError, ProgramError):
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - another's module may raise anything
        import traceback

        return Score.failed_to_grade(
            f"{provider}, which provides `{provider.type}`, broke: {told(error)}",
            details={**package, "traceback": traceback.format_exc()},
        )
    if problems:
        return Score.failed_to_grade(
            f"{provider}, which provides `{provider.type}`, returned an invalid score: "
            f"{'; '.join(problems)}",
            details=package,
        )
    return replace(score, details={**package, **score.details})


def _wrong_with(score: object) -> Iterator[str]:
    """Yield what is wrong with what a package gives as its score."""
    if not isinstance(score, Score):
        yield f"it is of the type `{type(score).__name__}`, not a `Score`"
        return
    number = score.score
    if score.verdict.graded:
        is_number = isinstance(number, float | int) and not isinstance(number, bool)
        if number is None or not (is_number and math.isfinite(number) and 0 <= number <= 1):
            yield f"its score is {number!r}, which is not between 0 and 1"
    elif number is not None:
        yield f"its verdict is `{score.verdict.value}`, but it has a score"
    if (score.error is not None) != (score.verdict.value == "error"):
        yield f"its verdict is `{score.verdict.value}` and its error is {score.error!r}"
    for name in ("hits", "misses"):
        texts = getattr(score, name)
        if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
            yield f"its {name} are not texts"
    if not isinstance(score.reasoning, str):
        yield "its reasoning is not a text"
    for name in ("details", "request"):
        try:
            json.dumps(getattr(score, name) or {})
        except (TypeError, ValueError) as error:
            yield f"its {name} are not JSON values: {error}"
