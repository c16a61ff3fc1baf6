"""From a request to what is to be run: the suite is read, checked and resolved, cases chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from suitecase.analysis import ReportedFinding, analyze
from suitecase.rule import Severity
from suitecase.run.choosing import chosen_cases
from suitecase.run.earlier import FailedCases
from suitecase.run.protocol import Failed, Refused, RunRequest
from suitecase.suite.configuration import WrittenConfiguration, find_configuration
from suitecase.suite.reading import read_file
from suitecase.suite.resolve import EffectiveCase, EffectiveSuite, UnsoundSuiteError, resolve
from suitecase.suite.target_files import WrittenTargets, find_targets
from suitecase.suite.workspace import Folder, Unreadable, Workspace, read_text
from suitecase.suite.written import WrittenCase, WrittenHead, WrittenSuite
from suitecase.syntax.lines import Lines
from suitecase_evaluators.third_party import UNAVAILABLE

#: The rules whose errors keep a suite from being asked, and not from being replayed.
RULES_OF_ASKING = frozenset({"unknown-target"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A sound suite, and those of its cases that are to be run."""

    suite: EffectiveSuite
    cases: tuple[EffectiveCase, ...]
    #: How the cases were chosen, for people; None where all are meant, or they were named.
    choice: str | None
    #: What failed before, where that decided which cases are run.
    failed: FailedCases | None = None
    folder: Folder
    targets: WrittenTargets | None
    configuration: WrittenConfiguration | None = None
    #: How often each case is asked where the request does not say.
    repeats: int = 1
    #: What is to be said of the run before it begins.
    notes: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(case.id for case in self.cases)


def plan(request: RunRequest) -> Plan | Refused | Failed:
    """Return what a request asks to run, or why it cannot be run."""
    path = Path(request.suite_path)
    texts = {Path(name): text for name, text in request.open_texts.items()}
    folder = Folder(Workspace(Path(request.workspace_root), texts), path.parent)
    text = request.text if request.text is not None else read_text(path)
    if isinstance(text, Unreadable):
        return _failed(f"{folder.shown(path)} cannot be run: {text.reason}", "usage")
    written = read_file(path, text, folder.workspace)
    if not isinstance(written, WrittenSuite) or written.kind == "sidecar":
        return _failed(f"{folder.shown(path)} cannot be run: it is no suite", "usage")
    analysis = analyze(written, folder, path)
    errors = [it for it in analysis.everything if it.severity is Severity.ERROR]
    if request.replay_from is not None:
        errors = [it for it in errors if it.rule.name not in RULES_OF_ASKING]
    if errors:
        found = _told(errors, written, path, folder)
        unavailable = _unavailable(written)
        if all(it["message"].startswith(unavailable) for it in found):
            # Nothing is known to be wrong with the suite: it needs what is not to be had here.
            return _failed(f"the suite cannot be run: {'; '.join(unavailable)}", "environment")
        return Refused(findings=found)
    for failure in analysis.failures:
        if failure.rule.severity is Severity.ERROR:
            return Failed(
                message=f"the rule {failure.rule.name} broke, so nobody knows whether the suite is "
                "sound",
                kind="bug",
                trace=failure.trace,
            )
    try:
        suite = resolve(written, path, folder)
    except UnsoundSuiteError as error:
        return _failed(f"{folder.shown(path)} cannot be run: {error}", "environment")
    chosen = chosen_cases(suite, request, folder.shown(path))
    if isinstance(chosen, Failed):
        return chosen
    return Plan(
        suite=suite,
        cases=chosen.cases,
        choice=chosen.choice,
        failed=chosen.failed,
        folder=folder,
        targets=find_targets(folder.workspace, folder.path),
        configuration=find_configuration(folder.workspace, folder.path),
    )


def _unavailable(written: WrittenSuite) -> tuple[str, ...]:
    """Return why evaluators of packages that the suite names cannot be used."""
    parts: list[WrittenHead | WrittenCase] = [written.head, *written.cases]
    issues = (issue for part in parts for issue in part.issues)
    return tuple(dict.fromkeys(it.message for it in issues if it.type == UNAVAILABLE))


def _failed(message: str, kind: Literal["usage", "environment"]) -> Failed:
    return Failed(message=message, kind=kind)


def _told(
    errors: Sequence[ReportedFinding], written: WrittenSuite, path: Path, folder: Folder
) -> list[dict[str, Any]]:
    """Return errors as `Refused` has them."""
    lines = {path: written.document.lines}
    found: list[dict[str, Any]] = []
    for it in errors:
        file = it.elsewhere.path if it.elsewhere else path
        if file not in lines:
            text = folder.read(file)
            lines[file] = Lines(text if isinstance(text, str) else "")
        line, column = lines[file].position(it.span.start)
        found.append(
            {
                "file": str(file),
                "line": line + 1,
                "column": column + 1,
                "code": it.code,
                "message": it.message,
            }
        )
    return found
