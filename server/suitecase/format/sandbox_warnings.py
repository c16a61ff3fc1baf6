"""Settings of a workspace's configuration that would loosen the sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from suitecase_evaluators.answers.sandbox_level import Level

if TYPE_CHECKING:
    from suitecase.format.settings import SandboxSettings

#: The settings that are limits, by their names in the models.
LIMITS = ("cpu_seconds", "memory_mb", "file_size_mb", "open_files", "processes")


def loosened(theirs: SandboxSettings, user: SandboxSettings) -> Iterator[str]:
    """Yield the settings of a workspace that would loosen the sandbox of the user."""
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
