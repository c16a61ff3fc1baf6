"""What is found in the files of the workspace that are not open."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types

from suitecase.checking.check import check_configuration, check_external, check_text
from suitecase.ide.index.workspace_index import GivenUpError, text_of
from suitecase.lsp.diagnostic import diagnostics_of
from suitecase.lsp.session import Session
from suitecase.rule import Finding
from suitecase.suite.baseline_file import configured_baseline
from suitecase.suite.configuration import ParsedConfiguration, find_configuration
from suitecase.suite.target_files import find_targets
from suitecase.suite.workspace import LEADS_OUT, Unreadable, Workspace, leads_out
from suitecase.syntax.lines import Lines
from suitecase.time_limits import AbandonedError

_log = logging.getLogger(__name__)

#: So many files are checked at a time, so that what someone types is not kept waiting.
BATCH = 8
#: After a change, further ones are awaited for this long, in seconds.
QUIET = 0.3


class Report(NamedTuple):
    """What is shown of a file that is not open; the id tells whether it is the same as before."""

    id: str
    items: list[types.Diagnostic]


@dataclass(frozen=True, slots=True)
class _Checked:
    """What was found in a file and in those it names, and the files that this depends on."""

    found: list[Finding]
    external: Mapping[Path, list[Finding]] = field(default_factory=dict)
    reads: frozenset[Path] = frozenset()


_NOTHING = _Checked([])


class _Noting(Workspace):
    """Files around many suites, each read once; notes what one of them reads."""

    def __init__(self, root: Path, open_texts: Mapping[Path, str]) -> None:
        super().__init__(root, open_texts)
        self.noted: set[Path] = set()

    def read(self, path: Path) -> str | Unreadable:
        self.noted.add(path)
        return super().read(path)


class WorkspaceCheck:
    """Checks what is not open, apart from the event loop, and again only what a change bears on.

    `reports` has what is found in each file, for files in which there is something.
    """

    def __init__(self, session: Session, changed: Callable[[], None]) -> None:
        """Make one.

        Args:
            session: whose workspace it is.
            changed: called when a change bears on something, as far as is known at once.
        """
        self._session = session
        self._changed = changed
        #: Whether the client asks for the findings of the workspace by itself.
        self.is_asked = False
        self.reports: dict[Path, Report] = {}
        self._checked: dict[Path, _Checked] = {}
        #: The suites that say something of a file.
        self._reporters: dict[Path, set[Path]] = {}
        self._configurations: set[Path] = set()
        #: The baselines that these name.
        self._baselines: set[Path] = set()
        #: The files to check again; None for all.
        self._outdated: set[Path] | None = None
        self._said: set[Path] = set()
        #: The links out of the workspace that the client was told of.
        self._told_out: set[Path] = set()
        #: The files around those that were checked last, by root.
        self._workspaces: dict[Path, Workspace] = {}
        self._looking: asyncio.Task[None] | None = None

    def covers(self, root: Path) -> bool:
        """Whether findings of files that are not open are shown in a root of the workspace."""
        scope = self._session.settings_in(root).diagnostics.scope
        return scope == "workspace" or (scope is None and self.is_asked)

    @property
    def is_on(self) -> bool:
        """Whether they are shown in any root of the workspace."""
        return any(map(self.covers, self._session.roots()))

    def holds(self, path: Path) -> bool:
        """Whether the findings of a file are shown here while it is not open."""
        folder = self._session.folder_of(path)
        return folder is not None and self.covers(folder)

    def outdate_all(self) -> None:
        """Check everything again, when it is next asked for: files have come or gone."""
        self._outdated = None
        self._changed()

    def outdate(self, paths: Iterable[Path]) -> None:
        """Check again what some files bear on, whose texts have changed."""
        if self._outdated is None:
            return
        changed = set(paths)
        if not changed.isdisjoint(self._baselines):
            self.outdate_all()
            return
        bears_on = {
            path
            for path, it in self._checked.items()
            if path in changed or not it.reads.isdisjoint(changed)
        }
        if bears_on - self._outdated:
            self._outdated |= bears_on
            self._changed()

    def said(self, path: Path) -> None:
        """Show anew what open suites say of a file that is not open."""
        self._said.add(path)
        self._changed()

    async def bring_up_to_date(self) -> None:
        """Check what has changed; returns when nothing is left to do."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look_on())
        # Who waits may give up, which must not lose what was begun.
        await asyncio.shield(self._looking)

    async def _look_on(self) -> None:
        with suppress(AbandonedError):  # the server ends
            while not self._is_over() and (self._outdated is None or self._outdated or self._said):
                await self._look()

    async def _look(self) -> None:
        session = self._session
        outdated, touched = self._outdated, self._said
        self._outdated, self._said = set(), set()
        there: set[Path] = set()
        for root in filter(self.covers, session.roots()):
            index = session.index(root)
            try:
                files = await asyncio.to_thread(index.files, self._is_over)
            except GivenUpError:
                return
            workspace = self._workspaces[root] = _Noting(root, session.documents.texts())
            closed = [
                it
                for it in files
                if it not in workspace.open_texts and session.folder_of(it) == root
            ]
            there.update(closed)
            todo = [
                it for it in closed if outdated is None or it in outdated or it not in self._checked
            ]
            for at in range(0, len(todo), BATCH):
                if self._is_over():
                    return
                batch = todo[at : at + BATCH]
                for path, checked in await asyncio.to_thread(_check, batch, workspace):
                    touched |= self._take(path, checked)
                    if checked is None:
                        self._tell_if_out(path, root)
            if outdated is None:
                folders = {it.parent for it in files}
                found = await asyncio.to_thread(_configurations, workspace, folders)
                self._configurations.update(it.path for it in found)
                there.update(it.path for it in found)
                for configuration in found:
                    look = partial(check_configuration, configuration, workspace)
                    findings = (await asyncio.to_thread(look)).findings
                    if (baseline := configured_baseline(configuration, workspace)) is not None:
                        self._baselines.add(baseline.path)
                    touched |= self._take(configuration.path, _Checked(findings))
        if outdated is None:
            self._configurations &= there
        for path in self._checked.keys() - there - self._configurations:
            touched |= self._take(path, None)
        for number, path in enumerate(sorted(touched)):
            if number % BATCH == 0:
                await asyncio.sleep(0)
            self._report(path)

    def _tell_if_out(self, path: Path, root: Path) -> None:
        """Say once of a suite that a link leads to it out of the workspace."""
        if path in self._told_out or not leads_out(path, root):
            return
        self._told_out.add(path)
        message = f"{path}: not checked: {LEADS_OUT}; it is checked while it is open"
        kind = types.MessageType.Warning
        self._session.window_log_message(types.LogMessageParams(kind, message))

    def _take(self, path: Path, checked: _Checked | None) -> set[Path]:
        """Keep what was found; returns the files of which something else may be shown now."""
        before = self._checked.pop(path, _NOTHING)
        for it in before.external:
            self._reporters[it].discard(path)
        now = checked or _NOTHING
        for it in now.external:
            self._reporters.setdefault(it, set()).add(path)
        if checked is not None:
            self._checked[path] = checked
        return {path, *before.external, *now.external}

    def _report(self, path: Path) -> None:
        session = self._session
        self.reports.pop(path, None)
        if session.documents.at(path) is not None or not self.holds(path):
            return
        text = text_of(path, session.root_of(path)) or ""
        said = session.referenced_files.findings_for((path,), text)
        for suite in self._reporters.get(path, ()):
            said += self._checked[suite].external[path]
        found = [
            *self._checked.get(path, _NOTHING).found,
            *check_external(path, said, self._workspace_of(path), lines=Lines(text)).findings,
        ]
        if found:
            items = diagnostics_of(session, path, text, found)
            unstructured = json.dumps(session.rpc.unstructured(items))
            digest = hashlib.sha256(unstructured.encode()).hexdigest()[:24]
            self.reports[path] = Report(digest, items)

    def _workspace_of(self, path: Path) -> Workspace:
        known = self._workspaces.get(self._session.root_of(path))
        return known or self._session.workspace_around(path)

    def _is_over(self) -> bool:
        return self._session.rpc.ending


def _check(batch: list[Path], workspace: _Noting) -> list[tuple[Path, _Checked | None]]:
    made: list[tuple[Path, _Checked | None]] = []
    for path in batch:
        text = text_of(path, workspace.root)
        if text is None:
            made.append((path, None))
            continue
        workspace.noted = set()
        analysis = check_text(path, text, workspace)
        for failure in analysis.failures:
            _log.error("the rule %s failed, a bug:\n%s", failure.rule.code, failure.trace)
        targets = find_targets(workspace, path.parent)  # which may have been read before
        reads = frozenset(workspace.noted | ({targets.path} if targets else set()))
        made.append((path, _Checked(analysis.findings, analysis.external_findings, reads)))
    return made


def _configurations(workspace: Workspace, folders: set[Path]) -> list[ParsedConfiguration]:
    found = (find_configuration(workspace, it) for it in sorted(folders))
    return list({it.path: it for it in found if it is not None}.values())
