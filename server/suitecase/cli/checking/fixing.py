"""Fixing files: first each suite, then the files that suites reference, possibly several."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from suitecase.checking.analysis import Analysis
from suitecase.checking.check import check, check_configuration, check_external
from suitecase.checking.fixing import fix_text
from suitecase.cli import EXIT_USAGE
from suitecase.cli.checking.file_checker import FileChecker, Job, other_files
from suitecase.cli.checking.files import checked
from suitecase.cli.checking.findings import NOT_FIXED, FileFindings, Unread
from suitecase.cli.writing import code_of_unwritten, why_not_written, write_text
from suitecase.format.configuration import ParsedConfiguration, read_configuration
from suitecase.format.reading import parse_document
from suitecase.format.rule import Finding
from suitecase.format.workspace import Folder, Unreadable, Workspace, read_text
from suitecase.text.lines import Lines
from suitecase.text.writing.refusals import ChangedMeanwhileError

Result = FileFindings | Unread


def fixed_files(
    jobs: Sequence[Job], checker: FileChecker, processes: int | None
) -> tuple[list[Result], list[Result]]:
    """Check and fix files, and the files they name. Write them unless only a diff is wanted.

    A file that suites name is fixed after the suites themselves, and only as far as no suite gets
    worse. If a suite comes from standard input, the files it names are left alone: piping a text
    through a program should not change other files.

    Returns:
        the findings of each file, in order, and of the files they name, ordered by path. They are
        those from before the fixes if only a diff is wanted, otherwise those from after. Those of a
        file that could not be written are of the file as it is, and followed by why.
    """
    with closing(checked(jobs, checker, processes)) as checked_files:
        results = list(checked_files)
    others = _others(results, checker)
    fixed: dict[Path, FileFindings] = {}
    for path in others.keys() - {job.path for job in jobs}:
        naming = _naming(jobs, results, {path})
        if all(job.text is None and job.fixable for job, _ in naming):
            result = _fixed(others[path], path, naming, checker)
            if result.text is not None:
                fixed[path] = result
    if checker.asked.fix == "diff":
        return results, [fixed.get(path, it) for path, it in others.items()]
    if fixed:
        # A suite's findings may depend on the files that were fixed.
        texts = {path: it.text for path, it in fixed.items() if it.text is not None}
        again = [job for job, _ in _naming(jobs, results, fixed)]
        after = _checked_by_path(again, FileChecker(checker.asked, texts), processes)
        results = [after.get(job.path, it) for job, it in zip(jobs, results, strict=True)]
        others = _others_after(results, fixed, checker)
    of_disk = [result for job, result in zip(jobs, results, strict=True) if job.text is None]
    not_fixed = _write_all((*of_disk, *(others[path] for path in sorted(others))))
    if not_fixed:
        results = _as_on_disk(jobs, results, not_fixed, checker, processes)
        fixed = {path: it for path, it in fixed.items() if path not in not_fixed}
        others = _others_after(results, fixed, checker)
    own = [(job.path, result) for job, result in zip(jobs, results, strict=True)]
    paths = {path for path, _ in own}
    named = [(path, others.get(path)) for path in sorted({*others, *not_fixed.keys() - paths})]
    return [*_with_reasons(own, not_fixed)], [*_with_reasons(named, not_fixed)]


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
    return _write(made) or replace(made, analysis=look(fixed.text))


def _others(results: Sequence[Result], checker: FileChecker) -> dict[Path, FileFindings]:
    readable = (result for result in results if isinstance(result, FileFindings))
    return {
        other_file.path: other_file
        for other_file in other_files(readable, checker)
        if other_file.path is not None
    }


def _others_after(
    results: Sequence[Result], fixed: Mapping[Path, FileFindings], checker: FileChecker
) -> dict[Path, FileFindings]:
    """Return what is found in files that suites name after some of them were fixed."""
    others = _others(results, checker)
    for path, file in fixed.items():
        others[path] = _with_fixes_of(
            file, others.get(path) or replace(file, analysis=Analysis([]))
        )
    return others


def _with_fixes_of(fixed: FileFindings, now: FileFindings) -> FileFindings:
    return replace(now, fixed=fixed.fixed, text=fixed.text, before=fixed.before)


def _checked_by_path(
    jobs: Sequence[Job], checker: FileChecker, processes: int | None
) -> dict[Path, Result]:
    with closing(checked(jobs, checker, processes)) as checked_files:
        return {job.path: result for job, result in zip(jobs, checked_files, strict=True)}


def _as_on_disk(
    jobs: Sequence[Job],
    results: Sequence[Result],
    not_fixed: Mapping[Path, Unread],
    checker: FileChecker,
    processes: int | None,
) -> list[Result]:
    """Return the findings of each file where some files could not be written.

    Args:
        jobs: the files.
        results: their findings as if all had been written.
        not_fixed: the files that were not.
        checker: has the options.
        processes: the number of processes; None to choose it.
    """
    changed = {*not_fixed, *(job.path for job, _ in _naming(jobs, results, not_fixed))}
    again = [
        replace(job, fixable=False) for job in jobs if job.path in changed and job.text is None
    ]
    on_disk = _checked_by_path(again, FileChecker(checker.asked), processes)
    all_found: list[Result] = []
    for job, result in zip(jobs, results, strict=True):
        found = on_disk.get(job.path, result)
        if job.path in not_fixed or isinstance(result, Unread) or isinstance(found, Unread):
            all_found.append(found)
        else:
            all_found.append(_with_fixes_of(result, found))
    return all_found


def _with_reasons(
    results: Iterable[tuple[Path, Result | None]], not_fixed: Mapping[Path, Unread]
) -> Iterator[Result]:
    """Yield what was found in each file, and why it was not fixed."""
    for path, result in results:
        failed = not_fixed.get(path)
        if isinstance(result, FileFindings) or (result is not None and failed is None):
            yield result
        if failed is not None:
            yield failed


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


def _write_all(results: Iterable[Result]) -> dict[Path, Unread]:
    """Write the files that have changed; return those that could not be written."""
    not_fixed: dict[Path, Unread] = {}
    for result in results:
        if isinstance(result, Unread) or result.path is None:
            continue
        if (failed := _write(result)) is not None:
            not_fixed[result.path] = failed
    return not_fixed


def _write(file: FileFindings) -> Unread | None:
    """Write a file that has changed, unless somebody else has changed it since it was read.

    Returns:
        why it was not written; None if it was, or has not changed.
    """
    if file.text is None or file.path is None:
        return None
    code = EXIT_USAGE
    try:
        write_text(file.path, file.text, file.before)
    except ChangedMeanwhileError:
        reason = "it was changed meanwhile; run the command again"
    except OSError as error:
        reason = f"it cannot be written: {why_not_written(error)}"
        code = code_of_unwritten(error)
    else:
        return None
    return Unread(file.shown, reason, NOT_FIXED, file.path, code)
