"""The assertion `model-graded-closedqa`: a model says yes or no to a criterion."""

from __future__ import annotations

from typing import Any, Final, Literal

from suitecase_evaluators.evaluator import Description, Services, Subject, evaluator
from suitecase_evaluators.promptfoo.assertion import scored, unusable
from suitecase_evaluators.promptfoo.grading import (
    Asking,
    GradedConfig,
    calls,
    graded,
    variables_of,
)
from suitecase_evaluators.promptfoo.grading_prompt import filled_in, value_of
from suitecase_evaluators.promptfoo.grading_replies import Graded, read_yes_or_no
from suitecase_evaluators.promptfoo.grading_texts import closed_turns, sent_prompt
from suitecase_evaluators.score import Score

#: What the prompt of a suite's own is called.
PROMPT: Final = "closedqa"
_AGAIN: Final = "Reply again, and end with a line that has nothing but the letter Y or N."


class ClosedQaConfig(GradedConfig):
    """A model says whether the answer meets this criterion."""

    type: Literal["promptfoo:model-graded-closedqa"]


_ASKS_ONCE: Final[Description[Any]] = Description(judge_calls=calls)


@evaluator(ClosedQaConfig, description=_ASKS_ONCE)
async def closed_qa(config: ClosedQaConfig, subject: Subject, services: Services) -> Score:
    """Ask whether the criterion is met."""
    criterion = config.value
    if not isinstance(criterion, str):
        return unusable(config, "a text")
    values = {"completion": filled_in(subject.candidate_answer), "input": sent_prompt(subject)}
    own = config.own_turns(PROMPT, values)
    asking = Asking(
        turns=closed_turns(subject, criterion) if own is None else own,
        read=read_yes_or_no,
        again=_AGAIN,
        criterion=criterion,
        label="model-graded-closedqa",
        variables={
            **variables_of(subject),
            "input": sent_prompt(subject),
            "criteria": criterion,
            "completion": value_of(subject.candidate_answer),
        },
    )
    return await graded(asking, config, subject, services, lambda it: _score(config, it))


def _score(config: ClosedQaConfig, found: Graded) -> Score:
    meets = "meets" if found.passes else "does not meet"
    reason = f"the answer {meets} the criterion: {found.reason}"
    return scored(config, found.score, found.passes, reason)
