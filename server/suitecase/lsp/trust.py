"""Workspace trust, without which no case is run."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from suitecase.lsp.session import Session

NOT_TRUSTED = (
    "Nothing is run: this workspace is not trusted, and running a suite may start programs that it "
    "names. Trust the workspace in your editor, or have it start the server with the initialization "
    'option `"trusted": true` or send the request `suitecase/trust`.'
)


def demand_trust(session: Session) -> None:
    """Refuse to run cases unless the workspace is trusted.

    Raises:
        JsonRpcException: it is not; the message says how to allow it.
    """
    if not session.trusted:
        raise JsonRpcException(NOT_TRUSTED, code=types.LSPErrorCodes.RequestFailed.value)
