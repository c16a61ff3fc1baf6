"""The state of the language server: its client, the open documents, and the results of runs."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast
from weakref import WeakKeyDictionary

from lsprotocol import types
from pygls.exceptions import FeatureRequestError, JsonRpcException, PyglsError
from pygls.lsp.server import LanguageServer

from suitecase import __version__
from suitecase.editor.index.workspace_index import WorkspaceIndex
from suitecase.editor.lenses import Anchors
from suitecase.editor.results import DocumentResults
from suitecase.editor.runnable_cases import RunnableCases
from suitecase.editor.test_marks import FileMarks
from suitecase.format.workspace import Workspace, find_root
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_suite
from suitecase.lsp.checks_apart import ChecksApart
from suitecase.lsp.client import Client
from suitecase.lsp.debounce import Calm
from suitecase.lsp.documents import Documents, OpenDocument
from suitecase.lsp.protocol import Protocol, converter
from suitecase.lsp.referenced_files import ReferencedFiles
from suitecase.lsp.settings import Settings
from suitecase.lsp.shown_findings import Place
from suitecase.lsp.snapshot import Snapshot, Snapshots
from suitecase.lsp.uris import path_of, uri_key
from suitecase.run.client import Worker
from suitecase.text.working_directory import working_directory

_log = logging.getLogger(__name__)
_NO_CASES = parse_suite("")


class Session(LanguageServer):
    """One client's connection, from start to end.

    `settings` apply where a folder has none of its own.
    """

    def __init__(self) -> None:
        super().__init__(
            "suitecase", __version__, protocol_cls=Protocol, converter_factory=converter
        )
        self.client = Client()
        self.settings = Settings()
        #: The settings the client reports for its folders, by path.
        self.folder_settings: dict[Path, Settings] = {}
        self._may_be_trusted = True
        self.documents = Documents()
        self.calm = Calm(lambda it: self.settings_for(it).diagnostics.pause)
        #: Suites that are not open but name an open file, by URI.
        self.closed_suites: dict[str, OpenDocument] = {}
        self.referenced_files = ReferencedFiles()
        self.marked_files = MarkedFiles()
        #: Where in documents findings are shown if there are too many to show all.
        self.places: WeakKeyDictionary[OpenDocument, Place] = WeakKeyDictionary()
        self.snapshots = Snapshots(self.documents, self.root, lambda: self.client.watches_files)
        self.worker = Worker(background=True)
        self.checks_apart = ChecksApart(self.documents.edits_beside)
        self._indexes: dict[Path, WorkspaceIndex] = {}
        self._results: dict[str, DocumentResults] = {}

    def start(self, params: types.InitializeParams) -> None:
        """Store the client's capabilities and options."""
        self.client = Client.of(params.capabilities, params.initialization_options)
        self.settings, _ = Settings.of(params.initialization_options)
        self._may_be_trusted = self.settings.trusted

    @property
    def trusted(self) -> bool:
        """Whether suites may be run.

        A client that supports trust sends it at start-up; otherwise, the run command itself is the
        explicit consent. Settings sent later may come from files of the workspace: they can revoke
        trust, but not grant it. That requires `suitecase/trust`.
        """
        all_settings = (self.settings, *self.folder_settings.values())
        return self._may_be_trusted and all(setting.trusted for setting in all_settings)

    def trust(self, *, trusted: bool) -> None:
        """Apply the user's decision about the workspace."""
        self._may_be_trusted = trusted
        update = {"trusted": trusted}
        self.settings = self.settings.model_copy(update=update)
        folders = self.folder_settings.items()
        self.folder_settings = {path: it.model_copy(update=update) for path, it in folders}

    def settings_for(self, document: OpenDocument) -> Settings:
        """Return the settings for a document: those of its innermost client folder."""
        if document.path is None:
            return self.settings_in(self.root(document))
        return self.settings_at(document.path)

    def settings_at(self, path: Path) -> Settings:
        """Return the settings for a file: those of its innermost client folder."""
        folder = self.folder_of(path)
        return self.settings if folder is None else self.settings_in(folder)

    def place_in(self, document: OpenDocument) -> Place:
        """Return where in a document findings are shown."""
        return self.places.setdefault(document, Place())

    def settings_in(self, root: Path) -> Settings:
        """Return the settings for a folder of the client."""
        return self.folder_settings.get(root, self.settings)

    @property
    def rpc(self) -> Protocol:
        """The protocol, with its concrete type."""
        return cast("Protocol", self.protocol)

    @property
    def encoding(self) -> str:
        """The unit that positions are counted in, as negotiated with the client."""
        encoding = self.workspace.position_encoding or types.PositionEncodingKind.Utf16
        return encoding.value if isinstance(encoding, types.PositionEncodingKind) else encoding

    def results(self, document: OpenDocument) -> DocumentResults:
        """Return the results of a document."""
        return self._results.setdefault(uri_key(document.uri), DocumentResults())

    def forget_results(self, document: OpenDocument) -> None:
        """Drop the results of a document."""
        self._results.pop(uri_key(document.uri), None)

    def snapshot(self, document: OpenDocument) -> Snapshot:
        """Return the current snapshot of a document."""
        return self.snapshots.of(document)

    def suite_of(self, document: OpenDocument) -> ParsedSuite:
        """Return the current suite or data set of a document; for other files, a suite without
        cases.
        """
        return self.snapshot(document).suite or _NO_CASES

    def cases_of(self, document: OpenDocument) -> RunnableCases:
        """Return the cases or tests of a document that can be run now; other files have none."""
        return self.snapshot(document).runnable or _NO_CASES

    def anchors(self, document: OpenDocument) -> Anchors:
        """Return the places of a document's lenses, even while its text does not parse."""
        return document.anchors_of(self.cases_of(document))

    def workspace_around(self, path: Path) -> Workspace:
        """Return the files around one that is not open, with unsaved text of open files."""
        return Workspace(self.root_of(path), self.documents.texts())

    def is_named_prompt(self, document: OpenDocument) -> bool:
        """Whether a document is not a suite file but is named by suites, as a prompt."""
        is_checked = self.snapshot(document).is_checked
        return not is_checked and bool(self.referenced_files.referrers(document.paths))

    def suite(self, uri: str) -> OpenDocument | None:
        """Return an open suite, or a closed one that names an open file."""
        return self.documents.find(uri) or self.closed_suites.get(uri)

    def root(self, document: OpenDocument) -> Path:
        """Return the root of the workspace a document belongs to.

        For a document that is not a file, that is the client's first folder.
        """
        if document.path is None:
            folders = self.roots()
            return folders[0] if folders else working_directory()
        return self.root_of(document.path)

    def root_of(self, path: Path) -> Path:
        """Return the root of the workspace a file belongs to, as the command line has it.

        Without trust it is never above the client's folders.
        """
        opened = self.outermost_folder_of(path)
        if opened is None:
            return find_root(path, working_directory())
        root = find_root(path, opened)
        return root if self.trusted or root.is_relative_to(opened) else opened

    def outermost_folder_of(self, path: Path) -> Path | None:
        """Return the outermost client folder that contains a file, if any."""
        containing = [root for root in self.roots() if path.is_relative_to(root)]
        return min(containing, key=lambda it: len(it.parts), default=None)

    def folder_of(self, path: Path) -> Path | None:
        """Return the innermost client folder that contains a file, if any."""
        containing = [root for root in self.roots() if path.is_relative_to(root)]
        return max(containing, key=lambda it: len(it.parts), default=None)

    def roots(self) -> list[Path]:
        """Return the client's folders."""
        folders = [
            path for folder in self.workspace.folders.values() if (path := path_of(folder.uri))
        ]
        if not folders and self.workspace.root_uri and (path := path_of(self.workspace.root_uri)):
            folders = [path]
        return folders

    def folder_uri(self, folder: Path) -> str | None:
        """Return the URI of a client's folder, as the client spells it."""
        uris = [*(it.uri for it in self.workspace.folders.values()), self.workspace.root_uri or ""]
        return next((it for it in uris if it and path_of(it) == folder), None)

    def index(self, root: Path) -> WorkspaceIndex:
        """Return the index of a workspace; files are read when it is queried.

        Of a workspace whose root is above the client's folders, only these are searched.
        """
        opened = self.roots()
        below = tuple(it for it in opened if it.is_relative_to(root))
        is_above = below and not any(root.is_relative_to(it) for it in opened)
        searched = below if is_above else (root,)
        index = self._indexes.get(root)
        if index is None or index.searched != searched:
            index = self._indexes[root] = WorkspaceIndex(root, searched)
        if not self.client.watches_files:
            index.outdate()
        return index

    def outdate_indexes(self) -> None:
        """Make the indexes rescan their workspaces at the next query."""
        for index in self._indexes.values():
            index.outdate()

    def show(self, kind: types.MessageType, message: str) -> None:
        """Show a message to the user."""
        self.window_show_message(types.ShowMessageParams(kind, message))

    def report_server_error(
        self, error: Exception, source: type[PyglsError | JsonRpcException]
    ) -> None:
        """Log a bug of ours to standard error.

        Nothing is shown to the user: what fails on each keystroke must not pop up each time. The
        failed request is answered with the error anyway.
        """
        if not isinstance(error, JsonRpcException):
            _log.error("%s", error, exc_info=error)
        elif error.data is not None or source is not FeatureRequestError:
            trace = error.data.get("traceback", ()) if isinstance(error.data, dict) else ()
            _log.error("%s\n%s", error, "".join(trace))


@dataclass(slots=True)
class MarkedFiles:
    """The marks that the results of each open suite have in other files, by the URI of the suite."""

    _by_suite: dict[str, Mapping[Path, FileMarks]] = field(default_factory=dict)

    @property
    def paths(self) -> set[Path]:
        """The files that have marks."""
        return {path for marks in self._by_suite.values() for path in marks}

    def replace(self, uri: str, marks: Mapping[Path, FileMarks]) -> set[Path]:
        """Store the marks of a suite, and return the files whose marks have changed."""
        before = self._by_suite.pop(uri, {})
        if marks:
            self._by_suite[uri] = marks
        return {uri for uri in before.keys() | marks.keys() if before.get(uri) != marks.get(uri)}

    def forget(self, uri: str) -> set[Path]:
        """Drop the marks of a suite, and return the files that had some."""
        return self.replace(uri, {})

    def of(self, paths: Collection[Path]) -> list[tuple[str, FileMarks]]:
        """Return the suites that have marks in a file, by any of its paths, each with these marks."""
        return [
            (uri, marks[path])
            for uri, marks in sorted(self._by_suite.items(), key=lambda marked: marked[0])
            for path in paths
            if path in marks
        ]
