"""`suitecase/...`: cases as tests, for clients with a test explorer; see docs/editors/protocol.md."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pygls.exceptions import JsonRpcInvalidParams

from suitecase.editor.dialect_tests import DialectTests
from suitecase.editor.gate_results import GateTest, gate_tests
from suitecase.editor.index.workspace_index import WorkspaceIndex
from suitecase.editor.lenses import Anchors
from suitecase.editor.results import CaseResult, is_stale
from suitecase.editor.rubric_outcomes import RubricOutcome, rubric_outcomes
from suitecase.editor.runnable_cases import RunnableCases
from suitecase.editor.test_marks import outcomes_of_test
from suitecase.figures.decision import Outcome
from suitecase.format.workspace import read_text
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedSuite
from suitecase.lsp.closed_suites import as_document
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.previous_results import PreviousResults
from suitecase.lsp.run_documents import write_report
from suitecase.lsp.runs import Runs
from suitecase.lsp.session import Session
from suitecase.lsp.test_states import STATES, messages_of, range_of
from suitecase.lsp.trust import demand_trust
from suitecase.lsp.uris import path_of, uri_of
from suitecase_evaluators.system.path_kinds import real_path

LIST_SUITES = "suitecase/listSuites"
DISCOVER = "suitecase/discoverTests"
RUN = "suitecase/runTests"
CANCEL = "suitecase/cancelRun"
REPORT = "suitecase/report"


class _Test(NamedTuple):
    """The cases of a document that a client wants to run; None for all."""

    document: OpenDocument
    cases: list[str] | None


class TestController:
    """Answers a client that shows the cases of suites as tests."""

    def __init__(self, session: Session, runs: Runs, previous: PreviousResults) -> None:
        self._session = session
        self._runs = runs
        self._previous = previous
        #: Runs whose suites are being read, by id, and whether they were cancelled meanwhile.
        self._prepared: dict[str, bool] = {}

    async def list_suites(self, _params: Any) -> dict[str, Any]:
        """Return the suites of the workspace on disk, sorted by path, each with its path in the
        client's folder, for a tree.

        Suites in nested client folders are listed once.
        """
        suites: dict[Path, None] = {}
        complete = True
        for root in self._session.roots():
            index = self._session.index(root)
            suite_paths = await asyncio.to_thread(_suites_of, index)
            complete = complete and index.is_complete
            suites.update(dict.fromkeys(suite_paths))
        return {"suites": [self._listed(suite) for suite in sorted(suites)], "complete": complete}

    def _listed(self, path: Path) -> dict[str, Any]:
        """Return a suite with its path in the innermost client folder that contains it."""
        folder = self._session.folder_of(path)
        return {
            "uri": uri_of(path),
            "folder": self._session.folder_uri(folder) if folder is not None else None,
            "path": (path.relative_to(folder) if folder is not None else path).as_posix(),
        }

    async def discover(self, params: Any) -> dict[str, Any]:
        """Return the cases of a suite, with its unsaved text if it is open."""
        document = await self._document(_uri(params))
        suite = self._session.cases_of(document)
        results = self._session.results(document)
        tests = _tests(document, suite, self._session.anchors(document), results.last)
        gates = gate_tests(suite, results) if isinstance(suite, ParsedSuite) else ()
        found = {**tests, "gates": [_gate(document, gate) for gate in gates]}
        self._previous.forget(document)
        return found

    async def run(self, params: Any) -> dict[str, Any]:
        """Run cases of one or more suites; returns when all are done."""
        run_id = _run_id(params)
        if run_id in self._runs.going_on or run_id in self._prepared:
            raise JsonRpcInvalidParams(f"the run `{run_id}` is already in progress")
        self._prepared[run_id] = False
        try:
            tests = await self._tests_to_run(params)
        finally:
            cancelled = self._prepared.pop(run_id)
        demand_trust(self._session)
        if cancelled:
            return {"runId": run_id, "results": [], "cancelled": True}
        answers = await asyncio.gather(
            *(self._runs.run(answer.document, answer.cases, run_id) for answer in tests)
        )
        for test in tests:
            self._previous.forget(test.document)
        results = [
            {
                "uri": test.document.uri,
                "cases": answer["cases"],
                "notRun": answer["notRun"],
                "problem": answer["problem"],
            }
            for test, answer in zip(tests, answers, strict=True)
        ]
        cancelled = any(answer["cancelled"] for answer in answers)
        return {"runId": run_id, "results": results, "cancelled": cancelled}

    async def cancel(self, params: Any) -> dict[str, Any]:
        """Cancel a run by its id.

        A coroutine, so that it takes its turn after a run that was requested before it.
        """
        run_id = params.get("runId") if isinstance(params, Mapping) else None
        if not isinstance(run_id, str):
            raise JsonRpcInvalidParams("`runId` must be a string: the id of a run")
        if run_id in self._prepared:
            self._prepared[run_id] = True
            return {"cancelled": True}
        return {"cancelled": bool(self._runs.cancel(run_id))}

    async def report(self, params: Any) -> dict[str, Any]:
        """Write the report of a suite's last results, and return its path."""
        document = await self._document(_uri(params))
        try:
            path = await write_report(self._session, document)
        finally:
            self._previous.forget(document)
        return {"path": str(path), "uri": path.as_uri()}

    async def discover_by_command(self, arguments: list[Any]) -> dict[str, Any]:
        """Like `discover`; the argument is its parameters, or just the URI."""
        return await self.discover(arguments[0] if arguments else None)

    async def run_by_command(self, arguments: list[Any]) -> dict[str, Any]:
        """Like `run`; the argument is its parameters."""
        return await self.run(arguments[0] if arguments else None)

    async def _tests_to_run(self, params: Mapping[str, Any]) -> list[_Test]:
        tests: list[_Test] = []
        for test in params["tests"]:
            cases = test.get("cases") if isinstance(test, Mapping) else None
            listed = isinstance(cases, list) and all(isinstance(name, str) for name in cases)
            if cases is not None and not listed:
                raise JsonRpcInvalidParams("`cases` must be a list of case ids")
            if cases != []:
                document = await self._document(_uri(test))
                every = self._session.cases_of(document).case_ids
                # With all its cases a suite is run as a whole, also those that have no id.
                is_whole = cases is not None and {*cases} >= {*every}
                tests.append(_Test(document, None if is_whole else cases))
        return tests

    async def _document(self, uri: str) -> OpenDocument:
        """Return a suite with its unsaved text if it is open, else from disk."""
        session = self._session
        document = session.documents.find(uri)
        if document is None:
            path = path_of(uri)
            roots = [real_path(root) for root in session.roots()]
            inside = path is not None and any(
                real_path(path).is_relative_to(root) for root in roots
            )
            text = await asyncio.to_thread(read_text, path) if path and inside else None
            if path is None or not isinstance(text, str):
                reason = (
                    f": {text.reason}" if text is not None and not isinstance(text, str) else ""
                )
                raise JsonRpcInvalidParams(
                    f"{uri} is neither open nor a file in the workspace{reason}"
                )
            document = as_document(path, text, session.encoding)
            document.uri = uri
        if session.snapshot(document).runnable is None:
            raise JsonRpcInvalidParams(f"{uri} is not a suite: it has no list of cases")
        await self._previous.known(document)
        return document


