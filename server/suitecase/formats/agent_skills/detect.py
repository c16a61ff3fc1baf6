"""Whether an entry of a list is an eval of an Agent Skill."""

from __future__ import annotations

from suitecase.syntax.node import Mapping, Node

_ASKS = ("prompt", "query", "input")
_EXPECTS = ("expect", "expected_output", "expectations", "assertions", "expected_behavior")


def is_eval(node: Node | None) -> bool:
    """Whether a node asks something and says what is expected, in the words of such evals."""
    return (
        isinstance(node, Mapping)
        and any(it in node for it in _ASKS)
        and any(it in node for it in _EXPECTS)
    )
