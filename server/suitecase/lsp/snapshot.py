"""What requests look at: an open document as it is at one moment, with the files around it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from pathlib import Path
from weakref import WeakKeyDictionary

from suitecase.ide.index.summary import summary_of, summary_of_text
from suitecase.ide.navigation.workspace_view import OpenFile
from suitecase.lsp.checks_apart import Checked
from suitecase.lsp.documents import Documents, OpenDocument
from suitecase.suite.configuration import (
    OWN_FILE,
    PROJECT_FILE,
    ParsedConfiguration,
    read_configuration,
)
from suitecase.suite.parsed import ParsedSuite, parse_suite
from suitecase.suite.reading import DATASET, is_beside_suites, is_case_of_dataset, parse_document
from suitecase.suite.target_files import ParsedTargets, parse_targets
from suitecase.suite.workspace import Folder, Workspace
from suitecase.syntax.lines import Lines

#: Files on the disk are read again after this time, in seconds, also where no client tells that
#: one has changed.
RECENT = 1.0


class FileKind(Enum):
    """What a document is to Suitecase."""

    SUITE = "suite"
    DATASET = "data set"
    TARGETS = "targets"
    CONFIGURATION = "configuration"
    #: Anything else, such as a prompt that suites name.
    OTHER = "other"


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A document as it is at one moment, with the files around it.

    Attributes:
        path: where the document lies; None for one that is not a file.
        lines: its text.
        kind: what it is.
        parsed: what was read of a suite, a data set or a targets file; None for other kinds.
        configuration: what was read of a configuration; None for other kinds.
        workspace: the files around it, with what is open as it stands in the editor.
    """

    path: Path | None
    lines: Lines
    kind: FileKind
    parsed: ParsedSuite | ParsedTargets | None
    configuration: ParsedConfiguration | None
    workspace: Workspace

    @property
    def is_checked(self) -> bool:
        """Whether rules look at the document: a suite, or what belongs to suites."""
        return self.kind is not FileKind.OTHER

    @property
    def has_cases(self) -> bool:
        """Whether the document can be run."""
        return self.kind in (FileKind.SUITE, FileKind.DATASET)

    @cached_property
    def text(self) -> str:
        return str(self.lines)

    @property
    def suite(self) -> ParsedSuite | None:
        """The suite or the data set; None for other kinds."""
        return self.parsed if isinstance(self.parsed, ParsedSuite) else None

    @property
    def folder(self) -> Folder:
        """The folder of the document; that of the workspace for one that is not a file."""
        path = self.path.parent if self.path is not None else self.workspace.root
        return Folder(self.workspace, path, self.text)

    def with_text(self, text: str, workspace: Workspace | None = None) -> Snapshot:
        """Return what the document would be with another text.

        Args:
            text: the text.
            workspace: the files around it, where they are others.
        """
        around = workspace or self.workspace
        parsed, configuration = self.parsed, self.configuration
        if configuration is not None:
            configuration = read_configuration(configuration.path, text)
        elif self.kind is FileKind.SUITE:
            parsed = parse_suite(text, reuse=self.suite if workspace is None else None)
        elif self.path is not None and parsed is not None:
            reuse = self.suite if workspace is None else None
            parsed = parse_document(self.path, text, around, reuse=reuse)
        lines = parsed.document.lines if parsed is not None else Lines(text)
        return Snapshot(self.path, lines, self.kind, parsed, configuration, around)

    @cached_property
    def open_file(self) -> OpenFile:
        """The document as requests for names look at it."""
        if self.parsed is not None:
            summary = summary_of(self.path, self.parsed)
        else:
            summary = summary_of_text(self.path, self.text)
        return OpenFile(self.text, summary, self.parsed)


@dataclass(frozen=True, slots=True)
class _Taken:
    """A snapshot; `made` is when its workspace was, and `edits` how many edits there had been."""

    snapshot: Snapshot
    made: float
    edits: int


