"""How often a judge is asked about an answer."""

from __future__ import annotations

from suitecase_evaluators.evaluator import JudgeCalls

#: How often a judge is asked until its reply can be read.
MOST_ATTEMPTS = 3


def judge_calls_of(votes: int | None, target: str | None, model: str | None) -> JudgeCalls:
    """Return how often a judge with these settings is asked about one answer."""
    least = votes or 1
    return JudgeCalls(least=least, most=least * MOST_ATTEMPTS, target=target, model=model)
