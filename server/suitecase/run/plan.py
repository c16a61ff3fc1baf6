"""Planning a run: read, check and resolve the suite, and select its cases."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from suitecase.rule import Finding, Severity
from suitecase.rules.target_usage import target_of
from suitecase.run.choosing import Candidate, candidates, chosen_cases
from suitecase.run.people import PeoplesScores, peoples_scores
from suitecase.run.previous_results import FailedCases
from suitecase.run.protocol import CaseNotRun, Failed, Refused, RunRequest
from suitecase.run.soundness import ReportedError, SuiteErrors, of_release, suite_errors
from suitecase.suite.configuration import ParsedConfiguration, find_configuration
from suitecase.suite.dialect import DialectFile, only_read
from suitecase.suite.parsed import ParsedSuite
from suitecase.suite.reading import parse_document, why_sidecar_unread
from suitecase.suite.resolve import EffectiveCase, EffectiveSuite, UnsoundSuiteError, resolve
from suitecase.suite.target_files import ParsedTargets, find_targets
from suitecase.suite.workspace import Folder, Unreadable, Workspace, read_text
from suitecase.syntax.node import Span

if TYPE_CHECKING:
    from suitecase.figures.asked import Asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The sound cases of a suite, and those of them to run."""

    suite: EffectiveSuite
    cases: tuple[EffectiveCase, ...]
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

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(case.id for case in self.cases)


def plan(request: RunRequest) -> Plan | Refused | Failed:
    """Return the plan of a request, or why it cannot be run."""
    path = Path(request.suite_path)
    texts = {Path(name): text for name, text in request.open_texts.items()}
    folder = Folder(Workspace(Path(request.workspace_root), texts), path.parent)
    text = request.text if request.text is not None else read_text(path)
    if isinstance(text, Unreadable):
        return _failed(f"{folder.shown(path)} cannot be run: {text.reason}", "usage")
    parsed = parse_document(path, text, folder.workspace)
    if isinstance(parsed, DialectFile):
        return _not_runnable(f"{folder.shown(path)} cannot be run: {only_read(parsed)}")
    if not isinstance(parsed, ParsedSuite) or parsed.kind == "sidecar":
        return _not_runnable(f"{folder.shown(path)} cannot be run: it is not a suite")
    no_sidecar = why_sidecar_unread(path, folder.workspace)
    if no_sidecar is not None:
        return _failed(f"{folder.shown(path)} cannot be run: {no_sidecar}", "usage")
    places = _targets_named(parsed) if request.target is not None else None

    def counts(finding: Finding) -> bool:
        if not finding.rule.live_only:
            return not of_release(finding)
        # `--target` replaces the suite's targets, and a replay calls none.
        return request.replay_from is None and (places is None or finding.span not in places)

    errors = suite_errors(parsed, path, folder, counts)
    for failure in errors.failures:
        if failure.rule.severity is Severity.ERROR:
            return Failed(
                message=f"the rule {failure.rule.name} failed, so the suite may have errors that "
                "were not found",
                kind="bug",
                trace=failure.trace,
            )
    listed = tuple(candidates(parsed))
    chosen = chosen_cases(listed, request, folder.shown(path))
    if isinstance(chosen, Failed):
        unread = errors.of(it.number for it in listed if not it.readable)
        return Refused(findings=unread) if unread and chosen.kind == "usage" else chosen
    unsound = [it for it in chosen.cases if it.number in errors.by_case]
    blocking = errors.of(it.number for it in unsound) if request.takes_some else errors.all
    if blocking and (not request.takes_some or len(unsound) == len(chosen.cases)):
        return _refused(blocking, errors, unsound, len(chosen.cases) - len(unsound))
    sound = [it.number for it in listed if it.number not in errors.by_case]
    try:
        suite = resolve(parsed, path, folder, only=sound)
    except UnsoundSuiteError as error:
        return _failed(f"{folder.shown(path)} cannot be run: {error}", "environment")
    execution = suite.head.execution
    resolved = dict(zip(sound, suite.cases, strict=True))
    return Plan(
        suite=suite,
        cases=tuple(resolved[it.number] for it in chosen.cases if it.number in resolved),
        not_run=tuple(_not_run(it, errors) for it in unsound),
        choice=chosen.choice,
        failed=chosen.failed,
        folder=folder,
        targets=find_targets(folder.workspace, folder.path),
        repeats=(execution.repeats if execution else None) or 1,
        configuration=find_configuration(folder.workspace, folder.path),
        asked=_asked(parsed, path, folder),
        people=peoples_scores(parsed, suite, folder),
        all_cases=len(listed),
    )


def _asked(parsed: ParsedSuite, path: Path, folder: Folder) -> Asked | None:
    head = parsed.head.model
    if head is None or not (head.gates or head.slices or head.metrics):
        return None
    from suitecase.figures.asked import asked_of

    return asked_of(parsed, path, folder)


def _targets_named(parsed: ParsedSuite) -> frozenset[Span]:
    """Return the places of the suite's targets, which `--target` overrides."""
    of_cases = (
        parsed.place(number, target.span)
        for number, case in enumerate(parsed.cases)
        if (target := target_of(case)) is not None
    )
    key = parsed.document.list_key
    # Where `invalid_default_target` reports a missing target.
    of_missing = parsed.head_place(key.span) if key is not None else Span(0, 0)
    document = parsed.sidecar or parsed.document
    of_head = [document.head.absolute(target.span)] if (target := target_of(parsed.head)) else []
    return frozenset((*of_cases, *of_head, of_missing))


def _refused(
    reported: list[ReportedError], errors: SuiteErrors, unsound: list[Candidate], sound: int
) -> Refused | Failed:
    if errors.only_environment(reported):
        return _failed(f"the suite cannot be run: {_messages(reported)}", "environment")
    cases = [asdict(_not_run(it, errors)) for it in unsound]
    return Refused(findings=reported, sound=sound, cases=cases)


def _not_run(case: Candidate, errors: SuiteErrors) -> CaseNotRun:
    reported = errors.by_case[case.number]
    return CaseNotRun(
        case=case.id,
        line=case.line,
        kind="environment" if errors.only_environment(reported) else "unsound",
        message=_messages(reported),
        findings=reported,
    )


def _not_runnable(message: str) -> Failed:
    return Failed(message=message, kind="usage", not_runnable=True)


def _messages(reported: list[ReportedError]) -> str:
    return "; ".join(dict.fromkeys(it["message"] for it in reported))


def _failed(message: str, kind: Literal["usage", "environment"]) -> Failed:
    return Failed(message=message, kind=kind)
