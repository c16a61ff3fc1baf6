"""`textDocument/codeAction`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types

from suitecase.checking.analysis import Analysis
from suitecase.editor.missing_files import creations
from suitecase.editor.quick_fixes import QuickFix, fix_all, quick_fixes, suppressions
from suitecase.editor.refactoring import NewFile, refactorings
from suitecase.editor.results import failed_cases
from suitecase.editor.selected_cases import case_at, cases_in
from suitecase.evidence.governed import lock_beside
from suitecase.format.dialect import DialectFile
from suitecase.format.rule import Edit
from suitecase.lsp.checking import check, check_as_referenced, check_text
from suitecase.lsp.client_file import ClientFile, client_file_at
from suitecase.lsp.command_names import (
    CANCEL_RUN,
    CLEAR_RESULTS,
    MIGRATE_SUITE,
    OPEN_LOG,
    OPEN_REPORT,
    RUN_CASE,
    RUN_FAILED,
    RUN_SELECTION,
    RUN_SUITE,
)
from suitecase.lsp.diagnostic import finding_diagnostic
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.migrating import TITLE, can_be_migrated
from suitecase.lsp.rule_pages import explanations
from suitecase.lsp.session import Session
from suitecase.lsp.workspace_edits import (
    DocumentEdits,
    edits_of,
    text_document_edit,
    workspace_edit,
)
from suitecase.text.node import Span

#: Editors that fix on save request this kind, or `source.fixAll`.
FIX_ALL = "source.fixAll.suitecase"
REFACTORINGS = (
    types.CodeActionKind.RefactorRewrite,
    types.CodeActionKind.RefactorExtract,
    types.CodeActionKind.RefactorInline,
)


def code_action(session: Session, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Offer fixes for the findings in a range, refactorings, and running its cases.

    The document is checked again: clients may drop some or all of the diagnostics they send along.
    """
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return []
    span = document.positions.span(params.range)
    only = params.context.only or [types.CodeActionKind.Empty]
    is_unfiltered = types.CodeActionKind.Empty in only and (
        params.context.trigger_kind != types.CodeActionTriggerKind.Automatic
    )
    if not session.snapshot(document).may_be_changed:
        # Nothing changes a file whose format is not certain.
        found = check(session, document).touching(span) if is_unfiltered else []
        return [*explanations(found)]
    actions: list[types.CodeAction] = []
    if any(_includes(it, types.CodeActionKind.QuickFix) for it in only):
        actions += _fixes(session, document, span)
    fix_all_requested = any(_includes(it, FIX_ALL) for it in params.context.only or ())
    # An automatic request only decides whether to show a light bulb, and a bulb on every line is
    # useless.
    automatic = params.context.trigger_kind == types.CodeActionTriggerKind.Automatic
    if fix_all_requested or not (params.context.only or automatic):
        # Unless requested, a single fix is offered only as its own action.
        actions += _fix_all(session, document, at_least=1 if fix_all_requested else 2)
    if not (automatic and not params.context.only):
        actions += _refactorings(session, document, span, only)
        actions += _release_actions(session, document, span, only)
        actions += _migration(session, document, only)
    if session.snapshot(document).runnable is not None and is_unfiltered:
        actions += run_actions(session, document, span)
    if session.snapshot(document).is_checked and is_unfiltered:
        actions += explanations(check(session, document).touching(span))
    return actions


def _includes(requested: types.CodeActionKind | str, kind: types.CodeActionKind | str) -> bool:
    """Whether a kind is a requested kind or a sub-kind of it; the empty kind includes all."""
    name = requested.value if isinstance(requested, types.CodeActionKind) else requested
    candidate = kind.value if isinstance(kind, types.CodeActionKind) else kind
    return not name or candidate == name or candidate.startswith(f"{name}.")


