"""Rules on the files and working directories of evaluators' scripts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from suitecase.format.rule import Finding, Severity, rule
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.elements import ParsedEvaluator
from suitecase.formats.suitecase.scripts import commands_of, said_folder, scripts_of
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.system.path_kinds import is_file, may_be_file, may_be_folder


@rule("SC321", Severity.WARNING, roles=(FieldRole.COMMAND,))
def script_missing(evaluator: ParsedEvaluator, folder: Folder) -> Iterator[Finding]:
    """The script of an evaluator does not exist.

    A relative path is relative to `cwd`, by default the suite's folder. If a script cannot be
    started, every case that it grades is an error.

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
    for node, word, place in scripts_of(evaluator, folder):
        path = place / word
        if folder.workspace.holds(path) and not may_be_file(path):
            yield Finding(node.span, f"script `{word}` not found in `{folder.shown(place)}`")


@rule("SC322", Severity.WARNING, roles=(FieldRole.COMMAND,))
def script_folder_missing(evaluator: ParsedEvaluator, folder: Folder) -> Iterator[Finding]:
    """The working directory of a script does not exist.

    `cwd` is searched for in the suite's folder and in each one above it, up to the root of the
    workspace. Nothing can be started in a folder that does not exist, so every case that the script
    grades would be an error.

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
        name = said_folder(cwd)
        path = folder.start_folder(name) if name is not None else None
        if cwd is not None and path is not None and not may_be_folder(path):
            problem = "is a file" if is_file(path) else "does not exist"
            places = folder.workspace.folders_up(folder.path)
            base = f"`{folder.shown(places[0])}`" if places[0] != folder.root else "the workspace"
            above = " and the folders above it" if len(places) > 1 else ""
            yield Finding(cwd.span, f"the folder `{name}` {problem}, relative to {base}{above}")


@rule("SC535", roles=(FieldRole.COMMAND,))
def script_folder_outside_workspace(
    evaluator: ParsedEvaluator, folder: Folder
) -> Iterator[Finding]:
    """The working directory of a script is outside the workspace.

    The script is not run: the folder is not under version control with the suite, and on another
    machine the suite would be graded differently. In an editor, the workspace is the open folder;
    on the command line it is the nearest folder upwards with `.git` or a configuration, else the
    working directory.

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
        name = said_folder(cwd)
        if cwd is not None and name is not None and folder.start_folder(name) is None:
            root = folder.root.name or folder.root
            yield Finding(cwd.span, f"the folder `{name}` is outside the workspace `{root}`")


@rule("SC536", Severity.WARNING, roles=(FieldRole.COMMAND,))
def script_outside_workspace(evaluator: ParsedEvaluator, folder: Folder) -> Iterator[Finding]:
    """The script of an evaluator is outside the workspace.

    The script is run, but not tracked: Suitecase does not check whether it exists, and results do
    not become stale when it changes. On another machine it may be a different script, or missing.

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
    for node, word, place in scripts_of(evaluator, folder):
        if not folder.workspace.holds(Path(os.path.normpath(place / word))):
            root = folder.root.name or folder.root
            yield Finding(node.span, f"the script `{word}` is outside the workspace `{root}`")
