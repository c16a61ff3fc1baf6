"""The files of a workspace: which files a suite may name, where they are searched, their text.

Only files inside the workspace are read, and they are only read. A path inside the workspace that
a symbolic link leads out of it is not inside, unless a person named it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from suitecase.text.cache import Cache
from suitecase.text.lines import Lines
from suitecase.text.packed_lines import packed_lines
from suitecase_evaluators.system.path_kinds import (
    folders_above,
    is_file,
    is_folder,
    is_shared,
    is_there,
    is_world_writable,
    may_be_file,
    owner_of,
    real_path,
)
from suitecase_evaluators.system.start_folder import start_folder

T = TypeVar("T")

#: Files and folders that mark the root of a workspace, in addition to a `pyproject.toml` with a
#: `[tool.suitecase]` table.
ROOT_MARKS = (".git", "suitecase.toml", ".suitecase")
_OWN_FOLDER = ".suitecase"
_LEFT_BY_EDITORS = ({"editor"}, {"editor", ".gitignore"})
#: Where runs write their results by default, under the root.
RESULTS_FOLDER = Path(".suitecase", "results")
#: Longer files are neither prompts nor suites.
MAX_BYTES = 64 * 1024 * 1024
#: Data sets are read line by line.
MAX_DATASET_BYTES = 4 * 1024 * 1024 * 1024
#: Of a data set so much is read at a time.
_PIECE = 256 * 1024

#: Why a file is not read if a symbolic link leads out of the workspace.
LEADS_OUT = "a symbolic link leads out of the workspace, so it is not read"


@dataclass(frozen=True, slots=True)
class Found:
    """A reference to an existing file, or to one in a folder that may not be entered."""

    path: Path


@dataclass(frozen=True, slots=True)
class NotFound:
    """A reference without a file; `tried` are the searched paths, nearest first."""

    tried: tuple[Path, ...]
    why: Literal["missing", "outside", "link", "not a file"]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a file cannot be read as text."""

    reason: str


