"""The assertion `assert-set`: several assertions with one result and a threshold."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pydantic import Field, SerializeAsAny

from suitecase_evaluators.answers.sandbox_level import lowest
from suitecase_evaluators.answers.score import Score, Verdict
from suitecase_evaluators.grade.evaluator import (
    MEMBER_OF,
    Description,
    EvaluatorConfig,
    Reading,
    Services,
    Subject,
)
from suitecase_evaluators.grade.member_results import member_record
from suitecase_evaluators.promptfoo.assertion import AssertionConfig
from suitecase_evaluators.promptfoo.assertion_type import AssertionType, Scale
from suitecase_evaluators.promptfoo.grader import grader
from suitecase_evaluators.promptfoo.known_graders import AnyAssertion


class AssertSetConfig(AssertionConfig):
    """A set of assertions that passes if all of them do, or if their mean score reaches `threshold`."""

    type: Literal["promptfoo:assert-set"]
    members: list[SerializeAsAny[AnyAssertion]] = Field(description="The assertions.")


def _members(config: AssertSetConfig) -> list[EvaluatorConfig]:
    return list(config.members)


def _as_graded(config: AssertSetConfig, reading: Reading) -> AssertSetConfig:
    return config.model_copy(
        update={"members": [reading.member(member) for member in config.members]}
    )


@grader(
    AssertSetConfig,
    AssertionType(
        example="{type: assert-set, threshold: 0.5, assert: [{type: is-json}]}",
        graded_by="set",
        threshold=Scale(),
        negatable=False,
        special=True,
        also_called=("assert-all",),
    ),
    description=Description(members=_members, as_graded=_as_graded),
)
async def assert_set(config: AssertSetConfig, subject: Subject, services: Services) -> Score:
    """Grade by each member, then combine the scores."""
    import asyncio

    within = MEMBER_OF.set((*MEMBER_OF.get(), config.name))
    try:
        async with asyncio.TaskGroup() as group:
            grading = [
                group.create_task(services.grade(member, subject)) for member in config.members
            ]
    finally:
        MEMBER_OF.reset(within)
    scores = [it.result() for it in grading]
    score = _combined(config, scores)
    records = [member_record(it, of_it) for it, of_it in zip(config.members, scores, strict=True)]
    refused = [it.refused for it in scores if it.refused is not None]
    return replace(
        score,
        details={"members": records},
        attempts=sum(it.attempts for it in scores),
        parse_failed=any(it.parse_failed for it in scores),
        sandbox=lowest(*(it.sandbox for it in scores)),
        refused=any(refused) if refused else None,
    )


def _combined(config: AssertSetConfig, scores: list[Score]) -> Score:
    """Combine the scores of the members."""
    named = list(zip(config.members, scores, strict=True))
    broken = [f"`{it.name}`: {score.error}" for it, score in named if score.error is not None]
    if broken:
        return Score.failed_to_grade(f"some members failed to grade; {'; '.join(broken)}")
    # Summed in promptfoo's order: a rounding error may decide whether the threshold is reached.
    total = sum((score.score or 0.0) * it.weight for it, score in named)
    weights = sum(member.weight for member in config.members)
    mean = total / weights if weights else 0.0
    if config.threshold is None:
        passes = all(score.verdict is Verdict.PASS for score in scores)
        message = "each member passes" if passes else "a member does not pass"
    else:
        passes = mean >= config.threshold
        reaches = "reaches" if passes else "is less than"
        message = f"the mean of the members is {mean:.4g}, which {reaches} {config.threshold:g}"
    return Score(
        score=mean,
        verdict=Verdict.PASS if passes else Verdict.FAIL,
        hits=tuple(f"[{it.name}] {text}" for it, score in named for text in score.hits),
        misses=tuple(f"[{it.name}] {text}" for it, score in named for text in score.misses),
        reasoning=message,
    )
