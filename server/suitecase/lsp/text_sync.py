"""`textDocument/didOpen`, `didChange`, `didSave` and `didClose`, and what else changes."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from suitecase.lsp.publishing import Publisher
from suitecase.lsp.session import Session

#: What a suite may name: prompts, targets, files of messages.
_WATCHED = "**/*.{yaml,yml,jsonl,toml,md,txt,json,py,js,ts}"


class TextSync:
    """Keeps the open documents as the client has them, and their diagnostics with them."""

    def __init__(self, session: Session, publisher: Publisher) -> None:
        self._session = session
        self._publisher = publisher

    def did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        document = self._session.documents.open(params.text_document, self._session.encoding)
        self._publisher.opened(document)

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        document = self._session.documents.get(params.text_document.uri)
        if document is None:
            return
        for change in params.content_changes:
            document.change(change)
        document.version = params.text_document.version
        self._publisher.changed(document)

    def did_save(self, _params: types.DidSaveTextDocumentParams) -> None:
        self._session.outdate_indexes()
        # What is saved may be a file that other suites name.
        self._publisher.publish_all()

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        document = self._session.documents.close(params.text_document.uri)
        if document is not None:
            self._publisher.closed(document)

    def files_changed(self, _params: Any) -> None:
        """Check again: files or folders have changed behind the documents."""
        self._session.outdate_indexes()
        self._publisher.publish_all()

    def watch(self, _params: types.InitializedParams) -> None:
        """Ask the client to tell of changed files, if it can."""
        if not self._session.client.watches_files:
            return
        watchers = [types.FileSystemWatcher(glob_pattern=_WATCHED)]
        # A client that refuses after all is heard no more of.
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
