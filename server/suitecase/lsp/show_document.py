"""Having the client open a file that was written for the person at the editor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from suitecase.lsp.session import Session


async def show_document(session: Session, path: Path, *, external: bool) -> dict[str, Any]:
    """Open a file in the client, or say where it lies if that cannot.

    Args:
        path: the file.
        external: open it outside of the editor, such as a page in a browser.

    Returns:
        what a command answers: `path`, `uri`, and whether the client has it `shown`.
    """
    uri = path.as_uri()
    shown = False
    if session.client.shows_documents:
        params = types.ShowDocumentParams(
            uri, external=external, take_focus=None if external else True
        )
        try:
            result = await session.window_show_document_async(params)
            shown = bool(result is not None and result.success)
        except JsonRpcException:
            shown = False
    if not shown:
        session.show(types.MessageType.Info, f"Written to {path}")
    return {"path": str(path), "uri": uri, "shown": shown}
