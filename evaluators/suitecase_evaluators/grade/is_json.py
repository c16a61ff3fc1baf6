"""Grades whether an answer is JSON, whatever it says."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import EvaluatorConfig, Services, Subject, evaluator
from suitecase_evaluators.grade.text_match import match_score
from suitecase_evaluators.text.json_values import NotJsonError, parse_json


class IsJsonConfig(EvaluatorConfig):
    """Scores 1 if the whole answer is JSON, else 0.

    Text around it or a code fence is not JSON. To check its content, use `json_schema`.
    """

    type: Literal["is_json"]
    negate: bool = Field(
        default=False, description="Inverts the result: score 1 if the answer is not JSON."
    )


@evaluator(IsJsonConfig)
async def is_json(config: IsJsonConfig, subject: Subject, services: Services) -> Score:
    """Parse the answer."""
    problem = ""
    try:
        parse_json(subject.candidate_answer)
    except NotJsonError as error:
        problem = str(error)
    return match_score(
        not problem,
        negate=config.negate,
        holds="the answer is JSON",
        fails=f"the answer is not JSON: {problem}",
    )
