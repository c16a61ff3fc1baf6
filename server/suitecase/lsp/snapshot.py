"""Snapshots: an open document at one moment, with the files around it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

from suitecase.checking.check import is_certain
from suitecase.editor.dialect_features import features_of
from suitecase.editor.dialect_tests import DialectTests
from suitecase.editor.index.summary import summary_of, summary_of_text
from suitecase.editor.navigation.workspace_view import OpenFile
from suitecase.editor.runnable_cases import RunnableCases
from suitecase.format.configuration import (
    OWN_FILE,
    PROJECT_FILE,
    ParsedConfiguration,
    read_configuration,
)
from suitecase.format.dataset_files import dataset_of, is_dataset
from suitecase.format.dialect import DialectFile
from suitecase.format.other_file import OtherFile, other_file
from suitecase.format.reading import (
    TARGETS_NAMES,
    ParsedFile,
    are_targets,
    is_head_of_dataset,
    parse_document,
)
from suitecase.format.target_files import ParsedTargets, parse_targets
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import (
    ParsedSuite,
    looks_like_suite,
    parse_sidecar,
    parse_suite,
)
from suitecase.lsp.checks_apart import Checked
from suitecase.lsp.documents import Documents, OpenDocument
from suitecase.text.lines import Lines

#: Files on disk are read again after this many seconds if the client does not watch them.
RECENT = 1.0
#: Where a check with newly read files is slow, since thousands of cases refer to some, it is repeated
#: less often: so that it takes no more than this share of the time,
SHARE = 0.02
#: but after this many seconds at the latest.
LONGEST = 30.0


class FileKind(Enum):
    """What a document is to Suitecase."""

    SUITE = "suite"
    DATASET = "data set"
    TARGETS = "targets"
    CONFIGURATION = "configuration"
    #: The head of a data set.
    SIDECAR = "sidecar"
    #: A suite of another tool, or a part of one.
    DIALECT = "dialect"
    #: A file with the name of a suite that is not certain to be one: it has no other finding.
    UNKNOWN = "unknown"
    #: Anything else, such as a prompt that suites name.
    OTHER = "other"


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A document at one moment, with the files around it.

    Attributes:
        path: the path of the document; None if it is not a file.
        lines: its text.
        kind: its kind.
        parsed: the parsed suite, data set, sidecar or targets file; None for other kinds.
        dialect_file: the parsed file of another tool; None for other kinds.
        unknown: the file of which only its name is that of a suite; None for other kinds.
        configuration: the parsed configuration; None for other kinds.
        workspace: the files around it, with unsaved text of open files.
    """

    path: Path | None
    lines: Lines
    kind: FileKind
    parsed: ParsedSuite | ParsedTargets | None
    configuration: ParsedConfiguration | None
    workspace: Workspace
    dialect_file: DialectFile | None = None
    unknown: OtherFile | None = None

    @property
    def file(self) -> ParsedFile | None:
        """What is checked: the parsed file, of whichever kind; None for a configuration of ours."""
        return self.parsed or self.dialect_file or self.unknown

    @property
    def may_be_changed(self) -> bool:
        """Whether actions are offered that change it: its format has to be certain."""
        return self.file is None or is_certain(self.file)

    @property
    def is_checked(self) -> bool:
        """Whether rules apply to the document: a suite, or a file that belongs to suites."""
        return self.kind is not FileKind.OTHER

    @property
    def has_cases(self) -> bool:
        """Whether the document is a suite or a data set of Suitecase."""
        return self.kind in (FileKind.SUITE, FileKind.DATASET)

    @cached_property
    def runnable(self) -> RunnableCases | None:
        """The cases or tests that can be run; None if the document is not a suite, or its format is not run."""
        file = self.dialect_file
        if file is None:
            return self.suite if self.has_cases else None
        if file.dialect.run_by is None or not file.is_suite:
            return None
        return DialectTests(file, self.folder, features_of(file.dialect))

    @cached_property
    def text(self) -> str:
        return str(self.lines)

    @property
    def suite(self) -> ParsedSuite | None:
        """The suite or data set; None for other kinds."""
        if self.kind is FileKind.SIDECAR or not isinstance(self.parsed, ParsedSuite):
            return None
        return self.parsed

    @property
    def folder(self) -> Folder:
        """The folder of the document; that of the workspace if it is not a file."""
        path = self.path.parent if self.path is not None else self.workspace.root
        return Folder(self.workspace, path, self.text)

    def with_text(self, text: str, workspace: Workspace | None = None) -> Snapshot:
        """Return the snapshot the document would have with another text.

        Args:
            text: the text.
            workspace: the files around it, if they differ.
        """
        files = workspace or self.workspace
        parsed, configuration, dialect_file = self.parsed, self.configuration, self.dialect_file
        if configuration is not None:
            configuration = read_configuration(configuration.path, text)
        elif dialect_file is not None:
            document = dialect_file.dialect.document(text, reuse=dialect_file)
            dialect_file = dialect_file.dialect.read(self.path, document)
        elif self.unknown is not None:
            document = parse_suite(text).document
            unknown = other_file(self.path, document)
            return replace(self, lines=document.lines, workspace=files, unknown=unknown)
        elif self.kind is FileKind.SUITE:
            parsed = parse_suite(text, reuse=self.suite if workspace is None else None)
        elif self.path is not None and parsed is not None:
            reuse = self.suite if workspace is None else None
            again = _own(parse_document(self.path, text, files, reuse=reuse))
            parsed = again if again is not None else parsed
        file = parsed if parsed is not None else dialect_file
        lines = file.document.lines if file is not None else Lines(text)
        return Snapshot(self.path, lines, self.kind, parsed, configuration, files, dialect_file)

    @cached_property
    def open_file(self) -> OpenFile:
        """The document in the form that navigation requests use."""
        if self.file is not None:
            summary = summary_of(self.path, self.file)
        else:
            summary = summary_of_text(self.path, self.text)
        return OpenFile(self.text, summary, self.file)


