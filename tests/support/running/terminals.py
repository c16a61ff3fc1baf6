"""`suitecase` on a terminal, forked."""

from __future__ import annotations

import os
import pty
import select
from collections.abc import Mapping
from pathlib import Path

from support.running.forked import PATIENCE, STARTED_WITH, fork


def on_a_terminal(folder: Path, *arguments: str, env: Mapping[str, str] | None = None) -> str:
    """Run a command whose streams are a terminal; return what is written to it.

    There is no live display, whose cursor moves, since the environment says that this is CI.
    """
    ours, theirs = pty.openpty()
    variables = {**STARTED_WITH, "TERM": "xterm-256color", "CI": "1", **(env or {})}
    told = fork(arguments, folder, variables, [theirs] * 3)
    os.close(theirs)
    parts: list[bytes] = []
    try:
        while select.select([ours], [], [], PATIENCE)[0]:
            parts.append(os.read(ours, 65_536))
    except OSError:  # how Linux tells that the other side is closed
        pass
    finally:
        os.close(ours)
        os.close(told)
    return b"".join(parts).decode()