def _suites_of(index: WorkspaceIndex) -> list[Path]:
    summaries = [(path, index.summary(path)) for path in index.files()]
    return [path for path, it in summaries if it is not None and it.runs]


def _run_id(params: Any) -> str:
    """Return the id of the requested run; generates one if it is missing."""
    if not isinstance(params, Mapping) or not isinstance(params.get("tests"), list):
        raise JsonRpcInvalidParams(
            "expected `{tests: [{uri, cases?}], runId?}`, with a list of `tests`"
        )
    run_id = params.get("runId")
    if run_id is not None and not (isinstance(run_id, str) and run_id):
        raise JsonRpcInvalidParams("`runId` must be a non-empty string")
    return run_id or f"suitecase-{uuid.uuid4()}"


def _uri(params: Any) -> str:
    uri = params.get("uri") if isinstance(params, Mapping) else params
    if not isinstance(uri, str):
        raise JsonRpcInvalidParams("`uri` must be a string: the URI of a suite")
    return uri


def _tests(
    document: OpenDocument,
    suite: RunnableCases,
    anchors: Anchors,
    last: Mapping[str, CaseResult],
) -> dict[str, Any]:
    numbers = {name: number for number, name in suite.named_cases()}
    cases: list[dict[str, Any]] = []
    for name, anchor in sorted(anchors.cases.items(), key=lambda it: it[1]):
        number = numbers.get(name)
        case = suite.cases[number] if number is not None else None
        span, selected = anchor, anchor
        tags: Sequence[str] = ()
        if number is not None and case is not None and case.node is not None:
            span = suite.place(number, case.node.span)
            selected = suite.place(number, case.id.span) if case.id is not None else anchor
            if isinstance(case, ParsedCase) and case.model is not None:
                tags = case.model.tags or ()
        result = last.get(name)
        stale = result is not None and (number is None or is_stale(suite, number, result))
        cases.append(
            {
                "id": name,
                "label": name,
                "range": range_of(document, span),
                "selectionRange": range_of(document, selected),
                "tags": [*tags],
                "result": _result(document, suite, number, result, stale=stale) if result else None,
            }
        )
    return {
        "uri": document.uri,
        "version": document.version,
        "label": document.path.name if document.path is not None else document.uri,
        "range": range_of(document, anchors.list_key) if anchors.list_key is not None else None,
        "broken": suite.document.broken,
        "cases": cases,
    }