@dataclass(slots=True, weakref_slot=True)
class Workspace:
    """A root folder, and the files below it that were read.

    A workspace is used for one check or one keystroke: it reads each file once. `open_texts` are
    texts that take precedence over files on disk: unsaved texts of an editor, and fixed texts that
    are not written.

    What is kept longer than a workspace, such as findings with the text of a case, refers to it
    weakly: it has the texts of all files that it has read.
    """

    root: Path
    open_texts: Mapping[Path, str] = field(default_factory=dict)
    #: What others derived from the files.
    derived: dict[Cache[Any], Any] = field(default_factory=dict)
    _texts: dict[Path, str | Unreadable] = field(default_factory=dict)
    _datasets: dict[Path, Lines | Unreadable] = field(default_factory=dict)
    _found: dict[tuple[Path, str], Found | NotFound] = field(default_factory=dict)
    _up: dict[Path, tuple[Path, ...]] = field(default_factory=dict)
    #: Paths with links followed, which takes many calls of the system.
    _real: dict[Path, Path] = field(default_factory=dict)

    def folders_up(self, folder: Path) -> tuple[Path, ...]:
        """Return a folder and those above it, up to the root; only the folder itself if outside."""
        if folder not in self._up:
            upwards = (folder, *folder.parents)
            inside = folder.is_relative_to(self.root)
            self._up[folder] = upwards[: upwards.index(self.root) + 1] if inside else (folder,)
        return self._up[folder]

    def find(self, reference: str, folder: Path) -> Found | NotFound:
        """Search a reference in a folder and then in each one above it, up to the root.

        A leading slash means the root of one of these folders, not of the file system.
        """
        key = (folder, reference)
        if key not in self._found:
            self._found[key] = self._find(reference, folder)
        return self._found[key]

    def _find(self, reference: str, folder: Path) -> Found | NotFound:
        relative = reference.lstrip("/")
        if not relative or "\0" in reference:
            return NotFound((), "missing")
        tried = [Path(os.path.normpath(up / relative)) for up in self.folders_up(folder)]
        inside = [path for path in tried if path.is_relative_to(self.root)]
        for path in inside:
            if leads_out(path, self.root):
                return NotFound((path,), "link")
            if may_be_file(path):
                return Found(path)
            if is_folder(path):
                return NotFound((path,), "not a file")
        return NotFound(tuple(inside or tried), "missing" if inside else "outside")

    def holds(self, path: Path) -> bool:
        """Whether a path is in the workspace, with symbolic links followed."""
        return path.is_relative_to(self.root) and not leads_out(path, self.root)

    def read(self, path: Path) -> str | Unreadable:
        """Return the text of a file, or why it cannot be read."""
        if path not in self._texts:
            opened = self.open_text(path)
            if opened is None or leads_out(path, self.root):
                self._texts[path] = read_text(path, within=self.root)
            else:
                self._texts[path] = opened
        return self._texts[path]

    def read_dataset(self, path: Path) -> Lines | Unreadable:
        """Return the text of a data set, which may be longer than any other file."""
        if path not in self._datasets:
            opened = self.open_text(path)
            if opened is None or leads_out(path, self.root):
                self._datasets[path] = read_dataset(path, within=self.root)
            else:
                self._datasets[path] = Lines(opened)
        return self._datasets[path]

    def open_text(self, path: Path) -> str | None:
        """Return the text that takes precedence over the file on disk, if any.

        It is found by the path of the file or by the target of a link.
        """
        if not self.open_texts:
            return None
        opened = self.open_texts.get(path)
        if opened is not None:
            return opened
        if path not in self._real:
            self._real[path] = real_path(path)
        return self.open_texts.get(self._real[path])

    def release(self) -> None:
        """Drop all texts, and what was derived from them, once the check has ended."""
        for kept in (self.derived, self._texts, self._datasets, self._found, self._up, self._real):
            kept.clear()

    @property
    def texts_read(self) -> Mapping[Path, str | Lines | Unreadable]:
        """The texts of the files read so far; those of data sets as lines."""
        return {**self._texts, **self._datasets}


def leads_out(path: Path, root: Path) -> bool:
    """Whether symbolic links lead a path in a folder out of it."""
    if not path.is_relative_to(root):
        return False
    try:
        real = os.path.realpath(path)  # which leaves links to themselves unresolved
        return not Path(real).is_relative_to(os.path.realpath(root))
    except (OSError, ValueError):
        return True


def read_text(path: Path, *, within: Path | None = None) -> str | Unreadable:
    """Read a file as UTF-8 without converting line breaks; never raises.

    Args:
        path: the file.
        within: the root of the workspace that no link may lead out of; None if a person named
            the file.
    """
    return _read(path, within, MAX_BYTES, lambda: path.read_bytes().decode("utf-8"))


def read_dataset(path: Path, *, within: Path | None = None) -> Lines | Unreadable:
    """Read a data set as UTF-8 without converting line breaks; a long one is compressed in memory.

    Args:
        path: the file.
        within: as for `read_text`.
    """

    def read() -> Lines:
        with path.open("rb") as file:
            return packed_lines(iter(lambda: file.read(_PIECE), b""))

    return _read(path, within, MAX_DATASET_BYTES, read)


def why_unread(path: Path, *, is_dataset: bool) -> str | None:
    """Return why a file that a person named cannot be read; None if it can.

    A data set may be long, so it is not read here, and may turn out not to be text.
    """
    text = _read(path, None, MAX_DATASET_BYTES, str) if is_dataset else read_text(path)
    return text.reason if isinstance(text, Unreadable) else None


