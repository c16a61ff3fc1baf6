"""Rules on the scripts that judge: files and folders they are started with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from suitecase.rule import Finding, Severity, rule
from suitecase.suite.elements import WrittenEvaluator
from suitecase.suite.workspace import Folder
from suitecase.syntax.node import Mapping, Node, Scalar, Sequence

#: Programs whose first argument that is no option is a file they run.
_INTERPRETERS = re.compile(
    r"(?:python|pypy)[0-9.]*|node|deno|bun|tsx|ts-node|npx|bunx|uv|uvx|ruby|perl|php|sh|bash|zsh"
    r"|pwsh|powershell|Rscript"
)
#: Words between an interpreter and the file.
_SUBCOMMANDS = frozenset({"run", "x", "tsx", "ts-node"})
#: Options behind which no file of the suite's follows: code, a module, a package.
_RUNS_NO_FILE = frozenset({"-c", "-m", "-e", "-p", "--eval", "--print", "--command", "--module"})
_SCRIPT = re.compile(r"\.(?:py|pyw|[cm]?js|[cm]?ts|jsx|tsx|sh|bash|zsh|rb|pl|php|ps1|r|R)")
#: A command line of more than plain words is the shell's to read.
_PLAIN_WORDS = re.compile(r"[\w./@:=+,\- ]+")


def _places(evaluator: WrittenEvaluator) -> Iterator[tuple[Node, Node | None]]:
    """Yield each command of an evaluator with its `cwd`."""
    if evaluator.type == "code_judge":
        command = evaluator.node.get("script")
        if command is not None:
            yield command, evaluator.node.get("cwd")
    prompt = evaluator.node.get("prompt")
    if evaluator.type == "llm_judge" and isinstance(prompt, Mapping):
        command = prompt.get("script")
        if command is not None:
            yield command, None
    aggregator = evaluator.node.get("aggregator")
    if evaluator.type == "composite" and isinstance(aggregator, Mapping):
        kind, command = aggregator.get("type"), aggregator.get("path")
        if isinstance(kind, Scalar) and kind.text == "code_judge" and command is not None:
            yield command, aggregator.get("cwd")


def _folder_of(cwd: Node | None, folder: Folder) -> Path | None:
    """Return the folder a command starts in; None where it is not there or not ours to look at."""
    place = folder.path
    if isinstance(cwd, Scalar) and isinstance(cwd.value, str) and cwd.text.strip():
        if "$" in cwd.text or "\0" in cwd.text:
            return None
        place = folder.path / cwd.text
    elif cwd is not None and not (isinstance(cwd, Scalar) and cwd.value is None):
        return None
    return place if folder.workspace.holds(place) and place.is_dir() else None


def _file_of(command: Node) -> tuple[Scalar, str] | None:
    """Return the file a command runs, with the node it is named in; None where that is not sure."""
    if isinstance(command, Sequence):
        arguments = [it for it in command.items if isinstance(it, Scalar)]
        if len(arguments) != len(command.items):
            return None
        words = [(it, it.text) for it in arguments]
    elif isinstance(command, Scalar) and _PLAIN_WORDS.fullmatch(command.text.strip()):
        words = [(command, it) for it in command.text.split()]
    else:
        return None
    if not words:
        return None
    program = words[0][1]
    if not _INTERPRETERS.fullmatch(PurePosixPath(program).name.removesuffix(".exe")):
        return words[0] if _is_script(program) and "/" in program else None
    for node, word in words[1:]:
        if word in _RUNS_NO_FILE:
            return None
        if word.startswith("-") or word in _SUBCOMMANDS:
            continue
        return (node, word) if _is_script(word) else None
    return None


def _is_script(word: str) -> bool:
    path = PurePosixPath(word)
    sure = not path.is_absolute() and not any(it in word for it in ":$~*{\0")
    return sure and bool(_SCRIPT.fullmatch(path.suffix))


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
    for command, cwd in _places(evaluator):
        found = _file_of(command)
        place = _folder_of(cwd, folder)
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
    for _, cwd in _places(evaluator):
        if not isinstance(cwd, Scalar) or not isinstance(cwd.value, str) or not cwd.text.strip():
            continue
        if "$" in cwd.text or "\0" in cwd.text:
            continue
        path = folder.path / cwd.text
        if folder.workspace.holds(path) and not path.is_dir():
            what = "is a file" if path.is_file() else "is not there"
            yield Finding(cwd.span, f"the folder `{cwd.text}` {what}; it counts from the suite's")
