"""A file of a first suite."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StarterFile:
    """A file to create.

    Attributes:
        path: its path in the chosen folder, with `/`.
        text: its text.
        in_repository: whether the path is relative to the root of the repository, as those of CI are.
        executable: whether it is a program.
    """

    path: str
    text: str
    in_repository: bool = False
    executable: bool = False
