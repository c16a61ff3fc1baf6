"""Why a run cannot be graded on a cluster."""

from __future__ import annotations


class ClusterError(Exception):
    """A cluster cannot be used for a run; `message` is shown to users."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
