"""Bringing diagnostics to the client: by sending them, or by having it ask; never both."""

from __future__ import annotations

import asyncio
import hashlib
import json

from lsprotocol import types

from suitecase.lsp.diagnostic import diagnostics
from suitecase.lsp.documents import OpenDocument
from suitecase.lsp.session import Session

#: After a change, further ones are awaited for this long, in seconds.
QUIET = 0.03
#: Someone who types without a pause sees findings after this time all the same, in seconds.
LONGEST = 0.1
#: How a client may ask. Findings depend on other files: targets, prompts.
PULL = types.DiagnosticOptions(
    inter_file_dependencies=True, workspace_diagnostics=False, identifier="suitecase"
)


class Publisher:
    """Sends the diagnostics of documents, or tells a client that asks for them to ask again."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._due: dict[str, tuple[OpenDocument, float, asyncio.TimerHandle]] = {}
        self._sent: set[str] = set()

    def changed(self, document: OpenDocument) -> None:
        """Publish a document's diagnostics soon, unless the client asks for them by itself."""
        if self._session.client.pulls:
            return
        loop = asyncio.get_running_loop()
        latest = loop.time() + LONGEST
        if document.uri in self._due:
            _, latest, timer = self._due[document.uri]
            timer.cancel()
        timer = loop.call_at(min(loop.time() + QUIET, latest), self.publish, document)
        self._due[document.uri] = (document, latest, timer)

    def publish(self, document: OpenDocument) -> None:
        """Publish a document's diagnostics now."""
        if document.uri in self._due:
            self._due.pop(document.uri)[2].cancel()
        if document not in self._session.documents:
            return
        if self._session.client.pulls:
            self._session.workspace_diagnostic_refresh(None)
            return
        found = diagnostics(self._session, document)
        if document.is_checked:
            self._sent.add(document.uri)
        elif document.uri in self._sent:
            self._sent.remove(document.uri)
        else:
            return
        self._send(document.uri, document.version, found)

    def publish_all(self) -> None:
        """Publish for every open document, since a file or a folder changed."""
        if self._session.client.pulls:
            self._session.workspace_diagnostic_refresh(None)
            return
        for document in self._session.documents:
            self.changed(document)

    def closed(self, document: OpenDocument) -> None:
        """Take a document's diagnostics back."""
        if document.uri in self._due:
            self._due.pop(document.uri)[2].cancel()
        if document.uri in self._sent:
            self._sent.remove(document.uri)
            self._send(document.uri, None, [])

    def _send(self, uri: str, version: int | None, found: list[types.Diagnostic]) -> None:
        self._session.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=found)
        )


def report(
    session: Session, params: types.DocumentDiagnosticParams
) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
    """Answer a client that asks for diagnostics."""
    document = session.documents.get(params.text_document.uri)
    found = diagnostics(session, document) if document is not None else []
    unstructured = session.rpc.unstructured(found)
    result_id = hashlib.sha256(json.dumps(unstructured).encode()).hexdigest()[:24]
    if result_id == params.previous_result_id:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result_id)
    return types.RelatedFullDocumentDiagnosticReport(items=found, result_id=result_id)
