"""Results of earlier sessions, and of runs in a terminal or in CI, shown with their suites."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types

from suitecase.editor.gate_results import restored_gates
from suitecase.editor.grading_hashes import grading_hash
from suitecase.editor.results import CaseResult, DocumentResults
from suitecase.editor.runnable_cases import RunnableCases
from suitecase.figures.figures_file import RunFigures
from suitecase.format.workspace import RESULTS_FOLDER
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.formats.suitecase.resolve import case_text
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.editor_results import EDITOR_FOLDER, KeptRecord, last_figures, last_records
from suitecase.lsp.session import Session
from suitecase.lsp.shown_results import ShownResults
from suitecase.lsp.staleness import PAUSE, StalenessChecker
from suitecase.lsp.suite_home import suite_name
from suitecase.lsp.uris import path_of
from suitecase_evaluators.answers.records.case_version import CaseVersion
from suitecase_evaluators.answers.records.values import moment
from suitecase_evaluators.system.path_kinds import real_path


class PreviousResults:
    """Reads the last results of suites when they are opened, and again when what is stored changes.

    Those of suites that are not open are read when something asks for them, and not kept.
    """

    def __init__(
        self, session: Session, results_publisher: ShownResults, staleness: StalenessChecker
    ) -> None:
        self._session = session
        self._shown = results_publisher
        self._staleness = staleness
        self._reading: dict[str, asyncio.Task[None]] = {}

    def opened(self, params: types.DidOpenTextDocumentParams) -> None:
        """Read the results of a suite that was opened."""
        document = self._session.documents.find(params.text_document.uri)
        if document is not None:
            self._read_soon(document)

    async def known(self, document: OpenDocument) -> None:
        """Wait until the results of a suite have been read; of one that is not open, read them now."""
        reading = self._reading.get(document.uri)
        if reading is not None:
            await asyncio.wait([reading])
        elif self._session.documents.find(document.uri) is None:
            await self._take(document)

    def closed(self, document: OpenDocument) -> None:
        """Stop to read and compare the results of a document that was closed."""
        reading = self._reading.pop(document.uri, None)
        if reading is not None:
            reading.cancel()
        self._staleness.closed(document)

    def forget(self, document: OpenDocument) -> None:
        """Forget the results of a document that is not open, as far as they can be read again."""
        if self._session.documents.find(document.uri) is not None:
            return
        results, root = self._session.results(document), self._session.root(document)
        if not results.running and all(
            _is_stored(result, root) for result in results.last.values()
        ):
            self._session.forget_results(document)

    def saved(self, _params: Any) -> None:
        """Compare all results with the current files."""
        for document in self._session.documents:
            self._staleness.schedule(document)

    def changed(self, changed: OpenDocument) -> None:
        """Compare results with a text that cases depend on, once it has been unchanged for a while.

        Runs use unsaved text of open files.
        """
        for document in self._session.documents:
            if document is not changed and self._staleness.depends(document, changed):
                self._staleness.schedule(document, after=PAUSE)

    def files_changed(self, params: types.DidChangeWatchedFilesParams) -> bool:
        """Read new results, and compare results if another file has changed.

        Returns:
            whether only results have changed.
        """
        paths = [path_of(change.uri) for change in params.changes]
        open_ones, snapshot = self._session.documents, self._session.snapshot
        documents = [open_one for open_one in open_ones if snapshot(open_one).runnable is not None]
        roots = {it: self._session.root(it) for it in documents}
        results_folders = {root / RESULTS_FOLDER for root in roots.values()}
        editor_folders = {root / EDITOR_FOLDER for root in roots.values()}
        for document, root in roots.items():
            if any(path and _has_results(path, root) for path in paths):
                self._read_soon(document)
        others = [
            path
            for path in paths
            if path is None
            or not any(
                _is_in(path, results_folder)
                for results_folder in (*results_folders, *editor_folders)
            )
        ]
        if others:
            self.saved(None)
        return bool(paths) and not others

    def _read_soon(self, document: OpenDocument) -> None:
        if document.path is None or self._session.snapshot(document).runnable is None:
            return
        pending = self._reading.pop(document.uri, None)
        if pending is not None:
            pending.cancel()
        self._reading[document.uri] = asyncio.create_task(self._read(document))

    async def _read(self, document: OpenDocument) -> None:
        if await self._take(document) and document in self._session.documents:
            self._shown.soon(document)
            self._staleness.schedule(document)

    async def _take(self, document: OpenDocument) -> bool:
        """Take over the results that are stored, and drop those that are no longer.

        Returns:
            whether results have changed.
        """
        session = self._session
        root, name = session.root(document), suite_name(session, document)
        before = {case: earlier.at for case, earlier in session.results(document).last.items()}
        records = await asyncio.to_thread(last_records, root, name)
        figures = await asyncio.to_thread(last_figures, {record.source for record in records}, name)
        results = session.results(document)
        last = results.last
        suite = session.cases_of(document)
        newer = False
        stored = {case_result.case: case_result for case_result in _results(suite, records)}
        names = {
            kept.record.row.test if kept.record.row else kept.record.eval_id for kept in records
        }
        for case, current in list(last.items()):
            is_gone = case not in names or (case in stored and stored[case].at < current.at)
            if is_gone and current.at == before.get(case) and _is_stored(current, root):
                del last[case]
                newer = True
        if newer:
            results.gates = None
        for result in stored.values():
            known = last.get(result.case)
            if known is None or known.at < result.at:
                last[result.case] = result
                results.not_run.pop(result.case, None)
                newer = True
        if isinstance(suite, ParsedSuite):
            newer |= _take_gates(suite, results, figures)
        return newer


def _take_gates(suite: ParsedSuite, results: DocumentResults, figures: RunFigures | None) -> bool:
    """Take over what was decided about gates in an earlier run, if it is newer."""
    at = moment(figures.measured_at) if figures is not None else None
    if figures is None or at is None or (results.gates is not None and results.gates.at >= at):
        return False
    results.gates = restored_gates(suite, results, figures.gates, at)
    return True


def _results(suite: RunnableCases, records: Sequence[KeptRecord]) -> Iterator[CaseResult]:
    """Yield the result of each recorded case, and one for all rows of a test."""
    if isinstance(suite, ParsedSuite):
        numbers = {name: number for number, name in reversed(suite.named_cases())}
        yield from filter(None, (_result(suite, numbers, it) for it in records))
        return
    known = frozenset(suite.case_ids)
    tests: dict[str, list[CaseResult]] = {}
    for stored in records:
        record, at = stored.record, stored.record.graded_at
        name = record.row.test if record.row is not None else record.eval_id
        if at is None or name not in known:
            continue
        # Whether it is stale is known by `StalenessChecker` alone.
        result = CaseResult.of_record(record, grading=None, at=at, source=stored.source)
        if record.row is None:
            yield result
        else:
            tests.setdefault(name, []).append(result)
    for name, rows in tests.items():
        newest = max(rows, key=lambda it: it.at).source
        # Rows of earlier runs may no longer exist.
        yield CaseResult.of_rows(name, [row for row in rows if row.source == newest])


def _result(suite: ParsedSuite, numbers: dict[str, int], stored: KeptRecord) -> CaseResult | None:
    """Return a record as the result of its case; None if the suite has no such case.

    Whether the case is stale is decided by its text, until `StalenessChecker` knows better.
    """
    record = stored.record
    number, graded_at = numbers.get(record.eval_id), record.graded_at
    if number is None or graded_at is None:
        return None
    node = suite.cases[number].node
    unchanged = node is not None and not CaseVersion.of_text(
        case_text(suite, number, node)
    ).changed_since(record.version)
    grading = grading_hash(suite, number) if unchanged else None
    return CaseResult.of_record(record, grading=grading, at=graded_at, source=stored.source)


def _is_stored(result: CaseResult, root: Path) -> bool:
    """Whether a result is in a file of the workspace."""
    rows = result.rows or (result,)
    sources = [row.source for row in rows]
    folders = (root / RESULTS_FOLDER, root / EDITOR_FOLDER)
    return all(
        source is not None and any(_is_in(source, folder) for folder in folders)
        for source in sources
    )


def _is_in(path: Path, folder: Path) -> bool:
    return path.is_relative_to(folder) or path.is_relative_to(real_path(folder))


def _has_results(path: Path, root: Path) -> bool:
    """Whether the results of `suitecase run` may be in a file: those of the root count, too."""
    return _is_in(path, root / RESULTS_FOLDER) or (path.parent == root and path.suffix == ".jsonl")