@dataclass(frozen=True, slots=True)
class _Taken:
    """A snapshot, when its workspace was created, and the number of edits before that."""

    snapshot: Snapshot
    created: float
    edits: int


class _Took(NamedTuple):
    """How long the first check with the files of a workspace took, by when it was created.

    `seconds` is None if it was the first check of the document.
    """

    created: float
    seconds: float | None


class Snapshots:
    """The last snapshot of each document, for as long as it is current.

    Args:
        documents: the open documents.
        root: returns the root of the workspace of a document.
        watches_files: returns whether the client watches files on disk.
    """

    def __init__(
        self,
        documents: Documents,
        root: Callable[[OpenDocument], Path],
        watches_files: Callable[[], bool],
    ) -> None:
        self._documents = documents
        self._root = root
        self._watches_files = watches_files
        self._taken: WeakKeyDictionary[OpenDocument, _Taken] = WeakKeyDictionary()
        self._took: WeakKeyDictionary[OpenDocument, _Took] = WeakKeyDictionary()
        #: How often the files around a document were read again.
        self.read_count = 0
        #: The findings of snapshots.
        self.checked: WeakKeyDictionary[Snapshot, Checked] = WeakKeyDictionary()

    def of(self, document: OpenDocument, *, fresh: bool = False) -> Snapshot:
        """Return the current snapshot of a document.

        Args:
            document: the document.
            fresh: whether to read files on disk again after a while even if the client watches
                them.
        """
        last = self._taken.get(document)
        now = time.monotonic()
        if last is None or self._documents.edits_beside(document) > last.edits:
            return self._take(document, last, now)
        is_recent = now - last.created < self._kept_for(document)
        if last.snapshot.lines is document.lines:
            must_be_recent = fresh or not self._watches_files()
            is_current = is_recent or not must_be_recent
            return last.snapshot if is_current else self._take(document, last, now)
        workspace = last.snapshot.workspace
        # While the user types, files that the last snapshot has read are not read again.
        if is_recent and document.paths.isdisjoint(workspace.texts_read):
            workspace.open_texts = self._documents.texts()
            return self._store(document, workspace, last, last.created, last.edits)
        return self._take(document, last, now)

    def _kept_for(self, document: OpenDocument) -> float:
        """Return the seconds for which the files of a document's last snapshot are not read again."""
        took = self._took.get(document)
        seconds = took.seconds if took is not None else None
        return RECENT if seconds is None else max(RECENT, min(seconds / SHARE, LONGEST))

    def note(self, document: OpenDocument, seconds: float) -> None:
        """Note how long a check of the current snapshot of a document took.

        Only the first check with the files of a snapshot counts, and none of the document's first
        snapshot, for which everything is checked.
        """
        taken, took = self._taken.get(document), self._took.get(document)
        if taken is not None and (took is None or took.created != taken.created):
            self._took[document] = _Took(taken.created, None if took is None else seconds)

    def outdate(self) -> None:
        """Take new snapshots from now on: files on disk have changed."""
        self._taken.clear()

    def _take(self, document: OpenDocument, last: _Taken | None, now: float) -> Snapshot:
        self.read_count += 1
        workspace = Workspace(self._root(document), self._documents.texts())
        return self._store(document, workspace, last, now, self._documents.edits)

    def _store(
        self,
        document: OpenDocument,
        workspace: Workspace,
        last: _Taken | None,
        created: float,
        edits: int,
    ) -> Snapshot:
        before = last.snapshot if last is not None else None
        snapshot = _snapshot(document, workspace, before)
        self._taken[document] = _Taken(snapshot, created, edits)
        return snapshot


