"""The suite that a run is of, as it is now. Imports what reads suites only if there is one to read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from suitecase.format.workspace import find_root, leads_out
from suitecase.text.working_directory import absolute_path, normalized, working_directory
from suitecase_evaluators.system.path_kinds import folders_above, is_file

if TYPE_CHECKING:
    from suitecase.format.figure_keys import Slice


def suite_of_run(results: Path, suite: str) -> Path | None:
    """Return where a suite is whose path records have; None if it is not found."""
    return next(filter(is_file, _places(results, suite)), None) if suite else None


def _places(results: Path, suite: str) -> Iterator[Path]:
    """Yield where a suite may be: below a folder that the results file or the working directory is in.

    One that is named by its whole path has to be in the workspace of these. No link and no `..` leads anywhere else.
    """
    here = working_directory()
    for inside in (absolute_path(results), here / "any"):
        is_whole = Path(suite).is_absolute()
        for folder in (find_root(inside, here),) if is_whole else folders_above(inside):
            path = normalized(folder / suite)
            if path.is_relative_to(folder) and not leads_out(path, folder):
                yield path


def declared_slices(results: Path, suite: str) -> dict[str, Slice]:
    """Return the slices that a suite declares now; none if it is not found or its head has errors."""
    path = suite_of_run(results, suite)
    if path is None:
        return {}
    declaring = path if path.suffix != ".jsonl" else _sidecar_of(path)
    if declaring is None or not _mentions_slices(declaring):
        return {}
    from suitecase.format.reading import parse_document
    from suitecase.format.workspace import Unreadable, Workspace, read_text
    from suitecase.formats.suitecase.parsed import ParsedSuite, parse_sidecar

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
    from suitecase.format.dataset_files import sidecar_of

    return sidecar_of(path)


def _mentions_slices(path: Path) -> bool:
    try:
        return b"slices" in path.read_bytes()
    except OSError:
        return False
