"""Rules on what is there and says nothing: keys without a value, evaluators without criteria."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from pydantic import BaseModel

from suitecase.rule import Finding, Severity, rule
from suitecase.suite.elements import WrittenEvaluator, WrittenMessage, WrittenRubric
from suitecase.suite.fields import alternatives
from suitecase.suite.model import Case, Execution, SuiteHead
from suitecase.suite.target_files import WrittenTarget
from suitecase.suite.written import WrittenCase, WrittenHead
from suitecase.syntax.node import UNRESOLVED, Entry, Mapping, Scalar, Sequence
from suitecase_evaluators import registry
from suitecase_evaluators.evaluator import EvaluatorConfig
from suitecase_evaluators.message import Message
from suitecase_evaluators.rubric import Rubric
from suitecase_evaluators.targets.config.file import TargetEntry
from suitecase_evaluators.targets.config.target import TargetConfig

#: Empty means something of its own there, or is found by what it means.
_MAY_BE_EMPTY = frozenset({"content", "evaluation_schema", "evaluation_criteria", "schema"})


@rule("SC117", Severity.WARNING)
def key_without_value(
    part: WrittenHead
    | WrittenCase
    | WrittenMessage
    | WrittenRubric
    | WrittenEvaluator
    | WrittenTarget,
) -> Iterator[Finding]:
    """A key has nothing behind it.

    It is as if the key were not there: where a list was to stand below it and is indented wrongly,
    commented out or not written yet, nothing is graded by it. Leave the key out, or write `null`
    to say that nothing is meant.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - Is warm
    ```
    """
    if part.node is None:
        return
    for empty in _without_value(part.node):
        yield from _found(empty, _model_of(part))
    if isinstance(part, WrittenHead | WrittenCase):
        execution = part.node.get("execution")
        if isinstance(execution, Mapping):
            for empty in _without_value(execution):
                yield from _found(empty, Execution)


def _model_of(part: object) -> type[BaseModel]:
    match part:
        case WrittenHead():
            return SuiteHead
        case WrittenCase():
            return Case
        case WrittenMessage():
            return Message
        case WrittenRubric():
            return Rubric
        case WrittenEvaluator(node=node):
            written = node.get("type")
            found = registry.by_type(written.text) if isinstance(written, Scalar) else None
            return found.config if found else EvaluatorConfig
        case WrittenTarget(node=node):
            return next(
                (
                    it
                    for it in alternatives(TargetEntry)
                    if _text(node, "provider") in get_args(it.model_fields["provider"].annotation)
                ),
                TargetConfig,
            )
        case _:
            raise TypeError(part)


def _without_value(mapping: Mapping) -> Iterator[Scalar]:
    """Yield the keys of a mapping that nothing stands behind."""
    for _, (key, value, merged) in mapping:
        if isinstance(value, Scalar) and value.end == value.start and not (merged or value.style):
            yield key


def _found(key: Scalar, model: type[BaseModel]) -> Iterator[Finding]:
    # What has to be there is found missing, and what may not be there is found unknown.
    fields = ((it.alias or own, it) for own, it in model.model_fields.items())
    info = next((it for name, it in fields if name == key.name), None)
    if info is None or key.name in _MAY_BE_EMPTY or type(None) not in get_args(info.annotation):
        return
    yield Finding(key.span, f"`{key.name}` has nothing behind it, which is as if it were not there")


@rule("SC317", Severity.WARNING, keys=("criteria", "schema", "fields", "minimums"))
def nothing_to_grade_by(evaluator: WrittenEvaluator) -> Iterator[Finding]:
    """An evaluator has nothing to grade by.

    Empty criteria, an empty schema and fields of which none has a weight give no score: the
    evaluator is recorded as not evaluated. Tools that must be called no times at all are there in
    every answer.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: criteria
            criteria: ""  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: criteria
            criteria: Is warm and short
    ```
    """
    node = evaluator.node
    match evaluator.type:
        case "criteria":
            empty = _empty(node.entries.get("criteria"), may_be_null=False)
        case "json_schema":
            empty = _empty(node.entries.get("schema"), may_be_null=True)
        case "field_accuracy":
            fields = node.entries.get("fields")
            items = fields.value.items if fields and isinstance(fields.value, Sequence) else []
            weights = [it.get("weight") if isinstance(it, Mapping) else None for it in items]
            everything = _text(node, "aggregation") == "all_or_nothing"
            empty = fields if items and all(map(_zero, weights)) and not everything else None
        case "tool_trajectory":
            minimums = node.entries.get("minimums")
            counts = minimums.value if minimums else None
            calls = [it.value for _, it in counts] if isinstance(counts, Mapping) else []
            if minimums is not None and calls and all(map(_zero, calls)):
                yield Finding(
                    minimums.key.span,
                    "no tool has to be called, so every answer gets the score 1; the least that "
                    "asks for a call is 1",
                )
            return
        case _:
            return
    if empty is not None:
        value = empty.value
        written = isinstance(value, Scalar) and value.end > value.start
        yield Finding(
            value.span if written else empty.key.span,
            f"`{empty.key.text}` leaves nothing to grade by, so this evaluator gives no score",
        )


def _empty(entry: Entry | None, *, may_be_null: bool) -> Entry | None:
    if entry is None:
        return None
    value = entry.value
    if isinstance(value, Scalar):
        blank = isinstance(value.value, str) and not value.text.strip()
        null = value.value is None and value.style != UNRESOLVED
        return entry if blank or (null and may_be_null) else None
    return entry if isinstance(value, Mapping) and not value.entries else None


def _text(mapping: Mapping, name: str) -> str:
    node = mapping.get(name)
    return node.text if isinstance(node, Scalar) else ""


def _zero(node: object) -> bool:
    value = node.value if isinstance(node, Scalar) else None
    return type(value) in (int, float) and value == 0