def _snapshot(document: OpenDocument, workspace: Workspace, before: Snapshot | None) -> Snapshot:
    if before is not None and before.lines is document.lines and before.kind in _ALONE:
        return replace(before, workspace=workspace)
    kind, configuration = _kind_of(document)
    parsed: ParsedSuite | ParsedTargets | None = None
    dialect_file: DialectFile | None = None
    unknown: OtherFile | None = None
    if kind is FileKind.DIALECT:
        dialect_file = document.dialect_file
    elif kind is FileKind.SUITE:
        parsed = document.parsed_alone
    elif document.path is not None and kind is FileKind.TARGETS:
        parsed = parse_targets(document.path, document.text, document.parsed_alone.document)
    elif document.path is not None and kind is FileKind.DATASET:
        # The data set's own lines have the cases only; what they mean depends on the sidecar.
        parsed = _own(
            parse_document(document.path, document.text, workspace, reuse=document.parsed_alone)
        )
    elif kind is FileKind.SIDECAR:
        parsed = parse_sidecar(document.text)
    elif kind is FileKind.UNKNOWN:
        unknown = document.other_file
    # Parsing the suite may have replaced the lines by equal ones.
    return Snapshot(
        document.path,
        document.lines,
        kind,
        parsed,
        configuration,
        workspace,
        dialect_file,
        unknown,
    )


def _own(parsed: ParsedFile) -> ParsedSuite | ParsedTargets | None:
    return None if isinstance(parsed, DialectFile | OtherFile) else parsed


#: Kinds that depend on their own text only.
_ALONE = frozenset({FileKind.SUITE, FileKind.CONFIGURATION, FileKind.DIALECT})


def _kind_of(document: OpenDocument) -> tuple[FileKind, ParsedConfiguration | None]:
    """Return the kind of a document, and the parsed configuration if it is one."""
    path = document.path
    if document.dialect_file is not None:
        return FileKind.DIALECT, None
    if path is None:
        if document.is_suite:
            return FileKind.SUITE, None
        return FileKind.UNKNOWN if document.other_file is not None else FileKind.OTHER, None
    if path.name in (OWN_FILE, PROJECT_FILE):
        configuration = read_configuration(path, document.text)
        if configuration is not None:
            return FileKind.CONFIGURATION, configuration
        return FileKind.OTHER, None
    if document.has_lines_of_json:
        kind = FileKind.DATASET if is_dataset(path, document.lines) else FileKind.OTHER
        return kind, None
    return _kind_of_yaml(document, path), None


def _kind_of_yaml(document: OpenDocument, path: Path) -> FileKind:
    """Return the kind of a document that is of no dialect, as `suite.reading.parsed_as` decides it."""
    is_suite, syntax = document.is_suite, document.parsed_alone.document
    if is_suite and looks_like_suite(syntax):
        return FileKind.SIDECAR if is_head_of_dataset(path, syntax) else FileKind.SUITE
    if path.name in TARGETS_NAMES and are_targets(path, syntax):
        return FileKind.TARGETS
    if dataset_of(path, document.text) is not None:
        return FileKind.SIDECAR
    if is_suite:
        return FileKind.SUITE
    return FileKind.UNKNOWN if document.other_file is not None else FileKind.OTHER
