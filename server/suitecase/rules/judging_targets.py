"""Rules on who judges: the targets that a suite's targets name as their judges."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.rule import Finding, Related, Severity, rule
from suitecase.suite.elements import WrittenEvaluator
from suitecase.suite.model import Case, SuiteHead
from suitecase.suite.target_files import EMBEDDED, WrittenTargets, find_targets
from suitecase.suite.workspace import Folder
from suitecase.suite.written import WrittenCase, WrittenHead, WrittenSuite
from suitecase.syntax.node import Mapping, Scalar
from suitecase_evaluators.composite import CompositeConfig, JudgeAggregator
from suitecase_evaluators.criteria import CriteriaConfig
from suitecase_evaluators.evaluator import EvaluatorConfig
from suitecase_evaluators.judge.config import LlmJudgeConfig
from suitecase_evaluators.targets.config import LlmConfig


def target_of(part: WrittenHead | WrittenCase) -> Scalar | None:
    """Return the target a part is asked of, where it says so."""
    execution = part.node.get("execution") if part.node else None
    written = execution.get("target") if isinstance(execution, Mapping) else None
    named = isinstance(written, Scalar) and isinstance(written.value, str)
    return written if isinstance(written, Scalar) and named and written.text.strip() else None


@rule("SC507", Severity.WARNING, keys=("execution",))
def judge_not_defined(part: WrittenHead | WrittenCase, folder: Folder) -> Iterator[Finding]:
    """A target is to be judged by one that is not defined.

    The `judge_target` of a target is the name of another target in the same file. Without it no
    judge can be asked; evaluators that ask none still grade.

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
    target = target_of(part)
    targets = find_targets(folder.workspace, folder.path) if target is not None else None
    config = targets.config(target.text) if targets is not None and target is not None else None
    if target is None or targets is None or config is None or not config.judge_target:
        return
    judge = config.judge_target
    if judge in targets.spans or judge == EMBEDDED or "${{" in judge or targets.wrong is not None:
        return
    entry = targets.entry(target.text)
    place = entry.judge_target if entry is not None else None
    yield Finding(
        target.span,
        f"`{target.text}` is judged by `{judge}`, and `{folder.shown(targets.path)}` has no such "
        "target",
        related=(Related("its judge", place.span, targets.path),) if place else (),
    )


@rule("SC316", Severity.INFO, keys=("execution",))
def self_judging(part: WrittenHead | WrittenCase, folder: Folder) -> Iterator[Finding]:
    """A model judges its own answers.

    Models tend to prefer what they wrote themselves. An `llm_judge` that names the target which
    answers lets it grade itself; another target, as `judge_target` or here, does not.

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
        if not isinstance(element, WrittenEvaluator) or element.type != "llm_judge":
            continue
        judge = element.node.get("target")
        if not isinstance(judge, Scalar) or judge.text != target.text or "model" in element.node:
            continue
        targets = find_targets(folder.workspace, folder.path)
        if targets is not None and isinstance(targets.config(target.text), LlmConfig):
            yield Finding(
                judge.span,
                f"`{judge.text}` answers and judges its own answers",
                related=(Related("the target that answers", target.span),),
            )


@rule("SC320", Severity.INFO)
def judged_by_itself(suite: WrittenSuite, folder: Folder) -> Iterator[Finding]:
    """A model judges its own answers, because its target names no other judge.

    Where a target has no `judge_target`, and an evaluator names no `target` of its own, the target
    that answers is asked to judge. Models tend to prefer what they wrote themselves.

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
    told: set[int] = set()
    of_head = target_of(suite.head)
    asked = targets.config(of_head.text) if of_head is not None else None
    judges = isinstance(asked, LlmConfig) and asked.judge_target is None
    cases = enumerate(suite.cases) if judges else suite.facts.where(_with_target)
    for number, case in cases:
        own = target_of(case)
        named = own if own is not None else of_head
        config = targets.config(named.text) if named is not None else None
        if named is None or not isinstance(config, LlmConfig) or config.judge_target is not None:
            continue
        if case.model is None or not asks_judge(suite.head.model, case.model):
            continue
        place = suite.place(number, named.span) if own is not None else suite.head_place(named.span)
        if place.start not in told:
            told.add(place.start)
            yield Finding(
                place,
                f"`{named.text}` answers and judges its own answers: it has no `judge_target`",
                related=_defined(targets, named.text),
            )


def _with_target(case: WrittenCase) -> WrittenCase | None:
    return case if target_of(case) is not None else None


def _defined(targets: WrittenTargets, name: str) -> tuple[Related, ...]:
    return (Related("the target", targets.spans[name], targets.path),)


def asks_judge(head: SuiteHead, case: Case) -> bool:
    """Whether a case is graded by the judge of its target, by whatever is certain of it."""
    own = case.execution.evaluators if case.execution else None
    own = own if own is not None else case.evaluators
    common = head.execution.evaluators if head.execution else None
    listed = own if own is not None else common or []
    by_criteria = head.evaluation_mode == "llm" and bool((head.evaluation_criteria or "").strip())
    if case.rubrics or by_criteria or any(map(_is_judging, listed)):
        return True
    return not listed and head.evaluation_mode is None


def _is_judging(config: EvaluatorConfig) -> bool:
    match config:
        case LlmJudgeConfig():
            return config.target is None and config.model is None
        case CriteriaConfig():
            return bool(config.criteria.strip())
        case CompositeConfig():
            by_judge = isinstance(config.aggregator, JudgeAggregator)
            return by_judge or any(map(_is_judging, config.evaluators))
        case _:
            return False
