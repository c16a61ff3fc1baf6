"""A language server that does nothing but keep documents, as pygls does it: the floor of editing.

It answers each change with no diagnostics, so that there is something to wait for.
"""

from lsprotocol import types
from pygls.lsp.server import LanguageServer

server = LanguageServer("sync-only", "1")


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
def say_nothing(
    params: types.DidOpenTextDocumentParams | types.DidChangeTextDocumentParams,
) -> None:
    document = params.text_document
    server.text_document_publish_diagnostics(
        types.PublishDiagnosticsParams(document.uri, [], document.version)
    )


if __name__ == "__main__":
    server.start_io()
