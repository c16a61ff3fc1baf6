"""Checking a file: the only entry point of the command line, the editor and the runner.

So they all report the same: nothing outside of this package filters findings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from suitecase.checking.analysis import Analysis
from suitecase.checking.baseline import BaselineInUse, baseline_in, split_by_baseline
from suitecase.checking.case_findings import CaseFindings, as_configured, cases_with_comments
from suitecase.checking.findings import Findings, order
from suitecase.checking.json_fixes import fix_of_json_file, json_fix
from suitecase.checking.options import CheckOptions
from suitecase.checking.rule_runner import (
    keys_at_top,
    run_part_rules,
    run_rules,
    timed_out_finding,
    without_harmful_fix,
)
from suitecase.checking.rules.dispatch import rules_for
from suitecase.checking.rules.rule_names import named_rules
from suitecase.checking.selection import Selection, selection_for
from suitecase.format.configuration import ParsedConfiguration, find_configuration
from suitecase.format.dialect import DialectFile
from suitecase.format.other_file import OtherFile
from suitecase.format.reading import ParsedFile, parse_document
from suitecase.format.rule import Finding, Fix, Related, Rule, Severity
from suitecase.format.suppression import Suppression, Suppressions
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.lines import Lines
from suitecase.text.node import Span
from suitecase.text.time_limits import in_time, watch_of_thread

DEFAULTS = CheckOptions()


def check_text(
    path: Path, text: str, workspace: Workspace, options: CheckOptions = DEFAULTS
) -> Analysis:
    """Check a text as the content of a file."""
    folder = Folder(workspace, path.parent)
    return in_time(
        lambda: check(parse_document(path, text, workspace), folder, path, options=options)
    )


def check(
    parsed: ParsedFile,
    folder: Folder,
    path: Path | None = None,
    *,
    options: CheckOptions = DEFAULTS,
) -> Analysis:
    """Run every rule on a file, and apply comments, configuration and baseline to the findings.

    Args:
        parsed: the file: a suite, a data set, its sidecar or a targets file.
        folder: its folder, for rules that read other files, and for the configuration.
        path: the file; None for a text without one, to which `per-file-ignores` do not apply.
        options: the options in addition to the configuration.
    """
    length = parsed.document.lines.size
    return in_time(lambda: _check(parsed, folder, path, options), length=length)


def _check(
    parsed: ParsedFile, folder: Folder, path: Path | None, options: CheckOptions
) -> Analysis:
    analysis = Analysis([], lines=parsed.document.lines)
    applied = _Applied.to(path, folder, options)
    found, later = _found(parsed, folder, path, analysis, applied)
    if not options.cross_file:
        found = [it for it in found if not it.rule.reads_files]
    suppressions = Suppressions(parsed.document)
    aside = cases_with_comments(suppressions, parsed.document.cases) if later else ()
    if later is not None:
        found += (*later.placed(aside), *later.external(aside))
    commented: list[Finding] = []
    found = _uncommented(analysis, suppressions, found, commented)
    found = _of_sound_rules(found, analysis, options)
    if not is_certain(parsed):
        found = [_without_fix(it) for it in found]
    here: list[Finding] = []
    elsewhere: dict[Path, list[Finding]] = {}
    for finding in sorted(found, key=order):
        if finding.external is None:
            here.append(finding)
            continue
        other = finding.external.path
        elsewhere.setdefault(other, []).append(_with_reference(finding, path))
        references = analysis.references.setdefault((other, finding.span, finding.code), [])
        references.append(finding.external.reference)
    suite = parsed if isinstance(parsed, ParsedSuite | DialectFile) else None
    _report(analysis, here, path, applied, suite)
    silenced = [*commented, *analysis.silenced]
    for other in sorted(elsewhere):
        of_other = check_external(other, elsewhere[other], folder.workspace, options)
        silenced += of_other.silenced
        if of_other.findings or of_other.known:
            analysis.external[other] = of_other
    analysis.silenced = sorted(silenced, key=order)
    if later is not None:
        completed = partial(_completed, parsed)
        analysis.findings = Findings(analysis.findings, later.reported(aside, completed))
        analysis.silenced = Findings(analysis.silenced, later.silenced(aside, completed))
    return analysis


def check_external(
    path: Path,
    found: Iterable[Finding],
    workspace: Workspace,
    options: CheckOptions = DEFAULTS,
    *,
    lines: Lines | None = None,
) -> Analysis:
    """Merge the findings that files have in a file that they name, as they are reported there.

    Args:
        path: the file.
        found: the findings of each of the others, in a baseline or not.
        workspace: reads the file, its configuration and its baseline.
        options: the options in addition to the configuration.
        lines: the text of the file, if it is not that of the workspace.
    """
    if lines is None:
        text = workspace.read(path)
        lines = Lines(text if isinstance(text, str) else "")
    analysis = Analysis([], lines=lines)
    applied = _Applied.to(path, Folder(workspace, path.parent), options)
    _report(analysis, _merged(found), path, applied)
    return analysis


def check_configuration(
    configuration: ParsedConfiguration, workspace: Workspace, options: CheckOptions = DEFAULTS
) -> Analysis:
    """Return the findings in a configuration, in the order of its text.

    Args:
        configuration: the configuration.
        workspace: reads the files that it names.
        options: which rules failed before; nothing else counts here.
    """
    rules = rules_for(configuration)
    folder = Folder(workspace, configuration.path.parent)

    def look() -> Analysis:
        analysis = Analysis([], lines=Lines(configuration.text))
        found = run_rules(rules.local, configuration, analysis.failures)
        found += run_rules(rules.cross_file, configuration, analysis.failures, folder)
        found += _timed_out_unreported(found)
        found = _of_sound_rules(found, analysis, options)
        analysis.findings = sorted(found, key=order)
        return analysis

    return in_time(look)


def _found(
    parsed: ParsedFile, folder: Folder, path: Path | None, analysis: Analysis, applied: _Applied
) -> tuple[list[Finding], CaseFindings | None]:
    """Return the findings of all rules, each once; those in cases apart if they are placed later."""
    document, options = parsed.document, applied.options
    failures = analysis.failures
    found: list[Finding] = []
    if isinstance(parsed, OtherFile):
        # What else may be wrong with it is not known: it has rules of its own.
        return run_rules(rules_for(parsed).local, parsed, failures), None
    for whole in (document, parsed):
        found += run_rules(rules_for(whole).local, whole, failures)
    if isinstance(parsed, ParsedSuite | DialectFile):
        found += run_rules(rules_for(parsed).cross_file, parsed, failures, folder)
    top = keys_at_top(document) if found else None
    found = [without_harmful_fix(it, document.lines, top) for it in found]
    later = None
    if (
        options.places_later
        and is_certain(parsed)
        and isinstance(parsed, ParsedSuite | DialectFile)
        and document.segmented
        and applied.baseline is None
    ):
        later = CaseFindings(parsed, folder, applied.selection, cross_file=options.cross_file)
    found += run_part_rules(parsed, folder, failures, path, cases=later is None)
    watch = watch_of_thread()
    if later is not None and (
        options.failed_rules or failures or any(later.failures) or (watch and watch.ended)
    ):
        # What failing rules have found is to be left out everywhere.
        for failure in later.failures:
            if all(it.rule is not failure.rule for it in failures):
                failures.append(failure)
        found += later.placed()
        later = None
    found += _timed_out_unreported(found)
    found = [_completed(parsed, it) for it in found]
    return list({(it.span, it.code, it.message, it.external): it for it in found}.values()), later


def is_certain(parsed: ParsedFile) -> bool:
    """Whether the format of a file is certain, so that it may be changed.

    No other file is: its findings have no fix, by whichever way somebody asks for one.
    """
    if isinstance(parsed, ParsedSuite):
        return parsed.is_certain
    return not isinstance(parsed, OtherFile)


def _without_fix(found: Finding) -> Finding:
    return replace(found, fix=None, deferred_fix=None) if found.fix or found.deferred_fix else found


def _completed(parsed: ParsedFile, found: Finding) -> Finding:
    """Return a finding in a JSON file with its fix in JSON."""
    if isinstance(parsed, DialectFile):
        return _in_json(found, parsed.document.lines, fix_of_json_file) if parsed.is_json else found
    if isinstance(parsed, ParsedSuite) and parsed.kind == "dataset":
        return _in_json(found, parsed.document.lines, json_fix)
    return found


@dataclass(frozen=True, slots=True)
class _Applied:
    """What is applied to the findings of a file: its configuration and its baseline."""

    options: CheckOptions
    configuration: ParsedConfiguration | None
    selection: Selection
    baseline: BaselineInUse | None

    @classmethod
    def to(cls, path: Path | None, folder: Folder, options: CheckOptions) -> _Applied:
        """Return what is applied to a file in a folder."""
        workspace = folder.workspace
        configuration = find_configuration(workspace, folder.path) if options.use_config else None
        selection = selection_for(configuration, path, options)
        return cls(
            options, configuration, selection, baseline_in(workspace, configuration, options)
        )


def _report(
    analysis: Analysis,
    found: Iterable[Finding],
    path: Path | None,
    applied: _Applied,
    suite: ParsedSuite | DialectFile | None = None,
) -> None:
    """Report findings in a file according to its configuration and its baseline."""
    reported: list[Finding] = []
    silenced: list[Finding] = []
    selection, baseline = applied.selection, applied.baseline
    for finding in found:
        if selection.is_enabled(finding.rule):
            reported.append(as_configured(finding, selection))
        else:
            silenced.append(finding)
    analysis.findings, analysis.silenced = reported, silenced
    if baseline is not None and path is not None and reported:
        split = split_by_baseline(reported, baseline, path, analysis.lines, suite)
        analysis.findings, analysis.known, analysis.matched = split.new, split.known, split.matched
    configuration = applied.configuration
    level = applied.options.fail_level or (
        configuration.model.fail_level if configuration else None
    )
    analysis.fail_level = None if level == "never" else Severity(level or Severity.ERROR)


def _of_sound_rules(
    found: list[Finding], analysis: Analysis, options: CheckOptions
) -> list[Finding]:
    """Return the findings of rules that did not fail: those of one that did may be incomplete."""
    failed = options.failed_rules | {failure.rule.code for failure in analysis.failures}
    return [it for it in found if it.code not in failed] if failed else found


def _timed_out_unreported(found: Iterable[Finding]) -> Iterator[Finding]:
    """Yield a finding for each rule that timed out without one."""
    watch = watch_of_thread()
    if watch is not None and watch.ended:
        reported = {it.rule for it in found if it.timed_out}
        yield from (
            timed_out_finding(rule, seconds)
            for rule, seconds in watch.ended.items()
            if rule not in reported
        )


def _merged(found: Iterable[Finding]) -> list[Finding]:
    """Return the findings that several parts or suites have in a file, each once, in text order.

    A rule may have different findings for a place, since the file is used in different ways. One
    with a fix takes precedence; otherwise the choice does not depend on their order.
    """
    merged: dict[tuple[Span, str], Finding] = {}
    for finding in sorted(
        found,
        key=lambda finding: (finding.span, finding.code, finding.fix is None, finding.message),
    ):
        merged.setdefault((finding.span, finding.code), finding)
    return list(merged.values())


def _with_reference(found: Finding, suite: Path | None) -> Finding:
    """Return a finding in another file with the place of the reference to that file."""
    if found.external is None or suite is None:
        return found
    reference = Related("named here", found.external.reference, suite)
    return replace(found, related=(*found.related, reference))


def _uncommented(
    analysis: Analysis,
    suppressions: Suppressions,
    found: list[Finding],
    silenced: list[Finding],
) -> list[Finding]:
    """Return the findings that no comment suppresses, and the findings about the comments.

    A comment counts as used whatever the configuration selects, so that an option does not make it
    unused.
    """
    if not suppressions:
        return found
    reported: list[Finding] = []
    used: dict[int, set[str]] = {}
    defied: dict[int, set[str]] = {}
    # Comments are searched once for each rule, since a case may have thousands of both.
    known: dict[tuple[str, int], bool] = {}
    for finding in found:
        is_silenced = False
        place = finding.external.reference if finding.external else finding.span
        names_met = defied if finding.rule.cannot_be_silenced else used
        for group in suppressions.groups_silencing(place.start):
            key = (finding.code, id(group))
            if key not in known:
                naming = list(_naming(group, finding.rule))
                for suppression, name in naming:
                    names_met.setdefault(id(suppression), set()).add(name)
                known[key] = bool(naming) and names_met is used
            is_silenced = is_silenced or known[key]
        (silenced if is_silenced else reported).append(finding)
    for number, suppression in enumerate(suppressions.all):
        names = frozenset(used.get(id(suppression), ()))
        without_effect = frozenset(defied.get(id(suppression), ()))
        used_suppression = suppressions.used(suppression, names, without_effect, number)
        rules = rules_for(used_suppression).local
        reported += run_rules(rules, used_suppression, analysis.failures)
    return reported


def _naming(group: Sequence[Suppression], rule: Rule) -> Iterator[tuple[Suppression, str]]:
    """Yield the comments that name a rule, with the name that they use."""
    for suppression in group:
        for name, _ in suppression.comment.names or ():
            if rule in named_rules(name):
                yield suppression, name


def _in_json(
    found: Finding, lines: Lines, converted: Callable[[Fix, Lines], Fix | None]
) -> Finding:
    """Return a finding in a JSON file with its fix converted to JSON."""
    if found.external is not None or found.fix is None:
        return found
    return replace(found, fix=converted(found.fix, lines))
