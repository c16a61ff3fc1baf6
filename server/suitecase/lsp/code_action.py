"""`textDocument/codeAction`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types

from suitecase.checking.analysis import Analysis
from suitecase.ide.missing_files import creations
from suitecase.ide.quick_fixes import QuickFix, fix_all, quick_fixes, suppressions, touches
from suitecase.ide.refactoring import NewFile, refactorings
from suitecase.ide.results import failed_cases
from suitecase.ide.selected_cases import case_at, cases_in
from suitecase.lsp.checking import check, check_as_named, check_text
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
from suitecase.lsp.diagnostic import ClientFile, finding_diagnostic, shown_file
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.migrating import TITLE, can_be_migrated
from suitecase.lsp.rule_pages import explanations
from suitecase.lsp.session import Session
from suitecase.rule import Edit
from suitecase.syntax.node import Span

#: Editors that fix on saving ask for this kind, or for `source.fixAll`.
FIX_ALL = "source.fixAll.suitecase"
REFACTORINGS = (
    types.CodeActionKind.RefactorRewrite,
    types.CodeActionKind.RefactorExtract,
    types.CodeActionKind.RefactorInline,
)


def code_action(session: Session, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Offer the fixes of what is wrong in a range, other ways to write it, and to run it.

    The document is checked anew: of the diagnostics that a client sends along it may have dropped
    all or some.
    """
    document = session.documents.get(params.text_document.uri)
    if document is None:
        return []
    span = document.positions.span(params.range)
    only = params.context.only or [types.CodeActionKind.Empty]
    actions: list[types.CodeAction] = []
    if any(_includes(it, types.CodeActionKind.QuickFix) for it in only):
        actions += _fixes(session, document, span)
    asked = any(_includes(it, FIX_ALL) for it in params.context.only or ())
    # Asked without anyone asking, a client only wants to know whether to show a light bulb, and a
    # bulb in every line says nothing.
    automatic = params.context.trigger_kind == types.CodeActionTriggerKind.Automatic
    if asked or not (params.context.only or automatic):
        # Unasked, one fix has its own action already.
        actions += _fix_all(session, document, at_least=1 if asked else 2)
    if not (automatic and not params.context.only):
        actions += _refactorings(session, document, span, only)
        actions += _migration(session, document, only)
    by_a_person = types.CodeActionKind.Empty in only and not automatic
    if session.snapshot(document).has_cases and by_a_person:
        actions += run_actions(session, document, span)
    if session.snapshot(document).is_checked and by_a_person:
        found = check(session, document).findings
        actions += explanations([it for it in found if touches(it, span)])
    return actions


def _includes(asked: types.CodeActionKind | str, kind: types.CodeActionKind | str) -> bool:
    """Whether a kind is one that was asked for, or below it; the empty one includes all."""
    name = asked.value if isinstance(asked, types.CodeActionKind) else asked
    wanted = kind.value if isinstance(kind, types.CodeActionKind) else kind
    return not name or wanted == name or wanted.startswith(f"{name}.")


def _fixes(session: Session, document: OpenDocument, span: Span) -> Iterator[types.CodeAction]:
    shown = ClientFile(document.uri, document.positions)
    found: list[QuickFix] = []
    snapshot = session.snapshot(document)
    if snapshot.is_checked:
        analysis = check(session, document)
        for fix in quick_fixes(document.text, analysis, span):
            yield _fix(session, document, shown, fix)
        yield from _creations(session, document, shown, analysis, span)
        if snapshot.parsed is not None:  # findings of a configuration cannot be suppressed
            found += suppressions(snapshot.parsed.document, analysis, span)
    found += quick_fixes(document.text, check_as_named(session, document, document.text), span)
    for fix in found:
        yield _fix(session, document, shown, fix)


def _fix(
    session: Session, document: OpenDocument, shown: ClientFile, fix: QuickFix
) -> types.CodeAction:
    return types.CodeAction(
        title=fix.title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[finding_diagnostic(session, shown, fix.finding)],
        is_preferred=fix.preferred,
        edit=_workspace_edit(document, fix.edits),
    )


