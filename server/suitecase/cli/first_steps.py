"""What to do next where there is nothing yet: no suite, no results, or no such file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from suitecase.cli.nothing_there import NothingThereError
from suitecase.text.near_names import nearest
from suitecase.text.working_directory import absolute_path
from suitecase_evaluators.system.path_kinds import DENIED, is_folder, may_be_there

if TYPE_CHECKING:
    from suitecase.report.results_file import NotResultsError

#: Why a file is not read that is not there, in the words of `read_text`.
MISSING = "it does not exist"
_OF_SUITES = (".yaml", ".yml")
#: So many files of a folder are looked at for one with a name like that which is not there.
_MOST_FILES = 2_000


def has_suite(folder: Path) -> bool:
    """Whether a folder has a suite, or a folder below it, as commands find them."""
    from suitecase.cli.running.suite_paths import named_suites
    from suitecase.format.target_places import is_targets_file

    try:
        found = named_suites((str(absolute_path(folder)),)).suites
    except NothingThereError:
        return False
    return any(not is_targets_file(it.path) for it in found)


def before_results(folder: Path) -> str:
    """Return what to do before a folder without results has any, as the end of a sentence."""
    from suitecase.formats.unrecognized import FIRST_SUITE

    return "" if has_suite(folder) else f"; the folder has no suite yet: {FIRST_SUITE}"


def no_results(error: NotResultsError) -> NothingThereError:
    """Return what to raise where a command finds no results."""
    if error.folder is not None:
        return NothingThereError(error.message + before_results(error.folder))
    if error.missing is not None:
        return NothingThereError(f"{error.missing}: {missing(error.missing)}{_LISTED}")
    return NothingThereError(error.message)


#: How to find the results that somebody has named wrongly.
_LISTED = "; `suitecase list` lists past runs"


def missing(path: Path) -> str:
    """Say that a file is not there, and which one has nearly its name; or that nobody may look."""
    if may_be_there(path):
        return DENIED
    try:
        names = [it.name for _, it in zip(range(_MOST_FILES), path.parent.iterdir(), strict=False)]
    except OSError:
        names = []
        if path.parent != path and not is_folder(path.parent):
            return f"{MISSING}, nor does its folder"
    near = nearest(path.name, [name for name in names if not name.startswith(".")])
    if near:
        return f"{MISSING}; did you mean `{near}`?"
    if path.suffix in _OF_SUITES and not has_suite(path.parent):
        from suitecase.formats.unrecognized import FIRST_SUITE

        return f"{MISSING}, and its folder has no suite; {FIRST_SUITE}"
    return MISSING


def why_not_read(path: Path, reason: str) -> str:
    """Return why a file is not read, with its near name if it is not there."""
    return missing(path) if reason == MISSING else reason
