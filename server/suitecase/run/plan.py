"""Planning a run: read, check and resolve the suite, and select its cases."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from suitecase.checking.passing import read_for_check
from suitecase.rule import Finding
from suitecase.rules.target_usage import target_of
from suitecase.run.case_store import Cases
from suitecase.run.choosing import Candidate, Candidates, chosen_cases
from suitecase.run.people import PeoplesScores, peoples_scores
from suitecase.run.previous_results import FailedCases
from suitecase.run.protocol import CaseNotRun, Failed, Refused, RunRequest
from suitecase.run.resolving import Resolving, resolving_of
from suitecase.run.soundness import (
    ReportedError,
    SuiteErrors,
    failure_of,
    messages,
    of_release,
    suite_errors,
)
from suitecase.suite.configuration import ParsedConfiguration, find_configuration
from suitecase.suite.dataset_files import DATASET
from suitecase.suite.dialect import DialectFile, only_read
from suitecase.suite.effective_suite import EffectiveSuite, UnsoundSuiteError
from suitecase.suite.parsed import ParsedSuite
from suitecase.suite.reading import why_sidecar_unread
from suitecase.suite.resolve import Resolver
from suitecase.suite.target_files import ParsedTargets, find_targets
from suitecase.suite.workspace import Folder, Unreadable, Workspace, read_dataset, read_text
from suitecase.syntax.node import Span
from suitecase.syntax.passing import Visit

if TYPE_CHECKING:
    from suitecase.figures.asked import Asked
    from suitecase.run.planning_rows import PlannedRows


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The sound cases of a suite, and those of them to run."""

    suite: EffectiveSuite
    #: All sound cases of the suite, which are read when they are needed.
    sound: Cases
    #: Those of them to run.
    cases: Cases
    #: How the cases were selected, for users; None for all cases or a list of ids.
    choice: str | None
    #: The previous failures, if the selection uses them.
    failed: FailedCases | None = None
    folder: Folder
    targets: ParsedTargets | None
    configuration: ParsedConfiguration | None = None
    #: The number of repeats if the request does not set it.
    repeats: int = 1
    #: Notes for users before the run starts.
    notes: tuple[str, ...] = ()
    #: The selected cases that are not run, and why.
    not_run: tuple[CaseNotRun, ...] = ()
    #: What the figures of the suite are measured by; None if it names none.
    asked: Asked | None = None
    #: What people's labels of answers come to.
    people: PeoplesScores = field(default_factory=dict)
    #: The number of cases in the suite, selected or not, with and without errors.
    all_cases: int = 0
    #: In a suite of another tool, the test of each of its rows.
    tests: Mapping[str, str] = field(default_factory=dict)

    @property
    def ids(self) -> Sequence[str]:
        return self.cases.ids


def plan(request: RunRequest) -> Plan | Refused | Failed:
    """Return the plan of a request, or why it cannot be run."""
    path = Path(request.suite_path)
    texts = {Path(name): text for name, text in request.open_texts.items()}
    folder = Folder(Workspace(Path(request.workspace_root), texts), path.parent)
    read = read_dataset if path.name.endswith(DATASET) else read_text
    text = request.text if request.text is not None else read(path)
    if isinstance(text, Unreadable):
        return _failed(f"{folder.shown(path)} cannot be run: {text.reason}", "usage")
    resolving: Resolving | None = None

    def meanwhile(first: ParsedSuite) -> Visit | None:
        nonlocal resolving
        Candidates(first)  # of which all cases are asked the same, in the pass of the check
        resolving = resolving_of(first, path, folder, text)
        return None if resolving is None else resolving.visit

    parsed = read_for_check(path, text, folder.workspace, meanwhile=meanwhile)
    if isinstance(parsed, DialectFile):
        return _plan_of_rows(parsed, request, path, folder)
    if not isinstance(parsed, ParsedSuite) or parsed.kind == "sidecar":
        return _not_runnable(f"{folder.shown(path)} cannot be run: it is not a suite")
    no_sidecar = why_sidecar_unread(path, folder.workspace)
    if no_sidecar is not None:
        return _failed(f"{folder.shown(path)} cannot be run: {no_sidecar}", "usage")
    listed = Candidates(parsed)

    def counts(finding: Finding) -> bool:
        if not finding.rule.live_only:
            return not of_release(finding)
        # `--target` replaces the suite's targets, and a replay calls none.
        return request.replay_from is None and (
            request.target is None or not _is_of_target(finding.span, parsed, listed)
        )

    errors = suite_errors(parsed, path, folder, counts)
    failure = failure_of(errors.failures)
    if failure is not None:
        return failure
    chosen = chosen_cases(listed, request, folder.shown(path))
    if isinstance(chosen, Failed):
        unread = errors.of(it.number for it in listed if not it.readable)
        return Refused(findings=unread) if unread and chosen.kind == "usage" else chosen
    unsound = [listed[it] for it in chosen.numbers if it in errors.by_case]
    blocking = errors.of(it.number for it in unsound) if request.takes_some else errors.all
    if blocking and (not request.takes_some or len(unsound) == len(chosen.numbers)):
        return _refused(blocking, errors, unsound, len(chosen.numbers) - len(unsound))
    sound = [it for it in range(len(listed)) if it not in errors.by_case]
    try:
        resolver = Resolver(parsed, path, folder)
        cases = None if resolving is None else resolving.cases(parsed, sound)
        if cases is None:
            cases = Cases.of(map(resolver.case, sound))
        suite = resolver.with_cases(cases)
    except UnsoundSuiteError as error:
        return _failed(f"{folder.shown(path)} cannot be run: {error}", "environment")
    except OSError as error:
        return _failed(_no_room(error, folder.shown(path)), "environment")
    asked = _asked(parsed, path, folder, request)
    if isinstance(asked, Failed):
        return asked
    execution = suite.head.execution
    selected = bytearray(len(listed))
    for number in chosen.numbers:
        selected[number] = 1
    planned = Plan(
        suite=suite,
        sound=cases,
        cases=cases.where(lambda it: bool(selected[cases.position(it) - 1])),
        not_run=tuple(_not_run(it, errors) for it in unsound),
        choice=chosen.choice,
        failed=chosen.failed,
        folder=folder,
        targets=find_targets(folder.workspace, folder.path),
        repeats=(execution.repeats if execution else None) or 1,
        configuration=find_configuration(folder.workspace, folder.path),
        asked=asked,
        people=peoples_scores(parsed, cases, folder),
        all_cases=len(listed),
    )
    # What it has of a long data set is not looked at again.
    folder.workspace.derived.clear()
    return planned


