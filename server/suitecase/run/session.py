"""One run, from its request to its last event."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from suitecase.run.grading import Bug, grade_case
from suitecase.run.panel import Panel, UnknownTargetError, judges_asked
from suitecase.run.plan import Plan, plan
from suitecase.run.protocol import (
    CaseFinished,
    CaseStarted,
    Event,
    Failed,
    Finished,
    RunRequest,
    Started,
)
from suitecase.run.record import as_json
from suitecase.run.results import ResultsError, ResultsFile, results_path
from suitecase.run.tally import Tally
from suitecase.suite.resolve import EffectiveCase
from suitecase.suite.target_files import EMBEDDED
from suitecase_evaluators.targets.environment import Redactor
from suitecase_evaluators.targets.target import TargetError


@dataclass(slots=True)
class _Output:
    """Where the records of a run go: to the starter, to the results file, into the summary."""

    emit: Callable[[Event], None]
    results: ResultsFile | None
    tally: Tally = field(default_factory=Tally)
    bugs: list[Bug] = field(default_factory=list)
    #: Why records are in no file, and how many of them.
    unwritten: ResultsError | None = None
    lost: int = 0


async def run_suite(request: RunRequest, emit: Callable[[Event], None]) -> None:
    """Run a suite; a cancelled run finishes, its summary naming the cases that were not graded.

    Args:
        emit: is given each event; the last one is the run's last.
    """
    output = _Output(emit, None)
    ids: Sequence[str] = request.cases or ()
    redactor = Redactor()
    panel: Panel | None = None
    try:
        planned = await asyncio.to_thread(plan, request)
        if not isinstance(planned, Plan):
            emit(planned)
            return
        ids = planned.ids
        panel = Panel(
            planned.targets,
            folder=planned.folder.path,
            environ=os.environ,
            redactor=redactor,
        )
        targets = {case.id: request.target or case.target or EMBEDDED for case in planned.cases}
        _set_up(planned, targets, panel)
        if request.results_path is not None:
            path = results_path(request.results_path, planned.suite.dataset)
            output.results = ResultsFile.open(path)
        results = str(output.results.path) if output.results else None
        emit(Started(cases=planned.ids, results_path=results))
        await _run_cases(planned, targets, panel, output, redactor)
        emit(_last_event(output, ids, redactor))
    except asyncio.CancelledError:
        emit(Finished(summary=output.tally.summary(ids)))
    except (TargetError, ResultsError) as error:
        misspelt = isinstance(error, UnknownTargetError) and error.name == request.target
        kind: Literal["usage", "environment"] = "usage" if misspelt else "environment"
        emit(Failed(message=redactor(error.message), kind=kind))
    finally:
        if panel is not None:
            await panel.close()
        if output.results is not None:
            output.results.close()


def _set_up(planned: Plan, targets: dict[str, str], panel: Panel) -> None:
    """Make every target that will be asked: what is missing is said before anything is asked.

    Raises:
        TargetError: something is missing.
    """
    for case in planned.cases:
        name = targets[case.id]
        panel.target(name)
        for judge in judges_asked((it.config for it in case.evaluators), panel.judge_of(name)):
            panel.target(judge)


async def _run_cases(
    planned: Plan,
    targets: dict[str, str],
    panel: Panel,
    output: _Output,
    redactor: Redactor,
) -> None:
    """Grade the cases, of each target as many at once as it takes questions."""
    places = {name: asyncio.Semaphore(panel.workers(name)) for name in set(targets.values())}

    async def one(case: EffectiveCase) -> None:
        name = targets[case.id]
        async with places[name]:
            output.emit(CaseStarted(case=case.id))
            graded = await grade_case(case, name, planned, panel)
            output.bugs += graded.bugs
            # Nothing is awaited from here on: a record is written and told, or neither.
            record = as_json(graded.record, redactor)
            output.tally.add(record)
            if output.results is not None:
                _store(record, output.results, output)
            output.emit(CaseFinished(record=record))

    async with asyncio.TaskGroup() as group:
        for case in planned.cases:
            group.create_task(one(case))


def _store(record: dict[str, object], results: ResultsFile, output: _Output) -> None:
    """Write a record; where that fails the run goes on, since its answers may have cost money."""
    try:
        results.append(record)
    except ResultsError as error:
        output.unwritten = error
        output.lost += 1


def _last_event(output: _Output, ids: Sequence[str], redactor: Redactor) -> Event:
    if output.bugs:
        places = ", ".join(dict.fromkeys(bug.where for bug in output.bugs))
        trace = "\n".join(dict.fromkeys(bug.trace for bug in output.bugs))
        return Failed(
            message=f"suitecase broke in {places}; everything else is graded",
            kind="bug",
            trace=redactor(trace),
        )
    if output.unwritten is not None:
        number = "1 record is" if output.lost == 1 else f"{output.lost} records are"
        message = f"{number} not in the file: {output.unwritten.message}"
        return Failed(message=message, kind="environment")
    return Finished(summary=output.tally.summary(ids))
