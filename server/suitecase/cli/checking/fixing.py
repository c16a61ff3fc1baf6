"""Fixing files: first each suite, then the files that suites reference, possibly several."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from suitecase.checking.analysis import Analysis
from suitecase.checking.check import check, check_configuration, check_external
from suitecase.checking.fixing import fix_text
from suitecase.cli.checking.file_checker import FileChecker, Job, Unread, other_files
from suitecase.cli.checking.files import checked
from suitecase.cli.checking.findings import FileFindings
from suitecase.cli.writing import why_not_written, write_text
from suitecase.rule import Finding
from suitecase.suite.configuration import ParsedConfiguration, read_configuration
from suitecase.suite.reading import parse_document
from suitecase.suite.workspace import Folder, Unreadable, Workspace, read_text
from suitecase.syntax.lines import Lines
from suitecase.writing.refusals import ChangedMeanwhileError

Result = FileFindings | Unread
#: Reported for a file that could not be written.
NOT_FIXED = "was not fixed"


def fixed_files(
    jobs: Sequence[Job], checker: FileChecker, processes: int | None
) -> tuple[list[Result], list[Result]]:
    """Check and fix files, and the files they name. Write them unless only a diff is wanted.

    A file that suites name is fixed after the suites themselves, and only as far as no suite gets
    worse. If a suite comes from standard input, the files it names are left alone: piping a text
    through a program should not change other files.

    Returns:
        the findings of each file, in order, and of the files they name, ordered by path. They are
        those from before the fixes if only a diff is wanted, otherwise those from after.
    """
    with closing(checked(jobs, checker, processes)) as checked_files:
        results = list(checked_files)
    others = _others(results, checker)
    fixed: dict[Path, FileFindings] = {}
    for path in others.keys() - {job.path for job in jobs}:
        naming = _naming(jobs, results, {path})
        if all(job.text is None for job, _ in naming):
            result = _fixed(others[path], path, naming, checker)
            if result.text is not None:
                fixed[path] = result
    if checker.asked.fix == "diff":
        return results, [fixed.get(path, it) for path, it in others.items()]
    if fixed:
        # A suite's findings may depend on the files that were fixed.
        texts = {path: it.text for path, it in fixed.items() if it.text is not None}
        again = [job for job, _ in _naming(jobs, results, fixed)]
        with closing(checked(again, FileChecker(checker.asked, texts), processes)) as checked_files:
            after = {job.path: it for job, it in zip(again, checked_files, strict=True)}
        results = [after.get(job.path, it) for job, it in zip(jobs, results, strict=True)]
        others = _others(results, checker)
        for path, it in fixed.items():
            now = others.get(path) or replace(it, analysis=Analysis([]))
            others[path] = replace(now, fixed=it.fixed, text=it.text, before=it.before)
    return (
        [
            it if job.text is not None else _written(it)
            for job, it in zip(jobs, results, strict=True)
        ],
        [_written(others[path]) for path in sorted(others)],
    )


def fixed_configuration(
    configuration: ParsedConfiguration,
    file: FileFindings,
    checker: FileChecker,
    workspace: Workspace,
) -> Result:
    """Fix a configuration. Write it unless only a diff is wanted.

    Args:
        configuration: the configuration before the fixes.
        file: its findings.
        checker: checks the files that the configuration applies to, with the fixed one if written.
        workspace: reads the files that it names.
    """

    def look(text: str) -> Analysis:
        now = read_configuration(configuration.path, text)
        return check_configuration(now, workspace) if now is not None else Analysis([])

    fixed = fix_text(configuration.text, look, unsafe=checker.asked.unsafe)
    if fixed.text == configuration.text:
        return file
    made = replace(file, fixed=fixed.made, text=fixed.text, before=configuration.text)
    if checker.asked.fix == "diff":
        return made
    checker.forget()
    return _written(replace(made, analysis=look(fixed.text)))


def _others(results: Sequence[Result], checker: FileChecker) -> dict[Path, FileFindings]:
    readable = (it for it in results if isinstance(it, FileFindings))
    return {it.path: it for it in other_files(readable, checker) if it.path is not None}


def _naming(
    jobs: Sequence[Job], results: Sequence[Result], paths: Collection[Path]
) -> list[tuple[Job, FileFindings]]:
    """Return the suites that reference one of some files."""
    pairs = zip(jobs, results, strict=True)
    return [
        (job, result)
        for job, result in pairs
        if isinstance(result, FileFindings) and any(path in result.names for path in paths)
    ]


def _fixed(
    file: FileFindings,
    path: Path,
    naming: Sequence[tuple[Job, FileFindings]],
    checker: FileChecker,
) -> FileFindings:
    """Apply fixes to a file that suites reference."""
    before = read_text(path, within=next((job.root for job, _ in naming), None))
    if isinstance(before, Unreadable):
        return file
    roots = {job.root for job, _ in naming}
    suites = [
        (job, parse_document(job.path, text, Workspace(job.root)))
        for job, result in naming
        if isinstance(text := read_text(job.path) if result.text is None else result.text, str)
    ]

    def look(now: str) -> Analysis:
        workspaces = {root: Workspace(root, {path: now}) for root in roots}
        here: list[Finding] = []
        silenced: list[Finding] = []
        looked = Analysis([], silenced=silenced)
        for job, suite in suites:
            folder = Folder(workspaces[job.root], job.path.parent)
            analysis = check(suite, folder, job.path, options=checker.asked.options)
            looked.failures += analysis.failures
            others = analysis.external_findings
            here += others.pop(path, ())
            silenced += (*analysis.findings, *analysis.silenced, *analysis.known)
            silenced += (result for findings in others.values() for result in findings)
        workspace = workspaces[file.root] if file.root in workspaces else Workspace(path.parent)
        options = checker.asked.options
        of_file = check_external(path, here, workspace, options, lines=Lines(now))
        looked.findings, looked.known = of_file.findings, of_file.known
        return looked

    fixed = fix_text(before, look, unsafe=checker.asked.unsafe)
    if fixed.text == before:
        return file
    return replace(file, fixed=fixed.made, text=fixed.text, before=before)


def _written(result: Result) -> Result:
    """Write a file that has changed, unless somebody else has changed it since it was read."""
    if isinstance(result, Unread) or result.text is None or result.path is None:
        return result
    try:
        write_text(result.path, result.text, result.before)
    except ChangedMeanwhileError:
        reason = "it was changed meanwhile; run the command again"
        return Unread(result.shown, reason, NOT_FIXED)
    except OSError as error:
        reason = f"it cannot be written: {why_not_written(error)}"
        return Unread(result.shown, reason, NOT_FIXED)
    return result
