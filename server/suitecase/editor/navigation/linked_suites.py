"""Suites of other tools with the files that they name, and the uses of a name in all of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path

from suitecase.editor.index.dialect_names import names_of
from suitecase.editor.index.occurrence import LINKED
from suitecase.editor.index.summary import Found, Parsed, Summary
from suitecase.editor.navigation.symbol import Use
from suitecase.editor.navigation.workspace_view import WorkspaceView
from suitecase.format.dialect import DialectFile
from suitecase.format.reading import parse_document
from suitecase.format.workspace import Folder, Workspace
from suitecase.schema.key_roles import Kind
from suitecase.text.cache import Cache
from suitecase.text.node import Span
from suitecase.text.recent import recent


@dataclass(frozen=True)
class LinkedSuite:
    """A suite, or a part of one that no suite names, with the files that it names.

    Attributes:
        summary: the names in the suite itself.
        named: the names in each other file, as the suite knows them.
        code: the files that are programs.
    """

    summary: Summary
    named: dict[Path, Summary]
    code: frozenset[Path] = frozenset()

    @cached_property
    def files(self) -> tuple[Summary, ...]:
        return (self.summary, *self.named.values())

    def in_file(self, path: Path | None) -> Summary | None:
        """Return the names in a file as the suite knows them; None if it does not name the file."""
        return self.summary if path == self.summary.path else self.named.get(path or Path())

    def files_with(self, kind: Kind, name: str) -> set[Path | None]:
        """Return the files that have a name."""
        return {file.path for file in self.files if next(file.named(kind, name), None) is not None}

    def uses(self, kind: Kind, name: str) -> Iterator[Use]:
        """Yield the uses of a name."""
        for summary in self.files:
            yield from (Use(summary, it) for it in summary.named(kind, name))


@dataclass(frozen=True)
class LinkedName:
    """A name in suites of other tools, with all its uses.

    Attributes:
        use: the one that was asked about.
        suites: the suites that share it.
        uses: all of them, in the order of the suites and their files.
    """

    use: Use
    suites: tuple[LinkedSuite, ...]
    uses: tuple[Use, ...]

    @property
    def kind(self) -> Kind:
        return self.use.found.occurrence.kind

    @property
    def name(self) -> str:
        return self.use.found.occurrence.name


def suites_with(surroundings: WorkspaceView, summary: Summary) -> tuple[LinkedSuite, ...]:
    """Return the suites of other tools that a file is, or that name it.

    Raises:
        GivenUpError: the answer is no longer needed.
    """
    if summary.kind not in ("dialect", "text"):
        return ()
    file = surroundings.written(summary) if summary.kind == "dialect" else None
    if isinstance(file, DialectFile) and file.is_suite:
        return (_linked(surroundings, summary, file),)
    found = (it for it in _all(surroundings) if it.in_file(summary.path) is not None)
    suites = tuple(found) if summary.path is not None else ()
    return suites or ((LinkedSuite(summary, {}),) if isinstance(file, DialectFile) else ())


def name_at(surroundings: WorkspaceView, summary: Summary, offset: int) -> Use | None:
    """Return the name at an offset of a suite of another tool, or of a file that one names.

    Raises:
        GivenUpError: the answer is no longer needed.
    """
    if summary.kind == "dialect":
        return _use_at(summary, offset)
    if summary.kind != "text" or summary.path is None:
        return None
    # Asked wherever the cursor goes, so that only suites that may name the file are looked at.
    for suite in _each(surroundings, summary.path):
        found = _found_at((suite,), summary, offset)
        if found is not None:
            return found[1]
    return None


def _use_at(summary: Summary, offset: int) -> Use | None:
    found = summary.at(offset)
    is_linked = found is not None and found.occurrence.kind in LINKED
    return Use(summary, found) if found is not None and is_linked else None


def _found_at(
    suites: tuple[LinkedSuite, ...], summary: Summary, offset: int
) -> tuple[LinkedSuite, Use] | None:
    for suite in suites:
        own = suite.in_file(summary.path)
        use = _use_at(own, offset) if own is not None else None
        if use is not None:
            return suite, use
    return None


def files_matching(surroundings: WorkspaceView, summary: Summary, found: Found) -> list[Path]:
    """Return the files that the pattern at a place of a suite of another tool matches."""
    if summary.kind != "dialect" or summary.path is None or not found.occurrence.kind.is_file:
        return []
    pattern = os.path.normpath(summary.path.parent / found.occurrence.name)
    paths = (path for suite in suites_with(surroundings, summary) for path in suite.named)
    return sorted(path for path in paths if fnmatchcase(str(path), pattern))


def linked_name(surroundings: WorkspaceView, summary: Summary, offset: int) -> LinkedName | None:
    """Return the name at an offset of a file, with its uses in all suites that share it.

    Raises:
        GivenUpError: the answer is no longer needed.
    """
    at = _use_at(summary, offset) if summary.kind == "dialect" else None
    if summary.kind == "dialect" and at is None:
        return None
    suites = suites_with(surroundings, summary)
    if at is None:
        found = _found_at(suites, summary, offset)
        if found is None:
            return None
        at = found[1]
    kind, name = at.found.occurrence.kind, at.found.occurrence.name
    sharing = [it for it in suites if it.files_with(kind, name)]
    files = {path for it in sharing for path in it.files_with(kind, name)}
    own = {it.summary.path for it in sharing}
    if not files <= own:
        waiting = [it for it in _all(surroundings) if it.summary.path not in own]
        while more := [it for it in waiting if it.files_with(kind, name) & (files - own)]:
            sharing += more
            own |= {it.summary.path for it in more}
            files |= {path for it in more for path in it.files_with(kind, name)}
            waiting = [it for it in waiting if it.summary.path not in own]
    unique: dict[tuple[Path | None, Span], Use] = {}
    for suite in sharing:
        for use in suite.uses(kind, name):
            place = (use.summary.path, use.found.span)
            earlier = unique.setdefault(place, use)
            if earlier is not use and _is_better(use, earlier):
                unique[place] = use
    return LinkedName(at, tuple(sharing), tuple(unique.values()))


def _is_better(use: Use, earlier: Use) -> bool:
    """Whether a use says more of a place than another: one suite defines what another only uses."""
    return use.found.occurrence.defines and not earlier.found.occurrence.defines


_ALL: Cache[tuple[LinkedSuite, ...]] = Cache()


def _all(surroundings: WorkspaceView) -> tuple[LinkedSuite, ...]:
    """Return all suites of the workspace; computed once for a request."""
    known = _ALL.get(surroundings.workspace)
    if known is None:
        known = tuple(_each(surroundings, None))
        _ALL.set(surroundings.workspace, known)
    return known


def _each(surroundings: WorkspaceView, near: Path | None) -> Iterator[LinkedSuite]:
    """Yield suites; with a path, those whose text has its name, or a pattern that it may match."""
    for summary in surroundings.of_dialects():
        text = surroundings.text_of(summary) if near is not None else None
        if near is not None and (text is None or not (near.name in text or "*" in text)):
            continue
        current = surroundings.current(summary)
        file = _file(surroundings, current)
        if isinstance(file, DialectFile) and file.is_suite:
            yield _linked(surroundings, current, file)


def _file(surroundings: WorkspaceView, summary: Summary) -> Parsed | None:
    path = summary.path
    if path is None or surroundings.is_open(path):
        return surroundings.written(summary)
    text = surroundings.text(path)
    return _parsed(path, text) if text is not None else None


@recent(most=256)
def _parsed(path: Path, text: str) -> Parsed:
    """Return a file that is not open; other files do not matter to a suite of another tool."""
    return parse_document(path, text, Workspace(path.parent))


def _linked(surroundings: WorkspaceView, summary: Summary, file: DialectFile) -> LinkedSuite:
    if summary.path is None:
        return LinkedSuite(summary, {})
    folder = Folder(surroundings.workspace, summary.path.parent)
    named: dict[Path, Summary] = {}
    code: set[Path] = set()
    for path, parts, is_code in names_of(file.dialect).named_files(file, folder):
        if path != summary.path:
            named[path] = Summary(path, "text", parts, (), 0)
            code.update([path] if is_code else ())
    return LinkedSuite(summary, named, frozenset(code))
