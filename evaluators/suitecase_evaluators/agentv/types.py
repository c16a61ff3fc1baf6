"""The evaluators of AgentV's assertions, by type with its prefix, such as `agentv:contains`."""

from __future__ import annotations

from suitecase_evaluators.agentv.assertion import agentv_assertion
from suitecase_evaluators.agentv.limits import limits
from suitecase_evaluators.grade.evaluator import Evaluator


def evaluator_of(name: str) -> Evaluator:
    """Return the evaluator of a type that starts with `agentv:`."""
    return limits if name == limits.type else agentv_assertion