_GATE_STATES = {
    Outcome.HOLDS: "passed",
    Outcome.REHEARSED: "skipped",
    Outcome.FAILS: "failed",
    Outcome.UNDECIDED: "errored",
}


def _gate(document: OpenDocument, test: GateTest) -> dict[str, Any]:
    """Return a gate as a test; its result is that of the last whole run."""
    place = range_of(document, test.span)
    result = None
    if test.outcome is not None:
        held = test.outcome.is_met
        location = {"kind": "verdict", "uri": document.uri, "range": place}
        result = {
            # A gate that is only reported fails no run.
            "state": "passed"
            if test.warns and test.outcome is not Outcome.REHEARSED
            else _GATE_STATES[test.outcome],
            "outcome": test.outcome.value,
            "text": test.text,
            "at": test.at.isoformat() if test.at is not None else None,
            "stale": test.stale,
            "messages": [] if held else [{"message": test.message, **location}],
        }
    return {"label": test.gate, "range": place, "result": result}


def _outcomes(suite: RunnableCases, number: int, result: CaseResult) -> Sequence[RubricOutcome]:
    """Return the outcomes of the rubrics, evaluators or assertions of a case."""
    if isinstance(suite, DialectTests):
        return outcomes_of_test(suite, number, result)
    return rubric_outcomes(suite, number, result) if isinstance(suite, ParsedSuite) else ()


def _result(
    document: OpenDocument,
    suite: RunnableCases,
    number: int | None,
    result: CaseResult,
    *,
    stale: bool,
) -> dict[str, Any]:
    outcomes = _outcomes(suite, number, result) if number is not None else ()
    return {
        "state": STATES[result.status],
        "verdict": result.status.value,
        "score": result.score,
        "at": result.at.isoformat(),
        "stale": stale,
        "messages": messages_of(document, suite, result),
        "rubrics": [
            {
                "range": range_of(document, outcome.span),
                "met": outcome.met,
                "rehearsed": outcome.rehearsed,
                "message": outcome.text,
            }
            for outcome in outcomes
        ],
    }
