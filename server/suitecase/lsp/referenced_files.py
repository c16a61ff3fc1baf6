"""What suites report for the files they name: stored by suite, shown by file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from suitecase.format.rule import Finding
from suitecase.format.workspace import Unreadable
from suitecase.text.lines import Lines


@dataclass(frozen=True, slots=True)
class _Naming:
    """What a suite reports for other files, and the texts its findings depend on."""

    reported: Mapping[Path, list[Finding]]
    read: Mapping[Path, str | Lines | Unreadable]

    def of(self, path: Path) -> tuple[object, object]:
        return self.reported.get(path), self.read.get(path) if path in self.reported else None


_NOTHING = _Naming({}, {})


@dataclass(slots=True)
class ReferencedFiles:
    """What each suite reports for other files, by the URI of the suite.

    Several suites may name one file; it is shown with the findings of all of them.
    """

    _naming: dict[str, _Naming] = field(default_factory=dict)
    #: By file, the suites whose findings depend on it, and the suites with findings for it.
    _referrers: dict[Path, dict[str, None]] = field(default_factory=dict)
    _reporters: dict[Path, dict[str, None]] = field(default_factory=dict)
    _newly_named: set[Path] = field(default_factory=set)

    def replace(
        self,
        uri: str,
        reported: Mapping[Path, list[Finding]],
        read: Mapping[Path, str | Lines | Unreadable],
    ) -> set[Path]:
        """Store what a suite reports now, and return the files whose findings have changed.

        Args:
            uri: the suite.
            reported: its findings for other files.
            read: the texts its findings depend on.
        """
        before = self._naming.get(uri, _NOTHING)
        now = self._naming[uri] = _Naming(reported, read)
        self._index(uri, before, now)
        files = before.reported.keys() | reported.keys()
        return {path for path in files if before.of(path) != now.of(path)}

    def forget(self, uri: str) -> set[Path]:
        """Drop what a suite reports, and return the files it had findings for."""
        removed = self._naming.pop(uri, _NOTHING)
        self._index(uri, removed, _NOTHING)
        return set(removed.reported)

    def _index(self, uri: str, before: _Naming, now: _Naming) -> None:
        """Update the index of each file a suite names now or no longer names."""
        self._newly_named |= now.read.keys() - self._referrers.keys()
        for index, removed, added in (
            (self._referrers, before.read.keys() - now.read.keys(), now.read.keys()),
            (self._reporters, before.reported.keys() - now.reported.keys(), now.reported.keys()),
        ):
            for path in removed:
                del index[path][uri]
                if not index[path]:
                    del index[path]
            for path in added:
                index.setdefault(path, {})[uri] = None

    def newly_named(self) -> set[Path]:
        """Return the files that no suite named at the last call, and one names now."""
        newly, self._newly_named = self._newly_named, set()
        return newly

    @property
    def paths(self) -> set[Path]:
        """The files with findings."""
        return set(self._reporters)

    def reported_by(self, uri: str) -> set[Path]:
        """Return the files for which a suite has findings."""
        return set(self._naming.get(uri, _NOTHING).reported)

    def findings_for(
        self, paths: Collection[Path], text: str, counts: Callable[[str], bool] = lambda _: True
    ) -> list[Finding]:
        """Return the findings that suites report for a file with this text, in one order of the suites.

        Args:
            paths: the paths of the file.
            text: its text.
            counts: whether what a suite reports counts, by its URI.
        """
        return [
            finding
            for path in paths
            for uri in sorted(self._reporters.get(path, ()))
            if counts(uri) and _is(self._naming[uri].read.get(path), text)
            for finding in self._naming[uri].reported[path]
        ]

    def referrers(self, paths: Collection[Path]) -> list[str]:
        """Return the suites whose findings depend on a file, in one order, whenever each was checked."""
        return sorted({uri for path in paths for uri in self._referrers.get(path, ())})

    def is_outdated(self, uri: str, paths: Collection[Path], text: str) -> bool:
        """Whether a suite was checked with another text of a file."""
        read = self._naming[uri].read
        return any(not _is(read[path], text) for path in paths if path in read)


def _is(known: str | Lines | Unreadable | None, text: str) -> bool:
    return (str(known) if isinstance(known, Lines) else known) == text
