"""Results of earlier sessions, and of runs in a terminal or in CI, shown beside the suites."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from lsprotocol import types

from suitecase.ide.results import CaseResult, grading_hash
from suitecase.lsp.documents import OpenDocument, path_of
from suitecase.lsp.editor_results import EDITOR_FOLDER, KeptRecord, last_records
from suitecase.lsp.session import Session
from suitecase.lsp.shown_results import ShownResults
from suitecase.lsp.staleness import PAUSE, StalenessChecker
from suitecase.lsp.suite_home import suite_name
from suitecase.run.results import DEFAULT_FOLDER
from suitecase.suite.parsed import ParsedSuite
from suitecase.suite.resolve import case_text
from suitecase_evaluators.records.case_version import CaseVersion


class PreviousResults:
    """Reads the last results of suites that are opened, and again when newer ones were written."""

    def __init__(self, session: Session, shown: ShownResults, staleness: StalenessChecker) -> None:
        self._session = session
        self._shown = shown
        self._staleness = staleness
        self._reading: dict[str, asyncio.Task[None]] = {}

    def opened(self, params: types.DidOpenTextDocumentParams) -> None:
        """Read the results of a suite that was opened."""
        document = self._session.documents.find(params.text_document.uri)
        if document is not None:
            self._read_soon(document)

    async def known(self, document: OpenDocument) -> None:
        """Wait until the results of a suite are there, if they are being read."""
        reading = self._reading.get(document.uri)
        if reading is not None:
            await asyncio.wait([reading])

    def saved(self, _params: Any) -> None:
        """Compare all results with what the files hold now."""
        for document in self._session.documents:
            self._staleness.schedule(document)

    def changed(self, changed: OpenDocument) -> None:
        """Compare results with a text that cases depend on, once it has not changed for a while.

        A run counts what is open as it stands in the editor.
        """
        for document in self._session.documents:
            if document is not changed and self._staleness.depends(document, changed):
                self._staleness.schedule(document, after=PAUSE)

    def files_changed(self, params: types.DidChangeWatchedFilesParams) -> bool:
        """Read results that were written, and compare them where another file has changed.

        Returns:
            whether nothing but results has changed.
        """
        paths = [path_of(it.uri) for it in params.changes]
        documents = [it for it in self._session.documents if self._session.snapshot(it).has_cases]
        roots = {it: self._session.root(it) for it in documents}
        inside = {root / DEFAULT_FOLDER for root in roots.values()}
        ours = {root / EDITOR_FOLDER for root in roots.values()}
        for document, root in roots.items():
            if any(path and _is_in(path, root / DEFAULT_FOLDER) for path in paths):
                self._read_soon(document)
        others = [
            path
            for path in paths
            if path is None or not any(_is_in(path, it) for it in (*inside, *ours))
        ]
        if others:
            self.saved(None)
        return bool(paths) and not others

    def _read_soon(self, document: OpenDocument) -> None:
        if document.path is None or not self._session.snapshot(document).has_cases:
            return
        earlier = self._reading.pop(document.uri, None)
        if earlier is not None:
            earlier.cancel()
        self._reading[document.uri] = asyncio.create_task(self._read(document))

    async def _read(self, document: OpenDocument) -> None:
        session = self._session
        root, shown = session.root(document), suite_name(session, document)
        records = await asyncio.to_thread(last_records, root, shown)
        if document not in session.documents:
            return
        results = session.results(document)
        last = results.last
        suite = session.suite_of(document)
        numbers = {it.id.text: number for number, it in enumerate(suite.cases) if it.id is not None}
        newer = False
        for kept in records:
            result = _result(suite, numbers, kept)
            known = last.get(result.case) if result is not None else None
            if result is not None and (known is None or known.at < result.at):
                last[result.case] = result
                results.not_run.pop(result.case, None)
                newer = True
        if newer:
            self._shown.soon(document)
            self._staleness.schedule(document)


def _result(suite: ParsedSuite, numbers: dict[str, int], kept: KeptRecord) -> CaseResult | None:
    """Return what a record says of a case that the suite has; None where it has none, or no more.

    The text of the case decides whether it has changed since, until `StalenessChecker` knows better.
    """
    record = kept.record
    number, at = numbers.get(record.eval_id), record.graded_at
    if number is None or at is None:
        return None
    node = suite.cases[number].node
    same = node is not None and not CaseVersion.of_text(
        case_text(suite, number, node)
    ).changed_since(record.version)
    grading = grading_hash(suite, number) if same else None
    return CaseResult.of_record(record, grading=grading, at=at, source=kept.source)


def _is_in(path: Path, folder: Path) -> bool:
    return path.is_relative_to(folder) or path.is_relative_to(folder.resolve())
