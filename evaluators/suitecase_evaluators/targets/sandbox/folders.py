"""The folders that an isolated program may write to, opened before it starts."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from suitecase_evaluators.system.path_kinds import is_there
from suitecase_evaluators.targets.sandbox.hidden import homes
from suitecase_evaluators.targets.sandbox.protected import (
    OURS,
    FolderState,
    ProtectedBelow,
    TooManyError,
    is_protected,
    protected_below,
    protected_in,
)

#: What is protected further down in a folder is searched for again after so many seconds.
_SEARCH_SECONDS = 10.0
_searched: dict[Path, tuple[float, ProtectedBelow]] = {}


@dataclass(slots=True)
class Folders:
    """The folders a program may write to.

    A folder is opened first and looked at then: another program may put a link into its place at
    any time, and what is mounted has to be what was looked at.

    Attributes:
        writable: by each folder, where bubblewrap takes it from.
        protected: what lies in them and may not be written to.
        before: what no mount can protect in them.
        descriptors: what keeps the folders open, until `close`.
    """

    writable: Mapping[Path, str] = field(default_factory=dict)
    protected: tuple[Path, ...] = ()
    before: tuple[FolderState, ...] = ()
    descriptors: tuple[int, ...] = ()

    @classmethod
    def none(cls) -> Folders:
        return cls()

    @classmethod
    def opened(
        cls,
        own: Iterable[Path],
        allowed: Iterable[Path],
        root: Path,
        kept: Collection[Path] = (),
    ) -> Folders:
        """Return the folders of a program that is about to start.

        Args:
            own: folders of the workspace; those that it may not write to are left out.
            allowed: what the user lets it write to, and what is made for it, links followed.
            root: the root of the workspace, its links followed.
            kept: what may not be written to beside what is protected by its name.
        """
        if sys.platform != "linux":
            return cls.none()  # bubblewrap is there alone
        writable: dict[Path, str] = {}
        protected: set[Path] = set()
        before: list[FolderState] = []
        descriptors: list[int] = []
        for folder in own:
            try:
                descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY)
            except OSError:
                continue
            descriptors.append(descriptor)
            place = Path(f"/proc/self/fd/{descriptor}").readlink()
            with suppress(TooManyError):
                if _may_be_written(place, root):
                    if place == root:
                        # A run makes it too, for its results: what is there is protected, whoever is first.
                        with suppress(OSError):
                            os.mkdir(OURS, dir_fd=descriptor)
                    own_protected, links = _protected(place)
                    own_protected += _below(place, kept)
                    protected.update(own_protected)
                    writable[place] = f"/proc/self/fd/{descriptor}"
                    before.append(FolderState.of(place, own_protected, links))
        for place in allowed:
            try:
                descriptor = os.open(place, os.O_PATH)
            except OSError:
                continue
            descriptors.append(descriptor)
            # It had no links in it when the run began: a program has put one there.
            if Path(f"/proc/self/fd/{descriptor}").readlink() != place or place == Path("/"):
                continue
            opened = place if place.is_relative_to(root) else root
            with suppress(TooManyError):
                if opened.is_relative_to(place):
                    protected.update(_protected(opened)[0])
                protected.update(_below(place, kept))
                writable[place] = f"/proc/self/fd/{descriptor}"
        return cls(writable, tuple(sorted(protected)), tuple(before), tuple(descriptors))

    def close(self) -> None:
        """Let go of the folders: they are mounted, or will not be."""
        for descriptor in self.descriptors:
            os.close(descriptor)
        self.descriptors = ()


def _below(folder: Path, paths: Iterable[Path]) -> list[Path]:
    """Return the paths of what is there in a folder."""
    return [path for path in paths if path.is_relative_to(folder) and is_there(path)]


def _may_be_written(place: Path, root: Path) -> bool:
    """Whether programs may write to a folder of a workspace.

    Where the workspace is the user's home folder, or holds it, they may write to none.
    """
    if not place.is_relative_to(root) or any(home.is_relative_to(root) for home in homes()):
        return False
    return not is_protected(place, root)


def _protected(folder: Path) -> tuple[list[Path], tuple[Path, ...]]:
    """Return the protected paths in a folder, and links further down; deeper ones may be slightly outdated.

    Raises:
        TooManyError: it is too much.
    """
    when, found = _searched.get(folder, (-_SEARCH_SECONDS, ProtectedBelow()))
    if monotonic() - when >= _SEARCH_SECONDS:
        found = protected_below(folder)
        _searched[folder] = (monotonic(), found)
    return [*protected_in(folder), *found.places], found.links
