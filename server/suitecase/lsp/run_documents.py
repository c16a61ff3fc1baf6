"""What is written to be read after a run: the log of a case, and the report of a suite."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from datetime import datetime
from pathlib import Path

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from suitecase.ide.results import CaseResult
from suitecase.ide.run_log import run_log
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.editor_results import EditorResultsDir, file_name, find_record, find_records
from suitecase.lsp.session import Session
from suitecase.lsp.suite_home import results_dir_of


async def write_log(session: Session, document: OpenDocument, case: str) -> Path:
    """Write all that is known of how a case was asked and graded the last time.

    Raises:
        JsonRpcException: it was not run, or what was kept of it is gone.
    """
    result = session.results(document).last.get(case)
    if result is None:
        raise _nothing(f"`{case}` has no result; run it first")
    return await asyncio.to_thread(_write_log, results_dir_of(session, document), result)


async def write_report(session: Session, document: OpenDocument) -> Path:
    """Write a page about the last results of a document's cases.

    Raises:
        JsonRpcException: there are none, or what was kept of them is gone.
    """
    results = [*session.results(document).last.values()]
    if not results:
        raise _nothing("there are no results to report on; run the suite first")
    return await asyncio.to_thread(_write_report, results_dir_of(session, document), results)


def _write_log(home: EditorResultsDir, result: CaseResult) -> Path:
    source = result.source
    record = find_record(source, result.case, result.at) if source is not None else None
    if record is None:
        raise _nothing(
            f"the record of `{result.case}` is no longer in {source}; run the case again"
        )
    path = home.folder / "logs" / f"{file_name(home.suite_path, result.case)}.md"
    return written(path, run_log(record).encode("utf-8", "replace"))


def _write_report(home: EditorResultsDir, results: list[CaseResult]) -> Path:
    from suitecase.report.results_file import Run
    from suitecase.report.run_page import run_page
    from suitecase_evaluators.records.tally import Tally

    wanted: dict[Path, dict[str, datetime]] = defaultdict(dict)
    for result in results:
        if result.source is not None:
            wanted[result.source][result.case] = result.at
    records = (it for source, cases in wanted.items() for it in find_records(source, cases))
    found = {it.eval_id: it for it in records}
    if not found:
        raise _nothing("the results files are gone; run the suite again")
    notes = ["The last result of each case, as the editor shows them."]
    gone = len(results) - len(found)
    if gone:
        notes.append(f"{gone} results are left out: their results file is gone.")
    tally = Tally.of(found.values())
    page = run_page(Run(home.results, tuple(found.values()), tally, tuple(notes)))
    path = home.folder / "reports" / f"{file_name(home.suite_path)}.html"
    return written(path, b"".join(page))


def written(path: Path, content: bytes) -> Path:
    """Write a file for the person at the editor.

    Raises:
        JsonRpcException: it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise _nothing(f"{path} cannot be written: {error.strerror or error}") from error
    return path


def _nothing(message: str) -> JsonRpcException:
    return JsonRpcException(message, code=types.LSPErrorCodes.RequestFailed.value)
