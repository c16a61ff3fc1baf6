"""`suitecase check`."""

from __future__ import annotations

import gc
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from suitecase.checking.check import check_configuration
from suitecase.cli import EXIT_BUG, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE, report_bug
from suitecase.cli.checking.file_checker import FileChecker, Job
from suitecase.cli.checking.files import checked, configurations, jobs_for
from suitecase.cli.checking.findings import NOT_FIXED, FileFindings, Report, Unread
from suitecase.cli.checking.request import CheckRequest, check_options
from suitecase.cli.first_steps import missing
from suitecase.cli.options import PathArgument, SingleValueCommand, or_working_directory
from suitecase.cli.output.formatter import CHECK_FORMATS, Formatter, check_formatter
from suitecase.cli.output.printing import Printer
from suitecase.cli.output.terminal import echo, write_document
from suitecase.cli.shown_paths import left_out_by_git, links_passed_over, shown_path
from suitecase.text.encoders.terminal import Block, Line
from suitecase.text.garbage_collection import without_garbage_collection
from suitecase.text.git_ignored import LeftOutByGit
from suitecase.text.plural import counted
from suitecase.text.working_directory import absolute_path, working_directory
from suitecase_evaluators.system.path_kinds import is_file, is_folder, real_path

if TYPE_CHECKING:
    from suitecase.cli.output_file import Collected, OutputFile
    from suitecase.format.baseline_file import Baseline


@click.command("check", cls=SingleValueCommand)
@click.argument(
    # Unreadable paths are reported one by one, so that the others are still checked.
    "paths",
    metavar="[PATH...]",
    nargs=-1,
    callback=or_working_directory,
    type=PathArgument(),
)
@check_options
def command(paths: tuple[Path, ...], **options: object) -> int:
    """Report mistakes in suites. A PATH is a suite, or a folder to search for suites.

    Without a PATH, the working directory is searched.

    Only reads files: it calls no model and executes nothing. With `--fix` it writes the files
    that it fixes. A PATH of `-` is a suite on standard input.

    Exit codes: 0 for no errors, 1 for errors, 2 if a path does not exist, cannot be read or
    contains no suite, 3 if something cannot be written since the disk is full, 4 for a bug in
    suitecase.
    """
    request = CheckRequest.of(paths, options)
    if request.watch:
        from suitecase.cli.checking.watching import watch

        writes = request.asked.fix == "write" or request.write_baseline is not None
        return watch(request.paths, lambda: check(request), writes=writes)
    # A process that checks once ends before garbage collection could pay off.
    gc.disable()
    return check(request)


def check(request: CheckRequest) -> int:
    """Check once; return the exit code."""
    checker = FileChecker(request.asked)
    with without_garbage_collection(), ExitStack() as to_close:
        if request.fixes_stdin:
            # Standard output is reserved for the fixed text.
            from contextlib import redirect_stdout

            to_close.enter_context(redirect_stdout(sys.stderr))
        jobs, unread = _jobs(request, checker)
        written = None if request.output is None else _collected(request.output, jobs, checker)
        printer = Printer(
            document=not CHECK_FORMATS[request.format].for_people,
            to=None if written is None else written.text,
        )
        output = _Output(request, check_formatter(request.format), printer)
        baseline = None
        if request.write_baseline is not None:
            baseline = _baseline_file(request.write_baseline, jobs)
        files = _configuration_findings(jobs, checker, unread)
        for file in files:
            output.file(file)
        # Closed at once where printing is interrupted, so that no process outlives this one.
        all_found = to_close.enter_context(closing(_found(request, jobs, checker)))
        for result in all_found:
            if isinstance(result, Unread):
                unread.append(result)
                echo(f"{result.shown}: {result.message}", err=True)
                continue
            files.append(result)
            output.file(result)
        unread += _without_suites(request, files, unread)
        report = Report(files, unread)
        if baseline is not None:
            written_anew = _write_baseline(baseline, report)
            return _bugs(report) or (EXIT_OK if written_anew and not unread else EXIT_USAGE)
        output.end(report, checker)
        if written is not None:
            written.write()
            number = sum(len(it.findings) for it in files)
            echo(f"Wrote {counted(number, 'finding')} to {written.file.path}.")
    if request.fixes_stdin:
        (job,) = jobs
        text = next((it.text for it in files if it.text is not None), job.text or "")
        write_document(text)
    return _exit_code(request, report)


def _collected(path: Path, jobs: Sequence[Job], checker: FileChecker) -> Collected:
    """Look at the file that findings are to be written to, before anything is checked.

    Raises:
        click.UsageError: it cannot be written, or has something else than findings.
    """
    from suitecase.cli.output.check.earlier import is_earlier_output
    from suitecase.cli.output_file import Collected, OutputFile

    configured = (it.path for it, _ in configurations(jobs, checker))
    inputs = (*(job.path for job in jobs), *configured)
    file = OutputFile.at(
        path, inputs=inputs, is_earlier=is_earlier_output, earlier="earlier findings"
    )
    return Collected(file)


