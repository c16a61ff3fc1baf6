"""The assertion `model-graded-closedqa`: a model decides whether an answer meets a criterion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal

from suitecase_evaluators.answers.row import Row
from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.grade.evaluator import Description, Services, Subject
from suitecase_evaluators.promptfoo.assertion import scored, unusable
from suitecase_evaluators.promptfoo.assertion_type import TEXT, AssertionType
from suitecase_evaluators.promptfoo.default_prompts import closed_turns
from suitecase_evaluators.promptfoo.graded_completion import graded_completion
from suitecase_evaluators.promptfoo.grader import grader
from suitecase_evaluators.promptfoo.grading import (
    GradedConfig,
    GradingRequest,
    calls,
    graded_fields,
)
from suitecase_evaluators.promptfoo.grading_prompt import WrittenPrompt
from suitecase_evaluators.promptfoo.grading_replies import PassVerdict, read_yes_or_no

#: The name of the suite's own prompt.
_PROMPT: Final = "closedqa"
_RETRY: Final = "Reply again, and end with a line that has nothing but the letter Y or N."


def _own_prompts(written: Any, value: Any, row: Row) -> Iterator[WrittenPrompt]:
    known = {**row.variables, "input": row.prompt, "criteria": value}
    yield WrittenPrompt(name=_PROMPT, written=written, known=known, holes=("completion",))


class ClosedQaConfig(GradedConfig):
    """A model says whether the answer meets this criterion."""

    type: Literal["promptfoo:model-graded-closedqa"]


_DESCRIPTION: Final[Description[Any]] = Description(judge_calls=calls)


@grader(
    ClosedQaConfig,
    AssertionType(
        example="{type: model-graded-closedqa, value: Does not mention prices}",
        graded_by="model",
        values=TEXT,
        value_required=True,
        negatable=False,
    ),
    description=_DESCRIPTION,
    read=graded_fields,
    own_prompts=_own_prompts,
)
async def closed_qa(config: ClosedQaConfig, subject: Subject, services: Services) -> Score:
    """Call the grader, which decides whether the criterion is met."""
    criterion = config.value
    if not isinstance(criterion, str):
        return unusable(config, "a string")
    request = GradingRequest(
        turns=closed_turns(subject, criterion),
        read=read_yes_or_no,
        retry=_RETRY,
        criterion=criterion,
        label="model-graded-closedqa",
        variables={"criteria": criterion},
    )
    return await graded_completion(
        request, _PROMPT, config, subject, services, lambda it: _score(config, it)
    )


def _score(config: ClosedQaConfig, found: PassVerdict) -> Score:
    meets = "meets" if found.passes else "does not meet"
    reason = f"the answer {meets} the criterion: {found.reason}"
    return scored(config, found.score, found.passes, reason)
