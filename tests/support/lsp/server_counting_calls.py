"""The language server, saying at its end how many function calls it took; no clock is as steady."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

calls = 0


def _count(_frame: object, event: str, _argument: object) -> None:
    global calls
    calls += event in ("call", "c_call")


def _end(status: int) -> NoReturn:
    """End the process as the server does, which takes nothing apart."""
    sys.setprofile(None)
    sys.stderr.write(f"calls: {calls}\n")
    sys.stderr.flush()
    _exit(status)


_exit = os._exit


if __name__ == "__main__":
    from suitecase.cli import main

    os._exit = _end
    sys.argv = ["suitecase", "lsp"]
    sys.setprofile(_count)
    main()
