"""Checks one file and fixes its text, in this process or in a worker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from suitecase.checking.analysis import Analysis, analyze
from suitecase.checking.baseline import ids_of, split_by_baseline
from suitecase.checking.selection import Choice
from suitecase.cli.findings import FileFindings, shown_path
from suitecase.rule import Severity
from suitecase.suite.baseline_file import Baseline, find_baseline
from suitecase.suite.configuration import find_configuration
from suitecase.suite.prompts import prompt_files
from suitecase.suite.reading import DATASET, is_result, read_file
from suitecase.suite.workspace import Folder, Unreadable, Workspace, read_text
from suitecase.suite.written import WrittenSuite
from suitecase.syntax.lines import Lines
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
class Asked:
    """What the command line asks for, of each file alike."""

    choice: Choice = field(default_factory=Choice)
    fix: Literal["no", "write", "diff"] = "no"
    unsafe: bool = False
    fail_level: str | None = None
    baseline: Baseline | None = None
    #: Whether configurations say what is known where the command line does not.
    use_configured_baseline: bool = True


@dataclass(slots=True)
class FileChecker:
    """Checks files. What one needs of its workspace is kept for the next."""

    asked: Asked
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
        return self._baseline_in(file.root, file.path.parent)

    def _baseline_in(self, root: Path, folder: Path) -> Baseline | None:
        asked = self.asked
        if asked.baseline is not None:
            return asked.baseline
        if not (asked.use_configured_baseline and asked.choice.use_config):
            return None
        baseline = find_baseline(self.workspace(root), folder)
        return baseline.baseline if baseline is not None else None

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
        written = read_file(job.path, text, workspace)
        folder = Folder(workspace, job.path.parent)
        analysis = analyze(written, folder, job.path, choice=self.asked.choice)
        document = written.document
        known = self._baseline_in(job.root, job.path.parent)
        ids: tuple[tuple[int, str], ...] = ()
        if isinstance(written, WrittenSuite) and (analysis.findings or known):
            ids = tuple(ids_of(written))
        found = FileFindings(
            shown_path(job.path),
            len(document.cases),
            document.lines,
            analysis,
            isinstance(written, WrittenSuite) and written.kind != "sidecar",
            file=_within(job.path, job.root),
            path=job.path,
            root=job.root,
            ids=ids,
            fails_at=self._fails_at(workspace, job.path),
        )
        if analysis.external:
            others = [self._other(job, it, analysis, found) for it in analysis.external]
            found = replace(found, others=tuple(others))
        if isinstance(written, WrittenSuite) and (known or self.asked.fix != "no"):
            names = {it: _within(it, job.root) for it in prompt_files(written, folder)}
            found = replace(found, names=names)
        return filter_baseline(found, known)

    def _other(self, job: Job, path: Path, analysis: Analysis, suite: FileFindings) -> FileFindings:
        """Return what was found in a file that a suite names."""
        workspace = self.workspace(job.root)
        text = workspace.read(path)
        return FileFindings(
            shown_path(path),
            0,
            Lines(text if isinstance(text, str) else ""),
            Analysis(analysis.external[path]),
            is_suite=False,
            file=_within(path, job.root),
            path=path,
            root=job.root,
            fails_at=self._fails_at(workspace, path),
            beside={job.path: suite.lines},
        )

    def _fails_at(self, workspace: Workspace, path: Path) -> Severity | None:
        level = self.asked.fail_level
        if level is None and self.asked.choice.use_config:
            configuration = find_configuration(workspace, path.parent)
            level = configuration.model.fail_level if configuration else None
        if level == "never":
            return None
        return Severity(level) if level else Severity.ERROR


def _within(path: Path, root: Path) -> str:
    return (path.relative_to(root) if path.is_relative_to(root) else path).as_posix()


def filter_baseline(found: FileFindings, known: Baseline | None) -> FileFindings:
    """Leave out what the baseline knows, as often as it knows it."""
    if known is None:
        return found
    split = split_by_baseline(found.findings, known, found.text_checked)
    found.analysis.findings = split.new
    return replace(found, known=len(split.known), matched=split.matched)
