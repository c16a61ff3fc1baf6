"""Checks one file and fixes its text, in this process or in a worker; joins what several found in another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from suitecase.checking.analysis import Analysis
from suitecase.checking.baseline import baseline_in, ids_of
from suitecase.checking.check import check, check_external
from suitecase.checking.findings import Findings
from suitecase.checking.options import CheckOptions
from suitecase.checking.passing import read_for_check
from suitecase.cli.checking.findings import FileFindings, Unread
from suitecase.cli.shown_paths import shown_path
from suitecase.format.baseline_file import Baseline
from suitecase.format.configuration import find_configuration
from suitecase.format.dataset_files import DATASET
from suitecase.format.dataset_lines import is_result
from suitecase.format.dialect import DialectFile
from suitecase.format.other_file import OtherFile
from suitecase.format.reading import ParsedFile
from suitecase.format.rule import Finding
from suitecase.format.target_files import ParsedTargets
from suitecase.format.workspace import Folder, Unreadable, Workspace, read_dataset, read_text
from suitecase.format.workspace_secrets import written_secrets
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.formats.suitecase.prompts import prompt_files
from suitecase.text.lines import Lines
from suitecase.text.time_limits import in_time

if TYPE_CHECKING:
    from suitecase_evaluators.targets.redactor import Redactor


@dataclass(frozen=True, slots=True)
class Job:
    """A file to check. `text` is its content if that is not on disk.

    `named` tells that the file is an argument of the command line, so it may be a link to anywhere. Of one
    that is `expected` to be checked it is said that it cannot be if its format is unknown. One that is not
    `fixable` is only checked.
    """

    path: Path
    root: Path
    text: str | None = None
    named: bool = False
    expected: bool = False
    fixable: bool = True


@dataclass(frozen=True, slots=True)
class FileCheckOptions:
    """The options that apply to all files."""

    options: CheckOptions = field(default_factory=CheckOptions)
    fix: Literal["no", "write", "diff"] = "no"
    unsafe: bool = False
    #: Whether what git ignores is left out of a search; None if the configuration says.
    respects_git: bool | None = None


@dataclass(slots=True)
class FileChecker:
    """Checks files, and caches their workspaces."""

    asked: FileCheckOptions
    #: Texts of referenced files that differ from those on disk.
    texts: Mapping[Path, str] = field(default_factory=dict)
    _workspaces: dict[Path, Workspace] = field(default_factory=dict)

    def workspace(self, root: Path) -> Workspace:
        return self._workspaces.setdefault(root, Workspace(root, self.texts))

    def forget(self) -> None:
        """Discard the cached workspaces, since files have changed."""
        self._workspaces.clear()

    def baseline_for(self, file: FileFindings) -> Baseline | None:
        """Return the baseline of a file: the command line's, or that of its configuration."""
        if file.path is None or file.root is None:
            return None
        workspace, options = self.workspace(file.root), self.asked.options
        folder = file.path.parent
        configuration = find_configuration(workspace, folder) if options.use_config else None
        in_use = baseline_in(workspace, configuration, options)
        return in_use.baseline if in_use is not None else None

    def check(self, job: Job) -> FileFindings | Unread:
        """Check a file, and fix its text if requested. Never raises because of what the file contains.

        Nothing is written.
        """
        found = in_time(lambda: self._check(job))
        if isinstance(found, FileFindings) and found.unread and job.expected:
            return Unread(found.shown, found.unread, path=job.path)
        return found

    def _check(self, job: Job) -> FileFindings | Unread:
        within = None if job.named else job.root
        is_dataset = job.path.suffix == DATASET
        read = read_dataset if is_dataset else read_text
        text = job.text if job.text is not None else read(job.path, within=within)
        if isinstance(text, Unreadable):
            return Unread(shown_path(job.path), text.reason, path=job.path)
        if is_dataset and is_result(_first_line(text)):
            return Unread(shown_path(job.path), "it is a results file", path=job.path)
        if self.asked.fix == "no" or not job.fixable:
            return self._found(job, text)
        from suitecase.checking.fixing import fix_text

        text = str(text)

        others: dict[str, FileFindings] = {}

        def analyzed(text: str) -> Analysis:
            others[text] = self._found(job, text)
            return others[text].analysis

        fixed = fix_text(text, analyzed, unsafe=self.asked.unsafe)
        before, after = others[text], others[fixed.text]
        if fixed.text == text:
            return before
        result = after
        if self.asked.fix == "diff":
            result = replace(before, others=after.others, names=after.names)
        return replace(result, fixed=fixed.made, text=fixed.text, before=text)

    def _found(self, job: Job, text: str | Lines) -> FileFindings:
        workspace = self.workspace(job.root)
        parsed = read_for_check(job.path, text, workspace, self.asked.options)
        folder = Folder(workspace, job.path.parent)
        analysis = check(parsed, folder, job.path, options=self.asked.options)
        secrets = None
        if analysis.findings:
            secrets = written_secrets(analysis.lines, parsed.document.head.content.text)
        if secrets is not None:
            findings = [_redacted(finding, secrets) for finding in analysis.findings]
            analysis = replace(analysis, findings=Findings(findings))
        result = FileFindings(
            shown_path(job.path),
            len(parsed.document.cases),
            analysis,
            _is_suite(parsed),
            file=_within(job.path, job.root),
            path=job.path,
            root=job.root,
            configures=secrets is not None,
        )
        if isinstance(parsed, OtherFile):
            return replace(result, unread=parsed.what)
        if isinstance(parsed, ParsedTargets):
            return result
        if analysis.findings:
            result = replace(result, ids=tuple(ids_of(parsed)))
        if analysis.external:
            others = [self._other(job, *it, result) for it in analysis.external.items()]
            result = replace(result, others=tuple(others))
        if self.asked.fix != "no" or self.baseline_for(result) is not None:
            named = _named_files(parsed, folder) if isinstance(parsed, ParsedSuite) else ()
            names = {it: _within(it, job.root) for it in named}
            result = replace(result, names=names)
        return result

    def _other(self, job: Job, path: Path, analysis: Analysis, suite: FileFindings) -> FileFindings:
        """Return the findings of a file that a suite references."""
        return FileFindings(
            shown_path(path),
            0,
            analysis,
            is_suite=False,
            file=_within(path, job.root),
            path=path,
            root=job.root,
            configures=written_secrets(analysis.lines) is not None,
            beside={job.path: suite.lines},
        )