def _baseline_file(path: Path, jobs: Sequence[Job]) -> OutputFile:
    """Look at the place of a baseline.

    Raises:
        click.UsageError: it cannot be written, or has something else than a baseline.
    """
    from suitecase.cli.output_file import OutputFile
    from suitecase.format.baseline_file import is_baseline

    return OutputFile.at(
        path,
        inputs=(job.path for job in jobs),
        is_earlier=lambda start, _: is_baseline(start),
        earlier="a baseline",
        option="--write-baseline",
    )


def _jobs(request: CheckRequest, checker: FileChecker) -> tuple[list[Job], list[Unread]]:
    results: list[Job | Unread] = []
    links: list[Path] = []
    left_out = LeftOutByGit()
    for path in request.paths:
        if str(path) == "-":
            results.append(request.job_on_stdin())
            continue
        of_path = list(
            jobs_for(
                path,
                checker,
                named_too=request.force_exclude,
                passed_over=links.append,
                left_out=left_out,
            )
        )
        if request.asked.fix == "write" and (why := _why_not_fixed(path, of_path)) is not None:
            results.append(Unread(str(path), why, NOT_FIXED))
            of_path = [
                replace(found, fixable=False) if isinstance(found, Job) else found
                for found in of_path
            ]
        results += of_path
        if not of_path and not (request.force_exclude and is_file(path)):
            reason = (
                _no_suite_in(path)
                if is_folder(absolute_path(path))
                else missing(absolute_path(path))
            )
            results.append(Unread(str(path), reason))
    unread = [result for result in results if isinstance(result, Unread)]
    for it in unread:
        echo(f"{it.shown}: {it.message}", err=True)
    if links:
        echo(links_passed_over(links), err=True)
    for note in left_out_by_git(left_out, "`--no-respect-gitignore` checks all"):
        echo(note, err=True)
    jobs: dict[Path, Job] = {}
    for job in (result for result in results if isinstance(result, Job)):
        known = jobs.get(job.path)
        if known is None or job.named or not known.fixable:
            jobs[job.path] = job
    return list(jobs.values()), unread


def _why_not_fixed(path: Path, of_path: Sequence[Job | Unread]) -> str | None:
    """Return why nothing behind a path, and of the files it has led to, is fixed; None if it may be."""
    from suitecase.cli.writing import why_led_out, why_not_inside

    led_out = (why_led_out(path, found.path) for found in of_path if isinstance(found, Job))
    return why_not_inside(path) or next(filter(None, led_out), None)


def _without_suites(
    request: CheckRequest, files: Sequence[FileFindings], unread: Sequence[Unread]
) -> Iterator[Unread]:
    """Yield the folders in which nothing is a suite or has cases, though files were found, and say so.

    Of a folder with anything that could not be read, this is not known.
    """
    for path in request.paths:
        if not is_folder(path):
            continue
        folder = real_path(working_directory() / path)
        inside = [
            file
            for file in files
            if file.root is not None and file.path and folder in file.path.parents
        ]
        has_some = any((file.is_suite or file.cases) and not file.unread for file in inside)
        unknown = any(file.path and folder in file.path.parents for file in unread)
        if not inside or has_some or unknown:
            continue
        only_named = all(file.unread for file in inside)
        reason = "it has no suite that Suitecase reads" if only_named else _no_suite_in(path)
        echo(f"{path}: cannot be checked: {reason}", err=True)
        yield Unread(str(path), reason)


def _no_suite_in(folder: Path) -> str:
    from suitecase.formats.unrecognized import no_suite_in  # what it looks at few folders need

    return no_suite_in(working_directory() / folder)


def _found(
    request: CheckRequest, jobs: Sequence[Job], checker: FileChecker
) -> Generator[FileFindings | Unread, None, None]:
    """Yield the findings of each file, then those of the files they reference."""
    if request.asked.fix != "no":
        from suitecase.cli.checking.fixing import fixed_files

        results, others = fixed_files(jobs, checker, request.processes)
        yield from (*results, *others)
        return
    naming: list[FileFindings] = []
    with closing(checked(jobs, checker, request.processes)) as all_found:
        for result in all_found:
            if isinstance(result, FileFindings) and result.others:
                naming.append(result)
            yield result
    if naming:
        from suitecase.cli.checking.file_checker import other_files

        yield from other_files(naming, checker)


def _configuration_findings(
    jobs: Sequence[Job], checker: FileChecker, unread: list[Unread]
) -> list[FileFindings]:
    """Return the findings of configurations that have any, after fixes."""
    results: list[FileFindings] = []
    for configuration, workspace in configurations(jobs, checker):
        analysis = check_configuration(configuration, workspace)
        if not (analysis.findings or analysis.failures):
            continue
        file = FileFindings(
            shown_path(configuration.path), 0, analysis, is_suite=False, path=configuration.path
        )
        if checker.asked.fix != "no":
            from suitecase.cli.checking.fixing import fixed_configuration

            fixed = fixed_configuration(configuration, file, checker, workspace)
            if isinstance(fixed, Unread):
                unread.append(fixed)
                echo(f"{fixed.shown}: {fixed.message}", err=True)
            else:
                file = fixed
        results.append(file)
    return results


