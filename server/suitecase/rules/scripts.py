"""Rules on the scripts that judge: files and folders they are started with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from suitecase.rule import Finding, Severity, rule
from suitecase.suite.elements import WrittenEvaluator
from suitecase.suite.scripts import commands_of, script_of, start_folder
from suitecase.suite.workspace import Folder
from suitecase.syntax.node import Scalar


@rule("SC321", Severity.WARNING, keys=("script", "prompt", "aggregator"))
def script_missing(evaluator: WrittenEvaluator, folder: Folder) -> Iterator[Finding]:
    """A script that judges is not there.

    A relative path counts from `cwd`, which is the suite's folder where nothing else is said. A
    script that cannot be started is an error of every case it should grade.

    ```yaml bad
    evalcases:
      - id: extract
        input: Extract the total.
        expected_outcome: The total is there
        evaluators:
          - name: fields
            type: code_judge
            script: [python, check_fields.py]  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: extract
        input: Extract the total.
        expected_outcome: The total is there
        evaluators:
          - name: fields
            type: code_judge
            script: [python, -m, checks.fields]
    ```
    """
    for command, cwd in commands_of(evaluator):
        found = script_of(command)
        place = start_folder(cwd, folder)
        if found is None or place is None:
            continue
        node, word = found
        path = place / word
        if folder.workspace.holds(path) and not _is_file(path):
            yield Finding(node.span, f"there is no script `{word}` in `{folder.shown(place)}`")


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return True


@rule("SC322", Severity.WARNING, keys=("script", "prompt", "aggregator"))
def script_folder_missing(evaluator: WrittenEvaluator, folder: Folder) -> Iterator[Finding]:
    """The folder a script should run in is not there.

    `cwd` counts from the suite's folder. Nothing can be started in a folder that is not there, so
    every case the script should grade would be an error.

    ```yaml bad
    evalcases:
      - id: extract
        input: Extract the total.
        expected_outcome: The total is there
        evaluators:
          - name: fields
            type: code_judge
            script: [python, -m, checks.fields]
            cwd: ./checks  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: extract
        input: Extract the total.
        expected_outcome: The total is there
        evaluators:
          - name: fields
            type: code_judge
            script: [python, -m, checks.fields]
            cwd: .
    ```
    """
    for _, cwd in commands_of(evaluator):
        if not isinstance(cwd, Scalar) or not isinstance(cwd.value, str) or not cwd.text.strip():
            continue
        if "$" in cwd.text or "\0" in cwd.text:
            continue
        path = folder.path / cwd.text
        if folder.workspace.holds(path) and not path.is_dir():
            what = "is a file" if path.is_file() else "is not there"
            yield Finding(cwd.span, f"the folder `{cwd.text}` {what}; it counts from the suite's")
