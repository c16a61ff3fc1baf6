"""Runs in the test's own process, by the function that the worker process calls: no start to wait for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from suitecase.run.protocol import (
    CaseFinished,
    Event,
    Failed,
    RunRequest,
    Started,
    Warned,
)
from suitecase.run.session import run_suite


@dataclass(frozen=True)
class RanHere:
    """The events of a run, and what people are told of it."""

    events: list[Event]

    @property
    def records(self) -> dict[str, dict[str, Any]]:
        """The records by case."""
        finished = [dict(it.record.fields) for it in self.events if isinstance(it, CaseFinished)]
        return {it["eval_id"]: it for it in finished}

    @property
    def notes(self) -> str:
        """What is said of the run before it begins, a line each."""
        return "\n".join(note for it in self.events if isinstance(it, Started) for note in it.notes)

    @property
    def warnings(self) -> str:
        """What the run warns of, a line each."""
        return "\n".join(it.message for it in self.events if isinstance(it, Warned))

    @property
    def failure(self) -> str:
        """Why the run could not be done, which it has to say as a mistake of the user."""
        last = self.events[-1]
        assert isinstance(last, Failed), last
        assert last.kind == "usage"
        return last.message


async def run_here(request: RunRequest) -> RanHere:
    """Run a suite."""
    events: list[Event] = []
    await run_suite(request, events.append)
    return RanHere(events)
