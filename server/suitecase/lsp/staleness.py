"""Whether results are stale, judged by everything a grade depends on, not only the case's text."""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

from suitecase.editor.grading_hashes import grading_of
from suitecase.editor.results import CaseResult
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.session import Session
from suitecase.lsp.shown_results import ShownResults
from suitecase.lsp.suite_home import suite_path, unsaved_texts
from suitecase.run.protocol import Estimated, RunRequest
from suitecase.run.worker_failure import WorkerFailure
from suitecase_evaluators.answers.records.case_version import CaseVersion

_log = logging.getLogger(__name__)

#: Several files are often saved at once: further saves are awaited for this many seconds.
QUIET = 0.3
#: The pause in typing, in seconds, after which results are compared.
PAUSE = 1.0


class StalenessChecker:
    """Compares the inputs of results with the current files.

    The worker reads prompts, targets and scripts, and returns the effective hashes of the cases
    without calling any model. That happens when a file is saved, when results of earlier sessions
    are read, and when the user pauses in a file that cases depend on. It never happens while the
    user types in the suite: the text of the cases is compared here.
    """

    def __init__(self, session: Session, shown: ShownResults) -> None:
        self._session = session
        self._shown = shown
        self._scheduled: dict[str, asyncio.Task[None]] = {}
        #: The files that the cases of each suite depend on, as far as known.
        self._files: dict[str, frozenset[Path]] = {}

    def depends(self, document: OpenDocument, changed: OpenDocument) -> bool:
        """Whether results of a suite may depend on another document."""
        files = self._files.get(document.uri)
        return files is None or not files.isdisjoint(changed.paths)

    def closed(self, document: OpenDocument) -> None:
        """Stop to compare the results of a document that was closed."""
        scheduled = self._scheduled.pop(document.uri, None)
        if scheduled is not None:
            scheduled.cancel()
        self._files.pop(document.uri, None)

    def schedule(self, document: OpenDocument, after: float = QUIET) -> None:
        """Compare soon, if there are results to compare and the workspace is trusted.

        Args:
            document: the suite.
            after: how many seconds to wait for further changes.
        """
        results = self._session.results(document)
        comparable = any(it.version.effective is not None for it in results.last.values())
        if not comparable or results.running or not self._session.trusted:
            return
        pending = self._scheduled.pop(document.uri, None)
        if pending is not None:
            pending.cancel()
        self._scheduled[document.uri] = asyncio.create_task(self._compare(document, after))

    async def _compare(self, document: OpenDocument, after: float) -> None:
        await asyncio.sleep(after)
        last = self._session.results(document).last
        rows = [row for it in last.values() for row in it.rows or (it,)]
        targets = {row.target for row in rows if row.version.effective is not None}
        changed = False
        for target in sorted(targets):
            suite = self._session.cases_of(document)
            hashes = await self._hashes(document, target)
            for name in suite.case_ids if hashes else ():
                result = last.get(name)
                if result is None:
                    continue
                compared = _compared(result, target, hashes, grading_of(suite, name))
                changed = changed or compared != result
                last[name] = compared
        if changed:
            if any(it.outdated for it in last.values()):
                self._session.results(document).outdate_gates()
            self._shown.soon(document)

    async def _hashes(self, document: OpenDocument, target: str) -> dict[str, str]:
        """Return the effective hashes of the cases with a target, where they can be computed."""
        request = RunRequest(
            suite_path=str(suite_path(self._session, document)),
            workspace_root=str(self._session.root(document)),
            text=document.text,
            open_texts=unsaved_texts(self._session, document),
            target=target,
            dry_run=True,
            keep_going=True,
            previous_hashes={},
        )
        try:
            async with aclosing(self._session.worker.run(request)) as events:
                async for event in events:
                    if isinstance(event, Estimated):
                        hashes: dict[str, str] = event.estimate.get("hashes", {})
                        files = map(Path, event.estimate.get("files", ()))
                        self._files[document.uri] = frozenset(files)
                        return hashes
        except WorkerFailure as failure:
            _log.warning("%s", failure.message)
        return {}


def _compared(
    result: CaseResult, target: str, hashes: dict[str, str], grading: str | None
) -> CaseResult:
    """Return a result with whether its inputs have changed, if it is a result of the target.

    Args:
        result: the result; of a test of another tool's suite, with those of its rows.
        target: the target.
        hashes: the effective hash of each case with this target, as it is now.
        grading: the `grading_hash` of the case now.
    """
    if result.rows:
        rows = [_compared(row, target, hashes, grading) for row in result.rows]
        compared = CaseResult.of_rows(result.case, rows)
        # Rows share the text of their test: if the rows agree, so does the test.
        gradings = {row.grading for row in rows}
        return replace(compared, grading=gradings.pop() if len(gradings) == 1 else None)
    if result.target != target or result.version.effective is None:
        return result
    now = CaseVersion(None, hashes.get(result.case))
    if not now.changed_since(result.version):
        return replace(result, outdated=False, grading=grading)
    if result.case in hashes and grading == result.grading:
        return replace(result, outdated=True)
    return result  # its text has changed, which the editor shows already
