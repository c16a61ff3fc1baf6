"""An AgentV assertion: another evaluator grades, and AgentV's rules make the verdict of its score."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from pydantic import Field, InstanceOf, SerializeAsAny

from suitecase_evaluators.answers.score import PASS_AT, Score, Verdict, rounded
from suitecase_evaluators.grade.code_judge import code_judge
from suitecase_evaluators.grade.criteria import CRITERIA
from suitecase_evaluators.grade.evaluator import (
    Description,
    EvaluatorConfig,
    Reading,
    Services,
    Subject,
    evaluator,
)
from suitecase_evaluators.grade.judge.llm_judge import LLM_JUDGE
from suitecase_evaluators.promptfoo.assertion import AssertionConfig
from suitecase_evaluators.promptfoo.graders.assert_set import assert_set

#: The prefix of the types of assertions, which suites of our own cannot name.
PREFIX: Final = "agentv:"


class AgentvAssertionConfig(AssertionConfig):
    """An assertion whose templates are rendered. Its `type` is AgentV's, after `agentv:`.

    It passes if its score reaches `threshold`; there is no borderline. A required rubric item that is not
    met fails the assertion, not the test.
    """

    type: str = Field(pattern=f"^{PREFIX}")
    graded_by: SerializeAsAny[InstanceOf[EvaluatorConfig]] = Field(
        description="The evaluator that grades."
    )
    is_whole: bool = Field(
        default=False, description="Whether a score below 1 counts as 0: all or nothing."
    )
    criteria: str | None = Field(
        default=None, description="What a judge grades by in place of the test's `criteria`."
    )


#: The evaluators behind assertions that start programs, call judges, or have members.
_DESCRIBED: Final = {
    described.type: described
    for described in (LLM_JUDGE, CRITERIA, code_judge, assert_set.evaluator)
}


def _description(config: AgentvAssertionConfig) -> Description[Any]:
    """Return the description of the evaluator that grades, which is also the assertion's."""
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
    """Grade by the other evaluator, and invert the result if the assertion is negated."""
    if config.criteria is not None:
        subject = replace(subject, expected_outcome=config.criteria)
    found = await services.grade(config.graded_by, subject)
    if found.score is None:
        return found
    if found.parse_failed and config.negate:
        # What the judge did not say is no more a reason to pass than to fail.
        return replace(found, score=0.0, verdict=Verdict.FAIL, gate_failed=False)
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
