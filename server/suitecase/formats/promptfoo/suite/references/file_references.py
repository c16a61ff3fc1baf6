"""References to files: `file://...` in any place, and bare paths where promptfoo takes them.

promptfoo resolves a path from one folder and searches nowhere else: that of the configuration, or
for a few keys that of the file it stands in. Only files inside the workspace are looked at.
"""

from __future__ import annotations

import dataclasses
import os
import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from suitecase.format.file_patterns import PatternProblem, entries_of, files_matching
from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.suite.prompts.paths import is_javascript
from suitecase.schema.key_roles import File
from suitecase.text.cache import Cache
from suitecase.text.near_names import nearest
from suitecase_evaluators.system.path_kinds import FILE_SCHEME, is_file, is_folder

#: How the names of the files end that promptfoo reads the value of an assertion from.
VALUE_ENDINGS = (".txt", ".json", ".yaml", ".yml")
#: What is wrong with other files, for messages; the file follows.
OTHER_ENDING = (
    "promptfoo reads the value of an assertion only from files named "
    f"{', '.join(f'`*{value_ending}`' for value_ending in VALUE_ENDINGS[:-1])} or `*{VALUE_ENDINGS[-1]}`; got"
)
#: What a path in an environment variable, or one that is put together from variables, has in it.
_TEMPLATE = re.compile(r"\{\{|\{%|\$\{")
_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_DRIVE = re.compile(r"/?[A-Za-z]:")
#: A `[` is looked for from the `]` before it, so that many of them without a `]` take no longer.
_GLOB = re.compile(r"[*?]|(?:^|\])[^\[\]]*\[[^\]]+\]|\{[^{}]*,[^{}]*\}|[+@!]\([^()]*\)")
_WITH_FUNCTIONS = (".py", ".rb", ".go")
_TABLES = (".xlsx", ".xls")
#: No more names of a folder are compared with one that is missing.
_MOST_NAMES = 1_000


class FileReference(NamedTuple):
    """A path with what follows it: a function of a script, or a sheet of a spreadsheet."""

    path: str
    function: str | None = None
    sheet: str | None = None

    @property
    def ending(self) -> str:
        """The ending of the file's name in small letters, from its last dot on."""
        return os.path.splitext(self.path)[1].lower()  # noqa: PTH122 - a path of any system

    @property
    def is_glob(self) -> bool:
        return bool(_GLOB.search(self.path))

    @property
    def is_script(self) -> bool:
        """Whether promptfoo runs the file to get what is in it."""
        return is_javascript(self.path) or self.ending in _WITH_FUNCTIONS

    @property
    def is_template(self) -> bool:
        """Whether the path is filled first, so that it is not known which file it is."""
        return bool(_TEMPLATE.search(self.path))


class FileProblem(Enum):
    """Why a reference leads to no file."""

    MISSING = "missing"
    NO_MATCH = "no match"
    FOLDER = "folder"
    #: It leads out of the workspace, where nothing is looked at.
    OUTSIDE = "outside"
    #: It is a pattern for which too many files and folders would have to be looked at.
    TOO_MUCH = "too much"


@dataclass(frozen=True, slots=True)
class Located:
    """The files that a reference leads to, or why there are none.

    `path` is where the file was looked for; for a glob, the folder that holds all matches.
    """

    files: tuple[Path, ...] = ()
    problem: FileProblem | None = None
    path: Path | None = None


def is_remote(text: str) -> bool:
    """Whether a text names something that is fetched: `https://...`, `huggingface://...`."""
    return bool(_REMOTE.match(text)) and not text.startswith(FILE_SCHEME)


def file_reference(text: str) -> FileReference | None:
    """Return the reference of a text that starts with `file://`; None for any other text."""
    return bare_reference(text) if text.startswith(FILE_SCHEME) else None