def _read(path: Path, within: Path | None, most: int, read: Callable[[], T]) -> T | Unreadable:
    """Return what a function reads of a file, or why it cannot be read."""
    if within is not None and leads_out(path, within):
        return Unreadable(LEADS_OUT)
    try:
        if is_folder(path):
            return Unreadable("it is a folder")
        if not is_file(path) and is_there(path):
            return Unreadable("it is not a regular file")
        if path.stat().st_size > most:
            return Unreadable(f"it is larger than {most // (1024 * 1024):,} MB")
        return read()
    except UnicodeDecodeError as error:
        return Unreadable(f"it is not text in UTF-8 (byte {error.start + 1:,} cannot be read)")
    except FileNotFoundError:
        return Unreadable("it does not exist")
    except OSError as error:
        return Unreadable((error.strerror or str(error)).lower())


def find_root(suite: Path, working_directory: Path) -> Path:
    """Return the root of the workspace of a suite: for the command line and for editors.

    That is the nearest folder upwards with one of `ROOT_MARKS` or a `pyproject.toml` with a
    `[tool.suitecase]` table; else the working directory, if it contains the suite; else the
    outermost folder upwards with an `.agentv` folder; else the suite's own folder. Nothing in a shared
    folder such as `/tmp` applies to the folders below it.

    Args:
        suite: the suite.
        working_directory: the working directory; in an editor, the outermost of its folders that
            contain the suite.
    """
    with_targets: list[Path] = []
    for folder in folders_above(suite):
        if is_marked(folder):
            return suite.parent if _is_planted(folder, suite) else folder
        if is_folder(folder / ".agentv"):
            with_targets.append(folder)
    if suite.parent == working_directory or (
        suite.is_relative_to(working_directory) and not is_shared(working_directory)
    ):
        return working_directory
    return with_targets[-1] if with_targets else suite.parent


def _is_planted(folder: Path, suite: Path) -> bool:
    """Whether the marks in a world-writable folder all belong to somebody else."""
    if sys.platform == "win32" or folder == suite.parent or not is_world_writable(folder):
        return False
    own = {os.getuid(), 0, owner_of(suite.parent)}
    marks = (folder / name for name in (*ROOT_MARKS, "pyproject.toml"))
    return own.isdisjoint(owner_of(mark) for mark in marks if os.path.lexists(mark))


def is_marked(folder: Path) -> bool:
    """Whether a folder is the root of a workspace wherever one is called from."""
    return any(_is_mark(folder / mark) for mark in ROOT_MARKS) or configures_suitecase(folder)


def _is_mark(path: Path) -> bool:
    """Whether a mark is there; a `.suitecase` that has only what an editor keeps there is none."""
    if path.name != _OWN_FOLDER:
        return is_there(path)
    try:
        return {entry.name for entry in path.iterdir()} not in _LEFT_BY_EDITORS
    except OSError:
        return is_there(path)


def configures_suitecase(folder: Path) -> bool:
    """Whether a `pyproject.toml` has a table of ours; other content is never reported."""
    project = folder / "pyproject.toml"
    try:
        return is_file(project) and "[tool.suitecase" in project.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return False


@dataclass(frozen=True, slots=True)
class Folder:
    """A suite's folder in its workspace, for rules that read other files.

    `source` is the text that the places of the rule's subject are relative to.
    """

    workspace: Workspace
    path: Path
    source: str = ""
    #: What is derived from its files, as long as somebody has this object.
    derived: dict[Cache[Any], Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def root(self) -> Path:
        return self.workspace.root

    def find(self, reference: str) -> Found | NotFound:
        """Search the file of a reference in the suite."""
        return self.workspace.find(reference, self.path)

    def start_folder(self, cwd: str | None) -> Path | None:
        """Return the working directory of a script; None if it is outside the workspace."""
        return start_folder(cwd, self.workspace.folders_up(self.path))

    def read(self, path: Path) -> str | Unreadable:
        """Return the text of a file that `find` found."""
        return self.workspace.read(path)

    def shown(self, path: Path) -> str:
        """Return a path relative to the root of the workspace, for messages."""
        try:
            return path.relative_to(self.root).as_posix()
        except ValueError:
            return path.as_posix()
