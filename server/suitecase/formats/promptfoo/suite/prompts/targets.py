"""What the path of a prompt leads to: files with their prompts, or why there are none."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from suitecase.format.file_patterns import PatternProblem, files_matching
from suitecase.format.workspace import Folder, Unreadable
from suitecase.formats.promptfoo.suite.prompts.files import FilePrompt, file_prompts
from suitecase.formats.promptfoo.suite.prompts.parts import PromptPart, slice_part
from suitecase.formats.promptfoo.suite.prompts.paths import TEXT_ENDINGS, PromptPath
from suitecase.formats.promptfoo.suite.references.script_functions import lacks_function
from suitecase_evaluators.system.path_kinds import FILE_SCHEME, is_file, is_folder


class PromptProblem(StrEnum):
    """Why an entry of `prompts` is not what its author meant."""

    #: It is a number, a list or nothing.
    NOT_TEXT = "not text"
    #: An object with neither `raw` nor `id`.
    NO_TEXT = "no text"
    EMPTY = "empty"
    #: A path with a line break in it, which is sent as text.
    LINE_BREAK = "line break"
    MISSING = "missing"
    #: A glob that no file matches; the pattern is sent as text.
    NO_MATCH = "no match"
    #: Its name is sent as text.
    FOLDER = "folder"
    #: A file whose ending promptfoo does not know.
    UNKNOWN_ENDING = "unknown ending"
    NO_PROMPTS = "no prompts"
    UNREADABLE = "unreadable"
    NO_FUNCTION = "no function"
    #: It leads out of the workspace, where nothing is looked at.
    OUTSIDE = "outside"
    #: A glob for which too many files and folders would have to be looked at.
    TOO_MUCH = "too much"


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A file that a path leads to, with the prompts in it; none if it is code or cannot be read."""

    path: Path
    #: As promptfoo has it in labels: relative to the configuration.
    shown: str
    prompts: tuple[FilePrompt, ...] = ()
    is_code: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """What a path leads to."""

    problem: PromptProblem | None = None
    files: tuple[PromptFile, ...] = ()
    is_glob: bool = False
    #: The path is sent as text.
    is_text: bool = False
    #: The path, resolved; None if it leads out of the workspace.
    path: Path | None = None
    #: Why a file cannot be read.
    reason: str = ""


def target_of(path: PromptPath, folder: Folder) -> Target:
    """Return what a path in `prompts` leads to, from the folder of the configuration."""
    if "\0" in path.path:
        return Target(PromptProblem.MISSING)
    place = Path(os.path.normpath(folder.path / path.path))
    if path.is_glob:
        return _glob(path, place, folder)
    if not folder.workspace.holds(place):
        return Target(PromptProblem.OUTSIDE)
    if is_folder(place):
        return Target(PromptProblem.FOLDER, is_text=True, path=place)
    if not is_file(place) and folder.workspace.open_text(place) is None:
        return Target(PromptProblem.MISSING, path=place)
    return _file(path, place, folder)


def _glob(path: PromptPath, place: Path, folder: Folder) -> Target:
    found = files_matching(path.path, folder)
    if isinstance(found, PatternProblem):
        is_outside = found is PatternProblem.OUTSIDE
        problem = PromptProblem.OUTSIDE if is_outside else PromptProblem.TOO_MUCH
        return Target(problem, is_glob=True)
    files: list[PromptFile] = []
    for file in found:
        target = _file(PromptPath(file.as_posix(), path.function), file, folder)
        files.extend(target.files)
    if not files:
        return Target(PromptProblem.NO_MATCH, is_glob=True, is_text=True, path=place)
    return Target(None, tuple(files), is_glob=True, path=place)


def _file(path: PromptPath, place: Path, folder: Folder) -> Target:
    shown = os.path.relpath(place, folder.path).replace("\\", "/")
    if path.is_code or (path.ending not in TEXT_ENDINGS and os.access(place, os.X_OK)):
        return _code(path, place, folder, shown)
    if path.ending not in TEXT_ENDINGS:
        return Target(PromptProblem.UNKNOWN_ENDING, path=place)
    text = folder.read(place)
    if isinstance(text, Unreadable):
        return Target(PromptProblem.UNREADABLE, path=place, reason=text.reason)
    prompts = tuple(_with_linked(file_prompt, folder) for file_prompt in file_prompts(place, text))
    problem = None if prompts else PromptProblem.NO_PROMPTS
    return Target(problem, (PromptFile(place, shown, prompts),) if prompts else (), path=place)


def _with_linked(prompt: FilePrompt, folder: Folder) -> FilePrompt:
    """Return a chat with the texts of the files that it names in place of their names."""
    if not any(part.text.startswith(FILE_SCHEME) for part in prompt.parts):
        return prompt
    parts = tuple(part for it in prompt.parts for part in _linked(it, folder))
    return replace(prompt, parts=parts)


def _linked(part: PromptPart, folder: Folder) -> tuple[PromptPart, ...]:
    path = Path(os.path.normpath(folder.path / part.text.removeprefix(FILE_SCHEME).strip()))
    is_named = part.text.startswith(FILE_SCHEME) and "\0" not in part.text
    if not is_named or not folder.workspace.holds(path) or not is_file(path):
        return (part,)
    text = folder.read(path)
    if isinstance(text, Unreadable):
        return (part,)
    if path.suffix not in (".json", ".yaml", ".yml"):
        return (slice_part(text, 0, path),)
    return tuple(it for prompt in file_prompts(path, text) for it in prompt.parts)


def _code(path: PromptPath, place: Path, folder: Folder, shown: str) -> Target:
    files = (PromptFile(place, shown, is_code=True),)
    text = folder.read(place) if path.function else None
    if isinstance(text, str) and path.function and lacks_function(place.name, text, path.function):
        return Target(PromptProblem.NO_FUNCTION, files, path=place)
    return Target(None, files, path=place)
