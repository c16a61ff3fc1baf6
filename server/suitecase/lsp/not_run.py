"""Why cases were not run, as far as it still holds, and the way to the error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from suitecase.editor.grading_hashes import grading_hash, same_head
from suitecase.editor.results import NotRun
from suitecase.editor.runnable_cases import RunnableCases
from suitecase.format.rule import Finding, Severity
from suitecase.format.runnable import NOT_RUNNABLE
from suitecase.lsp.checking import check
from suitecase.lsp.client_file import client_file_at
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.session import Session
from suitecase.run.protocol import CaseNotRun


def standing(session: Session, document: OpenDocument) -> Mapping[str | None, NotRun]:
    """Return why cases were not run, by id, and under None what kept all of them from running.

    An error that is no longer found is left out: someone has fixed it since.
    """
    results = session.results(document)
    entries: dict[str | None, NotRun] = {
        name: it for name, it in results.not_run.items() if it.kind != "ended" and not it.is_shared
    }
    if results.nothing_run is not None:
        entries[None] = results.nothing_run
    if not any(entry.error is not None for entry in entries.values()):
        return entries
    current = {(error.code, error.message) for error in _errors(session, document)}
    # Errors of the sidecar are not found in the data set.
    has_sidecar = session.suite_of(document).sidecar is not None
    return {
        name: it
        for name, it in entries.items()
        if it.error is None
        or it.error in current
        or _is_still_not_runnable(session, document, name, it)
        or (has_sidecar and it.place is not None and Path(it.place[0]) not in document.paths)
    }


def _is_still_not_runnable(
    session: Session, document: OpenDocument, name: str | None, reason: NotRun
) -> bool:
    """Whether a case that cannot be run, though it has no findings, is unchanged."""
    if reason.error is None or reason.error[0] != NOT_RUNNABLE:
        return False
    suite = session.cases_of(document)
    if name is None:
        numbers = [number for number, _ in suite.named_cases()[:1]]
        return any(same_head(grading_hash(suite, it), reason.grading) for it in numbers)
    number = suite.case_named(name)
    return number is not None and grading_hash(suite, number) == reason.grading


async def show_problem(
    session: Session, document: OpenDocument, case: str | None
) -> dict[str, Any]:
    """Go to the error that kept a case, or all cases, from running.

    Raises:
        JsonRpcException: nothing did, or it is fixed.
    """
    found = standing(session, document)
    reason = found.get(case) or found.get(None)
    if reason is None:
        raise JsonRpcException(
            "No error of the last run is left",
            code=types.LSPErrorCodes.RequestFailed.value,
        )
    place = _place(session, document, reason)
    is_shown = False
    if place is not None and session.client.shows_documents:
        params = types.ShowDocumentParams(place.uri, take_focus=True, selection=place.range)
        try:
            result = await session.window_show_document_async(params)
            is_shown = bool(result is not None and result.success)
        except JsonRpcException:
            is_shown = False
    if not is_shown:
        session.show(types.MessageType.Warning, f"Not run: {reason.reason}")
    return {
        "message": reason.reason,
        "location": session.rpc.unstructured(place) if place is not None else None,
        "shown": is_shown,
    }


def _errors(session: Session, document: OpenDocument) -> Iterator[Finding]:
    analysis = check(session, document)
    for of_file in (analysis, *analysis.external.values()):
        yield from (finding for finding in of_file.findings if finding.severity is Severity.ERROR)


def _place(session: Session, document: OpenDocument, reason: NotRun) -> types.Location | None:
    """Return where an error is now; the text may have changed since the run."""
    for finding in check(session, document).findings:
        if (finding.code, finding.message) == reason.error:
            return types.Location(document.uri, document.positions.range(finding.span))
    if reason.place is None:
        return None
    file, line, column = reason.place
    at = types.Position(line - 1, column - 1)
    is_own = document.path is None or Path(file) in document.paths
    uri = document.uri if is_own else client_file_at(session, Path(file))[0].uri
    return types.Location(uri, types.Range(at, at))


def is_in_a_case(suite: RunnableCases, document: OpenDocument, reason: NotRun) -> bool:
    """Whether the error that kept a case from running is in a case, and in none of the parts that
    cases share.
    """
    if reason.place is None:
        return False
    file, line, _ = reason.place
    if document.path is not None and Path(file) not in document.paths:
        return False
    starts = suite.document.lines.starts
    return line <= len(starts) and suite.document.case_at(starts[line - 1]) is not None


def named_by_lens(session: Session, document: OpenDocument, case: CaseNotRun) -> CaseNotRun:
    """Return a case that does not parse with the id that it had when it did; a row with its test's."""
    if case.test is not None:
        return replace(case, case=case.test)
    if case.case is not None:
        return case
    for name, span in session.anchors(document).cases.items():
        if document.positions.position(span.start).line + 1 == case.line:
            return replace(case, case=name)
    return case


def unread_cases(
    session: Session, document: OpenDocument, cases: Sequence[str]
) -> list[CaseNotRun]:
    """Return those of some cases that do not parse at present, with the error in each."""
    known = set(session.cases_of(document).case_ids)
    anchors = session.anchors(document).cases
    errors = sorted(_errors(session, document), key=lambda it: it.span.start)
    unread: list[CaseNotRun] = []
    for name in cases:
        if name in known or name not in anchors:
            continue
        start = anchors[name].start
        error = next((it for it in errors if it.span.start >= start), None)
        reported: list[dict[str, Any]] = []
        if error is not None:
            place = document.lines.place(error.span)
            file = str(document.path or document.uri)
            reported = [
                {
                    "file": file,
                    "line": place.line,
                    "column": place.column,
                    "code": error.code,
                    "message": error.message,
                }
            ]
        unread.append(
            CaseNotRun(
                case=name,
                line=document.lines.place(anchors[name]).line,
                kind="unsound",
                message=error.message if error is not None else "it does not parse",
                findings=reported,
            )
        )
    return unread
