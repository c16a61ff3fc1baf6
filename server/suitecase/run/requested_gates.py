"""The gates of `suitecase run --gate`, which are decided with those of the suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suitecase.run.protocol import Failed, RunRequest

if TYPE_CHECKING:
    from suitecase.figures.asked import Asked
    from suitecase.suite.gates.names import SuiteFigures


def with_requested_gates(
    asked: Asked, request: RunRequest, figures: SuiteFigures | None = None
) -> Asked | Failed:
    """Return what the figures of a suite are measured by, with the gates of a request.

    A gate that names something the suite does not measure is a usage error.
    """
    if not request.gates:
        return asked
    from suitecase.figures.given_gates import UnknownFigureError, with_gates

    try:
        has_baseline = request.baseline is not None
        return with_gates(asked, request.gates, figures, has_baseline=has_baseline)
    except UnknownFigureError as error:
        return Failed(message=error.message, kind="usage")
