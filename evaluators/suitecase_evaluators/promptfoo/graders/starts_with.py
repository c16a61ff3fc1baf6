"""The assertion `starts-with`."""

from __future__ import annotations

from typing import Literal

from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import Services, Subject
from suitecase_evaluators.promptfoo.assertion import AssertionConfig, passed_or_failed, unusable
from suitecase_evaluators.promptfoo.assertion_type import TEXT, AssertionType
from suitecase_evaluators.promptfoo.grader import Fields, grader
from suitecase_evaluators.promptfoo.graders.contains import NEEDED, searched_text
from suitecase_evaluators.text.json_values import show_json
from suitecase_evaluators.text.unseen_differences import unseen_difference


class StartsWithConfig(AssertionConfig):
    """The answer starts with this text."""

    type: Literal["promptfoo:starts-with"]


def _converted(config: StartsWithConfig) -> Fields:
    value = searched_text(config)
    return {"type": "starts_with", "value": value, "normalize": "none", "negate": config.negate}


@grader(
    StartsWithConfig,
    AssertionType(
        example="{type: starts-with, value: 'Dear '}",
        values=TEXT,
        value_required=True,
        threshold_in_tables=0.75,
    ),
    convert=_converted,
)
async def starts_with(config: StartsWithConfig, subject: Subject, services: Services) -> Score:
    """Look at the start of the answer."""
    value = config.value
    if not isinstance(value, str) or not value:
        return unusable(config, NEEDED)
    holds = subject.candidate_answer.startswith(value)
    verb = "starts" if holds else "does not start"
    answer = subject.candidate_answer
    unseen = "" if holds else unseen_difference(answer, [value], str.startswith)
    return passed_or_failed(config, holds, f"the answer {verb} with {show_json(value)}{unseen}")
