"""The jobs of a run: each case, once per repeat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from suitecase.run.protocol import RunRequest
from suitecase.suite.resolve import EffectiveCase
from suitecase.suite.target_files import EMBEDDED


@dataclass(frozen=True, slots=True)
class Job:
    """One repeat of a case against a target.

    Attributes:
        planned: how many jobs its run has in total.
    """

    case: EffectiveCase
    target: str
    repeat: int = 1
    repeats: int = 1
    planned: int = 1


def target_of(case: EffectiveCase, request: RunRequest) -> str:
    """Return the name of the target that answers a case."""
    return request.target or case.target or EMBEDDED


def jobs_of(cases: Sequence[EffectiveCase], request: RunRequest, repeats: int) -> tuple[Job, ...]:
    """Return the jobs in the order they start.

    All cases come once before any is repeated, so that a run that stops early covers the most.
    """
    return tuple(
        Job(case, target_of(case, request), repeat, repeats, len(cases) * repeats)
        for repeat in range(1, repeats + 1)
        for case in cases
    )
