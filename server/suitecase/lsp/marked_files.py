"""The marks of results in files that suites name: stored by suite, shown by file."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from suitecase.editor.test_marks import FileMarks


@dataclass(slots=True)
class MarkedFiles:
    """The marks that the results of each open suite have in other files, by the URI of the suite."""

    _by_suite: dict[str, Mapping[Path, FileMarks]] = field(default_factory=dict)

    @property
    def paths(self) -> set[Path]:
        """The files that have marks."""
        return {path for marks in self._by_suite.values() for path in marks}

    def replace(self, uri: str, marks: Mapping[Path, FileMarks]) -> set[Path]:
        """Store the marks of a suite, and return the files whose marks have changed."""
        before = self._by_suite.pop(uri, {})
        if marks:
            self._by_suite[uri] = marks
        return {it for it in before.keys() | marks.keys() if before.get(it) != marks.get(it)}

    def forget(self, uri: str) -> set[Path]:
        """Drop the marks of a suite, and return the files that had some."""
        return self.replace(uri, {})

    def of(self, paths: Collection[Path]) -> list[tuple[str, FileMarks]]:
        """Return the suites that have marks in a file, by any of its paths, each with these marks."""
        return [
            (uri, marks[path])
            for uri, marks in sorted(self._by_suite.items(), key=lambda it: it[0])
            for path in paths
            if path in marks
        ]