def _fixes(session: Session, document: OpenDocument, span: Span) -> Iterator[types.CodeAction]:
    client_file = ClientFile(document.uri, document.positions)
    fixes: list[QuickFix] = []
    snapshot = session.snapshot(document)
    if snapshot.is_checked:
        analysis = check(session, document)
        for fix in quick_fixes(document.text, analysis, span):
            yield _fix(session, document, client_file, fix)
        yield from _creations(session, document, client_file, analysis, span)
        file = snapshot.file
        if file is not None and not (isinstance(file, DialectFile) and file.is_json):
            # Findings of a configuration cannot be suppressed, and JSON has no comments.
            fixes += suppressions(file.document, analysis, span)
    fixes += quick_fixes(document.text, check_as_referenced(session, document, document.text), span)
    for fix in fixes:
        yield _fix(session, document, client_file, fix)


def _fix(
    session: Session, document: OpenDocument, client_file: ClientFile, fix: QuickFix
) -> types.CodeAction:
    return types.CodeAction(
        title=fix.title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[finding_diagnostic(session, client_file, fix.finding)],
        is_preferred=fix.preferred,
        edit=_workspace_edit(session, document, fix.edits),
    )


def _creations(
    session: Session,
    document: OpenDocument,
    client_file: ClientFile,
    analysis: Analysis,
    span: Span,
) -> Iterator[types.CodeAction]:
    """Yield actions that create the files and targets that findings report as missing."""
    snapshot = session.snapshot(document)
    if snapshot.parsed is None or document.path is None:
        return
    creates = session.client.creates_files
    for creation in creations(
        snapshot.parsed, analysis, snapshot.folder, span, creates_files=creates
    ):
        if creation.created is not None:
            edit = _with_file(document, (), creation.created)
        elif creation.edited is not None:
            path, edits = creation.edited
            other, _ = client_file_at(session, path)
            text_edits = [types.TextEdit(other.positions.range(e.span), e.text) for e in edits]
            opened = session.documents.at(path)
            version = opened.version if opened is not None else None
            edit = workspace_edit(session, [DocumentEdits(other.uri, version, text_edits)])
        else:
            continue
        yield types.CodeAction(
            title=creation.title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[finding_diagnostic(session, client_file, creation.finding)],
            edit=edit,
        )


def _fix_all(
    session: Session, document: OpenDocument, *, at_least: int
) -> Iterator[types.CodeAction]:
    def analyze(text: str) -> Analysis:
        if session.snapshot(document).is_checked:
            return check_text(session, document, text)
        return check_as_referenced(session, document, text)

    combined = fix_all(document.text, analyze)
    if combined is not None and combined[1] >= at_least:
        edit, count = combined
        yield types.CodeAction(
            title="Make 1 safe fix" if count == 1 else f"Make all {count} safe fixes",
            kind=FIX_ALL,
            edit=_workspace_edit(session, document, (edit,)),
        )


def _refactorings(
    session: Session,
    document: OpenDocument,
    span: Span,
    only: Sequence[types.CodeActionKind | str],
) -> Iterator[types.CodeAction]:
    if not any(_includes(it, kind) for it in only for kind in REFACTORINGS):
        return
    snapshot = session.snapshot(document)
    if snapshot.suite is None:
        return
    folder = snapshot.folder if document.path else None
    creates = session.client.creates_files
    for refactoring in refactorings(snapshot.suite, span, folder, creates_files=creates):
        if any(_includes(requested, refactoring.kind) for requested in only):
            edit = _workspace_edit(session, document, refactoring.edits)
            if refactoring.created is not None:
                edit = _with_file(document, refactoring.edits, refactoring.created)
            yield types.CodeAction(title=refactoring.title, kind=refactoring.kind, edit=edit)


