"""Rules on what is there and says nothing: keys without a value, evaluators without criteria."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from suitecase.rule import Finding, Severity, rule
from suitecase.rules.misspelling import model_of
from suitecase.suite.elements import WrittenEvaluator
from suitecase.suite.fields import field_at
from suitecase.suite.target_files import WrittenTargets
from suitecase.suite.written import WrittenCase, WrittenHead
from suitecase.syntax.node import UNRESOLVED, Entry, Mapping, Node, Scalar, Sequence
from suitecase_evaluators.json_values import is_empty_object

Path = tuple[str | int, ...]

#: Empty means something of its own there, or is found by what it means.
_MAY_BE_EMPTY = frozenset({"content", "evaluation_schema", "evaluation_criteria", "schema"})
#: Data of which the author says what it means.
_DATA = frozenset(
    {"metadata", "sidecar", "config", "params", "schema", "evaluation_schema", "expected_schema"}
    | {"expected_output", "content", "weights", "minimums", "args", "output", "version"}
)


@rule("SC117", Severity.WARNING)
def key_without_value(part: WrittenHead | WrittenCase | WrittenTargets) -> Iterator[Finding]:
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
    if part.node is None or not part.content.lacks_values:
        return
    wrong = [it for it in part.issues if it.type not in ("missing", "extra_forbidden")]
    model = model_of(part)
    for path, key in _without_value(part.node, ()):
        # What has to be there is found missing, and what may not be there is found unknown.
        if any(it.path in (path, path[:-1]) for it in wrong):
            continue
        field = field_at(model, part.node, path)
        if field is not None and type(None) in get_args(field.info.annotation):
            yield Finding(
                key.span, f"`{key.name}` has nothing behind it, which is as if it were not there"
            )


def _without_value(node: Node, path: Path) -> Iterator[tuple[Path, Scalar]]:
    """Yield the keys that nothing stands behind, but for those in data of the author's."""
    if isinstance(node, Sequence):
        for number, item in enumerate(node.items):
            yield from _without_value(item, (*path, number))
    if not isinstance(node, Mapping):
        return
    for name, (key, value, merged) in node:
        if isinstance(value, Scalar):
            nothing = value.end == value.start and not merged and not value.style
            if nothing and name not in _MAY_BE_EMPTY:
                yield (*path, name), key
        elif name not in _DATA and not name.startswith("x-"):
            yield from _without_value(value, (*path, name))


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
        blank = isinstance(value.value, str) and (
            not value.text.strip() or (may_be_null and is_empty_object(value.text))
        )
        null = value.value is None and value.style != UNRESOLVED
        return entry if blank or (null and may_be_null) else None
    return entry if isinstance(value, Mapping) and not value.entries else None


def _text(mapping: Mapping, name: str) -> str:
    node = mapping.get(name)
    return node.text if isinstance(node, Scalar) else ""


def _zero(node: object) -> bool:
    value = node.value if isinstance(node, Scalar) else None
    return type(value) in (int, float) and value == 0
