"""The `human` evaluator: people score the answer by rubrics, and their labels are its verdict."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from suitecase_evaluators.answers.rubric import RubricItem, named, written_out
from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import (
    Description,
    EvaluatorConfig,
    Reading,
    Services,
    Subject,
    evaluator,
)
from suitecase_evaluators.grade.judge.reply import Check, Checks
from suitecase_evaluators.grade.judge.scoring import rubric_score
from suitecase_evaluators.schema.field_role import FieldRole

_WAITS = "It waits for labels"


class HumanConfig(EvaluatorConfig):
    """People score the answer by rubrics.

    Their labels are in the files that the suite names under `human`, by the name of the evaluator.
    Each is for one answer: another answer to the same case is `not_evaluated` until people have
    labeled it, and so is one on which they differ, or while a label file is not there. Labels that
    cannot be read are an error. The score follows from the labels as an
    `llm_judge`'s does from its verdicts.
    """

    type: Literal["human"]
    rubrics: Annotated[list[RubricItem], FieldRole.RUBRICS] = Field(
        min_length=1,
        description="The items that people score. A plain string is a required item.",
        examples=[["Says sorry", {"id": "tone", "expected_outcome": "Is warm", "weight": 2}]],
    )


def _as_graded(config: HumanConfig, reading: Reading) -> HumanConfig:
    return config.model_copy(update={"rubrics": written_out(config.rubrics)})


@evaluator(HumanConfig, description=Description(as_graded=_as_graded))
async def human(config: HumanConfig, subject: Subject, services: Services) -> Score:
    """Score the answer by what people's labels of it come to."""
    rubrics = named(config.rubrics)
    unread = subject.labels_unread.get(config.name)
    if unread is not None:
        return Score.failed_to_grade(f"not all labels can be read: {unread}")
    labels = subject.labels.get(config.name, {})
    missing = [rubric.id or "" for rubric in rubrics if rubric.id not in labels]
    if len(missing) == len(rubrics):
        return Score.not_evaluated(f"{_WAITS}: nobody has labeled this answer.")
    if missing:
        return Score.not_evaluated(f"{_WAITS} of {_listed(missing)}.")
    awaited = subject.labels_awaited.get(config.name)
    if awaited is not None:
        return Score.not_evaluated(f"{_WAITS}: {awaited}.")
    checks: dict[str, Check] = {}
    differing: list[str] = []
    for name, value in labels.items():
        if value is None:
            differing.append(name)
        else:
            checks[name] = Check(value)
    if differing:
        return Score.not_evaluated(
            f"People differ on {_listed(differing)}, and nothing settles it."
        )
    return rubric_score(Checks(checks, "Scored by people."), rubrics, {})


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
