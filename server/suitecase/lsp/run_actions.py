"""The commands on runs as code actions, for clients without lenses, and for whom likes menus."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from suitecase.ide.results import failed_cases
from suitecase.ide.selected_cases import case_at, cases_in
from suitecase.lsp.command_names import (
    CANCEL_RUN,
    CLEAR_RESULTS,
    OPEN_LOG,
    OPEN_REPORT,
    RUN_CASE,
    RUN_FAILED,
    RUN_SELECTION,
    RUN_SUITE,
)
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.session import Session
from suitecase.syntax.node import Span


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
