"""Rules on judges: the targets that a suite's targets name as their judges."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.checking.rules.target_usage import (
    asks_judge,
    is_undefined,
    judged_by,
    judges_in,
    target_of,
)
from suitecase.format.rule import Finding, Related, Severity, rule
from suitecase.format.target_files import ParsedTargets, find_targets
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.elements import ParsedEvaluator
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite
from suitecase.text.node import Scalar
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.targets.config.target import TargetConfig


@rule("SC507")
def undefined_judge(suite: ParsedSuite, folder: Folder) -> Iterator[Finding]:
    """A target's judge is not defined.

    The answers of a target are judged by its `judge_target`, the name of another target in the same
    file. Without it, cases that need a judge cannot be graded. Evaluators that need no judge, or
    have a `target` of their own, still grade.

    ```yaml bad
    execution:
      target: small  # <- finding
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml bad file=targets.yaml
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
        judge_target: large
    ```

    ```yaml good
    execution:
      target: small
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml good file=targets.yaml
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
        judge_target: large
      - name: large
        provider: openai
        model: gpt-4o
    ```
    """
    targets = find_targets(folder.workspace, folder.path)
    if targets is None:
        return
    judges = judges_in(targets, lambda judge: is_undefined(judge, targets))
    for judged in judged_by(suite, judges):
        entry = targets.entry(judged.target)
        place = entry.judge_target if entry is not None else None
        yield Finding(
            judged.place,
            f"{judged.message}, which `{folder.shown(targets.path)}` does not define",
            related=(Related("its judge", place.span, targets.path),) if place else (),
            cases=judged.cases,
        )


@rule("SC316", Severity.INFO, keys=("execution",))
def self_judging(part: ParsedHead | ParsedCase, folder: Folder) -> Iterator[Finding]:
    """An `llm_judge` names the target that also answers.

    A model that judges its own answers tends to prefer them. Use another target to judge, either
    here or as `judge_target`.

    ```yaml bad
    execution:
      target: small
      evaluators:
        - name: tone
          type: llm_judge
          target: small  # <- finding
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml bad file=targets.yaml
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
    ```

    ```yaml good
    execution:
      target: small
      evaluators:
        - name: tone
          type: llm_judge
          target: large
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml good file=targets.yaml
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
      - name: large
        provider: openai
        model: gpt-4o
    ```
    """
    target = target_of(part)
    if target is None:
        return
    for element in part.elements():
        if not isinstance(element, ParsedEvaluator):
            continue
        for value in element.values(FieldRole.TARGET):
            judge = value.node
            own_model = value.beside(FieldRole.MODEL) is not None
            if not isinstance(judge, Scalar) or judge.text != target.text or own_model:
                continue
            targets = find_targets(folder.workspace, folder.path)
            judged = None if targets is None else targets.config(target.text)
            if targets is not None and judged is not None and judged.asks == "model":
                yield Finding(
                    judge.span,
                    f"`{judge.text}` answers and judges its own answers",
                    related=(Related("the target that answers", target.span),),
                )


@rule("SC320", Severity.INFO)
def implicit_self_judging(suite: ParsedSuite, folder: Folder) -> Iterator[Finding]:
    """A target without a `judge_target` judges its own answers.

    If a target has no `judge_target`, and an evaluator has no `target` of its own, the target that
    answers also judges. Models tend to prefer their own output.

    ```yaml bad
    execution:
      target: small  # <- finding
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml bad file=targets.yaml
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
    ```

    ```yaml good
    execution:
      target: small
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml good file=targets.yaml
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
        judge_target: large
      - name: large
        provider: openai
        model: gpt-4o
    ```
    """
    targets = find_targets(folder.workspace, folder.path)
    if targets is None or not targets.configs or suite.head.model is None:
        return
    reported: set[int] = set()
    of_head = target_of(suite.head)
    answering = targets.config(of_head.text) if of_head is not None else None
    judges = answering is not None and _judges_itself(answering)
    cases = enumerate(suite.cases) if judges else suite.case_index.where(_with_target)
    for number, case in cases:
        own = target_of(case)
        named = own if own is not None else of_head
        config = targets.config(named.text) if named is not None else None
        if named is None or config is None or not _judges_itself(config):
            continue
        if case.model is None or not asks_judge(suite.head.model, case.model):
            continue
        place = suite.place(number, named.span) if own is not None else suite.head_place(named.span)
        if place.start not in reported:
            reported.add(place.start)
            yield Finding(
                place,
                f"`{named.text}` answers and judges its own answers: it has no `judge_target`",
                related=_defined(targets, named.text),
            )


def _with_target(case: ParsedCase) -> ParsedCase | None:
    return case if target_of(case) is not None else None


def _defined(targets: ParsedTargets, name: str) -> tuple[Related, ...]:
    return (Related("the target", targets.spans[name], targets.path),)


def _judges_itself(config: TargetConfig) -> bool:
    return config.asks == "model" and config.judge_target is None
