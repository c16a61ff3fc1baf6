"""`textDocument/prepareRename` and `textDocument/rename`."""

from __future__ import annotations

from functools import partial

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from suitecase.editor.navigation.file_edits import CannotRenameError, FileEdits
from suitecase.editor.navigation.renaming import rename as renaming
from suitecase.editor.navigation.renaming import renameable
from suitecase.lsp.positions import Positions
from suitecase.lsp.request_context import RequestContext, inner, request_context, run_in_thread
from suitecase.lsp.session import Session
from suitecase.lsp.workspace_edits import DocumentEdits, workspace_edit
from suitecase.text.lines import Lines


async def prepare_rename(
    session: Session, params: types.PrepareRenameParams
) -> types.PrepareRenamePlaceholder | None:
    """Return the name at a position, if it can be renamed.

    Raises:
        JsonRpcException: it cannot; the message says why.
    """
    document = session.documents.get(params.text_document.uri)
    context = request_context(session, document) if document is not None else None
    if document is None or context is None or context.summary is None:
        return None
    offset = document.positions.offset(params.position)
    try:
        lookup = partial(renameable, context.view, context.summary, offset)
        occurrence = await run_in_thread(lookup)
    except CannotRenameError as error:
        raise _refusal(error) from error
    place = document.positions.range(inner(document.text, occurrence.span))
    return types.PrepareRenamePlaceholder(place, occurrence.name)


async def rename(session: Session, params: types.RenameParams) -> types.WorkspaceEdit | None:
    """Rename what the name at a position refers to, in all files.

    Raises:
        JsonRpcException: the new name is not possible; the message says why.
    """
    document = session.documents.get(params.text_document.uri)
    context = request_context(session, document) if document is not None else None
    if document is None or context is None or context.summary is None:
        return None
    offset = document.positions.offset(params.position)
    compute = partial(renaming, context.view, context.summary, offset, params.new_name)
    try:
        return edits_of_files(session, context, await run_in_thread(compute))
    except CannotRenameError as error:
        raise _refusal(error) from error


def edits_of_files(
    session: Session, context: RequestContext, files: list[FileEdits]
) -> types.WorkspaceEdit:
    """Convert edits of files to a workspace edit."""
    changes: list[DocumentEdits] = []
    for file in files:
        positions = Positions(Lines(file.text), context.encoding)
        edits = [types.TextEdit(positions.range(edit.span), edit.text) for edit in file.edits]
        changes.append(DocumentEdits(context.uri(file.path), context.version(file.path), edits))
    return workspace_edit(session, changes)


def _refusal(error: CannotRenameError) -> JsonRpcException:
    return JsonRpcException(str(error), code=types.LSPErrorCodes.RequestFailed.value)
