"""A suite to its findings: the one entry for the command line, the language server and the runner.

What they report is therefore the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from suitecase.checking.json_fixes import json_fix
from suitecase.checking.rule_runner import (
    RuleFailure,
    keys_at_top,
    run_part_rules,
    run_rules,
    timed_out_finding,
    without_harmful_fix,
)
from suitecase.checking.selection import Choice, Selection, selection_for
from suitecase.rule import Finding, Related, Rule, Severity
from suitecase.rules.dispatch import rules_for
from suitecase.rules.naming import named_rules
from suitecase.suite.configuration import WrittenConfiguration, find_configuration
from suitecase.suite.suppression import Suppression, Suppressions
from suitecase.suite.target_files import WrittenTargets
from suitecase.suite.workspace import Folder, Workspace
from suitecase.suite.written import WrittenSuite
from suitecase.syntax.node import Span
from suitecase.time_limits import in_time, watch_of_thread

__all__ = [
    "Analysis",
    "Finding",
    "RuleFailure",
    "analyze",
    "analyze_configuration",
    "merged",
]


@dataclass(slots=True)
class Analysis:
    """What was found in a suite, in the order of its text.

    `external` is what was found in other files that the suite names, each in the order of its
    text: what is wrong with a file, once however often it is named. `silenced` is what
    the configuration or a comment keeps from being reported; it keeps nothing from being graded.
    """

    findings: list[Finding]
    failures: list[RuleFailure] = field(default_factory=list)
    silenced: list[Finding] = field(default_factory=list)
    external: dict[Path, list[Finding]] = field(default_factory=dict)
    #: Where the suite names the file, of each finding in another one: by file, place and code.
    references: dict[tuple[Path, Span, str], list[Span]] = field(default_factory=dict)

    @property
    def has_errors(self) -> bool:
        return any(it.severity is Severity.ERROR for it in self.everything)

    @property
    def everything(self) -> list[Finding]:
        """What was found in the suite, and behind it what was found in other files."""
        return [*self.findings, *(it for found in self.external.values() for it in found)]


def analyze(
    suite: WrittenSuite | WrittenTargets,
    folder: Folder,
    path: Path | None = None,
    *,
    choice: Choice = Choice(),  # noqa: B008 - frozen
) -> Analysis:
    """Run every rule on a suite or a targets file, and report what its configuration and its comments let through.

    Args:
        suite: the file as it is written: a suite, a data set, its sidecar or a targets file.
        folder: where it lies, for the rules that look at other files, and for the configuration.
        path: the suite's file, for what the configuration ignores by file.
        choice: what a command line asks for beside the configuration.
    """
    length = len(suite.document.text)
    return in_time(lambda: _analyze(suite, folder, path, choice), length=length)


def _analyze(
    suite: WrittenSuite | WrittenTargets, folder: Folder, path: Path | None, choice: Choice
) -> Analysis:
    analysis = Analysis([])
    document = suite.document
    found: list[Finding] = []
    for whole in (document, suite):
        found += run_rules(rules_for(whole).local, whole, analysis.failures)
    if isinstance(suite, WrittenSuite):
        found += run_rules(rules_for(suite).cross_file, suite, analysis.failures, folder)
    top = keys_at_top(document) if found else None
    found = [without_harmful_fix(it, document.lines, top) for it in found]
    found += run_part_rules(suite, folder, analysis.failures)
    found += _timed_out_unreported(found)
    if isinstance(suite, WrittenSuite) and suite.kind == "dataset":
        found = [_in_json(it, document.text) for it in found]
    unique = {(it.span, it.code, it.message, it.external): it for it in found}
    findings, silenced = _uncommented(analysis, Suppressions(document), list(unique.values()))
    configuration = find_configuration(folder.workspace, folder.path) if choice.use_config else None
    selection = selection_for(configuration, path, choice)
    others: dict[Path, list[Finding]] = {}
    for it in sorted(findings, key=lambda it: (it.span, it.code)):
        if it.external is not None:
            others.setdefault(it.external.path, []).append(it)
            key = (it.external.path, it.span, it.code)
            analysis.references.setdefault(key, []).append(it.external.reference)
        elif selection.is_enabled(it.rule):
            analysis.findings.append(_as_configured(it, selection))
        else:
            silenced.append(it)
    for other in sorted(others):
        named = [_with_reference(it, path) for it in others[other]]
        held, left_out = _in_other_file(other, named, folder, choice)
        if held:
            analysis.external[other] = held
        silenced += left_out
    analysis.silenced = sorted(silenced, key=lambda it: (it.span, it.code))
    return analysis


def _timed_out_unreported(found: Iterable[Finding]) -> Iterator[Finding]:
    """Yield what is to be said of rules that took too long, where that is not said yet."""
    watch = watch_of_thread()
    if watch is not None and watch.ended:
        said = {it.rule for it in found if it.timed_out}
        yield from (timed_out_finding(it, had) for it, had in watch.ended.items() if it not in said)


def merged(found: Iterable[Finding]) -> list[Finding]:
    """Return what several parts or suites find in one file: each once, in the order of its text.

    Where a rule says different things of a place, for the file is used in different ways, one with
    a fix counts, and of equals the same whatever their order.
    """
    kept: dict[tuple[Span, str], Finding] = {}
    for it in sorted(found, key=lambda it: (it.span, it.code, it.fix is None, it.message)):
        kept.setdefault((it.span, it.code), it)
    return list(kept.values())


def _with_reference(found: Finding, suite: Path | None) -> Finding:
    """Return a finding in another file with the place that names the file."""
    if found.external is None or suite is None:
        return found
    named = Related("named here", found.external.reference, suite)
    return replace(found, related=(*found.related, named))


def _in_other_file(
    path: Path, found: list[Finding], folder: Folder, choice: Choice
) -> tuple[list[Finding], list[Finding]]:
    """Part the findings in another file by what its own configuration says of it."""
    workspace = folder.workspace
    configuration = find_configuration(workspace, path.parent) if choice.use_config else None
    selection = selection_for(configuration, path, choice)
    kept = merged(found)
    held = [_as_configured(it, selection) for it in kept if selection.is_enabled(it.rule)]
    return held, [it for it in kept if not selection.is_enabled(it.rule)]


def analyze_configuration(configuration: WrittenConfiguration, workspace: Workspace) -> Analysis:
    """Return what is wrong with a configuration, in the order of its text.

    Args:
        configuration: the configuration.
        workspace: reads the files that it names.
    """
    rules = rules_for(configuration)
    folder = Folder(workspace, configuration.path.parent)

    def look() -> Analysis:
        analysis = Analysis([])
        found = run_rules(rules.local, configuration, analysis.failures)
        found += run_rules(rules.cross_file, configuration, analysis.failures, folder)
        found += _timed_out_unreported(found)
        analysis.findings = sorted(found, key=lambda it: (it.span, it.code))
        return analysis

    return in_time(look)


def _uncommented(
    analysis: Analysis, suppressions: Suppressions, found: list[Finding]
) -> tuple[list[Finding], list[Finding]]:
    """Part findings into those reported and those a comment silences; add what is wrong with it.

    A comment counts as used whatever the configuration selects, so that a comment does not come
    and go with an option.
    """
    if not suppressions:
        return found, []
    reported: list[Finding] = []
    silenced: list[Finding] = []
    used: dict[int, set[str]] = {}
    defied: dict[int, set[str]] = {}
    # A thousand findings of a rule in a case with a thousand comments ask them all but once.
    known: dict[tuple[str, int], bool] = {}
    for it in found:
        is_silenced = False
        place = it.external.reference if it.external else it.span
        met = defied if it.rule.cannot_be_silenced else used
        for group in suppressions.groups_silencing(place.start):
            key = (it.code, id(group))
            if key not in known:
                named = list(_naming(group, it.rule))
                for suppression, name in named:
                    met.setdefault(id(suppression), set()).add(name)
                known[key] = bool(named) and met is used
            is_silenced = is_silenced or known[key]
        (silenced if is_silenced else reported).append(it)
    for suppression in suppressions.all:
        names = frozenset(used.get(id(suppression), ()))
        without_effect = frozenset(defied.get(id(suppression), ()))
        used_suppression = suppressions.used(suppression, names, without_effect)
        rules = rules_for(used_suppression).local
        reported += run_rules(rules, used_suppression, analysis.failures)
    return reported, silenced


def _naming(group: Sequence[Suppression], rule: Rule) -> Iterator[tuple[Suppression, str]]:
    """Yield the comments that name a rule, with the name that they give it."""
    for suppression in group:
        for name, _ in suppression.comment.names or ():
            if rule in named_rules(name):
                yield suppression, name


def _as_configured(found: Finding, selection: Selection) -> Finding:
    severity = selection.severity(found.rule)
    return found if severity is found.rule.severity else replace(found, configured=severity)


def _in_json(found: Finding, text: str) -> Finding:
    """Return a finding in a data set with its fix as JSON."""
    if found.external is not None:
        return found
    return replace(found, fix=found.fix and json_fix(found.fix, text))
