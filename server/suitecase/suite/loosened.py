"""What the configuration of a workspace asks for that would hold programs less."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from suitecase_evaluators.sandbox.level import Level

if TYPE_CHECKING:
    from suitecase.suite.settings import SandboxSettings

#: The settings that are limits, as the models name them.
LIMITS = ("cpu_seconds", "memory_mb", "file_size_mb", "open_files", "processes")


def loosened(theirs: SandboxSettings, user: SandboxSettings) -> Iterator[str]:
    """Yield the settings of a workspace that would hold programs less than the user's do."""
    for name in sorted(theirs.model_fields_set):
        value, own = getattr(theirs, name), getattr(user, name)
        match name:
            case "readable" | "writable":
                looser = bool(value)
            case "scripts" | "targets":
                looser = not Level(value).meets(Level(own))
            case _:
                looser = name in LIMITS and bool(own) and (value == 0 or value > own)
        if looser:
            yield name
