"""What suites say of the files they name: kept by suite, shown by file."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from suitecase.analysis import ReportedFinding, merged
from suitecase.suite.workspace import Unreadable


@dataclass(frozen=True, slots=True)
class _Naming:
    """What a suite says of other files, and the texts its findings depend on."""

    said: Mapping[Path, list[ReportedFinding]]
    read: Mapping[Path, str | Unreadable]

    def of(self, path: Path) -> tuple[object, object]:
        return self.said.get(path), self.read.get(path) if path in self.said else None


@dataclass(slots=True)
class OtherFiles:
    """What each suite says of other files, by the address of the suite.

    Several suites may name one file: it is shown with what all of them say, and none takes back
    what another says.
    """

    _naming: dict[str, _Naming] = field(default_factory=dict)

    def take(
        self,
        uri: str,
        said: Mapping[Path, list[ReportedFinding]],
        read: Mapping[Path, str | Unreadable],
    ) -> set[Path]:
        """Keep what a suite says now; returns the files of which that is something else.

        Args:
            uri: the suite.
            said: what it says of other files.
            read: the texts that its findings depend on.
        """
        before = self._naming.get(uri, _Naming({}, {}))
        now = self._naming[uri] = _Naming(said, read)
        return {it for it in before.said.keys() | said.keys() if before.of(it) != now.of(it)}

    def forget(self, uri: str) -> set[Path]:
        """Drop what a suite says; returns the files it said something of."""
        gone = self._naming.pop(uri, None)
        return set(gone.said) if gone else set()

    @property
    def paths(self) -> set[Path]:
        """The files that something is said of."""
        return {path for it in self._naming.values() for path in it.said}

    def said_of(self, paths: Collection[Path], text: str) -> list[ReportedFinding]:
        """Return what is said of a file, by all its names, as far as it is said of this text."""
        return merged(
            found
            for naming in self._naming.values()
            for path in paths
            if naming.read.get(path) == text
            for found in naming.said.get(path, ())
        )

    def namers(self, paths: Collection[Path]) -> list[str]:
        """Return the suites whose findings depend on a file."""
        return [uri for uri, it in self._naming.items() if not it.read.keys().isdisjoint(paths)]

    def is_outdated(self, uri: str, paths: Collection[Path], text: str) -> bool:
        """Whether a suite was checked with another text of a file than this one."""
        read = self._naming[uri].read
        return any(read[path] != text for path in paths if path in read)
