"""Looking for files in folders of the workspace: the one place that lists folders for a suite.

A suite comes from others, and its patterns may be anything. Whatever a pattern says, no folder outside
the workspace is listed, and no more than `MOST_ENTRIES` names are looked at.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from suitecase.format.workspace import Folder, Workspace
from suitecase.text.cache import Cache
from suitecase_evaluators.system.path_kinds import is_file, is_there

#: So many names of files and folders are looked at for a pattern,
MOST_ENTRIES = 50_000
#: and so many for all patterns of a file.
MOST_ENTRIES_OF_FILE = 250_000
#: A pattern may match so many files.
MOST_FILES = 2_000
#: A pattern may have so many characters, and stand for so many patterns without braces.
LONGEST_PATTERN = 10_000
MOST_ALTERNATIVES = 1_000
#: So many names of a folder are listed for a suggestion.
MOST_NAMES = 2_000

_BRACES = re.compile(r"\{([^{},]*(?:,[^{},]*)+)\}")
_MAGIC = re.compile(r"[*?\[{]")
#: A drive of Windows, or a server there (`\\server\share`). Backslashes are slashes by now.
_DRIVE = re.compile(r"/?[A-Za-z]:|//")


class PatternProblem(Enum):
    """Why it is not known what a pattern matches."""

    #: It looks outside the workspace, where nothing is looked at.
    OUTSIDE = "outside"
    #: More would have to be looked at than the limits allow.
    TOO_MUCH = "too much"


class Entry(NamedTuple):
    """A name in a folder."""

    name: str
    is_folder: bool
    is_file: bool
    is_link: bool


@dataclass(slots=True)
class _Effort:
    """How many names have been looked at for a file."""

    spent: int = 0


_EFFORT: Cache[_Effort] = Cache()
_MATCHED: Cache[dict[tuple[Path, str], tuple[Path, ...] | PatternProblem]] = Cache()


def entries_of(folder: Path, workspace: Workspace, most: int = MOST_NAMES) -> list[Entry]:
    """Return what a folder holds, by name; nothing of one outside the workspace.

    Args:
        folder: the folder.
        workspace: the workspace.
        most: no more names are read.
    """
    return sorted(islice(_listed(folder, workspace), most)) if workspace.holds(folder) else []


def files_below(folder: Path, workspace: Workspace, most: int = MOST_ENTRIES) -> Iterator[Path]:
    """Yield the files in a folder and below it; no link is followed.

    Args:
        folder: the folder; one outside the workspace has none.
        workspace: the workspace.
        most: no more names are looked at.
    """
    pending = [folder] if workspace.holds(folder) else []
    while pending and most > 0:
        place = pending.pop()
        for entry in islice(_listed(place, workspace), most):
            most -= 1
            if not entry.is_folder:
                yield place / entry.name
            elif not entry.is_link:
                pending.append(place / entry.name)


def files_matching(pattern: str, folder: Folder) -> tuple[Path, ...] | PatternProblem:
    """Return the files that a pattern matches, sorted, or why that is not known.

    `*`, `?` and `[...]` stand for parts of a name, `**` for any folders, and `{a,b}` for alternatives.
    Names that start with a dot are matched only by patterns that do. `**` follows links only in the
    folder where it begins, as promptfoo does.

    Args:
        pattern: the pattern, with slashes.
        folder: the folder that it starts at. What its patterns have looked at counts together.
    """
    known = _MATCHED.of(folder, dict)
    key = (folder.path, pattern)
    if key not in known:
        known[key] = _matching(pattern, folder)
    return known[key]


def _matching(pattern: str, folder: Folder) -> tuple[Path, ...] | PatternProblem:
    if "\0" in pattern:
        return ()
    if len(pattern) > LONGEST_PATTERN:
        return PatternProblem.TOO_MUCH
    files: set[Path] = set()
    effort = _EFFORT.of(folder, _Effort)
    walk = _Walk(folder.workspace, effort, min(effort.spent + MOST_ENTRIES, MOST_ENTRIES_OF_FILE))
    plain = list(islice(_expanded(pattern), MOST_ALTERNATIVES + 1))
    if len(plain) > MOST_ALTERNATIVES:
        return PatternProblem.TOO_MUCH
    bases = [_base(it, folder) for it in plain]
    if None in bases:
        return PatternProblem.OUTSIDE
    for base in bases:
        for path in walk.files(*base) if base is not None else ():
            files.add(path)
            if len(files) > MOST_FILES:
                return PatternProblem.TOO_MUCH
        if walk.is_over:
            return PatternProblem.TOO_MUCH
    return tuple(sorted(files))


def _expanded(pattern: str) -> Iterator[str]:
    """Yield the patterns of one with alternatives in braces."""
    pending = [iter((pattern,))]
    while pending:
        current = next(pending[-1], None)
        if current is None:
            pending.pop()
            continue
        braces = _BRACES.search(current)
        if braces is None:
            yield current
        else:
            pending.append(_alternatives(current, braces))


def _alternatives(pattern: str, braces: re.Match[str]) -> Iterator[str]:
    before, after = pattern[: braces.start()], pattern[braces.end() :]
    for alternative in braces[1].split(","):
        yield f"{before}{alternative}{after}"


def _base(pattern: str, folder: Folder) -> tuple[Path, tuple[str, ...]] | None:
    """Return the folder that a pattern is about and the parts below it; None if it may lead out."""
    if os.name != "nt" and _DRIVE.match(pattern):
        return None
    found = _MAGIC.search(pattern)
    fixed = pattern[: pattern.rfind("/", 0, found.start() if found else len(pattern)) + 1]
    base = Path(os.path.normpath(folder.path / fixed))
    parts = tuple(_parts(pattern[len(fixed) :]))
    if not base.is_relative_to(folder.root):
        return None
    depth = len(base.relative_to(folder.root).parts)
    for part in parts:
        # `**` may stand for no folder at all.
        depth += {"..": -1, "**": 0}.get(part, 1)
        if depth < 0:
            return None
    return (base, parts) if folder.workspace.holds(base) else None


def _parts(pattern: str) -> Iterator[str]:
    """Yield the parts of a pattern, of `**` in a row only the first; one at the end has all files."""
    before = ""
    for part in pattern.split("/"):
        if part not in ("", ".") and not part == before == "**":
            yield part
            before = part
    if before == "**":
        yield "*"


def _listed(folder: Path, workspace: Workspace) -> Iterator[Entry]:
    """Yield what a folder holds, in no order, but no link out of the workspace.

    A folder that cannot be read holds nothing.
    """
    try:
        with os.scandir(folder) as found:
            for entry in found:
                is_link = entry.is_symlink()
                if not is_link or workspace.holds(folder / entry.name):
                    yield Entry(entry.name, *_kind(entry), is_link)
    except OSError:
        return


def _kind(entry: os.DirEntry[str]) -> tuple[bool, bool]:
    """Return whether an entry is a folder, and whether it is a file; of a link, what it leads to."""
    try:
        return entry.is_dir(), entry.is_file()
    except OSError:
        return False, False


class _Walk:
    """One look for the files of a pattern. Folders are visited once for each part of it."""

    def __init__(self, workspace: Workspace, effort: _Effort, most: int) -> None:
        self._workspace = workspace
        self._effort = effort
        self._most = most
        self._entries: dict[Path, list[Entry]] = {}

    @property
    def is_over(self) -> bool:
        """Whether the limit was reached."""
        return self._effort.spent >= self._most

    def files(self, base: Path, parts: tuple[str, ...]) -> Iterator[Path]:
        """Yield the files below a folder that parts of a pattern lead to."""
        names = [_name_matcher(it) for it in parts]
        pending = [(base, 0, True)]
        seen: set[tuple[Path, int]] = set()
        while pending and not self.is_over:
            place, at, begins = pending.pop()
            if (place, at) in seen:
                continue
            seen.add((place, at))
            self._effort.spent += 1
            if at == len(parts):
                if is_file(place):
                    yield place
                continue
            part, is_named = parts[at], names[at]
            if part == "..":
                # A link that the walk followed may have led up already.
                above = place.parent
                if self._workspace.holds(above):
                    pending.append((above, at + 1, True))
            elif part == "**":
                pending.append((place, at + 1, True))
                pending.extend(
                    (place / it.name, at, False)
                    for it in self._in(place)
                    if it.is_folder and not it.name.startswith(".") and (begins or not it.is_link)
                )
            elif is_named is None:
                path = place / part
                if self._workspace.holds(path) and is_there(path):
                    pending.append((path, at + 1, True))
            else:
                is_last = at + 1 == len(parts)
                pending.extend(
                    (place / it.name, at + 1, True)
                    for it in self._in(place)
                    if (is_last or it.is_folder) and is_named(it.name)
                )

    def _in(self, place: Path) -> Iterator[Entry]:
        """Yield what a folder holds, as long as the limit is not reached."""
        if place not in self._entries:
            self._entries[place] = list(
                islice(_listed(place, self._workspace), self._most - self._effort.spent)
            )
        for entry in self._entries[place]:
            self._effort.spent += 1
            if self.is_over:
                return
            yield entry


def _name_matcher(part: str) -> Callable[[str], object] | None:
    """Return what tells whether a name is of a part of a pattern; None for a plain name."""
    if part in ("..", "**") or not _MAGIC.search(part):
        return None
    matches = re.compile(fnmatch.translate(os.path.normcase(part))).match
    if part.startswith("."):
        return lambda name: matches(os.path.normcase(name))
    return lambda name: not name.startswith(".") and matches(os.path.normcase(name))
