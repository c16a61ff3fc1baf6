"""What suites report in the files they name: kept by suite, shown by file."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from suitecase.rule import Finding
from suitecase.suite.workspace import Unreadable


@dataclass(frozen=True, slots=True)
class _Naming:
    """What a suite reports in other files, and the texts that its findings depend on."""

    reported: Mapping[Path, list[Finding]]
    read: Mapping[Path, str | Unreadable]

    def of(self, path: Path) -> tuple[object, object]:
        return self.reported.get(path), self.read.get(path) if path in self.reported else None


_NOTHING = _Naming({}, {})


@dataclass(slots=True)
class ReferencedFiles:
    """What each suite reports in other files, by the URI of the suite.

    Several suites may name one file: it is shown with the findings of all of them, and none removes
    those of another.
    """

    _naming: dict[str, _Naming] = field(default_factory=dict)
    #: By file, the suites whose findings depend on it, and those with findings in it.
    _referrers: dict[Path, dict[str, None]] = field(default_factory=dict)
    _reporters: dict[Path, dict[str, None]] = field(default_factory=dict)
    _newly_named: set[Path] = field(default_factory=set)

    def take(
        self,
        uri: str,
        reported: Mapping[Path, list[Finding]],
        read: Mapping[Path, str | Unreadable],
    ) -> set[Path]:
        """Keep what a suite reports now; returns the files for which that has changed.

        Args:
            uri: the suite.
            reported: its findings in other files.
            read: the texts that its findings depend on.
        """
        before = self._naming.get(uri, _NOTHING)
        now = self._naming[uri] = _Naming(reported, read)
        self._index(uri, before, now)
        files = before.reported.keys() | reported.keys()
        return {it for it in files if before.of(it) != now.of(it)}

    def forget(self, uri: str) -> set[Path]:
        """Drop what a suite reports; returns the files that it had findings in."""
        gone = self._naming.pop(uri, _NOTHING)
        self._index(uri, gone, _NOTHING)
        return set(gone.reported)

    def _index(self, uri: str, before: _Naming, now: _Naming) -> None:
        """Note under each file that a suite names it now, or does not any more."""
        self._newly_named |= now.read.keys() - self._referrers.keys()
        for index, gone, come in (
            (self._referrers, before.read.keys() - now.read.keys(), now.read.keys()),
            (self._reporters, before.reported.keys() - now.reported.keys(), now.reported.keys()),
        ):
            for path in gone:
                del index[path][uri]
                if not index[path]:
                    del index[path]
            for path in come:
                index.setdefault(path, {})[uri] = None

    def newly_named(self) -> set[Path]:
        """Return the files that no suite named when this was last asked, and one does since."""
        newly, self._newly_named = self._newly_named, set()
        return newly

    @property
    def paths(self) -> set[Path]:
        """The files with findings."""
        return set(self._reporters)

    def findings_for(self, paths: Collection[Path], text: str) -> list[Finding]:
        """Return the findings that suites report in a file, by any of its names, for this text of it."""
        return [
            found
            for path in paths
            for uri in self._reporters.get(path, ())
            if self._naming[uri].read.get(path) == text
            for found in self._naming[uri].reported[path]
        ]

    def referrers(self, paths: Collection[Path]) -> list[str]:
        """Return the suites whose findings depend on a file."""
        return list(dict.fromkeys(uri for it in paths for uri in self._referrers.get(it, ())))

    def is_outdated(self, uri: str, paths: Collection[Path], text: str) -> bool:
        """Whether a suite was checked with another text of a file than this one."""
        read = self._naming[uri].read
        return any(read[path] != text for path in paths if path in read)
