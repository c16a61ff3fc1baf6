"""A suite to its findings: the one entry for the command line, the language server and the runner.

What they report is therefore the same.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from suitecase.json_fixes import json_fix
from suitecase.rule import Edit, Elsewhere, Finding, Fix, Related, Rule, Severity
from suitecase.rules import rule_named
from suitecase.rules.dispatch import rules_for
from suitecase.rules.naming import named_rules
from suitecase.selection import ALWAYS, Choice, Selection, selection_for
from suitecase.suite.configuration import WrittenConfiguration, find_configuration
from suitecase.suite.suppression import Suppressions
from suitecase.suite.target_files import WrittenTargets
from suitecase.suite.workspace import Folder
from suitecase.suite.written import WrittenCase, WrittenHead, WrittenSuite
from suitecase.syntax.document import Piece
from suitecase.syntax.node import Span

Part = WrittenHead | WrittenCase | WrittenTargets


@dataclass(frozen=True, slots=True)
class ReportedFinding:
    """A finding with its rule; all places count from the start of the document."""

    rule: Rule
    span: Span
    message: str
    fix: Fix | None
    related: tuple[Related, ...]
    #: How bad the configuration says it is; None where it says nothing.
    configured: Severity | None = None
    #: The other file that all places count in; None for the document itself.
    elsewhere: Elsewhere | None = None

    @property
    def code(self) -> str:
        return self.rule.code

    @property
    def severity(self) -> Severity:
        return self.configured or self.rule.severity

    def __reduce__(self) -> tuple[Any, ...]:
        # A rule's function cannot be pickled: its name stands for the rule.
        rest = (self.span, self.message, self.fix, self.related, self.configured, self.elsewhere)
        return _with_rule, (ReportedFinding, self.rule.code, *rest)


@dataclass(frozen=True, slots=True)
class RuleFailure:
    """A rule that raised: a bug of ours. The other rules went on."""

    rule: Rule
    trace: str

    def __reduce__(self) -> tuple[Any, ...]:
        return _with_rule, (RuleFailure, self.rule.code, self.trace)


def _with_rule(kind: Any, code: str, *rest: Any) -> Any:
    return kind(rule_named(code), *rest)


@dataclass(slots=True)
class Analysis:
    """What was found in a suite, in the order of its text.

    `elsewhere` is what was found in other files that the suite names, each in the order of its
    text: what is wrong with a file, once however often it is named. `silenced` is what the configuration or a comment keeps from being reported. An error among it
    may still keep the suite from being graded.
    """

    findings: list[ReportedFinding]
    failures: list[RuleFailure] = field(default_factory=list)
    silenced: list[ReportedFinding] = field(default_factory=list)
    elsewhere: dict[Path, list[ReportedFinding]] = field(default_factory=dict)

    @property
    def has_errors(self) -> bool:
        return any(it.severity is Severity.ERROR for it in self.everything)

    @property
    def everything(self) -> list[ReportedFinding]:
        """What was found in the suite, and behind it what was found in other files."""
        return [*self.findings, *(it for found in self.elsewhere.values() for it in found)]


def analyze(
    suite: WrittenSuite | WrittenTargets,
    folder: Folder,
    path: Path | None = None,
    *,
    choice: Choice = Choice(),  # noqa: B008 - frozen
) -> Analysis:
    """Run every rule on a suite or a targets file, and report what its configuration and its comments let through.

    What rules found in a case without looking at other files is kept with the case's text, so
    that an unchanged case is not checked again.

    Args:
        suite: the file as it is written: a suite, a data set, its sidecar or a targets file.
        folder: where it lies, for the rules that look at other files, and for the configuration.
        path: the suite's file, for what the configuration ignores by file.
        choice: what a command line asks for beside the configuration.
    """
    analysis = Analysis([])
    document = suite.document
    found: list[ReportedFinding] = []
    for whole in (document, suite):
        found += _run(analysis, rules_for(whole).alone, whole)
    if isinstance(suite, WrittenSuite):
        found += _run(analysis, rules_for(suite).beside, suite, folder)
    for piece, part in _parts(suite):
        for it in (*_alone(analysis, part), *_with_files(analysis, part, folder)):
            found.append(_placed(it, piece))
    if isinstance(suite, WrittenSuite) and suite.kind == "dataset":
        found = [_in_json(it, document.text) for it in found]
    unique = {
        (it.span, it.code, it.message, it.elsewhere): _mendable(it, document.text) for it in found
    }
    findings, silenced = _uncommented(analysis, Suppressions(document), list(unique.values()))
    configuration = find_configuration(folder.workspace, folder.path) if choice.configured else None
    selection = selection_for(configuration, path, choice)
    others: dict[Path, list[ReportedFinding]] = {}
    for it in sorted(findings, key=lambda it: (it.span, it.code)):
        if it.elsewhere is not None:
            others.setdefault(it.elsewhere.path, []).append(it)
        elif selection.holds(it.rule):
            analysis.findings.append(_as_configured(it, selection))
        else:
            silenced.append(it)
    for other in sorted(others):
        named = [_named_at(it, path) for it in others[other]]
        held, left_out = _in_other_file(other, named, folder, choice)
        if held:
            analysis.elsewhere[other] = held
        silenced += left_out
    analysis.silenced = sorted(silenced, key=lambda it: (it.span, it.code))
    return analysis


def merged(found: Iterable[ReportedFinding]) -> list[ReportedFinding]:
    """Return what several parts or suites find in one file: each once, in the order of its text.

    Where a rule says different things of a place, for the file is used in different ways, one with
    a fix counts, and of equals the same whatever their order.
    """
    kept: dict[tuple[Span, str], ReportedFinding] = {}
    for it in sorted(found, key=lambda it: (it.span, it.code, it.fix is None, it.message)):
        kept.setdefault((it.span, it.code), it)
    return list(kept.values())


def _named_at(found: ReportedFinding, suite: Path | None) -> ReportedFinding:
    """Return a finding in another file with the place that names the file."""
    if found.elsewhere is None or suite is None:
        return found
    named = Related("named here", found.elsewhere.named, suite)
    return replace(found, related=(*found.related, named))


def _in_other_file(
    path: Path, found: list[ReportedFinding], folder: Folder, choice: Choice
) -> tuple[list[ReportedFinding], list[ReportedFinding]]:
    """Part the findings in another file by what its own configuration says of it."""
    workspace = folder.workspace
    configuration = find_configuration(workspace, path.parent) if choice.configured else None
    selection = selection_for(configuration, path, choice)
    kept = merged(found)
    held = [_as_configured(it, selection) for it in kept if selection.holds(it.rule)]
    return held, [it for it in kept if not selection.holds(it.rule)]


def _parts(suite: WrittenSuite | WrittenTargets) -> list[tuple[Piece, Part]]:
    """Return the parts of a file that are checked one by one, each with its piece of the text."""
    document = suite.document
    if isinstance(suite, WrittenTargets):
        return [(document.head, suite)]
    # The head of a data set is another file, with findings of its own.
    head = [] if suite.kind == "dataset" else [(document.head, suite.head)]
    return [*head, *zip(document.cases, suite.cases, strict=True)]


def analyze_configuration(configuration: WrittenConfiguration) -> Analysis:
    """Return what is wrong with a configuration, in the order of its text."""
    analysis = Analysis([])
    found = _run(analysis, rules_for(configuration).alone, configuration)
    analysis.findings = sorted(found, key=lambda it: (it.span, it.code))
    return analysis


def _uncommented(
    analysis: Analysis, suppressions: Suppressions, found: list[ReportedFinding]
) -> tuple[list[ReportedFinding], list[ReportedFinding]]:
    """Part findings into those reported and those a comment silences; add what is wrong with it.

    A comment counts as used whatever the configuration selects, so that a comment does not come
    and go with an option.
    """
    if not suppressions:
        return found, []
    reported: list[ReportedFinding] = []
    silenced: list[ReportedFinding] = []
    used: dict[int, set[str]] = {}
    for it in found:
        is_silenced = False
        place = it.elsewhere.named if it.elsewhere else it.span
        around = [] if it.rule.name in ALWAYS else suppressions.silencing(place.start)
        for suppression in around:
            for name, _ in suppression.comment.names or ():
                if it.rule in named_rules(name):
                    used.setdefault(id(suppression), set()).add(name)
                    is_silenced = True
        (silenced if is_silenced else reported).append(it)
    for suppression in suppressions.all:
        names = frozenset(used.get(id(suppression), ()))
        used_suppression = suppressions.used(suppression, names)
        reported += _run(analysis, rules_for(used_suppression).alone, used_suppression)
    return reported, silenced


def _as_configured(found: ReportedFinding, selection: Selection) -> ReportedFinding:
    severity = selection.severity(found.rule)
    return found if severity is found.rule.severity else replace(found, configured=severity)


def _alone(analysis: Analysis, part: Part) -> Iterable[ReportedFinding]:
    """Return what is found in a part by looking at it alone, from memory if it was seen before."""
    memo = part.content.memo
    if "findings" not in memo:
        failures = len(analysis.failures)
        found: list[ReportedFinding] = []
        for subject in _subjects(part):
            found += _run(analysis, rules_for(subject).alone, subject)
        if len(analysis.failures) > failures:
            return found
        memo["findings"] = found
    kept: list[ReportedFinding] = memo["findings"]
    return kept


def _with_files(analysis: Analysis, part: Part, folder: Folder) -> list[ReportedFinding]:
    """Return what is found in a part by looking at other files; never from memory."""
    memo = part.content.memo
    if "with files" not in memo:
        memo["with files"] = [
            (subject, rules) for subject in _subjects(part) if (rules := rules_for(subject).beside)
        ]
    here = Folder(folder.workspace, folder.path, part.source)
    found: list[ReportedFinding] = []
    for subject, rules in memo["with files"]:
        found += _run(analysis, rules, subject, here)
    return found


def _subjects(part: Part) -> list[Any]:
    """Return what rules look at in a part; nothing in one whose text did not parse."""
    if part.content.broken:
        return []
    if "subjects" not in part.content.memo:
        part.content.memo["subjects"] = [part, *part.elements()]
    subjects: list[Any] = part.content.memo["subjects"]
    return subjects


def _run(
    analysis: Analysis, rules: Iterable[Rule], subject: Any, folder: Folder | None = None
) -> list[ReportedFinding]:
    """Return what rules find in a subject, those that look at other files from its folder."""
    found: list[ReportedFinding] = []
    for rule in rules:
        if analysis.failures and any(it.rule is rule for it in analysis.failures):
            continue
        try:
            check = rule.check(subject) if folder is None else rule.check(subject, folder)
            made: list[Finding] = list(check)
        except Exception:  # noqa: BLE001 - one broken rule must not silence the others
            analysis.failures.append(RuleFailure(rule, traceback.format_exc()))
            continue
        if made:
            found += [
                ReportedFinding(
                    rule, it.span, it.message, it.fix, it.related, elsewhere=it.elsewhere
                )
                for it in made
            ]
    return found


def _mendable(found: ReportedFinding, text: str) -> ReportedFinding:
    """Return a finding without its fix where that would write over an alias.

    What an alias stands for, often much more than what was found, is written elsewhere.
    """
    edits = found.fix.edits if found.fix and not found.elsewhere else ()
    if any(text.startswith("*", edit.span.start) for edit in edits):
        return replace(found, fix=None)
    return found


def _in_json(found: ReportedFinding, text: str) -> ReportedFinding:
    """Return a finding in a data set with its fix as JSON."""
    if found.elsewhere is not None:
        return found
    return replace(found, fix=found.fix and json_fix(found.fix, text))


def _placed(found: ReportedFinding, piece: Piece) -> ReportedFinding:
    """Return a finding of a part with its places in the document."""
    if piece.start == 0 and piece.gap_at is None:
        return found
    if found.elsewhere is not None:
        named = piece.absolute(found.elsewhere.named)
        return replace(found, elsewhere=Elsewhere(found.elsewhere.path, named))
    fix = found.fix and Fix(
        found.fix.title,
        tuple(Edit(piece.absolute(it.span), it.text) for it in found.fix.edits),
        found.fix.safe,
    )
    related = tuple(
        it if it.path is not None else Related(it.message, piece.absolute(it.span))
        for it in found.related
    )
    return ReportedFinding(found.rule, piece.absolute(found.span), found.message, fix, related)
