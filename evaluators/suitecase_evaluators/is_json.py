"""Grades whether an answer is JSON, whatever it says."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from suitecase_evaluators.evaluator import EvaluatorConfig, Services, Subject, evaluator
from suitecase_evaluators.json_values import NotJsonError, parse_json
from suitecase_evaluators.score import Score
from suitecase_evaluators.text_match import match_score


class IsJsonConfig(EvaluatorConfig):
    """The answer as a whole is JSON: score 1 where it is, else 0.

    Text around it or a code fence is not JSON. To look at what it says, take `json_schema`.
    """

    type: Literal["is_json"]
    negate: bool = Field(
        default=False, description="Turns the result around: score 1 where it is not JSON."
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
