"""What git leaves out of a folder: the lines of `.gitignore` files and of `.git/info/exclude`.

They do not hold for files that git tracks. Git itself is not started. Its settings are not read, so what `core.excludesFile` names does not count.
"""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple

from suitecase.text.git_index import GIT, NOTHING_TRACKED, GitIndex, index_of
from suitecase.text.path_pattern import in_bytes, path_expression

NAME = ".gitignore"
_EXCLUDE = (GIT, "info", "exclude")
#: A longer file is not one that people wrote.
_LONGEST = 1024 * 1024


class _Group(NamedTuple):
    """Lines one after the other that all leave out, or all let in: what they name, of files and of folders."""

    lets_in: bool
    files: re.Pattern[str] | None
    folders: re.Pattern[str]


class _Lines(NamedTuple):
    """The lines of a file, which count from a folder: the last group first."""

    folder: str
    groups: tuple[_Group, ...]

    def decide(self, path: str, *, is_folder: bool) -> bool | None:
        """Return whether a path is left out; None if no line is about it."""
        relative = in_bytes(path[len(self.folder) + 1 :])
        for group in self.groups:
            pattern = group.folders if is_folder else group.files
            if pattern is not None and pattern.fullmatch(relative) is not None:
                return not group.lets_in
        return None


class _InFolder(NamedTuple):
    """What counts in a folder: the lines, those of inner folders last, and the top of its repository."""

    lines: tuple[_Lines, ...] = ()
    repository: str | None = None


@dataclass(slots=True)
class LeftOutByGit:
    """What a search has left out because of git alone, for users.

    Attributes:
        suites: the files with the name of a suite.
        unknown: the tops of the repositories of which it is not known what git tracks, in which something
            was left out.
    """

    suites: list[Path] = field(default_factory=list)
    unknown: set[str] = field(default_factory=set)


class GitIgnored:
    """What git leaves out, for a walk from the top down.

    What is tracked is looked up only where a line would leave something out.

    Args:
        folder: where the walk starts.
        root: the workspace, above which nothing counts unless a repository begins there.
        left_out: is told the repositories in which something was left out that may be tracked.
    """

    def __init__(self, folder: Path, root: Path, left_out: LeftOutByGit | None = None) -> None:
        self._known: dict[str, _InFolder] = {}
        self._indexes: dict[str, GitIndex | None] = {}
        #: The folders that are entered only for what is tracked in them.
        self._entered_for_tracked: set[str] = set()
        self._left_out = left_out if left_out is not None else LeftOutByGit()
        self._top = _InFolder()
        for above in _above(folder, root):
            self._top = _inside(str(above), self._top, *_names_in(above))

    def enter(self, place: str, names: Collection[str], folders: Collection[str]) -> None:
        """Note what is in a folder, before anything in it is asked about."""
        above = self._known.get(os.path.dirname(place), self._top)  # noqa: PTH120 - for each folder
        found = self._known[place] = _inside(place, above, names, folders)
        if found.repository == place:
            self._entered_for_tracked.discard(place.replace(os.sep, "/"))

    def enter_hidden(self, place: str) -> None:
        """Note a folder that the walk itself passes over, and of which one inside it is looked at."""
        self.enter(place, *_names_in(Path(place)))

    def leaves_out(self, place: str, name: str, *, is_folder: bool = False) -> bool:
        """Whether git leaves out something in a folder that the walk has come to."""
        lines, repository = self._known.get(place, self._top)
        if not lines and not self._entered_for_tracked:
            return False
        path = f"{place}/{name}" if os.sep == "/" else f"{place}/{name}".replace(os.sep, "/")
        if not self._is_ignored(path, lines, is_folder=is_folder):
            return False
        index = self._index_of(repository)
        if index is None:
            self._left_out.unknown.add(str(repository))
        elif repository is not None and index.holds(path[len(_base(repository)) + 1 :]):
            if is_folder:
                self._entered_for_tracked.add(path)
            return False
        return True

    def _is_ignored(self, path: str, lines: tuple[_Lines, ...], *, is_folder: bool) -> bool:
        if path.rpartition("/")[0] in self._entered_for_tracked:
            return True  # no line lets something in whose folder is left out
        for of_folder in reversed(lines):
            left_out = of_folder.decide(path, is_folder=is_folder)
            if left_out is not None:
                return left_out
        return False

    def _index_of(self, repository: str | None) -> GitIndex | None:
        if repository is None:
            return NOTHING_TRACKED
        if repository not in self._indexes:
            self._indexes[repository] = index_of(repository)
        return self._indexes[repository]


