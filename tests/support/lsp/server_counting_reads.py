"""The language server, which answers how often it has parsed and analysed texts so far."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

from suitecase.checking import check
from suitecase.format import dialect, reading, target_files
from suitecase.formats.suitecase import parsed
from suitecase.lsp import server
from suitecase.lsp.session import Session
from suitecase.lsp.stdio import MessageLoop
from suitecase.text import jsonl

COUNTS: Counter[str] = Counter()
REQUEST = "test/counts"
#: What stands for the sidecar of a data set that has none.
NO_SIDECAR = "{}"


def _counted(
    module: Any, name: str, counter: str, *, counts: Callable[[Any], bool] = lambda _: True
) -> None:
    function = getattr(module, name)

    def counting(*arguments: Any, **options: Any) -> Any:
        COUNTS[counter] += counts(arguments[0])
        return function(*arguments, **options)

    setattr(module, name, counting)


def main() -> int:
    """Serve, and count from the start."""
    _counted(check, "_check", "analyses")
    for module in (parsed, target_files, dialect, reading):
        _counted(module, "parse", "parses", counts=lambda text: str(text) != NO_SIDECAR)
    _counted(jsonl, "json_content", "parses")
    register = server.register

    def registered(session: Session, loop: MessageLoop, *, watches_editor: bool) -> None:
        session.feature(REQUEST)(lambda _params: dict(COUNTS))
        register(session, loop, watches_editor=watches_editor)

    server.register = registered
    return server.main()


if __name__ == "__main__":
    sys.exit(main())
