"""What goes wrong with a worker process, rather than with a run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, eq=False)
class WorkerFailure(Exception):  # noqa: N818 - it is a failure of ours, as `RuleFailure` is
    """The worker process died, hung, or wrote an invalid event.

    Attributes:
        message: what happened, for users.
        detail: what the worker wrote to its standard error.
        killed: it was killed or not started by the system, such as one that is out of memory.
    """

    message: str
    detail: str = ""
    killed: bool = False

    def __str__(self) -> str:
        return self.message
