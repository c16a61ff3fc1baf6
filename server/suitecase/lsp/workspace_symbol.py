"""`workspace/symbol`."""

from __future__ import annotations

from functools import partial

from lsprotocol import types

from suitecase.editor.navigation.workspace_symbols import MOST, workspace_symbols
from suitecase.editor.navigation.workspace_view import Place
from suitecase.lsp.request_context import context_of_root, run_in_thread
from suitecase.lsp.session import Session
from suitecase.schema.key_roles import Kind

_KINDS = {
    Kind.CASE: types.SymbolKind.Class,
    Kind.TARGET: types.SymbolKind.Interface,
    Kind.EVALUATOR: types.SymbolKind.Function,
    Kind.RUBRIC: types.SymbolKind.EnumMember,
    Kind.METRIC: types.SymbolKind.Variable,
    Kind.SLICE: types.SymbolKind.Namespace,
    Kind.TEST: types.SymbolKind.Class,
    Kind.PROVIDER: types.SymbolKind.Interface,
    Kind.PROMPT_LABEL: types.SymbolKind.String,
}


async def workspace_symbol(
    session: Session, params: types.WorkspaceSymbolParams
) -> list[types.SymbolInformation]:
    """Return the cases, targets, evaluators, rubrics, metrics and slices of the workspace that match a
    query; of suites of other tools the tests, providers and prompts.
    """
    symbols: list[types.SymbolInformation] = []
    for root in session.roots():
        context = context_of_root(session, root)
        for symbol in await run_in_thread(partial(workspace_symbols, context.view, params.query)):
            location = context.location(Place(symbol.path, symbol.span))
            if location is not None:
                symbols.append(
                    types.SymbolInformation(
                        location, symbol.name, _KINDS[symbol.kind], container_name=symbol.container
                    )
                )
    return symbols[:MOST]
