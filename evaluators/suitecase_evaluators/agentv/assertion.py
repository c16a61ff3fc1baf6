"""An assertion of AgentV: another evaluator grades, and AgentV's rules say what that comes to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from pydantic import Field, InstanceOf, SerializeAsAny

from suitecase_evaluators.code_judge import code_judge
from suitecase_evaluators.criteria import CRITERIA
from suitecase_evaluators.evaluator import (
    Description,
    EvaluatorConfig,
    Reading,
    Services,
    Subject,
    evaluator,
)
from suitecase_evaluators.judge.llm_judge import LLM_JUDGE
from suitecase_evaluators.promptfoo.assert_set import assert_set
from suitecase_evaluators.promptfoo.assertion import AssertionConfig
from suitecase_evaluators.score import PASS_AT, Score, Verdict, rounded

#: What the types of assertions start with here, so that they are no types of suites.
PREFIX: Final = "agentv:"


class AgentvAssertionConfig(AssertionConfig):
    """An assertion whose templates are filled in. Its `type` is `agentv:` and that of AgentV.

    It passes where its score reaches `threshold`. There is no borderline, and an item of a rubric that has
    to be met fails the assertion, not the test.
    """

    type: str = Field(pattern=f"^{PREFIX}")
    graded_by: SerializeAsAny[InstanceOf[EvaluatorConfig]] = Field(description="What grades.")
    is_whole: bool = Field(
        default=False, description="Whether a score below 1 counts as 0: all or nothing."
    )


#: Those that grade for assertions and start programs, ask judges, or let others grade.
_DESCRIBED: Final = {it.type: it for it in (LLM_JUDGE, CRITERIA, code_judge, assert_set)}


def _description(config: AgentvAssertionConfig) -> Description[Any]:
    """Return what the evaluator that grades says of itself, which is what the assertion says."""
    found = _DESCRIBED.get(config.graded_by.type)
    return Description() if found is None else found.description


def _as_graded(config: AgentvAssertionConfig, reading: Reading) -> AgentvAssertionConfig:
    return config.model_copy(update={"graded_by": reading.member(config.graded_by)})


@evaluator(
    AgentvAssertionConfig,
    description=Description(
        judge_calls=lambda config: _description(config).judge_calls(config.graded_by),
        members=lambda config: _description(config).members(config.graded_by),
        commands=lambda config: _description(config).commands(config.graded_by),
        prompt=lambda config: _description(config).prompt(config.graded_by),
        as_graded=_as_graded,
    ),
)
async def agentv_assertion(
    config: AgentvAssertionConfig, subject: Subject, services: Services
) -> Score:
    """Let the other evaluator grade, and invert what it says where the assertion is negated."""
    found = await services.grade(config.graded_by, subject)
    if found.score is None:
        return found
    score = float(found.score >= 1) if config.is_whole else found.score
    if isinstance(config.graded_by, AssertionConfig):
        passes = found.verdict is Verdict.PASS
    else:
        at = PASS_AT if config.threshold is None else config.threshold
        passes = rounded(score) >= rounded(at) and not found.gate_failed
    hits, misses = found.hits, found.misses
    if config.negate:
        score, passes, hits, misses = 1 - score, not passes, misses, hits
    return replace(
        found,
        score=score,
        verdict=Verdict.PASS if passes else Verdict.FAIL,
        hits=hits,
        misses=misses,
        gate_failed=False,
    )
