"""What a run refuses to do."""

from __future__ import annotations


class RefusedError(Exception):
    """Something cannot be run.

    Attributes:
        message: why, for people.
        assertion: which assertion of the test it is about, from 0; None if it is not about one.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        self.assertion: int | None = None
