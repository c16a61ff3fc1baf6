"""`textDocument/prepareRename` and `textDocument/rename`."""

from __future__ import annotations

from functools import partial

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from suitecase.ide.navigation.renaming import (
    CannotRenameError,
    FileEdits,
    renameable,
)
from suitecase.ide.navigation.renaming import rename as renaming
from suitecase.lsp.positions import Positions
from suitecase.lsp.request_context import RequestContext, inner, request_context, run_in_thread
from suitecase.lsp.session import Session
from suitecase.syntax.lines import Lines


def prepare_rename(
    session: Session, params: types.PrepareRenameParams
) -> types.PrepareRenamePlaceholder | None:
    """Return the name at a position, if it can be changed.

    Raises:
        JsonRpcException: it cannot; the message says why.
    """
    document = session.documents.get(params.text_document.uri)
    here = request_context(session, document) if document is not None else None
    if document is None or here is None or here.summary is None:
        return None
    offset = document.positions.offset(params.position)
    try:
        found = renameable(here.surroundings, here.summary, offset)
    except CannotRenameError as error:
        raise _refusal(error) from error
    place = document.positions.range(inner(document.text, found.span))
    return types.PrepareRenamePlaceholder(place, found.name)


async def rename(session: Session, params: types.RenameParams) -> types.WorkspaceEdit | None:
    """Give what is named at a position another name, in every file.

    Raises:
        JsonRpcException: it cannot have that name; the message says why.
    """
    document = session.documents.get(params.text_document.uri)
    here = request_context(session, document) if document is not None else None
    if document is None or here is None or here.summary is None:
        return None
    offset = document.positions.offset(params.position)
    look = partial(renaming, here.surroundings, here.summary, offset, params.new_name)
    try:
        return workspace_edit(session, here, await run_in_thread(look))
    except CannotRenameError as error:
        raise _refusal(error) from error


def workspace_edit(
    session: Session, here: RequestContext, files: list[FileEdits]
) -> types.WorkspaceEdit:
    """Return edits of files in the words of the protocol."""
    made: list[tuple[str, int | None, list[types.TextEdit]]] = []
    for file in files:
        positions = Positions(Lines(file.text), here.encoding)
        edits = [types.TextEdit(positions.range(it.span), it.text) for it in file.edits]
        made.append((here.uri(file.path), here.version(file.path), edits))
    if not session.client.takes_document_changes:
        return types.WorkspaceEdit(changes={uri: edits for uri, _, edits in made})
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=version), edits
            )
            for uri, version, edits in made
        ]
    )


def _refusal(error: CannotRenameError) -> JsonRpcException:
    return JsonRpcException(str(error), code=types.LSPErrorCodes.RequestFailed.value)
