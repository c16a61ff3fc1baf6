"""`textDocument/didOpen`, `didChange`, `didSave` and `didClose`, and changes of other files.

A change that cannot be read or does not fit leaves the server with another text than the client has. Such a document is
out of step: nothing is computed from its text, and it is said so, until the client sends a whole text again.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeGuard

from lsprotocol import types

from suitecase.format.configuration import OWN_FILE, PROJECT_FILE
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.parameters import is_address
from suitecase.lsp.protocol import SYNC_METHODS
from suitecase.lsp.publishing import Publisher
from suitecase.lsp.session import Session
from suitecase.lsp.uris import path_of, uri_key
from suitecase.text.git_ignored import NAME as GIT_IGNORE
from suitecase.text.replaced import Replaced

#: The endings of files that suites may name (prompts, targets, files of messages, labels, scripts), and of
#: lock files.
_ENDINGS = (
    *("yaml", "yml", "json", "jsonl", "toml", "csv", "tsv", "lock"),
    *("md", "txt", "prompt", "j2", "jinja", "tmpl"),
    *("py", "js", "mjs", "cjs", "ts", "mts", "cts", "sh", "rb", "pl"),
)
_WATCHED = f"**/*.{{{','.join(_ENDINGS)}}}"
#: What is found in the workspace depends on these.
_GIT_IGNORES = f"**/{GIT_IGNORE}"


class TextSync:
    """Keeps the open documents in sync with the client, and publishes their diagnostics."""

    def __init__(self, session: Session, publisher: Publisher) -> None:
        self._session = session
        self._publisher = publisher
        #: Documents that are out of step, by `uri_key`, as they were before.
        self._out_of_step: dict[str, types.TextDocumentItem] = {}

    def did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        self._out_of_step.pop(uri_key(params.text_document.uri), None)
        document = self._session.documents.open(params.text_document, self._session.encoding)
        self._publisher.opened(document)

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        document = self._session.documents.get(params.text_document.uri)
        if document is None:
            self._catch_up(params)
            return
        version = params.text_document.version
        is_whole = bool(params.content_changes) and not _is_partial(params.content_changes[0])
        if document.version is not None and version < document.version and not is_whole:
            self._lose(document, f"a change has version {version} after {document.version}")
            return
        before = document.lines
        edits: list[Replaced] = []
        for change in params.content_changes:
            if _is_partial(change) and change.range.start.line > len(document.lines):
                line = change.range.start.line + 1
                self._lose(document, f"a change starts at line {line} of {len(document.lines)}")
                return
            edits.append(document.change(change))
        document.version = version
        self._session.place_in(document).edited(edits)
        self._session.calm.edited(document, before, edits)
        self._publisher.changed(document)

    def did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        self._session.outdate_indexes()
        self._session.calm.end()
        # The saved file may be one that other suites name.
        self._publisher.publish_all(_only_texts([params.text_document.uri]))

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        lost = self._out_of_step.pop(uri_key(params.text_document.uri), None)
        if lost is not None:
            self._publisher.in_step(lost.uri)
        document = self._session.documents.close(params.text_document.uri)
        if document is not None:
            self._publisher.closed(document)

    def unread(self, method: str, params: Any) -> None:
        """Act on a notification that could not be read: what it says about which document may be unknown."""
        if method == types.WORKSPACE_DID_CHANGE_WATCHED_FILES:
            self._session.outdate_indexes()
            self._publisher.publish_all()
        if method not in SYNC_METHODS:
            return
        item = params.get("textDocument") if isinstance(params, dict) else None
        uri = item.get("uri") if isinstance(item, dict) else None
        if isinstance(uri, str) and is_address(uri) and method == types.TEXT_DOCUMENT_DID_CLOSE:
            identifier = types.TextDocumentIdentifier(uri)
            self.did_close(types.DidCloseTextDocumentParams(identifier))
            return
        document = self._session.documents.find(uri) if isinstance(uri, str) else None
        affected = [document] if document is not None else []
        if not isinstance(uri, str):
            affected = list(self._session.documents)
        for it in affected:
            self._lose(it, f"a message of the editor (`{method}`) could not be read")

    def _lose(self, document: OpenDocument, why: str) -> None:
        """Compute nothing from the text of a document any more, and say so."""
        self._session.documents.close(document.uri)
        self._publisher.closed(document)
        item = types.TextDocumentItem(
            document.uri, document.language, document.version or 0, document.text
        )
        self._out_of_step[uri_key(document.uri)] = item
        message = (
            f"Suitecase no longer knows the text of this file: {why}. "
            "Close it and open it again to have it checked."
        )
        self._publisher.out_of_step(document.uri, message)

    def _catch_up(self, params: types.DidChangeTextDocumentParams) -> None:
        """Open a document again that is out of step, once its whole text is sent."""
        item = self._out_of_step.get(uri_key(params.text_document.uri))
        if item is None:
            return
        changes = list(params.content_changes)
        whole = next((number for number, it in enumerate(changes) if not _is_partial(it)), None)
        if whole is None:
            return
        version = params.text_document.version
        opened = types.TextDocumentItem(item.uri, item.language_id, version, changes[whole].text)
        self.did_open(types.DidOpenTextDocumentParams(opened))
        if changes[whole + 1 :]:
            rest = types.DidChangeTextDocumentParams(params.text_document, changes[whole + 1 :])
            self.did_change(rest)

    def files_changed(self, params: types.DidChangeWatchedFilesParams) -> None:
        """Check again: files on disk have changed."""
        self._session.outdate_indexes()
        only = all(change.type == types.FileChangeType.Changed for change in params.changes)
        uris = [change.uri for change in params.changes] if only else []
        self._publisher.publish_all(_only_texts(uris))

    def folders_changed(self, _params: Any) -> None:
        """Check again: the folders of the workspace have changed."""
        self._session.outdate_indexes()
        self._publisher.publish_all()

    def watch(self, _params: types.InitializedParams) -> None:
        """Ask the client to watch files, if it can."""
        if not self._session.client.watches_files:
            return
        watchers = [types.FileSystemWatcher(glob_pattern=it) for it in (_WATCHED, _GIT_IGNORES)]
        # If a client refuses after all, files are not watched.
        self._session.client_register_capability(
            types.RegistrationParams(
                [
                    types.Registration(
                        "suitecase.files",
                        types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
                        types.DidChangeWatchedFilesRegistrationOptions(watchers),
                    )
                ]
            )
        )


def _is_partial(
    change: types.TextDocumentContentChangeEvent,
) -> TypeGuard[types.TextDocumentContentChangePartial]:
    return isinstance(change, types.TextDocumentContentChangePartial)


def _only_texts(uris: Sequence[str]) -> list[Path] | None:
    """Return the changed files if the change affects only their readers; None if it may affect
    more.
    """
    paths = [path for uri in uris if (path := path_of(uri)) is not None]
    all_known = paths and len(paths) == len(uris)
    configures = any(path.name in (OWN_FILE, PROJECT_FILE, GIT_IGNORE) for path in paths)
    return paths if all_known and not configures else None
