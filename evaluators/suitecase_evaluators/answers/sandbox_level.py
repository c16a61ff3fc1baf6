"""Sandbox levels: one scale for the requested, the required and the reached level.

It stands in suites, targets, configurations, records and on the command line in the same words.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal


class Level(StrEnum):
    """The sandbox levels of programs, from the lowest to the highest."""

    #: Not restricted: this system has no limits.
    NONE = "none"
    #: Its time, memory, files and processes have limits, and all of it is ended with the run.
    LIMITS = "limits"
    #: As `isolated`, and yet it has the network.
    NETWORKED = "networked"
    #: No network, nothing to write to but its own folder, no other process to see.
    ISOLATED = "isolated"

    @property
    def rank(self) -> int:
        """0 for the least."""
        return list(Level).index(self)

    @property
    def in_namespaces(self) -> bool:
        """Whether bubblewrap is needed for it."""
        return self in (Level.NETWORKED, Level.ISOLATED)

    def meets(self, required: Level) -> bool:
        """Whether it is as much as is required, or more."""
        return self.rank >= required.rank


#: What an evaluator, a target or a configuration may want for a program.
WantedLevel = Literal["limits", "networked", "isolated"]


#: The description of the field of a script, wherever it is.
SANDBOX_OF_SCRIPTS = (
    "The sandbox level of the script, if bubblewrap works: `isolated` has no network and can "
    "write only to the folder it runs in, `networked` has the network, `limits` is not "
    "isolated. A lower level than `isolated` has an effect only if the user who runs the suite "
    "allows it, as with `--sandbox scripts=networked`."
)


def lowest(*levels: Level | None) -> Level | None:
    """Return the lowest of some levels; None means that there was no program."""
    return min(
        (level for level in levels if level is not None), key=lambda level: level.rank, default=None
    )


def highest(least: Level, requested: WantedLevel | None) -> Level:
    """Return the level of a program that requests one: a suite may raise it, but not lower it."""
    return (
        least if requested is None else max(least, Level(requested), key=lambda level: level.rank)
    )
