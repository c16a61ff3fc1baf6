"""The states of runs as tests, for clients with a test view; see docs/editors/protocol.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lsprotocol import types

from suitecase.editor.results import CaseResult
from suitecase.editor.run_marks import marks_of_case
from suitecase.editor.runnable_cases import RunnableCases
from suitecase.editor.verdicts import error_of, worded
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.protocol import JsonText
from suitecase.lsp.running import Run, reason
from suitecase.lsp.session import Session
from suitecase.lsp.uris import uri_of
from suitecase.run.protocol import CaseNotRun
from suitecase.text.node import Span
from suitecase_evaluators.answers.records.status import Status

#: A notification of the server: the state of a case in a run.
STATE = "suitecase/testState"

STATES = {
    Status.PASS: "passed",
    Status.REHEARSED: "skipped",
    Status.BORDERLINE: "failed",
    Status.FAIL: "failed",
    Status.JUDGE_FAILED: "errored",
    Status.ERROR: "errored",
    Status.NOT_EVALUATED: "skipped",
}


class TestStatePublisher:
    """Sends the states of runs to clients with a test explorer, whoever started them."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def queued(self, run: Run) -> None:
        for case in run.cases:
            self._notify(run, case, "queued")

    def started(self, run: Run, case: str) -> None:
        self._notify(run, case, "started")

    def finished(self, run: Run, result: CaseResult) -> None:
        if not self._session.client.explores_tests:
            return
        document = self._session.documents.find(run.document.uri) or run.document
        self._notify(
            run,
            result.case,
            STATES[result.status],
            messages=messages_of(document, self._session.cases_of(document), result),
            durationMs=run.took_ms(result.case),
            score=result.score,
            verdict=result.status.value,
        )

    def not_run(self, run: Run, case: CaseNotRun) -> None:
        """Report that a case is not run: it did not fail, but did not pass either."""
        self._not_run(run, case.case or "", case)

    def over(self, run: Run) -> None:
        """Report the cases that were not graded, and why."""
        done = {result.case for result in run.results} | {it.case for it in run.left_out}
        refused = {
            refused_case.test or refused_case.case: refused_case
            for refused_case in run.refused_cases
        }
        state = "errored" if run.problem is not None else "skipped"
        if run.is_refused or run.is_outside:
            state = "notRun"
        for case in run.cases:
            if case in refused:
                self._not_run(run, case, refused[case])
            elif case not in done:
                text = run.problem or "The run was cancelled."
                self._notify(run, case, state, messages=self._once(run, text, run.place))

    def _not_run(self, run: Run, name: str, case: CaseNotRun) -> None:
        place = None
        if case.findings:
            first = case.findings[0]
            place = (str(first["file"]), int(first["line"]), int(first["column"]))
        self._notify(run, name, "notRun", messages=self._once(run, reason(case), place))

    def _once(
        self, run: Run, text: str, place: tuple[str, int, int] | None
    ) -> list[dict[str, Any]]:
        """Return a message, unless a case of the run has it already: an error that cases share."""
        if text in run.reported_reasons:
            return []
        run.reported_reasons.add(text)
        return [self._message(run, text, place)]

    def _message(self, run: Run, text: str, place: tuple[str, int, int] | None) -> dict[str, Any]:
        message: dict[str, Any] = {"message": text}
        if place is not None:
            file, line, column = place
            at = types.Position(line - 1, column - 1)
            message["uri"] = run.document.uri
            if run.document.path is not None and Path(file) not in run.document.paths:
                message["uri"] = uri_of(Path(file))
            message["range"] = as_json(types.Range(at, at))
        return message

    def _notify(self, run: Run, case: str, state: str, **more: Any) -> None:
        if self._session.client.explores_tests:
            fields = {"runId": run.id, "uri": run.document.uri, "case": case, "state": state}
            # There are three per case: no value in it needs conversion.
            self._session.rpc.notify_of(STATE, JsonText(json.dumps({**fields, **more})))


def messages_of(
    document: OpenDocument, suite: RunnableCases, result: CaseResult
) -> list[dict[str, Any]]:
    """Return the marks of a result, each at its position in the current text."""
    number = suite.case_named(result.case)
    marks = marks_of_case(suite, number, result) if number is not None else []
    messages: list[dict[str, Any]] = []
    for mark in marks:
        kind = "miss" if mark.is_miss else "verdict"
        location = {"kind": kind, "uri": document.uri, "range": range_of(document, mark.span)}
        related = [
            {"message": it.message, "uri": document.uri, "range": range_of(document, it.span)}
            for it in mark.related
        ]
        messages.append(
            {"message": mark.message, **location, **({"related": related} if related else {})}
        )
    if not messages and result.status not in (Status.PASS, Status.REHEARSED):
        messages.append({"message": error_of(result) or worded(result), "kind": "verdict"})
    return messages


def range_of(document: OpenDocument, span: Span) -> dict[str, Any]:
    return as_json(document.positions.range(span))


def as_json(place: types.Range) -> dict[str, Any]:
    return {
        name: {"line": it.line, "character": it.character}
        for name, it in (("start", place.start), ("end", place.end))
    }
