"""`workspace/executeCommand`: running cases, and opening or clearing their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from suitecase.editor.results import failed_cases
from suitecase.editor.runnable_cases import RunnableCases
from suitecase.editor.selected_cases import case_at, cases_in
from suitecase.lsp.as_graded import text_as_graded, write_as_graded
from suitecase.lsp.checking import check
from suitecase.lsp.command_names import RUN_CASE
from suitecase.lsp.cursors import Cursors
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.migrating import migrate_suite
from suitecase.lsp.new_suite import create_suite
from suitecase.lsp.not_run import show_problem
from suitecase.lsp.previous_results import PreviousResults
from suitecase.lsp.rule_pages import rule_argument, write_rule_page
from suitecase.lsp.run_documents import write_log, write_report
from suitecase.lsp.runs import Runs
from suitecase.lsp.session import Session
from suitecase.lsp.trust import demand_trust
from suitecase.text.node import Span


class Commands:
    """The commands; each takes its arguments as a list, and all of them are optional."""

    def __init__(
        self, session: Session, runs: Runs, cursors: Cursors, previous: PreviousResults
    ) -> None:
        self._session = session
        self._runs = runs
        self._cursors = cursors
        self._previous = previous

    async def run_case(self, arguments: list[Any]) -> dict[str, Any]:
        """Run one case."""
        document = self._document(arguments)
        case = self._case(document, arguments)
        demand_trust(self._session)
        return await self._runs.run(document, (case,))

    async def run_selection(self, arguments: list[Any]) -> dict[str, Any]:
        """Run several cases."""
        document = self._document(arguments)
        cases = self._cases(document, arguments)
        demand_trust(self._session)
        return await self._runs.run(document, cases)

    async def run_suite(self, arguments: list[Any]) -> dict[str, Any]:
        """Run all cases."""
        document = self._document(arguments)
        demand_trust(self._session)
        return await self._runs.run(document, None)

    async def run_failed(self, arguments: list[Any]) -> dict[str, Any]:
        """Run the cases whose last result is not a pass."""
        document = self._document(arguments)
        demand_trust(self._session)
        await self._previous.known(document)
        failed = failed_cases(self._session.cases_of(document), self._session.results(document))
        if not failed:
            raise JsonRpcException(
                "Nothing is run: no case has a result that is not a pass; run all cases first",
                code=types.LSPErrorCodes.RequestFailed.value,
            )
        return await self._runs.run(document, failed)

    async def cancel_run(self, arguments: list[Any]) -> dict[str, Any]:
        """Cancel runs: one, those of a document, or those that include a case.

        A coroutine, so that it takes its turn after a run that was requested before it.
        """
        name = arguments[0] if arguments else None
        if isinstance(name, dict):
            name = name.get("runId")
        if name is not None and not isinstance(name, str):
            raise JsonRpcInvalidParams("the argument must be a string: the id of a run or a URI")
        case = arguments[1] if len(arguments) > 1 else None
        if case is not None and not isinstance(case, str):
            raise JsonRpcInvalidParams("the second argument must be a string: the id of a case")
        return {"cancelled": self._runs.cancel(name, case)}

    async def restart_worker(self, _arguments: list[Any]) -> None:
        """End the worker process; the next run starts another one."""
        await self._runs.stop_worker()

    async def clear_results(self, arguments: list[Any]) -> None:
        """Clear the results of a case or of a document."""
        document = self._document(arguments)
        case = arguments[1] if len(arguments) > 1 else None
        if case is not None and not isinstance(case, str):
            raise JsonRpcInvalidParams("the second argument must be a string: the id of a case")
        await self._runs.clear(document, None if case is None else (case,))

    async def open_log(self, arguments: list[Any]) -> dict[str, Any]:
        """Open the log of a case's last run."""
        document = self._document(arguments)
        case = self._case(document, arguments)
        await self._previous.known(document)
        path = await write_log(self._session, document, case)
        return await show_document(self._session, path, external=False)

    async def show_problem(self, arguments: list[Any]) -> dict[str, Any]:
        """Go to the error that kept a case, or all cases, from running."""
        document = self._document(arguments)
        case = self._case(document, arguments) if len(arguments) > 1 and arguments[1] else None
        return await show_problem(self._session, document, case)

    async def open_report(self, arguments: list[Any]) -> dict[str, Any]:
        """Open the report of a document's last results."""
        document = self._document(arguments)
        await self._previous.known(document)
        path = await write_report(self._session, document)
        return await show_document(self._session, path, external=True)

    async def migrate(self, arguments: list[Any]) -> dict[str, Any]:
        """Rewrite a suite in the current format."""
        return await migrate_suite(self._session, self._own_suite(arguments))

    async def explain_rule(self, arguments: list[Any]) -> dict[str, Any]:
        """Open the page of a rule."""
        if arguments and arguments[0] is not None:
            rule = rule_argument(arguments[0])
        else:
            document = self._document([])
            at_cursor = self._selection(document)
            findings = check(self._session, document).touching(at_cursor) if at_cursor else []
            rules = [finding.rule for finding in findings]
            if not rules:
                raise JsonRpcInvalidParams(
                    "there is no finding at the cursor; name a rule, such as `SC201`"
                )
            rule = rules[0]
        path = await write_rule_page(self._session, rule)
        return await show_document(self._session, path, external=False)

    async def show_as_graded(self, arguments: list[Any]) -> dict[str, Any]:
        """Open a case, or a suite, as it will be graded."""
        document = self._own_suite(arguments)
        if len(arguments) > 1 and arguments[1] is not None:
            # Editors that know the cursor to be outside all cases send an empty text.
            case = self._case(document, arguments) if arguments[1] != "" else None
        else:
            selected = self._selection(document)
            suite = self._session.cases_of(document)
            case = case_at(suite, selected.start) if selected is not None else None
        path = await write_as_graded(self._session, document, case)
        return await show_document(self._session, path, external=False)

    async def create_suite(self, arguments: list[Any]) -> dict[str, Any]:
        """Create a suite and the files that it needs."""
        return await create_suite(self._session, arguments)

    async def as_graded(self, params: Any) -> dict[str, Any]:
        """Return a case or a suite as it will be graded, for editors that show the text themselves."""
        fields = params if isinstance(params, Mapping) else {}
        uri, case = fields.get("uri"), fields.get("case")
        if not isinstance(uri, str):
            raise JsonRpcInvalidParams("`uri` must be the URI of a document")
        document = self._own_suite([uri])
        selected_case = self._case(document, [uri, case]) if case is not None else None
        return {
            "text": await text_as_graded(self._session, document, selected_case),
            "case": selected_case,
        }

    def _document(self, arguments: list[Any]) -> OpenDocument:
        if not arguments or arguments[0] is None:
            document = self._session.documents.last
            if document is None:
                raise JsonRpcInvalidParams("no document is open; open the suite first")
        elif isinstance(arguments[0], str):
            document = self._session.documents.get(arguments[0])
            if document is None:
                raise JsonRpcInvalidParams(f"{arguments[0]} is not open; open the suite first")
        else:
            raise JsonRpcInvalidParams("the first argument must be a string: the URI of a document")
        if self._session.snapshot(document).runnable is None:
            raise JsonRpcInvalidParams(f"{document.uri} is not a suite: it has no list of cases")
        return document

    def _own_suite(self, arguments: list[Any]) -> OpenDocument:
        """Return a suite of Suitecase; one of another tool can only be run."""
        document = self._document(arguments)
        file = self._session.snapshot(document).dialect_file
        if file is not None:
            raise JsonRpcInvalidParams(f"{document.uri} is {file.title}, not a suite of Suitecase")
        return document

    def _case(self, document: OpenDocument, arguments: list[Any]) -> str:
        suite = self._session.cases_of(document)
        if len(arguments) > 1 and arguments[1] is not None:
            if not isinstance(arguments[1], str):
                raise JsonRpcInvalidParams("the second argument must be a string: the id of a case")
            _demand_known(suite, arguments[1:2])
            return arguments[1]
        selected = self._selection(document)
        at_cursor = case_at(suite, selected.start) if selected is not None else None
        if at_cursor is not None:
            return at_cursor
        ids = suite.case_ids
        if len(ids) != 1:
            raise JsonRpcInvalidParams(
                f"`{RUN_CASE}` needs the id of a case as its second argument: {_listed(ids)}"
            )
        return ids[0]

    def _cases(self, document: OpenDocument, arguments: list[Any]) -> list[str]:
        suite = self._session.cases_of(document)
        value = arguments[1] if len(arguments) > 1 else None
        if isinstance(value, list) and value and all(isinstance(it, str) for it in value):
            _demand_known(suite, value)
            return value
        selected = self._selection(document) if value is None else _span(document, value)
        if selected is None:
            raise JsonRpcInvalidParams(
                "the second argument must be a list of case ids or a range of the document"
            )
        selected_cases = cases_in(suite, selected)
        if not selected_cases:
            raise JsonRpcInvalidParams("the selection contains no case with an id")
        return selected_cases

    def _selection(self, document: OpenDocument) -> Span | None:
        last = self._cursors.last(document.uri)
        return None if last is None else document.positions.span(last)


