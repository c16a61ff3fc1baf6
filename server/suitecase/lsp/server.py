"""`suitecase lsp`: the language server, from start to end."""

from __future__ import annotations

import asyncio
import logging
import sys
from functools import partial
from socket import socket
from typing import BinaryIO

from lsprotocol import types

from suitecase.lsp import semantic_tokens
from suitecase.lsp.code_action import FIX_ALL, REFACTORINGS, code_action
from suitecase.lsp.code_lens import code_lens
from suitecase.lsp.completion import OPTIONS, completion, resolve
from suitecase.lsp.definition import definition
from suitecase.lsp.document_link import document_link
from suitecase.lsp.document_symbol import document_symbol
from suitecase.lsp.editor_results import cleanup_temp
from suitecase.lsp.file_renames import FILTERS, will_rename_files
from suitecase.lsp.folding_range import folding_range
from suitecase.lsp.garbage import GarbageCollection
from suitecase.lsp.highlight import highlight
from suitecase.lsp.hover import hover
from suitecase.lsp.inlay_hint import inlay_hint
from suitecase.lsp.publishing import PULL, Publisher
from suitecase.lsp.references import references
from suitecase.lsp.rename import prepare_rename, rename
from suitecase.lsp.run_features import RunFeatures
from suitecase.lsp.selection_range import selection_range
from suitecase.lsp.session import Session
from suitecase.lsp.settings_sync import TRUST, SettingsSync
from suitecase.lsp.stdio import MessageLoop, Output, claim
from suitecase.lsp.tcp import serve_one
from suitecase.lsp.text_sync import TextSync
from suitecase.lsp.workspace_symbol import workspace_symbol
from suitecase.text.encoders.terminal import encoded_line


def main() -> int:
    """Serve one client over standard input and output.

    Returns:
        0 if the client requested a shutdown before the end, else 1.
    """
    reader, writer = claim()
    _log_to_standard_error()
    return asyncio.run(_serve(reader, writer, watches_editor=True))


def serve_over_tcp(listening: socket, token: str) -> int:
    """Serve the first client that presents the token, and end with it.

    Returns:
        the same as `main`.
    """
    _log_to_standard_error()
    # The editor may run on another machine, where its process id means nothing here.
    return serve_one(listening, token, partial(_serve, watches_editor=False))


class _Visible(logging.Formatter):
    """Formats messages that may quote suites and answers."""

    def format(self, record: logging.LogRecord) -> str:
        return encoded_line(super().format(record))


def _log_to_standard_error() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Visible("%(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    # pygls logs a traceback for each failed request; the relevant ones reach
    # `Session.report_server_error`.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)


async def _serve(reader: BinaryIO, writer: BinaryIO, *, watches_editor: bool) -> int:
    session = Session()
    loop = MessageLoop()
    output = Output(writer, loop.stop)
    session.rpc.set_writer(output)
    session.rpc.on_exit = loop.stop
    session.rpc.on_last_message = loop.end_at_last
    register(session, loop, watches_editor=watches_editor)
    garbage = GarbageCollection(
        loop.quiet_for, lambda: session.documents.closed_count, lambda: session.snapshots.read_count
    )
    collecting = asyncio.create_task(garbage.run())
    try:
        rpc = session.rpc
        await loop.run(
            reader, rpc.handle_body, rpc.refuse, rpc.skipped, rpc.arrived, rpc.input_ended
        )
    finally:
        collecting.cancel()
        session.rpc.end_soon()
        await session.rpc.answer_all()
        output.close()
        await session.worker.close()
        cleanup_temp()
    return 0 if session.rpc.shut_down else 1


def register(session: Session, loop: MessageLoop, *, watches_editor: bool) -> None:
    """Register the handlers.

    Args:
        session: the client's session.
        loop: delivers its messages.
        watches_editor: whether the server ends when the editor's process does.
    """
    publisher = Publisher(session, loop.has_more)
    sync = TextSync(session, publisher)
    settings = SettingsSync(session, publisher)
    runs = RunFeatures(session, publisher, sync)
    recording = runs.cursors.recording
    session.rpc.on_unread = sync.unread

    def initialize(params: types.InitializeParams) -> None:
        session.start(params)
        settings.start(params.initialization_options)
        if watches_editor and params.process_id is not None:
            loop.watch(params.process_id)
        if session.client.pulls:
            session.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, PULL)(partial(publisher.report))
            session.feature(types.WORKSPACE_DIAGNOSTIC)(partial(publisher.workspace.answer))

    def initialized(params: types.InitializedParams) -> None:
        sync.watch(params)
        settings.initialized()

    def folders_changed(params: types.DidChangeWorkspaceFoldersParams) -> None:
        sync.folders_changed(params)
        settings.ask()

    for method, answer in (
        (types.INITIALIZE, initialize),
        (types.INITIALIZED, initialized),
        (types.TEXT_DOCUMENT_DID_OPEN, runs.did_open),
        (types.TEXT_DOCUMENT_DID_CHANGE, runs.did_change),
        (types.TEXT_DOCUMENT_DID_SAVE, runs.did_save),
        (types.TEXT_DOCUMENT_DID_CLOSE, runs.did_close),
        (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, runs.files_changed),
        (types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, folders_changed),
        (types.WORKSPACE_DID_CHANGE_CONFIGURATION, settings.changed),
        (TRUST, settings.trust),
        (types.TEXT_DOCUMENT_HOVER, recording(partial(hover, session))),
        (types.TEXT_DOCUMENT_DEFINITION, partial(definition, session)),
        (types.TEXT_DOCUMENT_REFERENCES, partial(references, session)),
        (types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, recording(partial(highlight, session))),
        (types.TEXT_DOCUMENT_DOCUMENT_LINK, partial(document_link, session)),
        (types.TEXT_DOCUMENT_PREPARE_RENAME, partial(prepare_rename, session)),
        (types.TEXT_DOCUMENT_RENAME, partial(rename, session)),
        (types.WORKSPACE_SYMBOL, partial(workspace_symbol, session)),
        (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, partial(document_symbol, session)),
        (types.TEXT_DOCUMENT_FOLDING_RANGE, partial(folding_range, session)),
        (types.TEXT_DOCUMENT_SELECTION_RANGE, partial(selection_range, session)),
        (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, partial(semantic_tokens.delta, session)),
    ):
        # pygls sets attributes on handlers, which methods do not allow.
        session.feature(method)(partial(answer))
    session.feature(types.TEXT_DOCUMENT_CODE_LENS)(settings.once_known(code_lens))
    session.feature(types.TEXT_DOCUMENT_INLAY_HINT)(settings.once_known(inlay_hint))
    kinds = [types.CodeActionKind.QuickFix, FIX_ALL, *REFACTORINGS]
    actions = types.CodeActionOptions(code_action_kinds=kinds)
    session.feature(types.TEXT_DOCUMENT_CODE_ACTION, actions)(
        recording(partial(code_action, session))
    )
    session.feature(types.WORKSPACE_WILL_RENAME_FILES, FILTERS)(partial(will_rename_files, session))
    session.feature(types.TEXT_DOCUMENT_COMPLETION, OPTIONS)(partial(completion, session))
    session.feature(types.COMPLETION_ITEM_RESOLVE)(partial(resolve, session))
    for method, tokens in (
        (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, partial(semantic_tokens.full, session)),
        (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, partial(semantic_tokens.in_range, session)),
    ):
        session.feature(method, semantic_tokens.LEGEND)(tokens)
