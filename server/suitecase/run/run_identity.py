"""Which run a request belongs to: a results file is a run, and what is appended to it continues it."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from suitecase.run.jobs import Jobs
from suitecase.run.previous_results import FailedCases
from suitecase.run.protocol import RunRequest
from suitecase.suite.path_kinds import is_file, is_folder
from suitecase.suite.results_files import last_record


def run_id_of(results: Path | None) -> str:
    """Return the id of the run of a results file: that of its records, or a new one.

    Args:
        results: the file, which need not exist; None for a run that writes none.
    """
    if results is not None and is_file(results):
        with suppress(OSError):
            last = last_record(results)
            if last is not None and last.run_id is not None:
                return last.run_id
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}"


def continued(failed: FailedCases | None, jobs: Jobs, request: RunRequest) -> Path | None:
    """Return the results file that a run of failed cases continues; None if it is a run of its own.

    It continues the run in which they failed if that one is where this one's results go, and has answers
    of the same targets, as often.
    """
    if failed is None or request.replay_from is not None or not request.results_path:
        return None
    place = Path(request.results_path)
    if not (request.results_path.endswith(("/", os.sep)) or is_folder(place)):
        return None
    in_place = failed.path.parent.resolve() == place.resolve()
    same = failed.targets.issuperset(jobs.targets()) and failed.repeats == jobs.repeats
    return failed.path if in_place and same else None