def _span(document: OpenDocument, value: Any) -> Span | None:
    """Return the span of a range sent by a client; None if it is not a valid range."""
    try:
        start, end = (
            types.Position(int(value[name]["line"]), int(value[name]["character"]))
            for name in ("start", "end")
        )
    except (KeyError, TypeError, ValueError):
        return None
    if min(start.line, start.character, end.line, end.character) < 0:
        return None
    return document.positions.span(types.Range(start, end))


def _demand_known(suite: RunnableCases, cases: Sequence[str]) -> None:
    # The ids of a text that does not parse are incomplete; the run itself reports the error.
    if suite.document.broken:
        return
    ids = dict.fromkeys(suite.case_ids)
    unknown = next((case for case in cases if case not in ids), None)
    if unknown is not None:
        raise JsonRpcInvalidParams(
            f"there is no case `{unknown}`; expected one of {_listed([*ids])}"
        )


def _listed(ids: Sequence[str]) -> str:
    names = ", ".join(f"`{it}`" for it in ids[:10])
    return (names + (" and more" if len(ids) > 10 else "")) or "no cases with an id"


async def show_document(session: Session, path: Path, *, external: bool) -> dict[str, Any]:
    """Open a file in the client, or report its path if the client cannot.

    Args:
        path: the file.
        external: open it outside the editor, such as a page in a browser.

    Returns:
        the result of the command: `path`, `uri`, and whether the client has `shown` it.
    """
    uri = path.as_uri()
    is_shown = False
    if session.client.shows_documents:
        params = types.ShowDocumentParams(
            uri, external=external, take_focus=None if external else True
        )
        try:
            result = await session.window_show_document_async(params)
            is_shown = bool(result is not None and result.success)
        except JsonRpcException:
            is_shown = False
    if not is_shown:
        session.show(types.MessageType.Info, f"Written to {path}")
    return {"path": str(path), "uri": uri, "shown": is_shown}
