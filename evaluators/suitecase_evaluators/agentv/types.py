"""What grades an assertion of AgentV, by its whole type, such as `agentv:contains`."""

from __future__ import annotations

from suitecase_evaluators.agentv.assertion import agentv_assertion
from suitecase_evaluators.agentv.limits import limits
from suitecase_evaluators.evaluator import Evaluator


def evaluator_of(name: str) -> Evaluator:
    """Return what grades a type that starts with `agentv:`."""
    return limits if name == limits.type else agentv_assertion
