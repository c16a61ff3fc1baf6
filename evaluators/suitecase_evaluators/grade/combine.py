"""Makes one score of several: a case's of its evaluators', a composite's of its members'."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from suitecase_evaluators.answers.score import Score, Verdict, rounded, verdict_for
from suitecase_evaluators.schema.shares import shares_of


@dataclass(frozen=True, slots=True)
class CombinedScore:
    """What several scores come to.

    Unlike a `Score`, one with verdict `error` may have a score: the mean of what did grade.
    """

    score: float | None
    verdict: Verdict
    gate_failed: bool = False


def row_score(results: Sequence[tuple[float, Score]], threshold: float | None) -> CombinedScore:
    """Combine the scores of assertions, each with its weight, by the rule of promptfoo and AgentV.

    The score is the weighted mean, 0 if all weights are 0. A row passes if its score reaches the threshold
    or, without one, if each assertion passes; there is no borderline. A failed gate, which only AgentV has,
    makes the score 0. If an assertion could not be graded, the verdict is `error`. A row without assertions
    is not evaluated; promptfoo passes it.
    """
    if not results:
        return CombinedScore(None, Verdict.NOT_EVALUATED)
    graded = [(weight, it.score) for weight, it in results if it.score is not None]
    shares = shares_of([weight for weight, _ in graded])
    score = rounded(sum(part * it for part, (_, it) in zip(shares, graded, strict=True)))
    if any(it.gate_failed for _, it in results):
        return CombinedScore(0.0, Verdict.FAIL, gate_failed=True)
    if any(it.verdict is Verdict.ERROR for _, it in results):
        return CombinedScore(score if any(shares) else None, Verdict.ERROR)
    if threshold is not None:
        passes = score >= rounded(threshold)
    else:
        passes = all(it.verdict is Verdict.PASS for _, it in results)
    return CombinedScore(score, Verdict.PASS if passes else Verdict.FAIL)


def case_score(results: Sequence[tuple[float, Score]]) -> CombinedScore:
    """Combine scores, each with its weight.

    The score is sum(score * weight) / sum(weight) over the scores that were graded. Of the verdicts
    the first that holds is taken:

    - `fail` where any gate failed, whatever its weight: nothing else could turn that around;
    - `error` where any grading broke: the mean of the others is kept, but the case was not graded
      in full;
    - `not_evaluated` where nothing was graded, or nothing of weight above 0;
    - what follows from the score.

    Where a gate failed and no weight is above 0, the score is 0.
    """
    graded = [(weight, it.score) for weight, it in results if it.score is not None]
    shares = shares_of([weight for weight, _ in graded])
    score = None
    if any(shares):
        score = rounded(sum(part * it for part, (_, it) in zip(shares, graded, strict=True)))
    if any(it.gate_failed for _, it in results):
        return CombinedScore(score or 0.0, Verdict.FAIL, gate_failed=True)
    if any(it.verdict is Verdict.ERROR for _, it in results):
        return CombinedScore(score, Verdict.ERROR)
    if score is None:
        return CombinedScore(None, Verdict.NOT_EVALUATED)
    return CombinedScore(score, verdict_for(score))
