"""The `criteria` evaluator: a model judges the answer by a text that says what good means."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import (
    Description,
    JudgeCalls,
    Prompt,
    Services,
    Subject,
    evaluator,
)
from suitecase_evaluators.grade.judge.attempts import judge_calls_of
from suitecase_evaluators.grade.judge.config import (
    JudgeConfig,
    LimitKey,
    ModelKey,
    ReferencesKey,
    TargetKey,
    TemperatureKey,
    VotesKey,
)
from suitecase_evaluators.grade.judge.prompts import (
    CRITERIA_TEMPLATE,
    default_prompt,
    with_reference_section,
)
from suitecase_evaluators.grade.judge.references import references_text, with_references_read
from suitecase_evaluators.grade.judge.template import render
from suitecase_evaluators.schema.field_role import FieldRole


class CriteriaConfig(JudgeConfig):
    """A model judges the answer by criteria, with the suite's prompt and the input for context."""

    added_keys = JudgeConfig.added_keys | {"target", "model", "temperature", "max_output_tokens"}

    type: Literal["criteria"]
    criteria: Annotated[str, FieldRole.CRITERIA] = Field(
        description="What makes an answer good, in words. If it is empty, the result is `not_evaluated` "
        "rather than a score."
    )
    target: TargetKey = None
    model: ModelKey = None
    temperature: TemperatureKey = None
    max_output_tokens: LimitKey = None
    references: ReferencesKey = None
    votes: VotesKey = None


def _judge_calls(config: CriteriaConfig) -> tuple[JudgeCalls, ...]:
    if not config.criteria.strip():
        return ()
    return (judge_calls_of(config.votes, config.target, config.model),)


def _prompt(config: CriteriaConfig) -> Prompt:
    def filled(_: str | None, subject: Subject | None) -> str:
        references = references_text(config.references)
        if subject is None:
            template = with_reference_section(CRITERIA_TEMPLATE, references)
            return render(template, {"criteria": config.criteria})
        return default_prompt(
            CRITERIA_TEMPLATE, subject, criteria=config.criteria, references=references
        )

    return Prompt(filled=filled)


@evaluator(
    CriteriaConfig,
    description=Description(
        judge_calls=_judge_calls, prompt=_prompt, as_graded=with_references_read
    ),
)
async def CRITERIA(  # noqa: N802 - the decorator makes a constant of it
    config: CriteriaConfig, subject: Subject, services: Services
) -> Score:
    """Let a model grade the answer by the criteria."""
    from suitecase_evaluators.grade.judge.judging import JudgeCall, judge_free_form
    from suitecase_evaluators.targets.target import Criterion, TargetError

    if not config.criteria.strip():
        return Score.not_evaluated("The criteria are empty, so there is nothing to judge by.")
    try:
        target = services.judge(config.target)
    except TargetError as error:
        return Score.failed_to_grade(error.message)
    call = JudgeCall(
        evaluator=config.name,
        user_prompt=_prompt(config).filled(None, subject),
        model=config.model,
        temperature=config.temperature,
        max_output_tokens=config.max_output_tokens,
        votes=config.votes or 1,
    )
    return await judge_free_form(
        call, subject, target, Criterion("criteria", config.criteria, "free")
    )
