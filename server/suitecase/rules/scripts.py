"""Rules on the scripts that judge: files and folders they are started with."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from suitecase.rule import Finding, Severity, rule
from suitecase.suite.elements import WrittenEvaluator
from suitecase.suite.scripts import commands_of, said_folder, script_of, start_folder
from suitecase.suite.workspace import Folder


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

    `cwd` is looked for in the suite's folder and in each one above it, up to the root of the
    workspace. Nothing can be started in a folder that is not there, so every case the script should
    grade would be an error.

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
        said = said_folder(cwd)
        path = folder.start_folder(said) if said is not None else None
        if cwd is not None and path is not None and not path.is_dir():
            what = "is a file" if path.is_file() else "is not there"
            places = folder.workspace.folders_up(folder.path)
            looked = f"`{folder.shown(places[0])}`" if places[0] != folder.root else "the workspace"
            above = " and the folders above it" if len(places) > 1 else ""
            yield Finding(cwd.span, f"the folder `{said}` {what}, seen from {looked}{above}")


@rule("SC535", keys=("script", "aggregator"))
def script_folder_outside_workspace(
    evaluator: WrittenEvaluator, folder: Folder
) -> Iterator[Finding]:
    """The folder a script should run in lies outside the workspace.

    Nothing is run there: it is no part of what is checked in, and the suite would be graded
    otherwise on another machine. An editor's workspace is the folder that is open; on the command
    line it is the nearest folder upwards with `.git` or a configuration, else the working directory.

    ```yaml bad
    evalcases:
      - id: extract
        input: Extract the total.
        expected_outcome: The total is there
        evaluators:
          - name: fields
            type: code_judge
            script: [python, -m, checks.fields]
            cwd: ../../checks  # <- finding
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
    for _, cwd in commands_of(evaluator):
        said = said_folder(cwd)
        if cwd is not None and said is not None and folder.start_folder(said) is None:
            root = folder.root.name or folder.root
            yield Finding(cwd.span, f"the folder `{said}` lies outside the workspace `{root}`")


@rule("SC536", Severity.WARNING, keys=("script", "prompt", "aggregator"))
def script_outside_workspace(evaluator: WrittenEvaluator, folder: Folder) -> Iterator[Finding]:
    """A script that judges lies outside the workspace.

    It is run, and nothing else is known of it: whether it is there is not looked at, and results
    do not become stale where it changes. On another machine another script may lie there, or none.

    ```yaml bad
    evalcases:
      - id: extract
        input: Extract the total.
        expected_outcome: The total is there
        evaluators:
          - name: words
            type: code_judge
            script: [python, ../words.py]  # <- finding
    ```

    ```yaml good
    evalcases:
      - id: extract
        input: Extract the total.
        expected_outcome: The total is there
        evaluators:
          - name: words
            type: code_judge
            script: [python, -m, checks.words]
    ```
    """
    for command, cwd in commands_of(evaluator):
        found, place = script_of(command), start_folder(cwd, folder)
        if found is None or place is None:
            continue
        node, word = found
        if not folder.workspace.holds(Path(os.path.normpath(place / word))):
            root = folder.root.name or folder.root
            yield Finding(node.span, f"the script `{word}` lies outside the workspace `{root}`")
