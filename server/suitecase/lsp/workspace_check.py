"""Checking the files of the workspace that are not open."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types

from suitecase.checking.check import check_configuration, check_external, check_text
from suitecase.editor.index.workspace_index import GivenUpError, text_of
from suitecase.format.baseline_file import configured_baseline
from suitecase.format.configuration import (
    OWN_FILE,
    PROJECT_FILE,
    ParsedConfiguration,
    find_configuration,
)
from suitecase.format.rule import Finding
from suitecase.format.target_files import find_targets
from suitecase.format.workspace import LEADS_OUT, Unreadable, Workspace, leads_out
from suitecase.lsp.diagnostic import diagnostics_of
from suitecase.lsp.session import Session
from suitecase.text.lines import Lines
from suitecase.text.time_limits import AbandonedError

_log = logging.getLogger(__name__)

#: Files checked at a time, so that the user's typing is not delayed.
BATCH = 8
#: After a change, further ones are awaited for this many seconds.
QUIET = 0.3


class Report(NamedTuple):
    """The diagnostics of a file that is not open; the id tells whether they have changed."""

    id: str
    items: list[types.Diagnostic]


@dataclass(frozen=True, slots=True)
class _Checked:
    """The findings of a file and of those it names, and the files they depend on."""

    findings: Sequence[Finding]
    external: Mapping[Path, list[Finding]] = field(default_factory=dict)
    reads: frozenset[Path] = frozenset()


_NOTHING = _Checked([])


class _RecordingWorkspace(Workspace):
    """The files around many suites, each read once; records those that one suite reads."""

    def __init__(self, root: Path, open_texts: Mapping[Path, str]) -> None:
        super().__init__(root, open_texts)
        self.files_read: set[Path] = set()

    def read(self, path: Path) -> str | Unreadable:
        self.files_read.add(path)
        return super().read(path)


class WorkspaceCheck:
    """Checks files that are not open, in a thread, and again only those affected by a change.

    `reports` has the diagnostics of each file that has any.
    """

    def __init__(self, session: Session, changed: Callable[[], None]) -> None:
        """Create the check.

        Args:
            session: the session of the workspace.
            changed: called when a change may affect findings.
        """
        self._session = session
        self._changed = changed
        #: Whether the client pulls the diagnostics of the workspace.
        self.is_asked = False
        self.reports: dict[Path, Report] = {}
        self._checked: dict[Path, _Checked] = {}
        #: The suites that report findings for a file.
        self._reporters: dict[Path, set[Path]] = {}
        self._configurations: set[Path] = set()
        #: The baselines that configurations name.
        self._baselines: set[Path] = set()
        #: The files to check again; None for all.
        self._outdated: set[Path] | None = None
        self._externally_changed: set[Path] = set()
        #: The files whose texts have changed since the check that is under way began: what it reads of them
        #: may be older.
        self._changed_since: set[Path] = set()
        #: The links out of the workspace that were reported to the client.
        self._reported_links: set[Path] = set()
        self._checking: asyncio.Task[None] | None = None

    def covers(self, root: Path) -> bool:
        """Whether findings of files that are not open are shown in a root of the workspace."""
        scope = self._session.settings_in(root).diagnostics.scope
        return scope == "workspace" or (scope is None and self.is_asked)

    @property
    def is_on(self) -> bool:
        """Whether they are shown in any root of the workspace."""
        return any(map(self.covers, self._session.roots()))

    def covers_file(self, path: Path) -> bool:
        """Whether the findings of a file are shown here while it is not open."""
        folder = self._session.folder_of(path)
        return folder is not None and self.covers(folder)

    def outdate_all(self) -> None:
        """Check everything again on the next request: files were created or deleted."""
        self._outdated = None
        self._changed()

    def outdate(self, paths: Iterable[Path]) -> None:
        """Check the files again that depend on some files with changed texts."""
        if self._outdated is None:
            return
        changed = set(paths)
        # Which suites a configuration applies to is looked up once for all of them.
        configures = any(it.name in (OWN_FILE, PROJECT_FILE) for it in changed)
        if configures or not changed.isdisjoint(self._baselines):
            self.outdate_all()
            return
        self._changed_since |= changed
        bears_on = {
            path
            for path, it in self._checked.items()
            if path in changed or not it.reads.isdisjoint(changed)
        }
        if bears_on - self._outdated:
            self._outdated |= bears_on
            self._changed()

    def external_findings_changed(self, path: Path) -> None:
        """Update the findings that open suites report for a file that is not open."""
        if self.covers_file(path):
            self._externally_changed.add(path)
            self._changed()

    async def bring_up_to_date(self) -> None:
        """Check what has changed; returns when everything is up to date."""
        if self._checking is None or self._checking.done():
            self._checking = asyncio.create_task(self._check_until_current())
        # A waiting request may be cancelled, which must not cancel the check.
        await asyncio.shield(self._checking)

    async def _check_until_current(self) -> None:
        with suppress(AbandonedError):  # the server is shutting down
            while not self._is_over() and (
                self._outdated is None or self._outdated or self._externally_changed
            ):
                workspaces: dict[Path, _RecordingWorkspace] = {}
                await self._check_outdated(workspaces)
                for workspace in workspaces.values():
                    workspace.release()

    async def _check_outdated(self, workspaces: dict[Path, _RecordingWorkspace]) -> None:
        """Check what is outdated; `workspaces` receives the files that are read, by root."""
        session = self._session
        outdated, touched = self._outdated, self._externally_changed
        self._outdated, self._externally_changed, self._changed_since = set(), set(), set()
        existing: set[Path] = set()
        for root in filter(self.covers, session.roots()):
            index = session.index(root)
            try:
                files = await asyncio.to_thread(index.files, self._is_over)
            except GivenUpError:
                return
            texts = session.documents.texts()
            roots = {file: session.root_of(file) for file in files}
            for of in {*roots.values()} - workspaces.keys():
                workspaces[of] = _RecordingWorkspace(of, texts)
            closed = [
                file for file in files if file not in texts and session.folder_of(file) == root
            ]
            existing.update(closed)
            todo = [
                it for it in closed if outdated is None or it in outdated or it not in self._checked
            ]
            for start in range(0, len(todo), BATCH):
                if self._is_over():
                    return
                batch = [(it, workspaces[roots[it]]) for it in todo[start : start + BATCH]]
                for path, checked in await asyncio.to_thread(_check, batch):
                    touched |= self._store(path, checked)
                    if checked is None:
                        self._report_link_out(path, roots[path])
            if outdated is None:
                places = {(it.parent, of) for it, of in roots.items()}
                folders = [(it, workspaces[of]) for it, of in places]
                configurations = await asyncio.to_thread(_configurations, folders)
                self._configurations.update(it.path for it, _ in configurations)
                existing.update(it.path for it, _ in configurations)
                for configuration, workspace in configurations:
                    analyze = partial(check_configuration, configuration, workspace)
                    findings = (await asyncio.to_thread(analyze)).findings
                    if (baseline := configured_baseline(configuration, workspace)) is not None:
                        self._baselines.add(baseline.path)
                    touched |= self._store(configuration.path, _Checked(findings))
        if outdated is None:
            self._configurations &= existing
            touched |= (
                self.reports.keys()
            )  # those that open suites report for may not be covered now
        for path in self._checked.keys() - existing - self._configurations:
            touched |= self._store(path, None)
        for number, path in enumerate(sorted(touched)):
            if number % BATCH == 0:
                await asyncio.sleep(0)
            self._report(path, workspaces)

    def _report_link_out(self, path: Path, root: Path) -> None:
        """Report once that a suite is a link to a file outside the workspace."""
        if path in self._reported_links or not leads_out(path, root):
            return
        self._reported_links.add(path)
        message = f"{path}: not checked: {LEADS_OUT}; it is checked while it is open"
        kind = types.MessageType.Warning
        self._session.window_log_message(types.LogMessageParams(kind, message))

    def _store(self, path: Path, checked: _Checked | None) -> set[Path]:
        """Store findings, and return the files whose diagnostics may have changed."""
        reads = frozenset[Path]() if checked is None else checked.reads | {path}
        if self._outdated is not None and not self._changed_since.isdisjoint(reads):
            # What it was checked with may be older than the change, and was not known to bear on it.
            self._outdated.add(path)
        before = self._checked.pop(path, _NOTHING)
        for external_path in before.external:
            self._reporters[external_path].discard(path)
        now = checked or _NOTHING
        for external_path in now.external:
            self._reporters.setdefault(external_path, set()).add(path)
        if checked is not None:
            self._checked[path] = checked
        return {path, *before.external, *now.external}

    def _report(self, path: Path, workspaces: Mapping[Path, Workspace]) -> None:
        session = self._session
        self.reports.pop(path, None)
        if session.documents.at(path) is not None or not self.covers_file(path):
            return
        text = text_of(path, session.root_of(path)) or ""
        external = session.referenced_files.findings_for(
            (path,), text, lambda uri: session.documents.find(uri) is not None
        )
        for suite in sorted(self._reporters.get(path, ())):
            external += self._checked[suite].external[path]
        recent = workspaces.get(session.root_of(path))
        workspace = recent if recent is not None else session.workspace_around(path)
        findings = [
            *self._checked.get(path, _NOTHING).findings,
            *check_external(path, external, workspace, lines=Lines(text)).findings,
        ]
        has_any = findings or session.marked_files.of((path,))
        items = diagnostics_of(session, path, text, findings) if has_any else []
        if items:
            unstructured = json.dumps(session.rpc.unstructured(items))
            digest = hashlib.sha256(unstructured.encode()).hexdigest()[:24]
            self.reports[path] = Report(digest, items)

    def _is_over(self) -> bool:
        return self._session.rpc.ending


def _check(batch: list[tuple[Path, _RecordingWorkspace]]) -> list[tuple[Path, _Checked | None]]:
    results: list[tuple[Path, _Checked | None]] = []
    for path, workspace in batch:
        text = text_of(path, workspace.root)
        if text is None:
            results.append((path, None))
            continue
        workspace.files_read = set()
        analysis = check_text(path, text, workspace)
        for failure in analysis.failures:
            _log.error("the rule %s failed, a bug:\n%s", failure.rule.code, failure.trace)
        targets = find_targets(workspace, path.parent)  # which may have been read before
        reads = frozenset(workspace.files_read | ({targets.path} if targets else set()))
        results.append((path, _Checked(analysis.findings, analysis.external_findings, reads)))
    return results


def _configurations(
    folders: Iterable[tuple[Path, _RecordingWorkspace]],
) -> list[tuple[ParsedConfiguration, _RecordingWorkspace]]:
    """Return the configurations for some folders of workspaces, each once, with its workspace."""
    found = {
        configuration.path: (configuration, workspace)
        for folder, workspace in folders
        if (configuration := find_configuration(workspace, folder)) is not None
    }
    return [found[it] for it in sorted(found)]
