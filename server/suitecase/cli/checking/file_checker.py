"""Checks one file and fixes its text, in this process or in a worker; joins what several found in another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from suitecase.checking.analysis import Analysis
from suitecase.checking.baseline import baseline_in, ids_of
from suitecase.checking.check import check, check_external
from suitecase.checking.options import CheckOptions
from suitecase.cli.checking.findings import FileFindings
from suitecase.cli.shown_paths import shown_path
from suitecase.suite.baseline_file import Baseline
from suitecase.suite.configuration import find_configuration
from suitecase.suite.parsed import ParsedSuite
from suitecase.suite.prompts import prompt_files
from suitecase.suite.reading import DATASET, is_result, parse_document
from suitecase.suite.workspace import Folder, Unreadable, Workspace, read_text
from suitecase.time_limits import in_time


@dataclass(frozen=True, slots=True)
class Job:
    """A file to check. `text` is what it holds where that does not come from the disk.

    `named` says that the command line names the file itself, which then may be a link to anywhere.
    """

    path: Path
    root: Path
    text: str | None = None
    named: bool = False


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that could not be checked, or not be written, and why."""

    shown: str
    reason: str


@dataclass(frozen=True, slots=True)
class FileCheckOptions:
    """What the command line asks for, of each file alike."""

    options: CheckOptions = field(default_factory=CheckOptions)
    fix: Literal["no", "write", "diff"] = "no"
    unsafe: bool = False


@dataclass(slots=True)
class FileChecker:
    """Checks files. What one needs of its workspace is kept for the next."""

    asked: FileCheckOptions
    #: Texts of files that suites name, where they are not those on the disk.
    texts: Mapping[Path, str] = field(default_factory=dict)
    _workspaces: dict[Path, Workspace] = field(default_factory=dict)

    def workspace(self, root: Path) -> Workspace:
        return self._workspaces.setdefault(root, Workspace(root, self.texts))

    def forget(self) -> None:
        """Read anew what files need of their workspaces: it has changed."""
        self._workspaces.clear()

    def baseline_for(self, file: FileFindings) -> Baseline | None:
        """Return what a baseline knows of a file: the command line's, or that of its folder."""
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
        return in_time(lambda: self._check(job))

    def _check(self, job: Job) -> FileFindings | Unread:
        within = None if job.named else job.root
        text = job.text if job.text is not None else read_text(job.path, within=within)
        if isinstance(text, Unreadable):
            return Unread(shown_path(job.path), text.reason)
        if job.path.suffix == DATASET and is_result(text.partition("\n")[0]):
            return Unread(shown_path(job.path), "it is a results file")
        if self.asked.fix == "no":
            return self._found(job, text)
        from suitecase.checking.fixing import fix_text

        found: dict[str, FileFindings] = {}

        def analyzed(text: str) -> Analysis:
            found[text] = self._found(job, text)
            return found[text].analysis

        fixed = fix_text(text, analyzed, unsafe=self.asked.unsafe)
        before, after = found[text], found[fixed.text]
        if fixed.text == text:
            return before
        from suitecase.cli.text_diff import text_diff

        diff = text_diff(text, fixed.text, before.shown)
        shown = after
        if self.asked.fix == "diff":
            shown = replace(before, others=after.others, names=after.names)
        return replace(shown, fixed=fixed.made, diff=diff, text=fixed.text)

    def _found(self, job: Job, text: str) -> FileFindings:
        workspace = self.workspace(job.root)
        written = parse_document(job.path, text, workspace)
        folder = Folder(workspace, job.path.parent)
        analysis = check(written, folder, job.path, options=self.asked.options)
        found = FileFindings(
            shown_path(job.path),
            len(written.document.cases),
            analysis,
            isinstance(written, ParsedSuite) and written.kind != "sidecar",
            file=_within(job.path, job.root),
            path=job.path,
            root=job.root,
        )
        if not isinstance(written, ParsedSuite):
            return found
        if analysis.findings:
            found = replace(found, ids=tuple(ids_of(written)))
        if analysis.external:
            others = [self._other(job, *it, found) for it in analysis.external.items()]
            found = replace(found, others=tuple(others))
        if self.asked.fix != "no" or self.baseline_for(found) is not None:
            names = {it: _within(it, job.root) for it in prompt_files(written, folder)}
            found = replace(found, names=names)
        return found

    def _other(self, job: Job, path: Path, analysis: Analysis, suite: FileFindings) -> FileFindings:
        """Return what was found in a file that a suite names."""
        return FileFindings(
            shown_path(path),
            0,
            analysis,
            is_suite=False,
            file=_within(path, job.root),
            path=path,
            root=job.root,
            beside={job.path: suite.lines},
        )


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
    all_found = (it for of in same for it in (*of.analysis.findings, *of.analysis.known))
    workspace = checker.workspace(first.root or path.parent)
    analysis = check_external(path, all_found, workspace, checker.asked.options, lines=first.lines)
    beside = {path: lines for file in reversed(same) for path, lines in file.beside.items()}
    used = {related.path for it in analysis.findings for related in it.related}
    beside = {path: lines for path, lines in beside.items() if path in used}
    return replace(first, analysis=analysis, beside=beside)


def _within(path: Path, root: Path) -> str:
    return (path.relative_to(root) if path.is_relative_to(root) else path).as_posix()
