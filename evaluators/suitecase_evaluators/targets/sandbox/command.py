"""A program that a run starts, as a suite or a targets file says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from suitecase_evaluators.answers.sandbox_level import WantedLevel


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A program that an evaluator or a target starts.

    Attributes:
        line: the command line, or the program and its arguments.
        cwd: the folder it starts in, as the file says; None for the file's own.
        sandbox: how far the file wants it to be held.
    """

    line: str | Sequence[str]
    cwd: str | None = None
    sandbox: WantedLevel | None = None