@dataclass(frozen=True, slots=True)
class _Output:
    """Prints findings in the requested format."""

    request: CheckRequest
    formatter: Formatter[FileFindings, Report]
    printer: Printer

    def file(self, file: FileFindings) -> None:
        """Print what was found in a file."""
        if self.request.write_baseline is not None:
            return
        if self.request.asked.fix == "diff":
            if file.before is not None and file.text is not None:
                from suitecase.cli.text_diff import text_diff

                # Made only where it is printed: for a long text with many changes, it takes long.
                echo(Block(text_diff(file.before, file.text, file.shown)), nl=False)
            return
        self._print(self.formatter.result(file))

    def end(self, report: Report, checker: FileChecker) -> None:
        """Print what is known when all files are checked."""
        from suitecase.cli.output.check.text import baseline_text

        options = self.request.asked
        aside = options.fix == "diff" or not CHECK_FORMATS[self.request.format].for_people
        if self.request.statistics and self.request.format != "summary":
            from suitecase.cli.output.check.summary import table

            self._print(table(report), aside=aside)
        if options.fix != "diff":
            self._print(self.formatter.finish(report))
        if options.fix != "no" and (not report.unread or any(file.fixed for file in report.files)):
            from suitecase.cli.output.check.text import fixed_text

            self._print([fixed_text(report.files, done=options.fix == "write")], aside=aside)
        self._print(baseline_text(report.files, checker.baseline_for), aside=aside)

    def _print(self, lines: Iterable[Line], *, aside: bool = False) -> None:
        self.printer.print_all(lines, aside=aside)


def _write_baseline(place: OutputFile, report: Report) -> bool:
    """Write a baseline, unless one would lose what is perhaps still there; return whether it was written."""
    from suitecase.format.baseline_file import baseline_from

    findings = [(file, finding) for file in report.files if file.file for finding in file.findings]
    baseline = baseline_from(
        file.fingerprint(finding)
        for file, finding in findings
        if not finding.rule.cannot_be_silenced
    )
    partly_checked = [*dict.fromkeys(_partly_checked(report))]
    lost = _lost(place, baseline) if partly_checked else 0
    if lost:
        more = f" and {counted(len(partly_checked) - 1, 'other')}" if partly_checked[1:] else ""
        name = shown_path(place.path)
        echo(
            f"{name}: is left as it is: {partly_checked[0]}{more} could not be checked "
            f"completely, so {counted(lost, 'finding')} that it knows would be lost; correct that, or "
            f"remove {name} to write one without them",
            err=True,
        )
        return False
    place.write((baseline.to_text().encode(),))
    number = baseline.counts.total()
    echo(f"Wrote {number:,} finding{'' if number == 1 else 's'} to {place.path}.")
    left_out = len(findings) - number
    if left_out:
        errors, verb = ("1 error", "is") if left_out == 1 else (f"{left_out:,} errors", "are")
        echo(
            f"Left out {errors}, which {verb} always reported: a baseline cannot hide what cannot "
            f"be graded."
        )
    return True


def _partly_checked(report: Report) -> Iterator[str]:
    """Yield the paths in which more may be wrong than what was found."""
    for path in report.unread:
        yield path.shown
    for file in report.files:
        unknown = (finding.timed_out or finding.rule.unreadable for finding in file.findings)
        if file.analysis.failures or any(unknown):
            yield file.shown


def _lost(place: OutputFile, baseline: Baseline) -> int:
    """Return how many findings an earlier baseline has that another lacks, of those that it hides."""
    from suitecase.checking.rules import rule_named
    from suitecase.format.baseline_file import BaselineError, parse_baseline
    from suitecase.format.workspace import read_text

    text = read_text(absolute_path(place.path))
    try:
        earlier = parse_baseline(text if isinstance(text, str) else "")
    except BaselineError:
        return 0  # it hides nothing
    missing = (earlier.counts - baseline.counts).items()
    rules = ((rule_named(fingerprint.code), number) for fingerprint, number in missing)
    return sum(number for rule, number in rules if rule and not rule.cannot_be_silenced)


def _bugs(report: Report) -> int:
    failures = {it.rule.code: it for file in report.files for it in file.analysis.failures}
    for failure in failures.values():
        report_bug(f"rule {failure.rule.name}:\n{failure.trace}")
    return EXIT_BUG if failures else EXIT_OK


def _exit_code(request: CheckRequest, report: Report) -> int:
    bugs = _bugs(report)
    if bugs:
        return bugs
    if report.unread:
        return max(file.code for file in report.unread)
    if request.asked.fix == "diff":
        wrong = any(
            file.text is not None or (file.fails and not file.file) for file in report.files
        )
        return EXIT_FINDINGS if wrong else EXIT_OK
    return EXIT_FINDINGS if any(file.fails for file in report.files) else EXIT_OK
