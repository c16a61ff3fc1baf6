"""Which results files `suitecase compare` compares where not both are named."""

from __future__ import annotations

from pathlib import Path

from suitecase.report.results_file import (
    NotResultsError,
    RecordLines,
    find_results,
    newest_results,
)
from suitecase_evaluators.system.path_kinds import is_folder, real_path


def compared_files(run_a: Path, run_b: Path | None) -> tuple[Path, Path]:
    """Return the results files to compare, the earlier one first.

    Args:
        run_a: a results file, or a folder.
        run_b: the same. Where it is None, a folder stands for its newest run and the one of the same suite
            before it, if possible of the same target; a file for itself and the newest run of its suite in
            the workspace of the working directory.

    Raises:
        NotResultsError: there are no such files.
    """
    if run_b is not None:
        return find_results(run_a), find_results(run_b)
    if is_folder(run_a):
        return _two_newest(run_a)
    _, wanted = next(iter(RecordLines(run_a)))
    for path, first in newest_results(Path()):
        if first.suite == wanted.suite and not _same(path, run_a):
            return run_a, path
    raise NotResultsError(f"{run_a}: no other run of this suite to compare with; name RUN_B")


def _two_newest(folder: Path) -> tuple[Path, Path]:
    runs = newest_results(folder)
    newest = next(runs, None)
    if newest is None:
        return find_results(folder), folder  # which raises the error
    other_target: Path | None = None
    for path, first in runs:
        if first.suite != newest[1].suite:
            continue
        if first.target == newest[1].target:
            return path, newest[0]
        other_target = other_target or path
    if other_target is not None:
        return other_target, newest[0]
    raise NotResultsError(
        f"{newest[0]}: the only run of `{newest[1].suite}` here, so there is nothing to compare it with"
    )


def _same(one: Path, other: Path) -> bool:
    return real_path(one) == real_path(other)
