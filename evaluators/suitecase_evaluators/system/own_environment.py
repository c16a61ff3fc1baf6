"""Variables that this process sets for the libraries it uses, and that programs do not get.

A library is told by the environment what it has no other setting for. A program that a run starts
is the user's own, and gets the environment as the user has it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

#: What was set here, and what stood there before; None where nothing did.
_set_here: dict[str, tuple[str, str | None]] = {}


def set_for_libraries(name: str, value: str) -> None:
    """Set a variable for this process alone."""
    before = _set_here[name][1] if name in _set_here else os.environ.get(name)
    _set_here[name] = (value, before)
    os.environ[name] = value


def for_programs(environ: Mapping[str, str]) -> dict[str, str]:
    """Return an environment as it is without what was set here."""
    found = dict(environ)
    for name, (value, before) in _set_here.items():
        if found.get(name) == value:
            del found[name]
            if before is not None:
                found[name] = before
    return found
