"""The language server, which answers how many function calls it took since it was asked; no clock is as steady."""

from __future__ import annotations

import sys
from typing import Any

from suitecase.lsp import server
from suitecase.lsp.session import Session
from suitecase.lsp.stdio import MessageLoop

#: Answers how many calls there were since the last such request, and none to the first one.
REQUEST = "test/calls"
calls = 0


def _count(_frame: object, event: str, _argument: object) -> None:
    global calls
    calls += event in ("call", "c_call")


def _answer(_params: Any) -> int:
    global calls
    counted, calls = calls, 0
    sys.setprofile(_count)
    return counted


def main() -> int:
    """Serve, and count from the first request for it."""
    register = server.register

    def registered(session: Session, loop: MessageLoop, *, watches_editor: bool) -> None:
        session.feature(REQUEST)(_answer)
        register(session, loop, watches_editor=watches_editor)

    server.register = registered
    return server.main()


if __name__ == "__main__":
    sys.exit(main())
