"""What forbids that a run is published: a reason with its place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Kind(StrEnum):
    """What a condition is about, in the order in which conditions are listed."""

    SUITE = "suite"
    RUN = "run"
    REHEARSAL = "rehearsal"
    GATE = "gate"
    JUDGE = "judge"
    LABELS = "labels"
    LOCK = "lock"
    LICENSE = "license"


@dataclass(frozen=True, slots=True)
class Condition:
    """Why a run may not be published.

    Attributes:
        kind: what it is about.
        text: the reason, as a sentence without its end.
        path: the file that it is in, or that has to be changed.
        line: the line in it, from 1; None for the file as a whole.
        undecided: whether it only could not be decided: more answers or labels would decide it.
    """

    kind: Kind
    text: str
    path: Path
    line: int | None = None
    undecided: bool = False


#: Exit codes: published, forbidden, only undecided.
PUBLISHED, FORBIDDEN, UNDECIDED = 0, 1, 3


def exit_code_of(conditions: Iterable[Condition]) -> int:
    """Return the exit code for conditions: that some forbid goes before that some are undecided."""
    every = list(conditions)
    if not every:
        return PUBLISHED
    return UNDECIDED if all(it.undecided for it in every) else FORBIDDEN
