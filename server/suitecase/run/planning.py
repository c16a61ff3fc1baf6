"""Planning a run: read, check and resolve the suite, and select its cases."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from suitecase.checking.passing import read_for_check
from suitecase.checking.rules.target_usage import target_of
from suitecase.format.configuration import find_configuration
from suitecase.format.dataset_files import DATASET
from suitecase.format.dialect import DialectFile, only_read
from suitecase.format.other_file import OtherFile
from suitecase.format.reading import why_sidecar_unread
from suitecase.format.rule import Finding
from suitecase.format.target_files import ParsedTargets, find_targets, with_target
from suitecase.format.workspace import Folder, Unreadable, Workspace, read_dataset, read_text
from suitecase.formats.suitecase.effective_suite import UnsoundSuiteError
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.formats.suitecase.resolve import CasePlace, Resolver
from suitecase.run.blocking_findings import (
    ReportedError,
    SuiteErrors,
    failure_of,
    messages,
    of_release,
    suite_errors,
)
from suitecase.run.candidates import Candidate, Candidates
from suitecase.run.case_store import Cases, CaseStore, not_writable
from suitecase.run.choosing import chosen_cases
from suitecase.run.human_labels import peoples_scores
from suitecase.run.plan import Plan
from suitecase.run.protocol import CaseNotRun, Failed, Refused, RunRequest
from suitecase.run.requested_gates import with_requested_gates
from suitecase.text.document import Content
from suitecase.text.lines import Lines
from suitecase.text.node import Span
from suitecase.text.passing import Visit
from suitecase_evaluators.targets.address_target import config_at, is_address

if TYPE_CHECKING:
    from suitecase.figures.asked import Asked


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
        # Imported here because most runs are of our own suites.
        from suitecase.run.planning_rows import plan_of_rows

        rows = plan_of_rows(parsed, request, path, folder)
        return rows or _not_runnable(f"{folder.shown(path)} cannot be run: {only_read(parsed)}")
    if isinstance(parsed, OtherFile):
        return _not_runnable(f"{folder.shown(path)} cannot be run: {parsed.what}")
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
        unread = errors.of(item.number for item in listed if not item.readable)
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
        return _failed(not_writable(error, folder.shown(path)), "environment")
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
        targets=_targets(request, path, folder),
        repeats=(execution.repeats if execution else None) or 1,
        configuration=find_configuration(folder.workspace, folder.path),
        asked=asked,
        people=peoples_scores(parsed, cases, folder),
        all_cases=len(listed),
    )
    # What it has of a long data set is not looked at again.
    folder.workspace.derived.clear()
    return planned


def _asked(
    parsed: ParsedSuite, path: Path, folder: Folder, request: RunRequest
) -> Asked | Failed | None:
    """Return what figures have to know of a suite; None if there is nothing to measure."""
    head = parsed.head.model
    if head is None or not (head.gates or head.slices or head.metrics or request.gates):
        return None
    from suitecase.figures.asked import asked_of
    from suitecase.figures.gates.names import suite_figures

    asked = asked_of(parsed, path, folder)
    return with_requested_gates(asked, request, suite_figures(parsed))


def _targets(request: RunRequest, path: Path, folder: Folder) -> ParsedTargets | None:
    found = find_targets(folder.workspace, folder.path)
    if request.target is None or not is_address(request.target):
        return found
    return with_target(found, config_at(request.target), path)


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


def _not_runnable(message: str) -> Failed:
    return Failed(message=message, kind="usage", not_runnable=True)


def _failed(message: str, kind: Literal["usage", "environment"]) -> Failed:
    return Failed(message=message, kind=kind)


class Resolving:
    """Resolves cases as they are parsed, by the head of a suite that has the first of them only.

    Args:
        first: that suite.
        path: the path of the suite.
        folder: its folder.
        lines: its text.

    Raises:
        UnsoundSuiteError: its head has errors.
    """

    def __init__(self, first: ParsedSuite, path: Path, folder: Folder, lines: Lines) -> None:
        self._first = first
        self._lines = lines
        self._resolver = Resolver(first, path, folder)
        self._appends = first.appends
        self._store = CaseStore()
        #: For each case, its number in the store and one more; 0 where it is not there.
        self._stored = array("I")
        self._failed = False

    def visit(self, number: int, start: int, content: Content) -> None:
        """Resolve a case, unless it has errors; see `syntax.passing.Visit`."""
        self._stored.append(0)
        if self._failed:
            return
        parsed = self._first.case_index.subject(content)
        if parsed.model is None:
            return
        place = CasePlace(number, start, content.text, self._lines)
        try:
            case = self._resolver.placed(parsed, place)
        except Exception:  # noqa: BLE001 - if it is sound, it is resolved again, and fails there
            return
        try:
            self._store.add(case)
        except OSError:
            self._failed = True  # as does the next one who wants to write
            return
        self._stored[number] = len(self._store)

    def cases(self, suite: ParsedSuite, sound: Sequence[int]) -> Cases | None:
        """Return the sound cases of the suite; None if they have to be resolved with all of it.

        Args:
            suite: the suite with all of its cases.
            sound: the numbers of the sound ones.
        """
        stored = self._stored
        if self._failed or not suite.document.segmented or len(stored) != len(suite.cases):
            return None
        if suite.appends != self._appends:
            return None  # a later case decides how all of them inherit
        numbers = array("I", (stored[number] for number in sound))
        if 0 in numbers:
            return None
        return Cases(self._store, array("I", (number - 1 for number in numbers)))


def resolving_of(
    first: ParsedSuite, path: Path, folder: Folder, text: str | Lines
) -> Resolving | None:
    """Return what resolves the cases of a suite as they are parsed; None if its head does not allow that.

    Args:
        first: the suite with its first cases only.
        path: the path of the suite.
        folder: its folder.
        text: its text.
    """
    head = first.document.head
    if first.kind == "suite" and head.content.text[head.gap_at :].strip():
        return None  # its lines differ from those of the suite with all cases
    try:
        return Resolving(first, path, folder, text if isinstance(text, Lines) else Lines(text))
    except UnsoundSuiteError:
        return None
