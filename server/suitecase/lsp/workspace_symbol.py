"""`workspace/symbol`."""

from __future__ import annotations

from functools import partial

from lsprotocol import types

from suitecase.ide.index.occurrence import Kind
from suitecase.ide.navigation.workspace_symbols import MOST, workspace_symbols
from suitecase.ide.navigation.workspace_view import Place
from suitecase.lsp.request_context import context_of_root, run_in_thread
from suitecase.lsp.session import Session

_KINDS = {
    Kind.CASE: types.SymbolKind.Class,
    Kind.TARGET: types.SymbolKind.Interface,
    Kind.EVALUATOR: types.SymbolKind.Function,
    Kind.RUBRIC: types.SymbolKind.EnumMember,
}


async def workspace_symbol(
    session: Session, params: types.WorkspaceSymbolParams
) -> list[types.SymbolInformation]:
    """Return the cases, targets, evaluators and rubrics of the workspace that fit a query."""
    found: list[types.SymbolInformation] = []
    for root in session.roots():
        there = context_of_root(session, root)
        for it in await run_in_thread(partial(workspace_symbols, there.surroundings, params.query)):
            location = there.location(Place(it.path, it.span))
            if location is not None:
                found.append(
                    types.SymbolInformation(
                        location, it.name, _KINDS[it.kind], container_name=it.container
                    )
                )
    return found[:MOST]