def _above(folder: Path, root: Path) -> list[Path]:
    """Return the folders above one whose lines count in it, the outermost first."""
    found: list[Path] = []
    if os.path.lexists(folder / GIT):
        return found
    for above in folder.parents:
        found.append(above)
        if os.path.lexists(above / GIT):
            return found[::-1]
    return [it for it in reversed(found) if it == root or it.is_relative_to(root)]


def _names_in(folder: Path) -> tuple[Collection[str], Collection[str]]:
    """Return the names of the files and the folders that matter."""
    names = [NAME] if os.path.lexists(folder / NAME) else []
    return names, [GIT] if os.path.lexists(folder / GIT) else []


def _inside(
    place: str, above: _InFolder, names: Collection[str], folders: Collection[str]
) -> _InFolder:
    """Return what counts in a folder, given what counts above it."""
    base = _base(place)
    if GIT in folders:
        groups = _read(os.path.join(place, *_EXCLUDE))  # noqa: PTH118
        above = _InFolder((_Lines(base, groups),) if groups else (), place)
    elif GIT in names:
        above = _InFolder((), place)  # the repository is elsewhere, as that of a submodule
    groups = _read(os.path.join(place, NAME)) if NAME in names else ()  # noqa: PTH118
    return _InFolder((*above.lines, _Lines(base, groups)), above.repository) if groups else above


def _base(place: str) -> str:
    return place.replace(os.sep, "/").rstrip("/")


def _read(path: str) -> tuple[_Group, ...]:
    """Return the lines of a file; none if it cannot be read, or is a link, which git does not follow."""
    try:
        about = os.lstat(path)
    except OSError:
        return ()
    if not S_ISREG(about.st_mode) or about.st_size > _LONGEST:
        return ()
    return _parsed(path, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=1024)
def _parsed(path: str, _modified: int, _size: int) -> tuple[_Group, ...]:
    try:
        content = Path(path).read_bytes()
    except OSError:
        return ()
    return tuple(_groups(content.removeprefix(BOM_UTF8).decode("latin-1")))


def _groups(text: str) -> Iterator[_Group]:
    """Yield the lines of a text, in bytes, in groups, the last one first."""
    files: list[str] = []
    folders: list[str] = []
    lets_in = False
    for line in reversed(text.split("\n")):
        pattern = _without_blanks(line.removesuffix("\r"))
        if not pattern or pattern.startswith("#"):
            continue
        is_negated = pattern.startswith("!")
        expression = path_expression(pattern.removeprefix("!"))
        if not expression:
            continue
        if folders and is_negated is not lets_in:
            yield _group(files, folders, lets_in=lets_in)
            files, folders = [], []
        lets_in = is_negated
        folders.append(expression)
        if not pattern.endswith("/"):
            files.append(expression)
    if folders:
        yield _group(files, folders, lets_in=lets_in)


def _group(files: list[str], folders: list[str], *, lets_in: bool) -> _Group:
    return _Group(lets_in, _any(files) if files else None, _any(folders))


def _any(expressions: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{expression})" for expression in expressions), re.DOTALL)


def _without_blanks(line: str) -> str:
    """Return a line without the blanks at its end; one behind a backslash stays."""
    bare = line.rstrip(" ")
    behind = len(bare) - len(bare.rstrip("\\"))
    return line[: len(bare) + 1] if behind % 2 and len(bare) < len(line) else bare
