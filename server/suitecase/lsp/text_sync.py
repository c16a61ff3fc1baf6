"""`textDocument/didOpen`, `didChange`, `didSave` and `didClose`, and changes of other files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types

from suitecase.lsp.publishing import Publisher
from suitecase.lsp.session import Session
from suitecase.lsp.uris import path_of
from suitecase.suite.configuration import OWN_FILE, PROJECT_FILE
from suitecase.suite.git_ignored import NAME as GIT_IGNORE

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

    def did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        document = self._session.documents.open(params.text_document, self._session.encoding)
        self._publisher.opened(document)

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        document = self._session.documents.get(params.text_document.uri)
        if document is None:
            return
        before = document.lines
        edits = [document.change(it) for it in params.content_changes]
        document.version = params.text_document.version
        self._session.place_in(document).edited(edits)
        self._session.calm.edited(document, before, edits)
        self._publisher.changed(document)

    def did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        self._session.outdate_indexes()
        self._session.calm.end()
        # The saved file may be one that other suites name.
        self._publisher.publish_all(_only_texts([params.text_document.uri]))

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        document = self._session.documents.close(params.text_document.uri)
        if document is not None:
            self._publisher.closed(document)

    def files_changed(self, params: types.DidChangeWatchedFilesParams) -> None:
        """Check again: files on disk have changed."""
        self._session.outdate_indexes()
        only = all(it.type == types.FileChangeType.Changed for it in params.changes)
        uris = [it.uri for it in params.changes] if only else []
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


def _only_texts(uris: Sequence[str]) -> list[Path] | None:
    """Return the changed files if the change affects only their readers; None if it may affect
    more.
    """
    paths = [path for uri in uris if (path := path_of(uri)) is not None]
    all_known = paths and len(paths) == len(uris)
    configures = any(it.name in (OWN_FILE, PROJECT_FILE, GIT_IGNORE) for it in paths)
    return paths if all_known and not configures else None