def names_file(text: str, role: File) -> bool:
    """Whether a text is the path of a file by its role, and not a value or a name."""
    if text.startswith(FILE_SCHEME):
        return role.scheme != "none"
    return role.scheme != "needed" and ("/" in text or not role.or_name)


def bare_reference(text: str) -> FileReference:
    """Return the reference of a text that is a path with or without `file://`."""
    path = text.removeprefix(FILE_SCHEME).replace("\\", "/")
    before, colon, function = path.rpartition(":")
    if colon and len(before) > 1 and (is_javascript(before) or before.endswith(_WITH_FUNCTIONS)):
        return FileReference(before, function)
    file, hash_sign, sheet = path.partition("#")
    if hash_sign and file.lower().endswith(_TABLES):
        return FileReference(file, None, sheet)
    return FileReference(path)


def beside(folder: Folder, file: Path) -> Folder:
    """Return the folder of a file in the same workspace."""
    return dataclasses.replace(folder, path=file.parent)


def located(reference: FileReference, folder: Folder, *, globs: bool = True) -> Located:
    """Look for the files of a reference.

    Args:
        reference: the reference; of a path that is a template nothing is known.
        folder: the folder that the path starts at.
        globs: whether promptfoo takes patterns in this place.
    """
    if reference.is_template or "\0" in reference.path or not reference.path:
        return Located()
    if _DRIVE.match(reference.path):
        return Located(problem=FileProblem.OUTSIDE)
    path = Path(os.path.normpath(folder.path / reference.path))
    # Nothing is asked of what is outside, not even whether it is there.
    is_inside = folder.workspace.holds(path)
    if is_inside and (is_file(path) or folder.workspace.open_text(path) is not None):
        return Located((path,), path=path)
    if globs and reference.is_glob:
        match files_matching(reference.path, folder):
            case PatternProblem.OUTSIDE:
                return Located(problem=FileProblem.OUTSIDE)
            case PatternProblem.TOO_MUCH:
                return Located(problem=FileProblem.TOO_MUCH, path=path)
            case found:
                return Located(found, None if found else FileProblem.NO_MATCH, path)
    if not is_inside:
        return Located(problem=FileProblem.OUTSIDE)
    return Located((), FileProblem.FOLDER if is_folder(path) else FileProblem.MISSING, path)


def files_of(reference: FileReference, folder: Folder) -> tuple[Path, ...]:
    """Return the files of a reference that are inside the workspace."""
    return located(reference, folder).files


def from_another_folder(reference: FileReference, folder: Folder) -> Path | None:
    """Return the file that the path leads to from a folder above, as if one had started there."""
    if reference.is_template or reference.path.startswith("/"):
        return None
    for above in folder.workspace.folders_up(folder.path)[1:]:
        path = Path(os.path.normpath(above / reference.path))
        if folder.workspace.holds(path) and is_file(path):
            return path
    return None


def near_file(path: Path, folder: Folder) -> Path | None:
    """Return the file beside one that is missing whose name is nearest; None if none is near."""
    names = [entry.name for entry in entries_of(path.parent, folder.workspace, _MOST_NAMES)]
    name = nearest(path.name, names)
    found = path.with_name(name) if name else None
    return found if found is not None and is_file(found) else None


def path_from(folder: Folder, path: Path) -> str:
    """Return a path as a reference in a file of a folder has it."""
    return Path(os.path.relpath(path, folder.path)).as_posix()


#: Where references lead to, by the folder they start at, kept with the workspace.
_LOCATED: Cache[dict[tuple[Path, str, bool], Located]] = Cache()


def known_location(reference: FileReference, folder: Folder, *, globs: bool = True) -> Located:
    """Return what `located` returns; it is looked up once for all who ask with a workspace."""
    known = _LOCATED.of(folder.workspace, dict)
    key = (folder.path, reference.path, globs)
    if key in known:
        return known[key]
    found = located(reference, folder, globs=globs)
    if found.problem is not FileProblem.TOO_MUCH:  # which depends on what else a file names
        known[key] = found
    return found
