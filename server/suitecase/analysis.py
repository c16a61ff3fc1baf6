"""A suite to its findings: the one entry for the command line, the language server and the runner.

What they report is therefore the same.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, get_args

from suitecase.rule import Edit, Finding, Fix, Related, Rule, Severity
from suitecase.rules import all_rules
from suitecase.suite.workspace import Folder
from suitecase.suite.written import WrittenCase, WrittenHead, WrittenSuite
from suitecase.syntax.document import Piece
from suitecase.syntax.node import Span


@dataclass(frozen=True, slots=True)
class ReportedFinding:
    """A finding with its rule; all places count from the start of the document."""

    rule: Rule
    span: Span
    message: str
    fix: Fix | None
    related: tuple[Related, ...]

    @property
    def code(self) -> str:
        return self.rule.code

    @property
    def severity(self) -> Severity:
        return self.rule.severity


@dataclass(frozen=True, slots=True)
class RuleFailure:
    """A rule that raised: a bug of ours. The other rules went on."""

    rule: Rule
    trace: str


@dataclass(slots=True)
class Analysis:
    """What was found in a suite, in the order of its text."""

    findings: list[ReportedFinding]
    failures: list[RuleFailure] = field(default_factory=list)

    @property
    def has_errors(self) -> bool:
        return any(it.severity is Severity.ERROR for it in self.findings)


def analyze(suite: WrittenSuite, folder: Folder) -> Analysis:
    """Run every rule on a suite.

    What rules found in a case without looking at other files is kept with the case's text, so
    that an unchanged case is not checked again.

    Args:
        suite: the suite as it is written.
        folder: where it lies, for the rules that look at other files.
    """
    analysis = Analysis([])
    document = suite.document
    found: list[ReportedFinding] = []
    for whole in (document, suite):
        found += _run_on(analysis, whole, None)
    parts: list[tuple[Piece, WrittenHead | WrittenCase]] = [
        (document.head, suite.head),
        *zip(document.cases, suite.cases, strict=True),
    ]
    for piece, part in parts:
        for it in (*_alone(analysis, part), *_with_files(analysis, part, folder)):
            found.append(_placed(it, piece))
    unique = {(it.span, it.code, it.message): _mendable(it, document.text) for it in found}
    analysis.findings = sorted(unique.values(), key=lambda it: (it.span, it.code))
    return analysis


def _alone(analysis: Analysis, part: WrittenHead | WrittenCase) -> Iterable[ReportedFinding]:
    """Return what is found in a part by looking at it alone, from memory if it was seen before."""
    memo = part.content.memo
    if "findings" not in memo:
        failures = len(analysis.failures)
        found = [it for subject in _subjects(part) for it in _run_on(analysis, subject, None)]
        if len(analysis.failures) > failures:
            return found
        memo["findings"] = found
    kept: list[ReportedFinding] = memo["findings"]
    return kept


def _with_files(
    analysis: Analysis, part: WrittenHead | WrittenCase, folder: Folder
) -> Iterator[ReportedFinding]:
    here = replace(folder, source=part.source)
    for subject in _subjects(part):
        yield from _run_on(analysis, subject, here)


def _subjects(part: WrittenHead | WrittenCase) -> list[Any]:
    """Return what rules look at in a part; nothing in one whose text did not parse."""
    if part.content.broken:
        return []
    if "subjects" not in part.content.memo:
        part.content.memo["subjects"] = [part, *part.elements()]
    subjects: list[Any] = part.content.memo["subjects"]
    return subjects


def _run_on(analysis: Analysis, subject: Any, folder: Folder | None) -> Iterator[ReportedFinding]:
    kind: type = type(subject)
    for rule in _rules_for(kind, reads_files=folder is not None):
        yield from _findings(analysis, rule, subject, folder)


def _findings(
    analysis: Analysis, rule: Rule, subject: object, folder: Folder | None
) -> Iterator[ReportedFinding]:
    if any(it.rule is rule for it in analysis.failures):
        return
    try:
        made: list[Finding] = list(
            rule.check(subject) if folder is None else rule.check(subject, folder)
        )
    except Exception:  # noqa: BLE001 - one broken rule must not silence the others
        analysis.failures.append(RuleFailure(rule, traceback.format_exc()))
        return
    for it in made:
        yield ReportedFinding(rule, it.span, it.message, it.fix, it.related)


@cache
def _rules_for(subject: type, *, reads_files: bool) -> tuple[Rule, ...]:
    return tuple(
        rule
        for rule in all_rules()
        if rule.reads_files == reads_files
        and subject in (get_args(rule.subject) or (rule.subject,))
    )


def _mendable(found: ReportedFinding, text: str) -> ReportedFinding:
    """Return a finding without its fix where that would write over an alias.

    What an alias stands for, often much more than what was found, is written elsewhere.
    """
    edits = found.fix.edits if found.fix else ()
    if any(text.startswith("*", edit.span.start) for edit in edits):
        return replace(found, fix=None)
    return found


def _placed(found: ReportedFinding, piece: Piece) -> ReportedFinding:
    """Return a finding of a part with its places in the document."""
    if piece.start == 0 and piece.gap_at is None:
        return found
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
