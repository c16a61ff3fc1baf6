"""How a process ended, in words."""

from __future__ import annotations

import signal


def process_ending(code: int | None, *, before: str = "") -> str:
    """Return how a process ended, to follow its name: `was killed (SIGTERM) before the run finished`.

    Args:
        code: its exit code, negative for a signal; None if it is unknown.
        before: what had not happened yet.
    """
    when = f" before {before}" if before else ""
    if code is None or code >= 0:
        return f"ended with exit code {code}{when}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    hint = "; the system may be out of memory" if name == "SIGKILL" else ""
    return f"was killed ({name}){when}{hint}"
