"""`textDocument/codeAction`."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from suitecase.ide.quick_fixes import quick_fixes
from suitecase.lsp.checking import check
from suitecase.lsp.command_names import CLEAR_RESULTS, RUN_CASE, RUN_SUITE
from suitecase.lsp.diagnostic import finding_diagnostic
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.session import Session
from suitecase.syntax.node import Span


def code_action(session: Session, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Offer the fixes of what is wrong in a range, and to run what stands there.

    The document is checked anew: of the diagnostics that a client sends along it may have dropped
    all or some.
    """
    document = session.documents.get(params.text_document.uri)
    if document is None or not document.is_suite:
        return []
    span = document.positions.span(params.range)
    only = params.context.only or [types.CodeActionKind.Empty]
    actions: list[types.CodeAction] = []
    if any(_includes(it, types.CodeActionKind.QuickFix) for it in only):
        actions += _fixes(session, document, span)
    # Asked without anyone asking, a client only wants to know whether to show a light bulb, and a
    # bulb in every line says nothing.
    automatic = params.context.trigger_kind == types.CodeActionTriggerKind.Automatic
    if types.CodeActionKind.Empty in only and not automatic:
        actions += _commands(session, document, span)
    return actions


def _includes(asked: types.CodeActionKind | str, kind: types.CodeActionKind) -> bool:
    """Whether a kind is one that was asked for, or below it; the empty one includes all."""
    name = asked.value if isinstance(asked, types.CodeActionKind) else asked
    return not name or kind.value == name or kind.value.startswith(f"{name}.")


def _fixes(session: Session, document: OpenDocument, span: Span) -> Iterator[types.CodeAction]:
    for fix in quick_fixes(document.text, check(session, document), span):
        edits = [types.TextEdit(document.positions.range(it.span), it.text) for it in fix.edits]
        yield types.CodeAction(
            title=fix.title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[finding_diagnostic(session, document, fix.finding)],
            is_preferred=fix.preferred,
            # Every client knows `changes`; edits with a version are refused by some.
            edit=types.WorkspaceEdit(changes={document.uri: edits}),
        )


def _commands(session: Session, document: OpenDocument, span: Span) -> Iterator[types.CodeAction]:
    """Yield what else can be done here, for clients without lenses; of no kind, so that it shows."""
    suite = document.suite
    number = suite.document.case_at(span.start)
    case = suite.cases[number].id if number is not None else None
    if case is not None and case.text:
        yield _command(f"Run case `{case.text}`", RUN_CASE, document.uri, case.text)
    if suite.cases:
        yield _command("Run all cases", RUN_SUITE, document.uri)
    if session.results(document).last:
        yield _command("Clear the results of runs", CLEAR_RESULTS, document.uri)


def _command(title: str, name: str, *arguments: str) -> types.CodeAction:
    return types.CodeAction(
        title=title, command=types.Command(title, name, arguments=list(arguments))
    )
