"""Running cases in the worker process, and keeping what comes of it."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lsprotocol import types

from suitecase.ide.results import CaseResult, grading_hash
from suitecase.ide.verdicts import worded
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.progress import Progress, progress
from suitecase.lsp.publishing import Publisher
from suitecase.lsp.session import Session
from suitecase.run.protocol import (
    CaseFinished,
    CaseStarted,
    Event,
    Failed,
    Refused,
    RunRequest,
    Started,
    WorkerFailure,
)

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Run:
    """One run: what was asked for, and what has come of it.

    `gradings` has the `grading_hash` of each case as it was when the run began; `problem` says why
    nothing was run, or why the run broke off.
    """

    document: OpenDocument
    cases: tuple[str, ...]
    gradings: dict[str, str | None]
    results: list[CaseResult] = field(default_factory=list)
    problem: str | None = None
    severity: types.MessageType = types.MessageType.Error
    cancelled: bool = False

    def answer(self) -> dict[str, Any]:
        """Return what the command answers."""
        return {
            "cases": [
                {"id": it.case, "verdict": it.verdict.value, "score": it.score}
                for it in self.results
            ],
            "cancelled": self.cancelled,
            "problem": self.problem,
        }

    def summary(self) -> str:
        """Return how it went, in a sentence."""
        if self.problem is not None:
            return self.problem
        if self.cancelled:
            return f"cancelled after {len(self.results)} of {len(self.cases)} cases"
        if len(self.results) == 1:
            (only,) = self.results
            return f"{only.case}: {worded(only)}"
        counted = Counter(it.verdict.value.replace("_", " ") for it in self.results)
        each = ", ".join(f"{count} {verdict}" for verdict, count in counted.items())
        return f"{len(self.results)} cases: {each}"


class Runs:
    """Runs the cases of documents; several runs may be in flight."""

    def __init__(self, session: Session, publisher: Publisher) -> None:
        self._session = session
        self._publisher = publisher

    async def run(self, document: OpenDocument, case: str | None) -> dict[str, Any]:
        """Run a case of a document as it is in the editor, or all of them where `case` is None.

        Results are shown as they come.

        Returns:
            the verdicts, whether the person cancelled, and why nothing was run if so.
        """
        suite = document.suite
        gradings = {
            it.id.text: grading_hash(suite, number)
            for number, it in enumerate(suite.cases)
            if it.id is not None
        }
        run = _Run(document, (case,) if case is not None else tuple(gradings), gradings)
        request = RunRequest(
            suite_path=str(document.path or self._session.root(document) / "untitled.eval.yaml"),
            workspace_root=str(self._session.root(document)),
            text=document.text,
            cases=None if case is None else (case,),
        )
        task = asyncio.current_task()

        def cancel() -> None:
            run.cancelled = task is not None and task.cancel()

        title = f"Running {case}" if case is not None else "Running all cases"
        running = self._session.results(document).running
        running.update(run.cases)
        self._refresh()
        try:
            async with progress(self._session, title, cancel) as shown:
                try:
                    await self._follow(run, request, shown)
                except asyncio.CancelledError:
                    if not run.cancelled or task is None:
                        raise
                    task.uncancel()
                shown.summary = run.summary()
        finally:
            running.difference_update(run.cases)
            self._refresh()
        if run.problem is not None:
            self._session.show(run.severity, run.problem)
        elif not shown.shown:
            self._session.show(types.MessageType.Info, run.summary())
        return run.answer()

    async def _follow(self, run: _Run, request: RunRequest, shown: Progress) -> None:
        try:
            async with aclosing(self._session.worker.run(request)) as events:
                async for event in events:
                    self._take(run, event, shown)
        except WorkerFailure as failure:
            _log.error("%s\n%s", failure.message, failure.detail)
            run.problem = f"The run broke off: {failure.message}."

    def _take(self, run: _Run, event: Event, shown: Progress) -> None:
        match event:
            case Started(cases=cases):
                run.cases = cases
            case CaseStarted(case=case):
                shown.report(case, len(run.results), len(run.cases))
            case CaseFinished(record=record):
                self._keep(run, record)
            case Refused(findings=findings):
                run.problem, run.severity = _refused(findings), types.MessageType.Warning
            case Failed(message=message, kind=kind, trace=trace):
                run.problem = message
                if kind == "bug":
                    _log.error("%s\n%s", message, trace)
            case _:
                pass

    def _keep(self, run: _Run, record: dict[str, Any]) -> None:
        grading = run.gradings.get(str(record["eval_id"]))
        result = CaseResult.of_record(record, grading=grading, at=datetime.now(UTC))
        run.results.append(result)
        kept = self._session.results(run.document)
        kept.last[result.case] = result
        kept.running.discard(result.case)
        # It may have been closed and opened again since the run began.
        document = self._session.documents.find(run.document.uri)
        if document is not None:
            self._publisher.publish(document)
        self._refresh()

    def clear(self, document: OpenDocument) -> None:
        """Forget the results of a document."""
        self._session.results(document).last.clear()
        self._publisher.publish(document)
        self._refresh()

    def _refresh(self) -> None:
        """Let the client ask again for what shows results beside the text."""
        if self._session.client.refreshes_lenses:
            self._session.workspace_code_lens_refresh(None)
        if self._session.client.refreshes_hints:
            self._session.workspace_inlay_hint_refresh(None)


def _refused(findings: list[dict[str, Any]]) -> str:
    many = len(findings)
    errors = "an error" if many == 1 else f"{many} errors"
    first = ""
    if findings:
        it = findings[0]
        place = f"{Path(it['file']).name}, line {it['line']}"
        first = f" {'It' if many == 1 else 'The first'} is in {place}: {it['message']}."
    return f"Nothing was run: the suite has {errors}.{first}"
