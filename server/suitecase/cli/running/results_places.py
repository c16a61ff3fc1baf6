"""Where the results of runs are written, looked for and resumed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from suitecase.cli.running.resuming import file_of
from suitecase.cli.suite_argument import SuiteArgument
from suitecase.format.workspace import RESULTS_FOLDER
from suitecase.text.working_directory import working_directory
from suitecase_evaluators.system.path_kinds import real_path

#: What `--resume` alone means: the newest results file that is not finished.
NEWEST = "(newest)"


def place_of(results: str | None, root: Path) -> str:
    """Return where results are written, and looked for: a file, or a folder with a slash behind."""
    if results is None:
        return f"{root / RESULTS_FOLDER}{os.sep}"
    return str(working_directory() / results) + (os.sep if results.endswith(("/", os.sep)) else "")


def is_same(one: Path | None, other: str | None) -> bool:
    """Whether both name one file."""
    return one is not None and other is not None and real_path(one) == real_path(Path(other))


def resumed_from(
    suite: SuiteArgument, resume: Sequence[str], root: Path, *, several: bool
) -> str | None:
    """Return what is gone on with: a file, or the folder in which the newest is looked for."""
    if not resume:
        return None
    if NEWEST in resume:
        return str(root / RESULTS_FOLDER)
    files = [working_directory() / it for it in dict.fromkeys(resume)]
    file = file_of(suite, root, files, several=several)
    return None if file is None else str(file)