def _redacted(finding: Finding, redact: Redactor) -> Finding:
    """Return a finding whose messages, which may quote the file, have no secrets of it."""
    fix = finding.fix
    related = tuple(replace(place, message=redact(place.message)) for place in finding.related)
    return replace(
        finding,
        message=redact(finding.message),
        fix=None if fix is None else replace(fix, title=redact(fix.title)),
        related=related,
    )


def _first_line(text: str | Lines) -> str:
    return text.partition("\n")[0] if isinstance(text, str) else text.text(0)


def _is_suite(parsed: ParsedFile) -> bool:
    if isinstance(parsed, DialectFile):
        return parsed.is_suite
    return isinstance(parsed, ParsedSuite) and parsed.kind != "sidecar"


def _named_files(suite: ParsedSuite, folder: Folder) -> frozenset[Path]:
    """Return the files that a suite names and that may be fixed: prompts and label files."""
    found = prompt_files(suite, folder)
    if suite.kind != "dataset" and suite.head.node is not None and "human" in suite.head.node:
        from suitecase.evidence.labels.people import label_paths

        found |= label_paths(suite, folder)
    return found


def other_files(files: Iterable[FileFindings], checker: FileChecker) -> list[FileFindings]:
    """Return what was found in files that checked ones name, in the order of their paths.

    Args:
        files: what was checked.
        checker: knows the workspaces.
    """
    found: dict[Path, list[FileFindings]] = {}
    for file in files:
        for other in file.others:
            if other.path is not None:
                found.setdefault(other.path, []).append(other)
    return [_merged(path, found[path], checker) for path in sorted(found)]


def _merged(path: Path, same: list[FileFindings], checker: FileChecker) -> FileFindings:
    """Return as one what several suites find in a file."""
    first = same[0]
    all_found = (finding for of in same for finding in (*of.analysis.findings, *of.analysis.known))
    workspace = checker.workspace(first.root or path.parent)
    analysis = check_external(path, all_found, workspace, checker.asked.options, lines=first.lines)
    beside = {path: lines for file in reversed(same) for path, lines in file.beside.items()}
    used = {related.path for finding in analysis.findings for related in finding.related}
    beside = {path: lines for path, lines in beside.items() if path in used}
    return replace(first, analysis=analysis, beside=beside)


def _within(path: Path, root: Path) -> str:
    return (path.relative_to(root) if path.is_relative_to(root) else path).as_posix()
