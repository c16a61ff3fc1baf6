"""Errors of a suite, and the cases that they keep from running.

An error in one case does not affect the others. Errors are those that `suitecase check` reports.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from suitecase.checking.analysis import Analysis
from suitecase.checking.check import check
from suitecase.checking.rule_runner import RuleFailure
from suitecase.checking.rules.evaluator_lists import own_list
from suitecase.format.dataset_files import sidecar_of
from suitecase.format.rule import Finding, Severity
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_sidecar
from suitecase.run.protocol import Failed
from suitecase.text.node import Span, at

#: An error as in `protocol.Refused`.
ReportedError = dict[str, Any]


@dataclass(slots=True)
class SuiteErrors:
    """The errors of a suite.

    Attributes:
        all: all errors, in the order of `suitecase check`.
        by_case: for the number of each case, the errors that keep it from running.
        failures: the rules that failed.
    """

    all: list[ReportedError] = field(default_factory=list)
    by_case: dict[int, list[ReportedError]] = field(default_factory=lambda: defaultdict(list))
    failures: list[RuleFailure] = field(default_factory=list)
    #: The ids of the error objects that report something missing on this machine.
    _environment: set[int] = field(default_factory=set)

    def add(self, error: ReportedError, cases: Iterable[int], *, environment: bool) -> None:
        """Add an error that keeps some cases from running."""
        self.all.append(error)
        if environment:
            self._environment.add(id(error))
        for number in cases:
            self.by_case[number].append(error)

    def only_environment(self, errors: Iterable[ReportedError]) -> bool:
        """Whether all errors report something missing here, rather than a mistake in the suite."""
        return all(id(error) in self._environment for error in errors)

    def of(self, cases: Iterable[int]) -> list[ReportedError]:
        """Return the errors of some cases, without duplicates."""
        identities = {id(it) for number in cases for it in self.by_case.get(number, ())}
        return [it for it in self.all if id(it) in identities]


#: Whether an error counts in a run.
Counts = Callable[[Finding], bool]


def of_release(found: Finding) -> bool:
    """Whether a finding keeps nothing from running, only the suite from being published."""
    return found.rule.affects == "release"


def suite_errors(
    suite: ParsedSuite, path: Path, folder: Folder, counts: Counts = lambda it: not of_release(it)
) -> SuiteErrors:
    """Return the errors of a suite and of the files it references.

    Args:
        suite: the parsed suite.
        path: its path.
        folder: its folder.
        counts: whether an error counts; by default all do that are not only about a release.
    """
    errors = SuiteErrors()
    _add(errors, suite, suite, path, folder, counts)
    sidecar = sidecar_of(path) if suite.sidecar is not None else None
    if sidecar is not None and suite.sidecar is not None and suite.head.model is not None:
        # The head of a data set is a file of its own.
        head = parse_sidecar(suite.sidecar.text)
        _add(errors, suite, head, sidecar, folder, counts)
    return errors


def _add(
    errors: SuiteErrors,
    suite: ParsedSuite,
    part: ParsedSuite,
    path: Path,
    folder: Folder,
    counts: Counts,
) -> None:
    """Add the errors of a suite's file, or of its sidecar."""
    analysis = check(part, folder, path)
    errors.failures += analysis.failures
    inheriting = _Inheriting(suite, part.document.head.absolute)
    for file, of_file in ((path, analysis), *analysis.external.items()):
        for finding in of_file.findings:
            if finding.severity is not Severity.ERROR or not counts(finding):
                continue
            cases = _affected(finding, analysis, suite, part, inheriting)
            errors.add(
                reported_error(finding, file, of_file), cases, environment=finding.environment
            )


def failure_of(failures: Iterable[RuleFailure]) -> Failed | None:
    """Return why a suite cannot be run if a rule failed that may have found errors."""
    for failure in failures:
        if failure.rule.severity is Severity.ERROR:
            return Failed(
                message=f"the rule {failure.rule.name} failed, so the suite may have errors that "
                "were not found",
                kind="bug",
                trace=failure.trace,
            )
    return None


def messages(reported: Iterable[ReportedError]) -> str:
    """Return the distinct messages of errors, joined."""
    return "; ".join(dict.fromkeys(it["message"] for it in reported))


def reported_error(finding: Finding, file: Path, analysis: Analysis) -> ReportedError:
    """Return a finding as `protocol.Refused` has errors."""
    place = analysis.place(finding.span)
    return {
        "file": str(file),
        "line": place.line,
        "column": place.column,
        "code": finding.code,
        "message": finding.message,
    }


def _affected(
    finding: Finding,
    analysis: Analysis,
    suite: ParsedSuite,
    part: ParsedSuite,
    inheriting: _Inheriting,
) -> Iterable[int]:
    """Return the numbers of the cases that an error keeps from running."""
    everyone = range(len(suite.cases))
    if finding.cases is not None and part is suite:
        return finding.cases
    if finding.rule.affects in ("run", "release"):
        return ()
    if finding.rule.affects == "suite":
        return everyone
    spans = [finding.span]
    if finding.external is not None:
        spans = analysis.references[finding.external.path, finding.span, finding.code]
    elif finding.rule.affects == "related":
        spans += [it.span for it in finding.related if it.path is None]
    cases: set[int] = set()
    for span in spans:
        number = part.document.case_at(span.start)
        if number is not None:
            cases.add(number)
            continue
        inherited = inheriting.cases(span)
        if inherited is None:
            return everyone
        cases |= inherited
    return cases


class _Inheriting:
    """The cases that inherit a part of the head.

    Args:
        suite: the suite.
        placed: maps a span of the head to its file.
    """

    def __init__(self, suite: ParsedSuite, placed: Callable[[Span], Span]) -> None:
        self._suite = suite
        self._placed = placed
        self._known: dict[str, frozenset[int]] = {}

    def cases(self, span: Span) -> frozenset[int] | None:
        """Return the cases that inherit a place of the head; None for all of them."""
        head = self._suite.head
        if head.model is None or head.node is None:
            return None
        for name, inherits in (("evaluators", self._graded), ("target", self._asked)):
            node, _, taken = at(head.node, ("execution", name))
            place = self._placed(node.span)
            if taken == 2 and place.start <= span.start < place.end:
                if name not in self._known:
                    numbers = range(len(self._suite.cases))
                    self._known[name] = frozenset(filter(inherits, numbers))
                return self._known[name]
        return None

    def _graded(self, number: int) -> bool:
        own = own_list(self._suite.cases[number])
        return own is None or self._suite.appended_to(number)

    def _asked(self, number: int) -> bool:
        case = self._suite.cases[number].model
        return case is None or case.execution is None or not case.execution.target