def _creations(
    session: Session, document: OpenDocument, shown: ClientFile, analysis: Analysis, span: Span
) -> Iterator[types.CodeAction]:
    """Yield what makes files and targets that findings say are missing."""
    snapshot = session.snapshot(document)
    if snapshot.parsed is None or document.path is None:
        return
    creates = session.client.creates_files
    for it in creations(snapshot.parsed, analysis, snapshot.folder, span, creates_files=creates):
        if it.created is not None:
            edit = _with_file(document, (), it.created)
        elif it.edited is not None:
            path, edits = it.edited
            other, _ = shown_file(session, path)
            made = [types.TextEdit(other.positions.range(e.span), e.text) for e in edits]
            edit = types.WorkspaceEdit(changes={other.uri: made})
        else:
            continue
        yield types.CodeAction(
            title=it.title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[finding_diagnostic(session, shown, it.finding)],
            edit=edit,
        )


def _fix_all(
    session: Session, document: OpenDocument, *, at_least: int
) -> Iterator[types.CodeAction]:
    def analyze(text: str) -> Analysis:
        if session.snapshot(document).is_checked:
            return check_text(session, document, text)
        return check_as_named(session, document, text)

    found = fix_all(document.text, analyze)
    if found is not None and found[1] >= at_least:
        edit, count = found
        yield types.CodeAction(
            title="Make 1 safe fix" if count == 1 else f"Make all {count} safe fixes",
            kind=FIX_ALL,
            edit=_workspace_edit(document, (edit,)),
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
    for it in refactorings(snapshot.suite, span, folder, creates_files=creates):
        if any(_includes(asked, it.kind) for asked in only):
            edit = _workspace_edit(document, it.edits)
            if it.created is not None:
                edit = _with_file(document, it.edits, it.created)
            yield types.CodeAction(title=it.title, kind=it.kind, edit=edit)


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
    """Return edits of a document together with a new file; never over one that is there."""
    uri, start = file.path.as_uri(), types.Position(0, 0)
    written = types.TextEdit(types.Range(start, start), file.text)
    made = [types.TextEdit(document.positions.range(it.span), it.text) for it in edits]

    def of(uri: str, edits: Sequence[types.TextEdit]) -> types.TextDocumentEdit:
        return types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri), edits)

    options = types.CreateFileOptions(overwrite=False, ignore_if_exists=False)
    created = types.CreateFile(uri, options=options)
    changes: list[types.CreateFile | types.TextDocumentEdit] = [created]
    if file.text:
        changes.append(of(uri, [written]))
    if made:
        changes.append(of(document.uri, made))
    return types.WorkspaceEdit(document_changes=changes)


def _workspace_edit(document: OpenDocument, edits: tuple[Edit, ...]) -> types.WorkspaceEdit:
    # Every client knows `changes`; edits with a version are refused by some.
    made = [types.TextEdit(document.positions.range(it.span), it.text) for it in edits]
    return types.WorkspaceEdit(changes={document.uri: made})


def run_actions(session: Session, document: OpenDocument, span: Span) -> Iterator[types.CodeAction]:
    """Yield what can be run and read where the cursor is; of no kind, so that it shows."""
    suite, uri = session.suite_of(document), document.uri
    results = session.results(document)
    selected = cases_in(suite, span) if span.end > span.start else []
    case = case_at(suite, span.start)
    if len(selected) > 1:
        yield _action(f"Run the {len(selected)} selected cases", RUN_SELECTION, uri, selected)
    elif case is not None and case in results.running:
        yield _action(f"Cancel the run of `{case}`", CANCEL_RUN, uri, case)
    elif case is not None:
        yield _action(f"Run case `{case}`", RUN_CASE, uri, case)
    if suite.cases:
        yield _action("Run all cases", RUN_SUITE, uri)
    failed = failed_cases(suite, results)
    if failed:
        many = "the failed case" if len(failed) == 1 else f"the {len(failed)} failed cases"
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
