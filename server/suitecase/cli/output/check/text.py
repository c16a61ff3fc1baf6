"""Findings as text: the message, and the source line with a caret."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from suitecase.checking.rules import rule_named
from suitecase.cli.checking.findings import FileFindings, Report
from suitecase.cli.output.check.alike import alike, how_to_see_all
from suitecase.cli.output.printing import cells
from suitecase.format.baseline_file import Baseline, Fingerprint
from suitecase.format.rule import Finding, Severity
from suitecase.format.workspace_secrets import line_without_secrets
from suitecase.text.encoders.terminal import Line
from suitecase.text.encoders.visible import visible
from suitecase.text.lines import Place
from suitecase.text.plural import counted

_COLORS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}
#: Longer lines are cut around the place a finding is at.
_WIDTH = 110


class TextFormatter:
    """Findings with their lines, and a last line of counts."""

    def result(self, file: FileFindings, /) -> Iterator[Line]:
        yield from findings_text(file, file.findings)

    def finish(self, report: Report, /) -> Iterator[Line]:
        if report.files:
            yield summary(report.files)


def findings_text(file: FileFindings, findings: Sequence[Finding]) -> Iterator[Line]:
    """Yield the lines of findings of a file; many of one kind are shown once, with their number."""
    for found in alike(findings):
        yield from finding_text(file, found.first)
        places = found.places(file)
        if places is not None:
            yield ((f"   = {places}; {how_to_see_all(file)}", "bold"),)
        yield ""


def finding_text(file: FileFindings, finding: Finding) -> Iterator[Line]:
    """Yield the lines of a finding."""
    yield headline(file, finding)
    if not finding.rule.whole_file:
        yield from _source(file, file.place(finding.span), _COLORS[finding.severity])
    for related in finding.related:
        display_path, other = file.related_place(related)
        if related.path is None and other is not None:
            yield f"   = {_one_line(related.message)}: line {other.line}, column {other.column}"
        else:
            at = f":{other.line}:{other.column}" if other else ""
            yield f"   = {_one_line(related.message)}: {display_path}{at}"
    if finding.fix:
        unsafe = "" if finding.fix.safe else ", if that is what you mean"
        yield f"   = fix: {_one_line(finding.fix.title)}{unsafe}"


def headline(file: FileFindings, finding: Finding, mark: str = "") -> Line:
    """Return where a finding is, its severity and code, and its message, on one line.

    Args:
        mark: what stands before the message.
    """
    place = file.place(finding.span)
    return (
        (f"{file.shown}:{place.line}:{place.column}:", "bold"),
        (" ", ""),
        (f"{finding.severity.value}[{finding.code}]", f"bold {_COLORS[finding.severity]}"),
        (f" {mark}{_one_line(finding.message)}", ""),
    )


def summary(files: Sequence[FileFindings]) -> Line:
    """Return the last line: the numbers of files, cases and findings."""
    cases = sum(file.cases for file in files)
    suites = sum(file.is_suite for file in files)
    checked = f"{counted(suites, 'suite')}, {counted(cases, 'case')}"
    if suites < len(files):
        checked += f", {counted(len(files) - suites, 'other file')}"
    counts = [
        counted(number, severity.value, "info" if severity is Severity.INFO else None)
        for severity in Severity
        if (number := sum(file.count(severity) for file in files))
    ]
    if not counts:
        return (("All checks passed", "bold green"), (f" ({checked}).", ""))
    counts_text = " and ".join(filter(None, [", ".join(counts[:-1]), counts[-1]]))
    return f"Found {counts_text} in {checked}.{_fixable(files)}"


def _fixable(files: Sequence[FileFindings]) -> str:
    """Return how many findings have a quick fix, and what makes the fixes."""
    fixes = [finding.fix for file in files for finding in file.findings if finding.fix]
    safe = sum(fix.safe for fix in fixes)
    parts = [f"{safe:,} with `--fix`"] if safe else []
    if len(fixes) > safe:
        more = " more" if safe else ""
        parts.append(f"{len(fixes) - safe:,}{more} with `--unsafe-fixes`")
    return f" Fixable: {', '.join(parts)}." if parts else ""


def _source(file: FileFindings, place: Place, color: str) -> Iterator[Line]:
    line = place.line - 1
    text = line_without_secrets(file.lines, line, file.secrets)
    if not text:
        return
    start = min(place.column - 1, len(text))
    end = place.end_column - 1 if place.end_line == place.line else len(text)
    end = max(end, start + 1)
    cut_before = max(0, start - _WIDTH // 2) if len(text) > _WIDTH else 0
    excerpt = text[cut_before : cut_before + _WIDTH]
    ellipsis = "…" if cut_before else ""
    before = ellipsis + _expanded(excerpt[: start - cut_before])
    marked = _expanded(excerpt[start - cut_before : end - cut_before])
    number = str(place.line)
    gutter = " " * len(number)
    tail = "…" if cut_before + _WIDTH < len(text) else ""
    yield f" {gutter} |"
    yield f" {number} | {ellipsis}{_expanded(excerpt)}{tail}"
    carets = "^" * max(1, cells(marked))
    yield (f" {gutter} | {' ' * cells(before)}", ""), (carets, f"bold {color}")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _expanded(text: str) -> str:
    """Return a text as it is shown: tabs are blanks."""
    return visible(text).replace("\t", " ").replace("\r", " ")


def fixed_text(files: Sequence[FileFindings], *, done: bool) -> str:
    """Return how much was fixed, or would be."""
    number = sum(file.fixed.total() for file in files)
    if not number:
        return "Nothing to fix."
    where = counted(sum(bool(file.fixed) for file in files), "file")
    return f"{'Fixed' if done else 'Would fix'} {counted(number, 'finding')} in {where}."


def baseline_text(
    files: Sequence[FileFindings], baseline_for: Callable[[FileFindings], Baseline | None]
) -> Iterator[str]:
    """Yield how many findings baselines hid, and which of their entries are stale.

    Only entries of files that were checked count: the others are not known to be gone.

    Args:
        files: what was found.
        baseline_for: returns the baseline that holds for a file.
    """
    left_out = sum(len(file.analysis.known) for file in files)
    if left_out:
        yield f"The baseline left out {counted(left_out, 'finding')}."
    stale: Counter[Fingerprint] = Counter()
    reported = 0
    for baseline, of in _by_baseline(files, baseline_for):
        checked = {file.file for file in of}.union(*(file.names.values() for file in of))
        matched = sum((file.analysis.matched for file in of), Counter[Fingerprint]())
        for fingerprint, number in baseline.counts.items():
            if (rule := rule_named(fingerprint.code)) is not None and rule.cannot_be_silenced:
                reported += number
            elif fingerprint.file in checked and number > matched[fingerprint]:
                stale[fingerprint] += number - matched[fingerprint]
    if reported:
        yield (
            f"warning: the baseline has {counted(reported, 'error')} that cannot be suppressed, "
            f"since they mean that something cannot be graded; --write-baseline removes them"
        )
    for fingerprint, number in sorted(stale.items()):
        case = f" in case `{fingerprint.case}`" if fingerprint.case else ""
        times = f", {number} times" if number > 1 else ""
        yield (
            f"info: {fingerprint.file}: {fingerprint.code}{case} is in the baseline and no longer found{times}; "
            "--write-baseline takes it out"
        )


def _by_baseline(
    files: Sequence[FileFindings], baseline_for: Callable[[FileFindings], Baseline | None]
) -> Iterator[tuple[Baseline, list[FileFindings]]]:
    """Yield each baseline with the files that it holds for."""
    by_identity: dict[int, tuple[Baseline, list[FileFindings]]] = {}
    for file in files:
        baseline = baseline_for(file)
        if baseline is not None:
            by_identity.setdefault(id(baseline), (baseline, []))[1].append(file)
    yield from by_identity.values()
