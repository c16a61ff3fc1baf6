"""The suite that a run is of, as it is now. Imports what reads suites only if there is one to read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from suitecase.working_directory import absolute_path, working_directory
from suitecase_evaluators.path_kinds import is_file

if TYPE_CHECKING:
    from suitecase.suite.figure_keys import Slice


def suite_of_run(results: Path, suite: str) -> Path | None:
    """Return where a suite is whose path records have; None if it is not found."""
    return next(filter(is_file, _places(results, suite)), None) if suite else None


def _places(results: Path, suite: str) -> Iterator[Path]:
    """Yield where a suite may be: below a folder of the results file, or of the working directory."""
    for folder in (
        *absolute_path(results).parents,
        working_directory(),
        *working_directory().parents,
    ):
        yield folder / suite


def declared_slices(results: Path, suite: str) -> dict[str, Slice]:
    """Return the slices that a suite declares now; none if it is not found or its head has errors."""
    path = suite_of_run(results, suite)
    if path is None:
        return {}
    declaring = path if path.suffix != ".jsonl" else _sidecar_of(path)
    if declaring is None or not _mentions_slices(declaring):
        return {}
    from suitecase.suite.parsed import ParsedSuite, parse_sidecar
    from suitecase.suite.reading import parse_document
    from suitecase.suite.workspace import Unreadable, Workspace, find_root, read_text

    text = read_text(declaring)
    if isinstance(text, Unreadable):
        return {}
    # A data set may have any number of cases, which are not read: its sidecar is its head.
    parsed = (
        parse_document(path, text, Workspace(find_root(path, working_directory())))
        if declaring == path
        else parse_sidecar(text)
    )
    if not isinstance(parsed, ParsedSuite) or parsed.head.model is None:
        return {}
    return parsed.head.model.slices or {}


def _sidecar_of(path: Path) -> Path | None:
    from suitecase.suite.dataset_files import sidecar_of

    return sidecar_of(path)


def _mentions_slices(path: Path) -> bool:
    try:
        return b"slices" in path.read_bytes()
    except OSError:
        return False