class Snapshots:
    """The last snapshot of each document, for as long as it is current.

    Args:
        documents: the open documents.
        root: returns the root of the workspace that a document belongs to.
        is_told_of_changes: says whether the client tells when files change on the disk.
    """

    def __init__(
        self,
        documents: Documents,
        root: Callable[[OpenDocument], Path],
        is_told_of_changes: Callable[[], bool],
    ) -> None:
        self._documents = documents
        self._root = root
        self._is_told_of_changes = is_told_of_changes
        self._taken: WeakKeyDictionary[OpenDocument, _Taken] = WeakKeyDictionary()
        #: What was found in the documents of snapshots.
        self.checked: WeakKeyDictionary[Snapshot, Checked] = WeakKeyDictionary()

    def of(self, document: OpenDocument, *, fresh: bool = False) -> Snapshot:
        """Return a document as it is now.

        Args:
            document: the document.
            fresh: whether to read files on the disk again that were read a while ago, also where
                the client would tell if one had changed.
        """
        known = self._taken.get(document)
        now = time.monotonic()
        if known is None or self._documents.edits_beside(document) > known.edits:
            return self._take(document, known, now)
        is_recent = now - known.made < RECENT
        if known.snapshot.lines is document.lines:
            must_be_recent = fresh or not self._is_told_of_changes()
            is_current = is_recent or not must_be_recent
            return known.snapshot if is_current else self._take(document, known, now)
        workspace = known.snapshot.workspace
        # While someone types, what the last snapshot has read is not read again.
        if is_recent and document.paths.isdisjoint(workspace.texts_read):
            workspace.open_texts = self._documents.texts()
            return self._keep(document, workspace, known, known.made, known.edits)
        return self._take(document, known, now)

    def outdate(self) -> None:
        """Take new snapshots from now on: files on the disk have changed."""
        self._taken.clear()

    def _take(self, document: OpenDocument, known: _Taken | None, now: float) -> Snapshot:
        workspace = Workspace(self._root(document), self._documents.texts())
        return self._keep(document, workspace, known, now, self._documents.edits)

    def _keep(
        self,
        document: OpenDocument,
        workspace: Workspace,
        known: _Taken | None,
        made: float,
        edits: int,
    ) -> Snapshot:
        before = known.snapshot if known is not None else None
        snapshot = _snapshot(document, workspace, before)
        self._taken[document] = _Taken(snapshot, made, edits)
        return snapshot


def _snapshot(document: OpenDocument, workspace: Workspace, before: Snapshot | None) -> Snapshot:
    if before is not None and before.lines is document.lines and before.kind in _ALONE:
        return replace(before, workspace=workspace)
    kind, configuration = _kind_of(document)
    parsed: ParsedSuite | ParsedTargets | None = None
    if kind is FileKind.SUITE:
        parsed = document.parsed_alone
    elif document.path is not None and kind is FileKind.TARGETS:
        parsed = parse_targets(document.path, document.text, document.parsed_alone.document)
    elif document.path is not None and kind is FileKind.DATASET:
        # Its lines are those of the cases alone; what they mean depends on the sidecar.
        parsed = parse_document(
            document.path, document.text, workspace, reuse=document.parsed_alone
        )
    # Reading the suite may have put the same text into other lines.
    return Snapshot(document.path, document.lines, kind, parsed, configuration, workspace)


#: What these are is in their own text.
_ALONE = frozenset({FileKind.SUITE, FileKind.CONFIGURATION})


def _kind_of(document: OpenDocument) -> tuple[FileKind, ParsedConfiguration | None]:
    """Return what a document is, and what it configures if it is a configuration."""
    path = document.path
    if document.is_suite:
        return FileKind.SUITE, None
    if path is None:
        return FileKind.OTHER, None
    if path.name in (OWN_FILE, PROJECT_FILE):
        configuration = read_configuration(path, document.text)
        if configuration is not None:
            return FileKind.CONFIGURATION, configuration
        return FileKind.OTHER, None
    if path.name.endswith(DATASET):
        is_dataset = is_case_of_dataset(document.lines.text(0)) or is_beside_suites(path)
        return FileKind.DATASET if is_dataset else FileKind.OTHER, None
    return FileKind.TARGETS if is_beside_suites(path) else FileKind.OTHER, None
