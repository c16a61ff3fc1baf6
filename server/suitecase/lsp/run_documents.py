"""Files written for reading after a run: the log of a case, and the report of a suite."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from suitecase.editor.results import CaseResult
from suitecase.editor.rows_log import rows_log
from suitecase.editor.run_log import run_log
from suitecase.figures.figures_file import RunFigures
from suitecase.installation import PAGES, NotInstalledError, require
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.editor_results import (
    EditorResultsDir,
    file_name,
    find_record,
    find_records,
    last_figures,
)
from suitecase.lsp.session import Session
from suitecase.lsp.suite_home import results_dir_of
from suitecase.text.writing.files import ANYTHING, write_pieces
from suitecase_evaluators.answers.records.record_file import ChangedFileError
from suitecase_evaluators.answers.records.values import moment


async def write_log(session: Session, document: OpenDocument, case: str) -> Path:
    """Write the log of a case's last run.

    Raises:
        JsonRpcException: it was not run, or its record no longer exists.
    """
    result = session.results(document).last.get(case)
    if result is None:
        raise _error(f"`{case}` has no result; run it first")
    return await asyncio.to_thread(_write_log, results_dir_of(session, document), result)


async def write_report(session: Session, document: OpenDocument) -> Path:
    """Write the report of the last results of a document.

    Raises:
        JsonRpcException: there are none, or their records no longer exist.
    """
    results = [*session.results(document).last.values()]
    if not results:
        raise _error("there are no results to report on; run the suite first")
    try:
        require("the report", PAGES)
    except NotInstalledError as error:
        raise _error(str(error)) from None
    return await asyncio.to_thread(_write_report, results_dir_of(session, document), results)


def _write_log(home: EditorResultsDir, result: CaseResult) -> Path:
    rows = result.rows or (result,)
    found = (find_record(row.source, row.case, row.at) for row in rows if row.source is not None)
    records = [it for it in found if it is not None]
    if not records:
        source = result.source
        raise _error(f"the record of `{result.case}` is no longer in {source}; run the case again")
    text = rows_log(result, records) if result.rows else run_log(records[0])
    path = home.folder / "logs" / f"{file_name(home.suite_path, result.case)}.md"
    return write_file(path, (text.encode("utf-8", "replace"),), within=home.folder)


def _write_report(home: EditorResultsDir, results: list[CaseResult]) -> Path:
    from suitecase.report.results_file import Run
    from suitecase.report.run_page import run_page
    from suitecase_evaluators.answers.records.joined_records import JoinedRecords
    from suitecase_evaluators.answers.records.tally import Tally

    times: dict[Path, dict[str, datetime]] = defaultdict(dict)
    results = [row for it in results for row in it.rows or (it,)]
    for result in results:
        if result.source is not None:
            times[result.source][result.case] = result.at
    # A suite may have any number of results, none of which is kept.
    answers = JoinedRecords([find_records(source, cases) for source, cases in times.items()])
    if not answers:
        raise _error("the results files no longer exist; run the suite again")
    notes = ["The last result of each case, as the editor shows them."]
    missing = len(results) - len(answers)
    if missing:
        notes.append(f"{missing} results are missing, because their results file no longer exists.")
    run = Run(home.results, answers, Tally.of(answers), tuple(notes))
    page = run_page(run, _figures(home, results))
    path = home.folder / "reports" / f"{file_name(home.suite_path)}.html"
    return write_file(path, page, within=home.folder)


def _figures(home: EditorResultsDir, results: list[CaseResult]) -> tuple[RunFigures, ...]:
    """Return the figures of the run that all results are of; none for results of several runs."""
    sources = {result.source for result in results if result.source is not None}
    figures = last_figures(sources, home.suite_path) if len(sources) == 1 else None
    at = moment(figures.measured_at) if figures is not None else None
    # A case that was run again later has another result than the one that was measured.
    if figures is None or at is None or any(result.at > at for result in results):
        return ()
    return (figures,)


def write_file(path: Path, pieces: Iterable[bytes], *, within: Path) -> Path:
    """Write a file for the user piece by piece, in place of an earlier one.

    Args:
        within: the folder that no link may lead it out of.

    Raises:
        JsonRpcException: it cannot be written.
    """
    try:
        write_pieces(path, pieces, before=ANYTHING, within=within, make_folders=True)
    except ChangedFileError as error:
        raise _error(error.message) from error
    except OSError as error:
        raise _error(f"{path} cannot be written: {error.strerror or error}") from error
    return path


def _error(message: str) -> JsonRpcException:
    return JsonRpcException(message, code=types.LSPErrorCodes.RequestFailed.value)
