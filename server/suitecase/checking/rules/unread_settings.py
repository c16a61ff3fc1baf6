"""Rules on settings in a place where they have no effect."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from suitecase.checking.rules.misspelling import misspells
from suitecase.format.rule import Finding, Severity, rule
from suitecase.formats.suitecase.elements import ParsedEvaluator
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, keys_of
from suitecase.schema.roles import key_with, roles_under
from suitecase.text.near_names import nearest
from suitecase.text.node import Entry, Mapping, Scalar, Sequence
from suitecase_evaluators.answers.rubric import Rubric
from suitecase_evaluators.schema.field_role import FieldRole

#: Keys that cases are graded by, including legacy names.
_GRADES = frozenset(
    {"rubrics", "evaluators", "execution", "evaluation_schema", "evaluation_mode"}
    | {"evaluation_criteria", "assert", "assertions"}
)


def _unread_config(evaluator: ParsedEvaluator) -> Entry | None:
    """Return the `config` of a judge without a script that reads it."""
    node, model = evaluator.node, evaluator.config
    key = key_with(model, FieldRole.PROMPT) if model is not None else None
    settings = key_with(model, FieldRole.SETTINGS) if model is not None else None
    if model is None or key is None or settings is None:
        return None
    entry, prompt = node.entries.get(settings), node.get(key)
    is_text = isinstance(prompt, Scalar) and isinstance(prompt.value, str)
    if FieldRole.COMMAND not in roles_under(model, key) or not (prompt is None or is_text):
        return None
    if entry is None or misspells(node, key, model):
        return None
    return entry if isinstance(entry.value, Mapping) and entry.value.entries else None


def _keys_of_judge(config: Mapping, judge: ParsedEvaluator) -> list[tuple[Scalar, str]]:
    """Return the keys of the judge or of its rubrics in a `config` that no script reads."""
    own = [
        own_key
        for own_key in _own_keys(judge)
        if own_key not in judge.node and own_key not in ("name", "type")
    ]
    known = [*own, *(key for key in keys_of(Rubric) if key not in ("id", "weight"))]
    found = [(entry.key, nearest(name, known)) for name, entry in config]
    return [(key, known_key) for key, known_key in found if known_key is not None]


def _own_keys(judge: ParsedEvaluator) -> Collection[str]:
    return keys_of(judge.config) if judge.config is not None else ()


@rule("SC119", roles=(FieldRole.SETTINGS,))
def judge_key_under_config(evaluator: ParsedEvaluator) -> Iterator[Finding]:
    """A judge's key is under its `config`, where it has no effect.

    `config` is passed to a prompt script. A judge without a script ignores it, so rubrics and gates
    that are indented a level too deep would grade nothing.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
            config:
              rubrics:  # <- finding
                - Is warm
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
            rubrics:
              - Is warm
    ```
    """
    entry = _unread_config(evaluator)
    if entry is None or not isinstance(entry.value, Mapping):
        return
    for key, known_key in _keys_of_judge(entry.value, evaluator):
        where = "one level up" if known_key in _own_keys(evaluator) else "in an item of `rubrics`"
        yield Finding(
            key.span,
            f"`{key.name}` has no effect under `config`, which only a prompt script reads; "
            f"`{known_key}` belongs {where}",
        )


@rule("SC120", Severity.WARNING, roles=(FieldRole.SETTINGS,))
def unused_config(evaluator: ParsedEvaluator) -> Iterator[Finding]:
    """A judge has a `config`, but no script that reads it.

    `config` is passed to the script that writes the prompt: `prompt: {script: [...]}`. A prompt
    that is a text does not use it.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
            config: {strict: true}  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
    ```
    """
    entry = _unread_config(evaluator)
    if entry is None or not isinstance(entry.value, Mapping):
        return
    if not _keys_of_judge(entry.value, evaluator):
        yield Finding(
            entry.key.span,
            "this `config` has no effect: only a prompt script reads it, and this judge has none",
        )


@rule("SC121", Severity.WARNING, keys=("metadata",))
def grading_key_under_metadata(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """A grading key is under `metadata`, where it has no effect.

    `metadata` is stored but not used. Rubrics that are indented a level too deep end up there
    without effect, and the case is graded by something else.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        metadata:
          owner: ann
          rubrics:  # <- finding
            - Is warm
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        metadata:
          owner: ann
        rubrics:
          - Is warm
    ```
    """
    metadata = part.node.get("metadata") if part.node else None
    if not isinstance(metadata, Mapping) or part.node is None:
        return
    for name, entry in metadata:
        if (
            name in _GRADES
            and name not in part.node
            and isinstance(entry.value, Mapping | Sequence)
        ):
            yield Finding(
                entry.key.span,
                f"`{name}` has no effect under `metadata`; it belongs one level up",
            )
