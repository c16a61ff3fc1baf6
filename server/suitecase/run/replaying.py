"""Replaying: grade the recorded answers of an earlier run without calling targets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from suitecase.format.target_files import EMBEDDED
from suitecase.run.choosing import named
from suitecase.run.plan import Plan
from suitecase.run.protocol import Failed, RunRequest
from suitecase_evaluators.targets.recorded_run import RecordedRun, UnusableRecordError


def replayed(planned: Plan, request: RunRequest) -> Plan | Failed:
    """Return the plan with each case's target replaced by the one whose answer was recorded.

    So the records of a replay are comparable with the replayed ones. If there are several targets,
    the request decides, then the suite.
    """
    if request.replay_from is None:
        return planned
    path = Path(request.replay_from)
    suite = planned.folder.shown(planned.suite.path)
    try:
        recorded = RecordedRun(path)
        targets = [recorded.targets(it, suite) for it in planned.sound.ids]
        missing = [it for it in planned.ids if not recorded.has(it, suite)]
        repeats = recorded.repeats(suite)
    except OSError as error:
        return _failed(path, f"cannot be read: {error.strerror or error}")
    except UnusableRecordError as error:
        return _failed(path, f"cannot be replayed: it {error.message}")
    if len(missing) == len(planned.ids):
        return _failed(path, f"cannot be replayed: it has no record of {named(missing)} of {suite}")
    chosen = frozenset(planned.ids)
    cases = planned.sound
    for index, case_id in enumerate(cases.ids):
        target = cases.target(index) or EMBEDDED
        problem = _ambiguous(case_id, target, targets[index], request)
        if case_id in chosen and problem is not None:
            return _failed(path, problem)
    notes = [f"replaying {path}: no target is called"]
    if missing:
        notes.append(f"not in {path}, so not graded: {named(missing)}")
    answered = cases.asking(
        {
            index: listed[0]
            for index, listed in enumerate(targets)
            if listed and (cases.target(index) or EMBEDDED) not in listed
        }
    )
    ids = answered.ids
    return replace(
        planned,
        suite=replace(planned.suite, cases=answered),
        sound=answered,
        cases=answered.where(lambda it: ids[it] in chosen),
        repeats=repeats,
        notes=tuple(notes),
    )


def changed_since(request: RunRequest, cases: Iterable[str]) -> str:
    """Return a warning about cases whose recorded replies belong to a different prompt."""
    where = request.replay_from or "the results that are replayed"
    return (
        f"the suite has changed since {where} was written: the prompts of {named(cases)} differ "
        "from the recorded ones. The recorded answers and verdicts still count; for current ones, "
        "run without --replay"
    )


def _ambiguous(case: str, target: str, targets: tuple[str, ...], request: RunRequest) -> str | None:
    """Return why it is ambiguous whose answers of a case to use; None if it is not."""
    listed = ", ".join(f"`{it}`" for it in targets)
    if request.target is not None:
        if not targets or request.target in targets:
            return None
        return f"has no answer of `{request.target}` to the case `{case}`, only of {listed}"
    if len(targets) < 2 or target in targets:
        return None
    return f"has answers to the case `{case}` of {listed}; choose one with --target"


def _failed(path: Path, problem: str) -> Failed:
    return Failed(message=f"{path} {problem}", kind="usage")
