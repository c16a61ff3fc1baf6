"""Opening a file that was written for the user."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from suitecase.lsp.session import Session


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
