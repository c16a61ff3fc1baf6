"""The gates of `suitecase run --gate`, which are decided with those of the suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suitecase.run.protocol import Failed, RunRequest

if TYPE_CHECKING:
    from suitecase.figures.asked import Asked


def with_requested_gates(asked: Asked, request: RunRequest) -> Asked | Failed:
    """Return what the figures of a suite are measured by, with the gates of a request.

    A gate that names something the suite does not measure is a usage error.
    """
    if not request.gates:
        return asked
    from suitecase.figures.given_gates import UnknownFigureError, with_gates

    try:
        return with_gates(asked, request.gates)
    except UnknownFigureError as error:
        return Failed(message=error.message, kind="usage")
