"""The commands of evaluators: their nodes, their working directories, and the files they run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.elements import ParsedEvaluator
from suitecase.text.node import Node, Scalar, Sequence
from suitecase_evaluators.schema.field_role import FieldRole
from suitecase_evaluators.system.path_kinds import is_folder

#: Programs that run the file in their first argument that is not an option.
_INTERPRETERS = re.compile(
    r"(?:python|pypy)[0-9.]*|node|deno|bun|tsx|ts-node|npx|bunx|uv|uvx|ruby|perl|php|sh|bash|zsh"
    r"|pwsh|powershell|Rscript"
)
#: Words between an interpreter and the file.
_SUBCOMMANDS = frozenset({"run", "x", "tsx", "ts-node"})
#: Options that are followed by code, a module or a package instead of a file.
_RUNS_NO_FILE = frozenset({"-c", "-m", "-e", "-p", "--eval", "--print", "--command", "--module"})
_SCRIPT = re.compile(r"\.(?:py|pyw|[cm]?js|[cm]?ts|jsx|tsx|sh|bash|zsh|rb|pl|php|ps1|r|R)")
#: Characters of a command line that only a shell can interpret.
_PLAIN_WORDS = re.compile(r"[\w./@:=+,\- ]+")


def commands_of(evaluator: ParsedEvaluator) -> Iterator[tuple[Node, Node | None]]:
    """Yield each command of an evaluator with the folder it names to start in."""
    for value in evaluator.values(FieldRole.COMMAND):
        yield value.node, value.beside(FieldRole.FOLDER)


def scripts_of(evaluator: ParsedEvaluator, folder: Folder) -> Iterator[tuple[Scalar, str, Path]]:
    """Yield each file that an evaluator runs: its node, its name, and the working directory.

    Commands are skipped if their file or their folder is not certain.
    """
    for command, cwd in commands_of(evaluator):
        found, start = script_of(command), start_folder(cwd, folder)
        if found is not None and start is not None:
            yield *found, start


def start_folder(cwd: Node | None, folder: Folder) -> Path | None:
    """Return the folder a command starts in; None where it does not exist or not ours to look at."""
    name = said_folder(cwd)
    if cwd is not None and name is None and not (isinstance(cwd, Scalar) and cwd.value is None):
        return None
    place = folder.start_folder(name)
    return (
        place if place is not None and folder.workspace.holds(place) and is_folder(place) else None
    )


def said_folder(cwd: Node | None) -> str | None:
    """Return the folder that a `cwd` names; None if it names none, or one that cannot be resolved."""
    if not isinstance(cwd, Scalar) or not isinstance(cwd.value, str) or not cwd.text.strip():
        return None
    return None if "$" in cwd.text or "\0" in cwd.text else cwd.text


def script_of(command: Node) -> tuple[Scalar, str] | None:
    """Return the file that a command runs, with its node; None if that is not certain."""
    if isinstance(command, Sequence):
        arguments = [item for item in command.items if isinstance(item, Scalar)]
        if len(arguments) != len(command.items):
            return None
        words = [(argument, argument.text) for argument in arguments]
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
