"""`workspace/willRenameFiles`: updates the references to files in suites."""

from __future__ import annotations

from functools import partial

from lsprotocol import types

from suitecase.editor.index.workspace_index import GivenUpError
from suitecase.editor.navigation.moved_files import Moves, moved_references
from suitecase.lsp.rename import edits_of_files
from suitecase.lsp.request_context import context_of_root, run_in_thread
from suitecase.lsp.session import Session
from suitecase.lsp.uris import path_of

#: Suites can name files of any kind, and folders of them can be moved.
FILTERS = types.FileOperationRegistrationOptions(
    [
        types.FileOperationFilter(types.FileOperationPattern("**/*", matches=it), "file")
        for it in (types.FileOperationPatternKind.File, types.FileOperationPatternKind.Folder)
    ]
)


async def will_rename_files(
    session: Session, params: types.RenameFilesParams
) -> types.WorkspaceEdit | None:
    """Return the edits that update references to the renamed files.

    They are applied before the rename, so their positions are the current ones.
    """
    pairs = ((path_of(edit.old_uri), path_of(edit.new_uri)) for edit in params.files)
    moves = [(old, new) for old, new in pairs if old is not None and new is not None]
    edits: list[types.WorkspaceEdit] = []
    for root in dict.fromkeys(session.root_of(old) for old, _ in moves):
        context = context_of_root(session, root)
        try:
            files = await run_in_thread(partial(moved_references, context.view, Moves(moves)))
        except GivenUpError:
            return None
        if files:
            edits.append(edits_of_files(session, context, files))
    if not edits:
        return None
    if session.client.takes_document_changes:
        return types.WorkspaceEdit(
            document_changes=[change for edit in edits for change in edit.document_changes or ()]
        )
    return types.WorkspaceEdit(
        changes={
            uri: text_edits for edit in edits for uri, text_edits in (edit.changes or {}).items()
        }
    )
