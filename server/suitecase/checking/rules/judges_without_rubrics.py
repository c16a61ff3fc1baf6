"""Rules on judges that need rubrics and have none."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from suitecase.checking.rules.misspelling import misspells
from suitecase.checking.rules.prompts import texts_of
from suitecase.format.rule import Finding, rule
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.elements import ParsedEvaluator, ParsedJudge
from suitecase.formats.suitecase.prompts import PROMPTS
from suitecase.schema.roles import key_with
from suitecase.text.node import Mapping, Sequence
from suitecase_evaluators.grade.judge.template import find_variables
from suitecase_evaluators.schema.field_role import FieldRole


def lacks_rubrics(judge: Mapping, model: type[BaseModel]) -> bool:
    """Whether a judge has no rubrics, and no invalid value that another rule reports instead."""
    key = key_with(model, FieldRole.RUBRICS)
    if key is None:
        return True
    rubrics = judge.get(key)
    if key in judge:
        return isinstance(rubrics, Sequence) and not rubrics.items
    return not misspells(judge, key, model)


@rule("SC324", roles=PROMPTS)
def judge_without_rubrics(evaluator: ParsedEvaluator, folder: Folder) -> Iterator[Finding]:
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
    if isinstance(evaluator, ParsedJudge):
        return  # the evaluators of this name have the rubrics
    if evaluator.config is not None and not lacks_rubrics(evaluator.node, evaluator.config):
        return
    for prompt, text in texts_of(evaluator, folder):
        if all(variable.name != "rubrics" for variable in find_variables(text)):
            continue
        which = "this prompt" if prompt.path is None else f"`{prompt.reference}`"
        lacks = (
            "the judge that aggregates a composite has no rubrics"
            if prompt.aggregates
            else "this judge has no `rubrics`"
        )
        yield Finding(
            prompt.node.span,
            f"{which} contains `{{{{ rubrics }}}}`, but {lacks}",
        )
