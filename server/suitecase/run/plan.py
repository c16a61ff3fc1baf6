"""From a request to what is to be run: the suite is read, checked and resolved, cases chosen."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from suitecase.analysis import Analysis, analyze
from suitecase.rule import Severity
from suitecase.run.choosing import chosen_cases
from suitecase.run.protocol import Failed, Refused, RunRequest
from suitecase.suite.reading import read_file
from suitecase.suite.resolve import EffectiveCase, EffectiveSuite, UnsoundSuiteError, resolve
from suitecase.suite.target_files import WrittenTargets, find_targets
from suitecase.suite.workspace import Folder, Unreadable, Workspace, read_text
from suitecase.suite.written import WrittenSuite


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A sound suite, and those of its cases that are to be run."""

    suite: EffectiveSuite
    cases: tuple[EffectiveCase, ...]
    #: How the cases were chosen, for people; None where all are meant, or they were named.
    choice: str | None
    folder: Folder
    targets: WrittenTargets | None

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(case.id for case in self.cases)


def plan(request: RunRequest) -> Plan | Refused | Failed:
    """Return what a request asks to run, or why it cannot be run."""
    path = Path(request.suite_path)
    folder = Folder(Workspace(Path(request.workspace_root)), path.parent)
    text = request.text if request.text is not None else read_text(path)
    if isinstance(text, Unreadable):
        return _failed(f"{folder.shown(path)} cannot be run: {text.reason}", "usage")
    written = read_file(path, text, folder.workspace)
    if not isinstance(written, WrittenSuite) or written.kind == "sidecar":
        return _failed(f"{folder.shown(path)} cannot be run: it is no suite", "usage")
    analysis = analyze(written, folder, path)
    if analysis.has_errors:
        return Refused(findings=_errors(written, analysis, path))
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
    cases, choice = chosen
    return Plan(
        suite=suite,
        cases=cases,
        choice=choice,
        folder=folder,
        targets=find_targets(folder.workspace, folder.path),
    )


def _failed(message: str, kind: Literal["usage", "environment"]) -> Failed:
    return Failed(message=message, kind=kind)


def _errors(written: WrittenSuite, analysis: Analysis, path: Path) -> list[dict[str, Any]]:
    lines = written.document.lines
    found: list[dict[str, Any]] = []
    for it in analysis.findings:
        if it.severity is Severity.ERROR:
            line, column = lines.position(it.span.start)
            found.append(
                {
                    "file": str(path),
                    "line": line + 1,
                    "column": column + 1,
                    "code": it.code,
                    "message": it.message,
                }
            )
    return found
