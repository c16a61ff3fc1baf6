"""Running cases in the worker process, and storing their results."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lsprotocol import types

from suitecase.editor.grading_hashes import grading_fingerprint
from suitecase.editor.results import DecidedGates, NotRun
from suitecase.figures.decision import Decision
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.editor_results import clear, compact
from suitecase.lsp.not_run import is_in_a_case, named_by_lens, unread_cases
from suitecase.lsp.progress import Progress, progress
from suitecase.lsp.running import NOTHING_RUN, Run, RunListener, not_run, refused, sentence
from suitecase.lsp.session import Session
from suitecase.lsp.shown_results import ShownResults
from suitecase.lsp.suite_home import results_dir_of, suite_path, unsaved_texts
from suitecase.lsp.uris import uri_key
from suitecase.run.protocol import (
    CaseFinished,
    CaseNotRun,
    CaseStarted,
    Event,
    Failed,
    GatesDecided,
    RateLimited,
    Refused,
    RunRequest,
    Started,
    Warned,
)
from suitecase.run.worker_failure import WorkerFailure
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.status import Status

_log = logging.getLogger(__name__)


class Runs:
    """Runs the cases of documents; several runs may be in flight."""

    def __init__(
        self, session: Session, results_publisher: ShownResults, listener: RunListener
    ) -> None:
        self._session = session
        self._shown = results_publisher
        self._listener = listener
        self._going_on: dict[Run, asyncio.Task[Any]] = {}
        #: Warnings already shown: each is shown once, however often it recurs.
        self._warned: set[str] = set()

    async def run(
        self, document: OpenDocument, cases: Sequence[str] | None, run_id: str | None = None
    ) -> dict[str, Any]:
        """Run cases of a document with its unsaved text, or all of them if `cases` is None.

        Results are shown as they arrive. A case that is already running with the same text is not
        run again; its result is awaited.

        Args:
            run_id: identifies the run for cancelling it; None assigns an id.

        Returns:
            the verdicts, whether the run was cancelled, and why no case was run, if so.
        """
        suite = self._session.cases_of(document)
        selected = suite.case_ids if cases is None else tuple(dict.fromkeys(cases))
        unread: list[CaseNotRun] = []
        if cases is not None and suite.document.broken:
            unread = unread_cases(self._session, document, selected)
            names = {it.case for it in unread}
            if len(names) < len(selected):
                selected = cases = tuple(it for it in selected if it not in names)
        request = RunRequest(
            suite_path=str(suite_path(self._session, document)),
            workspace_root=str(self._session.root(document)),
            text=document.text,
            open_texts=unsaved_texts(self._session, document),
            cases=None if cases is None else selected,
            target=self._session.settings_for(document).run.target,
            keep_going=True,
            # Editors show one answer of each case.
            repeats=1,
            # The cores are for who works at the machine.
            workers=1,
        )
        shared = {
            case: other
            for other in self._going_on_in(document)
            for case in selected
            if other.asks(case, suite, request)
        }
        run = Run(run_id or f"suitecase-{uuid.uuid4()}", document, suite, selected, request)
        run.shared = tuple(it for it in selected if it in shared)
        run.asking = {it for it in selected if it not in shared}
        for case in unread:
            self._leave_out(run, case)
        if shared:
            cases = tuple(it for it in selected if it not in shared)
            request = replace(request, cases=cases)
        task = asyncio.current_task()
        if task is not None:
            self._going_on[run] = task
        results = self._session.results(document)
        results.running.update(selected)
        self._shown.refresh()
        try:
            if not shared:
                await self._go(run, request, _title(document, cases))
            elif not cases:
                self._listener.queued(run)
                await self._share(run, shared)
            else:
                going = self._go(run, request, _title(document, cases))
                await asyncio.gather(going, self._share(run, shared))
        except asyncio.CancelledError:
            if not run.cancelled or task is None:
                raise
            task.uncancel()
        finally:
            self._going_on.pop(run, None)
            ended_early = "the run was cancelled" if run.cancelled else run.problem
            if ended_early is not None and not run.refused_cases:
                why = NotRun(
                    ended_early.removeprefix(NOTHING_RUN),
                    "environment" if run.is_outside else "ended",
                )
                if run.is_outside and len(run.asking) > 1:
                    results.nothing_run = why = replace(why, is_shared=True)
                results.not_run.update(dict.fromkeys(run.asking, why))
            run.done()
            results.running.difference_update(selected, run.cases)
            for other in self._going_on_in(document):
                results.running |= other.asking
            if run.problem is not None and run.is_outside:
                # A problem of all cases is marked once.
                results.problems.update(dict.fromkeys(selected[:1], run.problem))
            self._shown.now(document)
            self._report_left_out(run)
            self._listener.over(run)
        if cases or not shared:  # the run that started the cases reports them
            self._show_outcome(run)
        return run.answer()

    def _going_on_in(self, document: OpenDocument) -> list[Run]:
        """Return the runs of a document that are in flight."""
        uri = uri_key(document.uri)
        return [it for it in self._going_on if uri_key(it.document.uri) == uri]

    async def _share(self, run: Run, shared: Mapping[str, Run]) -> None:
        """Reuse the results of cases that other runs execute, as they arrive."""
        for case in shared:
            run.begin(case)
            self._listener.started(run, case)
        for case, other in shared.items():
            result = await other.result_of(case)
            left_out = [it for it in other.left_out if it.case == case]
            if left_out:
                run.left_out += left_out
            elif result is not None:
                run.results.append(result)
                self._listener.finished(run, result)
            elif other.problem is not None and run.problem is None:
                run.problem, run.place, run.severity = other.problem, other.place, other.severity
                run.is_refused = other.is_refused
            else:
                run.cancelled = run.cancelled or other.cancelled

    async def _go(self, run: Run, request: RunRequest, title: str) -> None:
        file = await asyncio.to_thread(self._results_file, run.document)
        request = replace(request, results_path=str(file))
        async with progress(self._session, title, lambda: self.cancel(run.id)) as reporter:
            run.shown = reporter.shown
            try:
                await self._follow(run, request, reporter)
            finally:
                reporter.summary = run.summary()

    def cancel(self, name: str | None, case: str | None = None) -> list[str]:
        """Cancel a run by its id, the runs of a document by its URI, or all runs.

        Args:
            name: the id or the URI.
            case: restricts this to runs that have no result for the case yet.

        Returns:
            the ids of the cancelled runs.
        """
        cancelled: list[str] = []
        for run, task in list(self._going_on.items()):
            matches = name in (None, run.id, run.document.uri)
            waits_for = case is None or case in run.asking or case in run.shared
            if matches and waits_for and not run.cancelled:
                run.cancelled = task.cancel()
                cancelled.append(run.id)
        return cancelled

    @property
    def going_on(self) -> Collection[str]:
        """The ids of the runs in flight."""
        return {it.id for it in self._going_on}

    async def stop_worker(self) -> None:
        """Stop the worker process and its work; the next run starts another one."""
        self.cancel(None)
        await self._session.worker.close()

    async def clear(self, document: OpenDocument, cases: Sequence[str] | None) -> None:
        """Clear the results of a document: of some cases or of all."""
        results = self._session.results(document)
        stored_any = results.last or results.problems or results.not_run or results.gates
        if not (stored_any or results.nothing_run):
            return
        if cases is None:
            results.gates = None
            results.nothing_run = None
        results.outdate_gates()
        cleared = self._session.cases_of(document).case_ids if cases is None else cases
        rows = {name: [row.case for row in result.rows] for name, result in results.last.items()}
        for stored in (results.last, results.problems, results.not_run):
            for case in list(stored) if cases is None else cases:
                stored.pop(case, None)
        self._shown.now(document)
        ids = [row for case in cleared for row in rows.get(case) or (case,)]
        await asyncio.to_thread(clear, results_dir_of(self._session, document), ids)

    def _results_file(self, document: OpenDocument) -> Path:
        home = results_dir_of(self._session, document)
        compact(home)
        return home.results

    async def _follow(self, run: Run, request: RunRequest, reporter: Progress) -> None:
        try:
            async with aclosing(self._session.worker.run(request)) as events:
                async for event in events:
                    self._take(run, event, reporter)
                    # Many events may be available at once, and the user may be typing.
                    await asyncio.sleep(0)
        except WorkerFailure as failure:
            _log.error("%s\n%s", failure.message, failure.detail)
            run.problem = f"The run broke off: {failure.message}."

    def _take(self, run: Run, event: Event, reporter: Progress) -> None:
        match event:
            case Started(cases=started, results_path=path, tests=tests):
                run.have_rows(tests)
                cases = tuple(dict.fromkeys(map(run.test_of, started)))
                left_out = {it.case for it in run.left_out}
                run.cases = (*run.shared, *cases)
                for not_run in run.asking.difference(cases):
                    run.done(not_run)
                run.source = Path(path) if path is not None else None
                results = self._session.results(run.document)
                results.nothing_run = None
                for case in cases:
                    if case in left_out:
                        continue  # only some of its rows are run
                    results.problems.pop(case, None)
                    results.not_run.pop(case, None)
                self._listener.queued(run)
                self._report_left_out(run)
            case CaseNotRun():
                self._leave_out(run, event)
            case CaseStarted(case=case):
                run.begin(run.test_of(case))
                self._report(run, reporter)
                self._listener.started(run, run.test_of(case))
            case CaseFinished(record=record):
                self._keep(run, record)
                self._report(run, reporter)
            case GatesDecided(decisions=decisions):
                self._decide(run, decisions)
            case Refused(findings=findings, cases=cases_with_errors):
                run.problem, run.severity = refused(findings), types.MessageType.Warning
                run.is_refused = True
                run.refused_cases = [CaseNotRun(**it) for it in cases_with_errors]
                self._keep_refusals(run)
                if findings:
                    finding = findings[0]
                    run.place = (str(finding["file"]), int(finding["line"]), int(finding["column"]))
            case Failed(message=message, kind=kind, trace=trace):
                run.problem, run.is_outside = message, kind == "environment"
                if kind == "bug":
                    _log.error("%s\n%s", message, trace)
            case Warned(message=message):
                self._warn(message)
            case RateLimited():
                _log.info("%s", event.text)
                reporter.report(event.text, len(run.results), len(run.cases))
            case _:
                pass

    def _report(self, run: Run, reporter: Progress) -> None:
        done, of = len(run.results), len(run.cases)
        reporter.report(f"{done:,} of {of:,} {run.suite.noun}s" if of > 1 else None, done, of)

    def _leave_out(self, run: Run, event: CaseNotRun) -> None:
        """Record a case that is not run although others are."""
        event = named_by_lens(self._session, run.document, event)
        if event.case is not None and any(it.case == event.case for it in run.left_out):
            return  # another case of the same id
        run.left_out.append(event)
        if event.case is None:
            return
        run.done(event.case)
        results = self._session.results(run.document)
        results.running.discard(event.case)
        results.not_run[event.case] = not_run(event, run.grading(event.case))
        if event.kind == "environment":
            results.problems[event.case] = event.message

    def _keep_refusals(self, run: Run) -> None:
        """Record why no case is run: once, where the error is in none of the cases."""
        results = self._session.results(run.document)
        results.nothing_run = None
        for case in (
            named_by_lens(self._session, run.document, refused_case)
            for refused_case in run.refused_cases
        ):
            why = not_run(case, run.grading(case.case or ""))
            if len(run.suite.cases) > 1 and not is_in_a_case(run.suite, run.document, why):
                results.nothing_run = why = replace(why, is_shared=True)
            if case.case is not None:
                results.not_run[case.case] = why

    def _report_left_out(self, run: Run) -> None:
        """Report the cases that are not run, after those that are, so that a test explorer knows
        the run.
        """
        for event in run.left_out[run.reported_left_out :]:
            if event.case is not None:
                self._listener.not_run(run, event)
        run.reported_left_out = len(run.left_out)

    def _warn(self, message: str) -> None:
        """Show a warning about the environment of a run once, and log it each time."""
        if message not in self._warned:
            self._warned.add(message)
            self._session.show(types.MessageType.Warning, message)
        self._session.window_log_message(types.LogMessageParams(types.MessageType.Warning, message))

    def _keep(self, run: Run, record: ResultRecord) -> None:
        run.tally.add(record)
        result = run.take(record)
        if result is None:
            return
        if result.status in (Status.PASS, Status.REHEARSED) and any(
            skipped.case == result.case for skipped in run.left_out
        ):
            return  # of some rows of a test, nothing is known
        run.results.append(result)
        results = self._session.results(run.document)
        results.last[result.case] = result
        results.outdate_gates()
        results.running.discard(result.case)
        run.done(result.case)
        self._shown.soon(run.document)
        self._listener.finished(run, result)

    def _decide(self, run: Run, decisions: Sequence[Mapping[str, Any]]) -> None:
        """Keep what the gates came to; of a part of the suite none is decided."""
        if decisions and isinstance(run.suite, ParsedSuite):
            self._session.results(run.document).gates = DecidedGates(
                tuple(map(Decision.from_json, decisions)),
                datetime.now(UTC),
                grading_fingerprint(run.suite),
            )

    def _show_outcome(self, run: Run) -> None:
        """Show the outcome of a run, unless its progress already did."""
        broken = run.broken()
        if run.problem is not None:
            self._session.show(run.severity, sentence(run.problem))
        elif broken is not None:
            self._session.show(types.MessageType.Error, broken)
        elif (left_out := run.left_out_message()) is not None:
            self._session.show(types.MessageType.Warning, left_out)
        elif not run.shown:
            self._session.show(types.MessageType.Info, run.summary())


def _title(document: OpenDocument, cases: Sequence[str] | None) -> str:
    if cases is not None and len(cases) == 1:
        return f"Running `{cases[0]}`…"
    return f"Running {document.path.name if document.path is not None else 'all cases'}"
