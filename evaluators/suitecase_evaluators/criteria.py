"""The `criteria` evaluator: a model judges the answer by a text that says what good means."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from suitecase_evaluators.evaluator import (
    Description,
    EvaluatorConfig,
    JudgeCalls,
    Prompt,
    Services,
    Subject,
    evaluator,
)
from suitecase_evaluators.field_role import FieldRole
from suitecase_evaluators.judge.judging import MOST_ATTEMPTS, JudgeCall, judge_free_form
from suitecase_evaluators.judge.prompts import CRITERIA_TEMPLATE, default_prompt
from suitecase_evaluators.judge.template import render
from suitecase_evaluators.score import Score
from suitecase_evaluators.targets.target import Criterion, TargetError


class CriteriaConfig(EvaluatorConfig):
    """A model judges the answer by criteria, with the suite's prompt and the input for context."""

    type: Literal["criteria"]
    criteria: Annotated[str, FieldRole.CRITERIA] = Field(
        description="What makes an answer good, in words. If it is empty, the result is `not_evaluated` "
        "rather than a score."
    )


def _judge_calls(config: CriteriaConfig) -> tuple[JudgeCalls, ...]:
    return (JudgeCalls(least=1, most=MOST_ATTEMPTS),) if config.criteria.strip() else ()


def _prompt(config: CriteriaConfig) -> Prompt:
    def filled(_: str | None, subject: Subject | None) -> str:
        if subject is None:
            return render(CRITERIA_TEMPLATE, {"criteria": config.criteria})
        return default_prompt(CRITERIA_TEMPLATE, subject, criteria=config.criteria)

    return Prompt(filled=filled)


@evaluator(CriteriaConfig, description=Description(judge_calls=_judge_calls, prompt=_prompt))
async def CRITERIA(  # noqa: N802 - the decorator makes a constant of it
    config: CriteriaConfig, subject: Subject, services: Services
) -> Score:
    """Let a model grade the answer by the criteria."""
    if not config.criteria.strip():
        return Score.not_evaluated("The criteria are empty, so there is nothing to judge by.")
    try:
        target = services.judge()
    except TargetError as error:
        return Score.failed_to_grade(error.message)
    call = JudgeCall(
        evaluator=config.name,
        user_prompt=_prompt(config).filled(None, subject),
    )
    return await judge_free_form(
        call, subject, target, Criterion("criteria", config.criteria, "free")
    )
