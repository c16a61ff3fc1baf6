"""The gates of `suitecase run --gate`, which are decided with those of the suite."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from suitecase.run.protocol import Failed, RunRequest
from suitecase.text.plural import first_of
from suitecase_evaluators.answers.records.reading import numbered_records
from suitecase_evaluators.answers.records.record import why_newer
from suitecase_evaluators.system.path_kinds import is_file

if TYPE_CHECKING:
    from suitecase.figures.asked import Asked
    from suitecase.figures.gates.names import SuiteFigures

#: So many suites are named in a message.
_MOST_NAMED = 3
NO_RESULTS = "not a results file: it has no result of a case"


def with_requested_gates(
    asked: Asked, request: RunRequest, figures: SuiteFigures | None = None
) -> Asked | Failed:
    """Return what the figures of a suite are measured by, with the gates of a request.

    A gate that names something the suite does not measure is a usage error, and so is a baseline that gates
    on a change cannot be decided by.
    """
    from suitecase.figures.given_gates import UnknownFigureError, compares, with_gates

    try:
        has_baseline = request.baseline is not None
        asked = with_gates(asked, request.gates, figures, has_baseline=has_baseline)
    except UnknownFigureError as error:
        return Failed(message=error.message, kind="usage", of_all=True)
    if request.baseline is not None and any(compares(gate.text) for gate in asked.gates):
        why = _why_unusable(Path(request.baseline), asked)
        if why is not None:
            return Failed(
                message=f"--baseline {request.baseline}: {why}", kind="usage", of_all=True
            )
    return asked


def why_no_results(path: Path) -> str | None:
    """Return why a file is not one of results, whatever suites they are of."""
    if not is_file(path):
        return NO_RESULTS
    try:
        records = (record for _, record in numbered_records(path) if record is not None)
        return None if any(True for _ in records) else NO_RESULTS
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"


def _why_unusable(baseline: Path, asked: Asked) -> str | None:
    """Return why a results file is not the baseline of a suite."""
    suites: dict[str, None] = {}
    try:
        for line, record in numbered_records(baseline):
            if record is None:
                continue
            if record.suite == asked.suite_path or record.dataset == asked.dataset:
                return why_newer(record, line + 1)
            suites[record.suite] = None
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"
    if not suites:
        return NO_RESULTS
    return f"it has no result of {asked.suite_path}, only of {first_of(list(suites), _MOST_NAMED)}"
