"""The messages between a coordinator and its graders; all can be pickled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from suitecase.run.assignment import Assignment
from suitecase.run.grading import Bug
from suitecase.run.sharing.setup import Setup
from suitecase_evaluators.targets.rate_limit import Unit
from suitecase_evaluators.targets.target import Reply


@dataclass(frozen=True, slots=True)
class Assigned:
    """To a grader: grade this job. Its number is that of the messages about it."""

    number: int
    assignment: Assignment


@dataclass(frozen=True, slots=True)
class Cancelled:
    """To a grader: give up a job. It is not answered."""

    number: int


@dataclass(frozen=True, slots=True)
class Stop:
    """To a grader: cancel all jobs, clean up, and close the channel."""


@dataclass(frozen=True, slots=True)
class Granted:
    """To a grader: it has a place of a target, until it returns it."""

    target: str


@dataclass(frozen=True, slots=True)
class Recalled:
    """To a grader: return a place, since another grader waits for one.

    Attributes:
        at_once: return the next one that is free, since the other grader has fewer; otherwise one
            that no call waits for.
    """

    target: str
    at_once: bool


@dataclass(frozen=True, slots=True)
class Turn:
    """To a grader: the call that asked for it may go out."""

    number: int


@dataclass(frozen=True, slots=True)
class Found:
    """To a grader: what the cache has."""

    number: int
    reply: Reply | None


@dataclass(frozen=True, slots=True)
class Ready:
    """From a grader: it is set up."""


@dataclass(frozen=True, slots=True)
class Broken:
    """From a grader: it cannot be set up, because of a bug."""

    trace: str


@dataclass(frozen=True, slots=True)
class Alive:
    """From a grader: its event loop is not blocked. Sent every second."""


@dataclass(frozen=True, slots=True)
class Begun:
    """From a grader: it has received a job, and starts with it."""

    number: int


@dataclass(frozen=True, slots=True)
class Answered:
    """From a grader: the target of a job has answered. Sent for targets whose calls may cost."""

    number: int
    reply: Reply


@dataclass(frozen=True, slots=True)
class Graded:
    """From a grader: a job is done.

    Attributes:
        line: the record as a line of a results file, without secrets.
        usd: the cost of the case in this run, in US dollars, without that of an `Answered` that
            came with the job.
    """

    number: int
    line: bytes
    bugs: tuple[Bug, ...]
    usd: float


@dataclass(frozen=True, slots=True)
class Wanted:
    """From a grader: a call waits for a place of a target."""

    target: str
    places: int


@dataclass(frozen=True, slots=True)
class Returned:
    """From a grader: it gives a place back."""

    target: str


@dataclass(frozen=True, slots=True)
class TurnWanted:
    """From a grader: a call waits for its turn by a rate limit.

    Attributes:
        amount: how many requests or tokens it takes.
    """

    number: int
    target: str
    unit: Unit
    per_minute: float
    amount: float


@dataclass(frozen=True, slots=True)
class Corrected:
    """From a grader: the estimate of an earlier turn was wrong by this much."""

    target: str
    unit: Unit
    per_minute: float
    difference: float


@dataclass(frozen=True, slots=True)
class Find:
    """From a grader: what does the cache have for a key?"""

    number: int
    key: str


@dataclass(frozen=True, slots=True)
class Put:
    """From a grader: put an answer into the cache."""

    key: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Noted:
    """From a grader: what has happened since the last one. Sent with other messages.

    Attributes:
        questions, unpriced, cached, usd, unpriced_target: as in `metered_target.Spending`.
        failures: in their order, each target or evaluator that failed, with the reason, or that
            worked, with None.
        prompt_changed: the cases whose replayed replies belong to a different prompt.
        warnings: for users; those that are equal are shown once.
        rate_waits: the targets that wait for their rate limit, with the seconds.
    """

    questions: int = 0
    unpriced: int = 0
    cached: int = 0
    usd: float = 0.0
    unpriced_target: str | None = None
    failures: tuple[tuple[str, str | None], ...] = ()
    prompt_changed: tuple[str, ...] = ()
    warnings: tuple[str, ...] = field(default=())
    rate_waits: tuple[tuple[str, float], ...] = ()


ToGrader = Setup | Assigned | Cancelled | Stop | Granted | Recalled | Turn | Found
FromGrader = (
    Ready
    | Broken
    | Alive
    | Begun
    | Answered
    | Graded
    | Wanted
    | Returned
    | TurnWanted
    | Corrected
    | Find
    | Put
    | Noted
)
Message = ToGrader | FromGrader
