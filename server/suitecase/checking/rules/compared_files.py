"""Rules on the files that evaluators compare answers with."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Finding, Severity, rule
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.elements import ParsedEvaluator
from suitecase.text.node import Scalar
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.system.path_kinds import may_be_file


@rule("SC326", Severity.WARNING, roles=(FieldRole.RESULTS,))
def compared_results_missing(evaluator: ParsedEvaluator, folder: Folder) -> Iterator[Finding]:
    """A results file that answers are compared with does not exist.

    Without the answers of the earlier run, no case that the evaluator grades can be graded. The path
    is relative to the suite, and the file has to be in the workspace. It is a warning, since the file
    may be written, or downloaded, before the suite is run.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: better
            type: preference
            against: runs/monday.jsonl  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: better
            type: preference
            against: runs/monday.jsonl
    ```

    ```json good file=runs/monday.jsonl
    {"eval_id": "greet", "candidate_answer": "Hello!"}
    ```
    """
    config = evaluator.read()
    files = evaluator.description.files(config) if config is not None else ()
    for value in evaluator.values(FieldRole.RESULTS):
        node = value.node
        if not isinstance(node, Scalar) or node.text not in files:
            continue
        path = folder.path / node.text
        if not folder.workspace.holds(path):
            yield Finding(node.span, f"`{node.text}` is outside the workspace `{folder.root.name}`")
        elif not may_be_file(path):
            yield Finding(node.span, f"results file `{node.text}` not found, relative to the suite")
