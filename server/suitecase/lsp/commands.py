"""`workspace/executeCommand`: running cases, and forgetting the results."""

from __future__ import annotations

from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from suitecase.lsp.command_names import RUN_CASE
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.runs import Runs
from suitecase.lsp.session import Session

NOT_TRUSTED = (
    "Nothing is run: this workspace is not trusted, and running a suite may start programs that it "
    "names. Trust the workspace in your editor, or start the server with the initialization "
    'option `"trusted": true`.'
)


class Commands:
    """The commands; each takes its arguments as a list, of which any may be missing."""

    def __init__(self, session: Session, runs: Runs) -> None:
        self._session = session
        self._runs = runs

    async def run_case(self, arguments: list[Any]) -> dict[str, Any]:
        """Run one case."""
        document = self._document(arguments)
        case = self._case(document, arguments)
        self._demand_trust()
        return await self._runs.run(document, case)

    async def run_suite(self, arguments: list[Any]) -> dict[str, Any]:
        """Run all cases."""
        document = self._document(arguments)
        self._demand_trust()
        return await self._runs.run(document, None)

    def clear_results(self, arguments: list[Any]) -> None:
        """Forget the results of a document."""
        self._runs.clear(self._document(arguments))

    def _demand_trust(self) -> None:
        if not self._session.trusted:
            raise JsonRpcException(NOT_TRUSTED, code=types.LSPErrorCodes.RequestFailed.value)

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
            raise JsonRpcInvalidParams("the first argument is the address of a document, a text")
        if not document.is_suite:
            raise JsonRpcInvalidParams(f"{document.uri} is no suite: it has no list of cases")
        return document

    def _case(self, document: OpenDocument, arguments: list[Any]) -> str:
        ids = list(dict.fromkeys(it.id.text for it in document.suite.cases if it.id is not None))
        if len(arguments) > 1 and arguments[1] is not None:
            if not isinstance(arguments[1], str):
                raise JsonRpcInvalidParams("the second argument is the id of a case, a text")
            # Of a text that does not parse not all ids are known; the run says what is wrong.
            if arguments[1] not in ids and not document.broken:
                raise JsonRpcInvalidParams(
                    f"there is no case `{arguments[1]}`; there are {_listed(ids)}"
                )
            return arguments[1]
        if len(ids) != 1:
            raise JsonRpcInvalidParams(
                f"`{RUN_CASE}` needs the id of a case as its second argument: {_listed(ids)}"
            )
        return ids[0]


def _listed(ids: list[str]) -> str:
    shown = ", ".join(f"`{it}`" for it in ids[:10])
    return (shown + (" and more" if len(ids) > 10 else "")) or "no cases with an id"
