"""Whether a key says something beside the keys that are there, so that it is worth offering."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import BaseModel

from suitecase.ide.completion.context import Context
from suitecase.suite.fields import Field
from suitecase.suite.model import Case, Execution, SuiteHead
from suitecase.syntax.node import Mapping as Tree
from suitecase.syntax.node import Scalar
from suitecase_evaluators.field_accuracy import ONLY_FOR, FieldCheck
from suitecase_evaluators.message import Message
from suitecase_evaluators.rubric import Rubric
from suitecase_evaluators.tool_trajectory import ToolTrajectoryConfig

#: Of these one is enough, and a second collides with it.
_EITHER: Mapping[type[BaseModel], tuple[frozenset[str], ...]] = {
    Case: (
        frozenset({"input", "input_messages"}),
        frozenset({"expected_output", "expected_messages"}),
    ),
}
#: What another key has to be for a key to be looked at.
_ONLY_WHERE: Mapping[tuple[type[BaseModel], str], tuple[str, tuple[str, ...]]] = {
    (ToolTrajectoryConfig, "minimums"): ("mode", ("any_order",)),
    (ToolTrajectoryConfig, "expected"): ("mode", ("in_order", "exact")),
    (Message, "tool_calls"): ("role", ("assistant",)),
    (SuiteHead, "evaluation_criteria"): ("evaluation_mode", ("llm",)),
    **{(FieldCheck, name): ("match", (match,)) for name, match in ONLY_FOR.items()},
}


def alternatives_of(model: type[BaseModel], present: frozenset[str]) -> Iterator[str]:
    """Yield the keys of a model in whose place another one is there."""
    for group in _EITHER.get(model, ()):
        if not group.isdisjoint(present):
            yield from group


def fits(field: Field, context: Context, head: Tree | None) -> bool:
    """Whether a key is looked at beside those that are there, and collides with none.

    Args:
        field: the field of the key.
        context: where it is to stand.
        head: what the suite says of all its cases.
    """
    siblings = context.parent if context.shape == "key" else None
    present = context.present if context.shape == "key" else frozenset()
    if field.name in alternatives_of(field.model, present):
        return False
    if field.name == "evaluators" and field.model in (Case, Execution):
        return not _has_evaluators(context, "execution" if field.model is Case else "")
    if field.model is Case and field.name == "evaluation_schema":
        return _text(head, "evaluation_mode") in (None, "schema")
    if field.model is Rubric:
        ranges = "score_ranges" in present
        gate = {"required": not ranges, "required_min_score": ranges}
        return gate.get(field.name, True)
    owner = SuiteHead if issubclass(field.model, SuiteHead) else field.model
    other, words = _ONLY_WHERE.get((owner, field.name), ("", ()))
    if not other:
        return True
    given = _text(siblings, other)
    if given is None and other not in present:
        default = field.model.model_fields[other].default
        given = default if isinstance(default, str) else None
    return given is None or given in words


def _has_evaluators(context: Context, beside: str) -> bool:
    """Whether a case lists its evaluators at the other of the two places for them."""
    if not isinstance(context.root, Tree) or context.model is not Case:
        return False
    other = context.root.get(beside) if beside else context.root
    return isinstance(other, Tree) and "evaluators" in other


def _text(node: object, key: str) -> str | None:
    found = node.get(key) if isinstance(node, Tree) else None
    return found.text if isinstance(found, Scalar) and isinstance(found.value, str) else None
