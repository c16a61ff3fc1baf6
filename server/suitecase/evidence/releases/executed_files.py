"""The files of the workspace that a command line executes."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from suitecase.format.workspace import Workspace
from suitecase_evaluators.system.path_kinds import is_file


def executed_files(
    command: str | Sequence[str], folder: Path, workspace: Workspace
) -> Iterator[Path]:
    """Yield the file of the workspace that each command of a command line executes.

    Args:
        command: the command line, or a program and its arguments.
        folder: the folder that it starts in.
        workspace: holds the files.
    """
    for words in _simple_commands(command):
        for word in words:
            path = Path(os.path.normpath(folder / word))
            if workspace.holds(path) and is_file(path):
                yield path
                break


def _simple_commands(command: str | Sequence[str]) -> Iterator[list[str]]:
    """Yield the words of each command of a command line.

    Targets of redirections are left out; for `--name=value` the value is included.
    """
    if not isinstance(command, str):
        yield [reading for word in command for reading in _readings(word)]
        return
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        tokens = list(lexer)
    except ValueError:
        tokens = command.split()  # a quote is not closed
    words: list[str] = []
    redirected = False
    for token in tokens:
        if token and not token.strip("<>"):
            redirected = True
        elif token and not token.strip("();|&"):
            yield words
            words, redirected = [], False
        elif redirected:
            redirected = False
        else:
            words += _readings(token)
    yield words


def _readings(word: str) -> list[str]:
    return [it for it in dict.fromkeys((word, word.rpartition("=")[2])) if it and "\0" not in it]
