"""What `model-graded-closedqa` and `factuality` share: a model grades a completion by the prompt and a text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import Services, Subject
from suitecase_evaluators.promptfoo.default_prompts import sent_prompt
from suitecase_evaluators.promptfoo.grading import (
    GradedConfig,
    GradingRequest,
    graded,
    variables_of,
)
from suitecase_evaluators.promptfoo.grading_prompt import json_or_text, rendered_answer

T = TypeVar("T")


async def graded_completion(
    request: GradingRequest[T],
    own_prompt: str,
    config: GradedConfig,
    subject: Subject,
    services: Services,
    score_of: Callable[[T], Score],
) -> Score:
    """Call a grader that receives the prompt as `input` and the answer as `completion`.

    Args:
        request: the request with the default prompt, and the variables beside `input` and `completion`.
        own_prompt: the name of the suite's own prompt among those of the assertion.
        config: the assertion.
        subject: the answer.
        services: the runner's services.
        score_of: makes a score of the grader's verdict.
    """
    prompt, answer = sent_prompt(subject), subject.candidate_answer
    own = config.own_turns(own_prompt, {"completion": rendered_answer(answer), "input": prompt})
    variables = {
        **variables_of(subject),
        "input": prompt,
        **request.variables,
        "completion": json_or_text(answer),
    }
    request = replace(request, variables=variables).with_own_turns(own)
    return await graded(request, config, subject, services, score_of)
