"""Planning a run of another tool's suite: its rows are the cases."""

from __future__ import annotations

import os
from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

from suitecase.format.configuration import find_configuration
from suitecase.format.dialect import DialectFile
from suitecase.format.runnable import MakesRunnable, NotRunnable, RunnableSuite
from suitecase.format.target_files import EMBEDDED, ParsedTargets, find_targets, with_target
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.effective_suite import EffectiveSuite
from suitecase.run.case_store import Cases, not_writable
from suitecase.run.choosing import chosen_cases, named
from suitecase.run.plan import Plan
from suitecase.run.protocol import Failed, Refused, RunRequest
from suitecase.run.requested_gates import with_requested_gates
from suitecase.run.row_candidates import RowCandidates
from suitecase.run.row_errors import RowErrors, in_order
from suitecase.text.node import Span
from suitecase_evaluators.targets.address_target import config_at, is_address
from suitecase_evaluators.targets.config.target import TargetConfig

if TYPE_CHECKING:
    from suitecase.figures.asked import Asked


def plan_of_rows(
    file: DialectFile, request: RunRequest, path: Path, folder: Folder
) -> Plan | Refused | Failed | None:
    """Return the plan of another tool's suite, or why it cannot be run.

    None if the file cannot be run at all: its format cannot, or it is only a part of a suite.
    """
    instead = config_at(request.target) if is_address(request.target) else None
    runnable = _runnable(file, path, folder, instead)
    if runnable is None:
        return None
    errors = RowErrors(file, path, folder)
    if errors.failure is not None:
        return errors.failure
    blocking, skipped = _blocking_and_skipped(runnable, request)
    errors.add(blocking)
    wanted = request.target if instead is None else None
    provider = wanted if wanted in runnable.targets.configs else None
    replaced = frozenset(it.target for it in runnable.problems if it.is_replaced)
    left_out = replaced if request.target is None or request.target in replaced else frozenset()
    shown_path = folder.shown(path)
    try:
        rows = RowCandidates(runnable.tests, errors, provider, left_out, once=instead is not None)
    except OSError as error:
        return Failed(message=not_writable(error, shown_path), kind="environment")
    # Other errors of the suite, such as those of syntax, are the reason.
    if not rows and not errors.of_suite:
        errors.of_suite.append(errors.reported(_nothing_to_run(file, path, provider)))
    if errors.of_suite or (errors.all and not request.takes_some):
        return Refused(findings=errors.all, sound=len(rows.sound))
    chosen = chosen_cases(rows, rows.with_rows_of_tests(request), shown_path)
    if isinstance(chosen, Failed):
        return chosen
    unsound = [it for it in chosen.numbers if rows.errors_of(it)]
    if unsound and len(unsound) == len(chosen.numbers):
        found = in_order((it for row in unsound for it in rows.errors_of(row)), str(path))
        return Refused(findings=found, cases=[asdict(rows.not_run(it)) for it in unsound])
    selected = {rows.stored[it] for it in chosen.numbers}
    sound = Cases(rows.store, rows.sound)
    suite = replace(runnable.suite, cases=sound)
    asked = _asked(suite, sound, runnable.repeats, shown_path, request)
    if isinstance(asked, Failed):
        return asked
    targets = _all_targets(runnable, folder)
    if instead is not None:
        targets = with_target(targets, instead, path)
    notes = [f"`{it.target}` is not called: {it.message}" for it in skipped]
    if request.target is None and len(sound) and sound.target(0) is None:
        notes += _targets_to_name(targets)
    return Plan(
        suite=suite,
        sound=sound,
        cases=sound.where(lambda index: rows.sound[index] in selected),
        choice=chosen.choice,
        failed=chosen.failed,
        folder=folder,
        targets=targets,
        configuration=find_configuration(folder.workspace, folder.path),
        repeats=runnable.repeats,
        sent_variables=runnable.sent_variables,
        notes=(*runnable.notes, *notes),
        not_run=(*map(rows.not_run, unsound), *map(errors.left_out, skipped)),
        asked=asked,
        all_cases=len(rows.store),
        tests={rows.ids[it]: rows.test_of(it) for it in chosen.numbers},
    )


def _targets_to_name(targets: ParsedTargets) -> list[str]:
    """Return a note for a suite that names no target although a targets file defines some."""
    others = [it for it in targets.configs if it != EMBEDDED]
    if not others:
        return []
    return [
        f"nothing names a target, so `{EMBEDDED}` answers; `--target NAME` takes {named(others)}",
    ]


def _nothing_to_run(file: DialectFile, path: Path, provider: str | None) -> NotRunnable:
    """Return that a suite has no tests, or none for the provider that is wanted."""
    noun, key = file.dialect.noun, file.document.list_key
    span = file.document.head.absolute(key.span) if key is not None else Span(0, 0)
    of_provider = f" for `{provider}`" if provider is not None else ""
    return NotRunnable(f"there is no {noun} to run{of_provider}", path, span)


def _runnable(
    file: DialectFile, path: Path, folder: Folder, instead: TargetConfig | None
) -> RunnableSuite | None:
    """Return a file as a suite that can be run."""
    module = file.dialect.run_by
    if module is None:
        return None
    format_module = cast("MakesRunnable", import_module(module))
    return format_module.runnable_suite(file, path, folder, os.environ, instead)


def _blocking_and_skipped(
    runnable: RunnableSuite, request: RunRequest
) -> tuple[list[NotRunnable], list[NotRunnable]]:
    """Return the problems that prevent a run with the request's target, and those of targets that are left out."""
    unavailable = {it.target for it in runnable.problems} - {None}
    target = request.target
    if is_address(target):
        return [problem for problem in runnable.problems if problem.target is None], []
    if target is not None and (target in runnable.targets.configs or target in unavailable):
        return [it for it in runnable.problems if it.target in (None, target)], []
    problems = [it for it in runnable.problems if target is None or not it.is_replaced]
    if not (request.keep_going and runnable.targets.configs):
        return problems, []
    of_suite = [it for it in problems if it.target is None]
    return of_suite, [it for it in problems if it.target is not None]


def _all_targets(runnable: RunnableSuite, folder: Folder) -> ParsedTargets:
    """Return the targets of a suite together with those of targets files, which `--target` can name."""
    found = runnable.targets
    for others in (runnable.others, find_targets(folder.workspace, folder.path)):
        if others is not None:
            configs = {**others.configs, **found.configs}
            spans = {**others.spans, **found.spans}
            found = replace(found, configs=configs, spans=spans, others=(*found.others, others))
    return found


def _asked(
    suite: EffectiveSuite, cases: Cases, repeats: int, shown_path: str, request: RunRequest
) -> Asked | Failed | None:
    """Return what the gates of a request are measured by; such a suite has no gates of its own."""
    if not request.gates:
        return None
    from suitecase.figures.given_gates import asked_of_cases

    return with_requested_gates(asked_of_cases(cases, shown_path, suite.dataset, repeats), request)
