"""Rules on empty values: keys without a value, and evaluators without criteria."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from suitecase.format.rewriting.removing import without
from suitecase.format.rule import Finding, Severity, Tag, rule
from suitecase.format.target_files import ParsedTargets
from suitecase.formats.suitecase.elements import ParsedEvaluator
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead
from suitecase.schema.fields import field_at
from suitecase.text.node import UNRESOLVED, Mapping, Node, Scalar, Sequence, at
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.text.json_values import is_empty_object

Path = tuple[str | int, ...]

#: Keys that may be empty, or whose empty value another rule reports.
_MAY_BE_EMPTY = frozenset({"content", "evaluation_schema", "evaluation_criteria", "schema"})
#: Keys whose content is the author's own data.
_DATA = frozenset(
    {"metadata", "sidecar", "config", "params", "schema", "evaluation_schema", "expected_schema"}
    | {"expected_output", "content", "weights", "minimums", "args", "output", "version"}
)


#: Keys that a case is graded by: without a value, it is graded by something else, or by nothing.
_GRADES_BY = frozenset(
    {"execution", "evaluation_mode", "evaluators", "rubrics", "required", "required_min_score"}
    | {"min_score", "score_ranges", "minimums", "expected", "weights", "formats", "max_duration_ms"}
    | {
        "max_total",
        "max_input",
        "max_output",
        "value",
        "normalize",
        "synonyms",
        "min",
        "max",
        "labels",
    }
)
#: Keys that grading depends on, and that may explicitly be `null`.
_DEPENDS_ON = frozenset({"expected_messages", "expected_output", "prompt"})


@rule("SC117", Severity.WARNING)
def empty_value(part: ParsedHead | ParsedCase | ParsedTargets) -> Iterator[Finding]:
    """A key has no value.

    It is treated as if the key were not there: the lines that belong below it are wrongly indented,
    commented out or not written yet. Remove the key, or write `null` if no value is intended.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        tags:  # <- finding
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        tags: [greetings]
    ```
    """
    for key, grades, _ in _keys_without_value(part):
        if not grades:
            yield Finding(
                key.span,
                f"`{key.name}` has no value, which has the same effect as leaving it out",
                deferred_fix=without(key, safe=False),  # a value may be missing
            )


@rule("SC118")
def empty_grading_value(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """A key that determines how a case is graded has no value.

    It would be treated as if the key were not there: a judge with an empty `rubrics` grades freely,
    and an empty `required_min_score` is not a gate. Usually the lines below the key are wrongly
    indented or commented out. If no value is intended, remove the key; `null` is the same as no
    value.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:  # <- finding
      - id: meet
        input: Good morning
        expected_outcome: Says hello
        rubrics:
          - id: warmth
            expected_outcome: Is warm
            score_ranges: null  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - Is warm
      - id: meet
        input: Good morning
        expected_outcome: Says hello
        rubrics:
          - id: warmth
            expected_outcome: Is warm
    ```
    """
    for key, grades, is_null in _keys_without_value(part):
        if grades:
            here = "is `null`" if is_null else "has no value"
            yield Finding(
                key.span,
                f"`{key.name}` {here}, so the case would be graded as if the key were missing; "
                f"give it a value or remove it",
            )


def _keys_without_value(
    part: ParsedHead | ParsedCase | ParsedTargets,
) -> Iterator[tuple[Scalar, bool, bool]]:
    """Yield keys that have no effect, with whether grading depends on them and whether they are `null`.

    `null` states that no value is intended, so it is reported only for keys that a case is graded by.
    """
    if part.node is None or not part.content.lacks_values:
        return
    wrong = [issue for issue in part.issues if issue.type not in ("missing", "extra_forbidden")]
    model = part.model_type
    for path, key, is_null in _without_value(part.node, ()):
        # Required keys are reported as missing, and keys that are not allowed as unknown.
        if any(it.path in (path, path[:-1]) for it in wrong):
            continue
        field = field_at(model, part.node, path)
        if field is None or type(None) not in get_args(field.info.annotation):
            continue
        in_suite = not isinstance(part, ParsedTargets)
        grades = in_suite and (field.name in _GRADES_BY or field.role is FieldRole.PROMPT)
        depends = field.name in _DEPENDS_ON or field.role in (FieldRole.TARGET, FieldRole.MODEL)
        if grades or not is_null:
            yield key, grades or (in_suite and depends), is_null


@rule("SC122", Severity.WARNING, tags=(Tag.UNNECESSARY,), keys=("execution", "aggregator"))
def empty_setting(subject: ParsedHead | ParsedCase | ParsedEvaluator) -> Iterator[Finding]:
    """A mapping that configures grading is empty.

    An empty `execution` names neither a target nor evaluators, and empty `weights` assign no
    weights: it is as if the key were not there. Remove the key, or fill in the mapping.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        execution: {}  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        execution:
          evaluators:
            - {name: hello, type: icontains, value: hello}
    ```
    """
    node = subject.node
    if node is not None and isinstance(subject, ParsedEvaluator):
        aggregator = node.get("aggregator")
        node = aggregator if isinstance(aggregator, Mapping) else None
    name = "weights" if isinstance(subject, ParsedEvaluator) else "execution"
    entry = node.entries.get(name) if node is not None else None
    if entry is not None and isinstance(entry.value, Mapping) and not entry.value.entries:
        yield Finding(
            entry.key.span, f"`{name}` is empty, which has the same effect as leaving it out"
        )


def _without_value(node: Node, path: Path) -> Iterator[tuple[Path, Scalar, bool]]:
    """Yield the keys without a value or with `null`, except in the author's own data.

    The last item of each tuple is whether the value is `null`.
    """
    if isinstance(node, Sequence):
        for number, item in enumerate(node.items):
            yield from _without_value(item, (*path, number))
    if not isinstance(node, Mapping):
        return
    for name, (key, value, merged) in node:
        if isinstance(value, Scalar):
            nothing = value.value is None and value.style != UNRESOLVED and not merged
            if nothing and name not in _MAY_BE_EMPTY:
                yield (*path, name), key, value.end > value.start
        elif name not in _DATA and not name.startswith("x-"):
            yield from _without_value(value, (*path, name))


@rule("SC317", Severity.WARNING, roles=(FieldRole.CRITERIA, FieldRole.SCHEMA))
def evaluator_without_criteria(evaluator: ParsedEvaluator) -> Iterator[Finding]:
    """An evaluator has no criteria to grade by.

    Empty criteria, an empty schema, and fields that all have the weight 0 give no score: the
    evaluator is recorded as not evaluated. Tools that must be called at least zero times match
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
    for value in evaluator.values(FieldRole.CRITERIA, FieldRole.SCHEMA):
        node, key = value.node, value.entry.key
        if _is_empty(node, may_be_null=value.role is FieldRole.SCHEMA):
            written = isinstance(node, Scalar) and node.end > node.start
            yield Finding(
                node.span if written else key.span,
                f"`{key.text}` gives this evaluator nothing to grade, so it has no score",
            )
    no_effect = evaluator.description.no_effect
    config = evaluator.read() if no_effect is not None else None
    problem = no_effect(config) if no_effect is not None and config is not None else None
    if problem is not None:
        node, named, _ = at(evaluator.node, problem.path)
        place = node if isinstance(node, Scalar) or named is None else named
        yield Finding(place.span, problem.message)


def _is_empty(value: Node, *, may_be_null: bool) -> bool:
    if isinstance(value, Scalar):
        blank = isinstance(value.value, str) and (
            not value.text.strip() or (may_be_null and is_empty_object(value.text))
        )
        null = value.value is None and value.style != UNRESOLVED
        return blank or (null and may_be_null)
    return may_be_null and isinstance(value, Mapping) and not value.entries
