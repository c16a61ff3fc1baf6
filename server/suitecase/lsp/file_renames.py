"""`workspace/willRenameFiles`: what suites name keeps being found under its new name."""

from __future__ import annotations

from functools import partial

from lsprotocol import types

from suitecase.ide.index.workspace_index import GivenUpError
from suitecase.ide.navigation.moved_files import Moves, moved_references
from suitecase.lsp.documents import path_of
from suitecase.lsp.rename import workspace_edit
from suitecase.lsp.request_context import context_of_root, run_in_thread
from suitecase.lsp.session import Session

#: Suites name files of any kind, and folders of them are moved.
FILTERS = types.FileOperationRegistrationOptions(
    [
        types.FileOperationFilter(types.FileOperationPattern("**/*", matches=it), "file")
        for it in (types.FileOperationPatternKind.File, types.FileOperationPatternKind.Folder)
    ]
)


async def will_rename_files(
    session: Session, params: types.RenameFilesParams
) -> types.WorkspaceEdit | None:
    """Return the edits that have suites name files by what they are about to be called.

    They are made before the files are renamed, so their places are those of now.
    """
    named = ((path_of(it.old_uri), path_of(it.new_uri)) for it in params.files)
    moves = [(old, new) for old, new in named if old is not None and new is not None]
    edits: list[types.WorkspaceEdit] = []
    for root in dict.fromkeys(session.root_of(old) for old, _ in moves):
        here = context_of_root(session, root)
        try:
            files = await run_in_thread(partial(moved_references, here.surroundings, Moves(moves)))
        except GivenUpError:
            return None
        if files:
            edits.append(workspace_edit(session, here, files))
    if not edits:
        return None
    if session.client.takes_document_changes:
        return types.WorkspaceEdit(
            document_changes=[change for it in edits for change in it.document_changes or ()]
        )
    return types.WorkspaceEdit(
        changes={uri: made for it in edits for uri, made in (it.changes or {}).items()}
    )
