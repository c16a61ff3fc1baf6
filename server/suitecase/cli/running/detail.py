"""How much of a run is printed for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Detail:
    """What `--show`, `--answers` and `--quiet` ask for.

    Attributes:
        show: the cases that are printed in full: those that did not pass, all, or no case at all.
        answers: print what the targets answered, below each case that is printed.
        quiet: print neither the cases that passed nor notes, facts and files.
    """

    show: Literal["failures", "all", "none"] = "failures"
    answers: bool = False
    quiet: bool = False
