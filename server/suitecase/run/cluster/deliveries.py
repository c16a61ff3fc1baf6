"""What a grader is sent before its setup: the files that the run depends on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from suitecase.run.cluster.parcel import Item


@dataclass(frozen=True, slots=True)
class Announced:
    """To a grader: these files make up the workspace.

    Attributes:
        name: the name of the folder of the workspace.
        nearby: the roots of graders on the same machine, whose files can be copied.
    """

    name: str
    items: Sequence[Item]
    folders: Sequence[str]
    nearby: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Lacking:
    """From a grader: it needs the contents of these digests."""

    root: str
    digests: Sequence[str]


@dataclass(frozen=True, slots=True)
class Content:
    """To a grader: one of the contents that it lacks."""

    digest: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """From a grader: the workspace is complete; or why it cannot be, for users."""

    problem: str | None = None
