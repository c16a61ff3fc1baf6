"""Rules on judges that are to grade by rubrics and have none."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.formats.legacy.normalize import LegacySyntax
from suitecase.formats.legacy.normalize.rubrics import SCORE_RUBRIC
from suitecase.rule import Finding, rule
from suitecase.rules.misspelling import misspells
from suitecase.rules.prompts import texts_of
from suitecase.suite.elements import ParsedEvaluator
from suitecase.suite.parsed import ParsedCase, ParsedHead
from suitecase.suite.prompts import PROMPTS
from suitecase.suite.workspace import Folder
from suitecase.syntax.node import Mapping, Sequence
from suitecase_evaluators.judge.config import LlmJudgeConfig
from suitecase_evaluators.judge.template import find_variables


def _lacks_rubrics(judge: Mapping) -> bool:
    """Whether a judge has no rubrics, and nothing that is found as wrong in their place."""
    rubrics = judge.get("rubrics")
    if "rubrics" in judge:
        return isinstance(rubrics, Sequence) and not rubrics.items
    return not misspells(judge, "rubrics", LlmJudgeConfig)


@rule("SC324", roles=PROMPTS)
def prompt_names_no_rubrics(evaluator: ParsedEvaluator, folder: Folder) -> Iterator[Finding]:
    """A judge's prompt contains `{{ rubrics }}`, but the judge has no rubrics.

    The variable would be empty, and the judge would grade freely by a prompt that says it grades
    item by item. The `rubrics` of a case are graded by a judge of their own and are not available
    to others: to use them in a judge, write them under its own `rubrics`.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
            prompt: Judge {{ candidate_answer }} by these. {{ rubrics }}  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
            prompt: Judge {{ candidate_answer }} by these. {{ rubrics }}
            rubrics:
              - Is warm
    ```
    """
    if evaluator.type == "llm_judge" and not _lacks_rubrics(evaluator.node):
        return
    for prompt, text in texts_of(evaluator, folder):
        if all(it.name != "rubrics" for it in find_variables(text)):
            continue
        which = "this prompt" if prompt.path is None else f"`{prompt.reference}`"
        lacks = (
            "the judge that aggregates a composite has no rubrics"
            if prompt.aggregates
            else "this judge has no `rubrics`"
        )
        yield Finding(
            prompt.node.span,
            f"{which} names `{{{{ rubrics }}}}`, and {lacks}, so there is nothing to fill in",
        )


def lacks_its_rubrics(legacy_syntax: LegacySyntax) -> bool:
    """Whether an evaluator is called a `rubric` one, and has nothing that could be its rubrics."""
    if legacy_syntax.kind != "evaluator_type" or legacy_syntax.old not in ("rubric", "rubrics"):
        return False
    judge = legacy_syntax.parent
    return "criteria" not in judge and SCORE_RUBRIC not in judge and _lacks_rubrics(judge)


@rule("SC325", only_of="respelled")
def rubric_evaluator_without_rubrics(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """An evaluator of type `rubric` has no rubrics.

    Such an evaluator grades by its rubrics. Without them it would be a judge that grades freely, by
    the expected outcome. If that is the intention, use the type `llm_judge`.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: rubric  # <- finding
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
    for legacy_syntax in part.legacy_syntax:
        if lacks_its_rubrics(legacy_syntax):
            yield Finding(
                legacy_syntax.node.span,
                f"an evaluator of the type `{legacy_syntax.old}` grades by its `rubrics`, and this one "
                "has none; list them, or change its type to `llm_judge` for a judge that grades "
                "freely",
            )