def _release_actions(
    session: Session,
    document: OpenDocument,
    span: Span,
    only: Sequence[types.CodeActionKind | str],
) -> Iterator[types.CodeAction]:
    """Yield what can be done about a suite with a lock."""
    kind, snapshot = types.CodeActionKind.RefactorRewrite, session.snapshot(document)
    if (
        snapshot.suite is None
        or document.path is None
        or not any(_includes(it, kind) for it in only)
    ):
        return
    if lock_beside(document.path, snapshot.folder) is None:
        return
    from suitecase.editor.release_actions import release_actions

    for title, edits in release_actions(snapshot.suite, span, snapshot.folder, document.path):
        edit = _workspace_edit(session, document, edits)
        yield types.CodeAction(title=title, kind=kind, edit=edit)


def _migration(
    session: Session, document: OpenDocument, only: Sequence[types.CodeActionKind | str]
) -> Iterator[types.CodeAction]:
    kind = types.CodeActionKind.RefactorRewrite
    if not session.snapshot(document).has_cases or not any(_includes(it, kind) for it in only):
        return
    if can_be_migrated(check(session, document)):
        command = types.Command(TITLE, MIGRATE_SUITE, arguments=[document.uri])
        yield types.CodeAction(title=TITLE, kind=kind, command=command)


def _with_file(
    document: OpenDocument, edits: tuple[Edit, ...], file: NewFile
) -> types.WorkspaceEdit:
    """Return edits of a document and the creation of a file, without overwriting an existing one."""
    uri, start = file.path.as_uri(), types.Position(0, 0)
    insertion = types.TextEdit(types.Range(start, start), file.text)
    options = types.CreateFileOptions(overwrite=False, ignore_if_exists=False)
    created = types.CreateFile(uri, options=options)
    changes: list[types.CreateFile | types.TextDocumentEdit] = [created]
    if file.text:
        changes.append(text_document_edit(DocumentEdits(uri, None, [insertion])))
    if edits:
        changes.append(text_document_edit(edits_of(document, edits)))
    return types.WorkspaceEdit(document_changes=changes)


def _workspace_edit(
    session: Session, document: OpenDocument, edits: tuple[Edit, ...]
) -> types.WorkspaceEdit:
    return workspace_edit(session, [edits_of(document, edits)])


def run_actions(session: Session, document: OpenDocument, span: Span) -> Iterator[types.CodeAction]:
    """Yield run and result actions at the cursor; without a kind, so that all clients list them."""
    suite, uri = session.cases_of(document), document.uri
    results = session.results(document)
    selected = cases_in(suite, span) if span.end > span.start else []
    case = case_at(suite, span.start)
    if len(selected) > 1:
        yield _action(
            f"Run the {len(selected)} selected {suite.noun}s", RUN_SELECTION, uri, selected
        )
    elif case is not None and case in results.running:
        yield _action(f"Cancel the run of `{case}`", CANCEL_RUN, uri, case)
    elif case is not None:
        yield _action(f"Run {suite.noun} `{case}`", RUN_CASE, uri, case)
    if suite.cases or suite.case_ids:
        yield _action(f"Run all {suite.noun}s", RUN_SUITE, uri)
    failed = failed_cases(suite, results)
    if failed:
        only = len(failed) == 1
        many = f"the failed {suite.noun}" if only else f"the {len(failed)} failed {suite.noun}s"
        yield _action(f"Run {many}", RUN_FAILED, uri)
    if results.running:
        yield _action("Cancel the run", CANCEL_RUN, uri)
    if case is not None and case in results.last:
        yield _action(f"Open the log of `{case}`", OPEN_LOG, uri, case)
    if results.last:
        yield _action("Open the report of the last results", OPEN_REPORT, uri)
    if case is not None and (case in results.last or case in results.problems):
        yield _action(f"Clear the result of `{case}`", CLEAR_RESULTS, uri, case)
    if results.last or results.problems:
        yield _action("Clear the results of runs", CLEAR_RESULTS, uri)


def _action(title: str, name: str, *arguments: str | list[str]) -> types.CodeAction:
    return types.CodeAction(
        title=title, command=types.Command(title, name, arguments=list(arguments))
    )