def _plan_of_rows(
    file: DialectFile, request: RunRequest, path: Path, folder: Folder
) -> Plan | Refused | Failed:
    """Return the plan of another tool's suite, or why it cannot be run."""
    from suitecase.run.planning_rows import planned_rows

    rows = planned_rows(file, request, path, folder)
    if rows is None:
        return _not_runnable(f"{folder.shown(path)} cannot be run: {only_read(file)}")
    if isinstance(rows, Refused | Failed):
        return rows
    asked = _asked_of_rows(rows, folder.shown(path), request)
    if isinstance(asked, Failed):
        return asked
    return Plan(
        suite=rows.suite,
        sound=rows.sound,
        cases=rows.cases,
        choice=rows.choice,
        failed=rows.failed,
        folder=folder,
        targets=rows.targets,
        configuration=find_configuration(folder.workspace, folder.path),
        repeats=rows.repeats,
        notes=rows.notes,
        not_run=rows.not_run,
        all_cases=rows.all_cases,
        asked=asked,
        tests=rows.tests,
    )


def _asked(
    parsed: ParsedSuite, path: Path, folder: Folder, request: RunRequest
) -> Asked | Failed | None:
    """Return what figures have to know of a suite; None if there is nothing to measure."""
    head = parsed.head.model
    if head is None or not (head.gates or head.slices or head.metrics or request.gates):
        return None
    from suitecase.figures.asked import asked_of

    return _with_gates(asked_of(parsed, path, folder), request)


def _asked_of_rows(rows: PlannedRows, shown: str, request: RunRequest) -> Asked | Failed | None:
    """Return what figures have to know of another tool's suite, which has no gates of its own."""
    if not request.gates:
        return None
    from suitecase.figures.given_gates import asked_of_cases

    asked = asked_of_cases(rows.sound, shown, rows.suite.dataset, rows.repeats)
    return _with_gates(asked, request)


def _with_gates(asked: Asked, request: RunRequest) -> Asked | Failed:
    """Return what figures know of a suite with the gates of a request, or which of these it cannot have."""
    if not request.gates:
        return asked
    from suitecase.figures.given_gates import UnknownFigureError, with_gates

    try:
        return with_gates(asked, request.gates)
    except UnknownFigureError as error:
        return _failed(error.message, "usage")


def _is_of_target(span: Span, parsed: ParsedSuite, listed: Candidates) -> bool:
    """Whether a place is that of one of the suite's targets, which `--target` overrides."""
    key = parsed.document.list_key
    # Where `invalid_default_target` reports a missing target.
    of_missing = parsed.head_place(key.span) if key is not None else Span(0, 0)
    document = parsed.sidecar or parsed.document
    target = target_of(parsed.head)
    of_head = None if target is None else document.head.absolute(target.span)
    if span in (of_missing, of_head):
        return True
    number = parsed.document.case_at(span.start)
    place = None if number is None else listed.target_at(number)
    return number is not None and place is not None and parsed.place(number, place) == span


def _refused(
    reported: list[ReportedError], errors: SuiteErrors, unsound: list[Candidate], sound: int
) -> Refused | Failed:
    if errors.only_environment(reported):
        return _failed(f"the suite cannot be run: {messages(reported)}", "environment")
    cases = [asdict(_not_run(it, errors)) for it in unsound]
    return Refused(findings=reported, sound=sound, cases=cases)


def _not_run(case: Candidate, errors: SuiteErrors) -> CaseNotRun:
    reported = errors.by_case[case.number]
    return CaseNotRun(
        case=case.id,
        line=case.line,
        kind="environment" if errors.only_environment(reported) else "unsound",
        message=messages(reported),
        findings=reported,
    )


def _no_room(error: OSError, suite: str) -> str:
    return (
        f"{suite} cannot be run: its cases cannot be written to {tempfile.gettempdir()}: "
        f"{error.strerror or error}"
    )


def _not_runnable(message: str) -> Failed:
    return Failed(message=message, kind="usage", not_runnable=True)


def _failed(message: str, kind: Literal["usage", "environment"]) -> Failed:
    return Failed(message=message, kind=kind)
