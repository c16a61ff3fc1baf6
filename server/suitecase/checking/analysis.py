"""What a check found in a file."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from suitecase.checking.rule_runner import RuleFailure
from suitecase.rule import Finding, Severity
from suitecase.suite.baseline_file import Fingerprint
from suitecase.syntax.lines import Lines, Place
from suitecase.syntax.node import Span

_SEVERITIES = tuple(Severity)


@dataclass(slots=True)
class Analysis:
    """What was found in a file, in the order of its text.

    Attributes:
        findings: what is reported.
        failures: the rules that broke, which are bugs of ours.
        silenced: what the configuration or a comment keeps from being reported; it keeps nothing
            from being graded.
        known: what the baseline keeps from being reported.
        matched: how often each entry of the baseline was found.
        external: what was found in other files that the file names: what is wrong with a file,
            once however often it is named.
        references: where the file names another one, by that file, and the place and code of each
            finding in it.
        lines: the text, which the places of findings are offsets in.
        fail_level: how bad a finding has to be for the check to fail; None where none is.
    """

    findings: list[Finding]
    failures: list[RuleFailure] = field(default_factory=list)
    silenced: list[Finding] = field(default_factory=list)
    known: list[Finding] = field(default_factory=list)
    matched: Counter[Fingerprint] = field(default_factory=Counter)
    external: dict[Path, Analysis] = field(default_factory=dict)
    references: dict[tuple[Path, Span, str], list[Span]] = field(default_factory=dict)
    lines: Lines = field(default_factory=lambda: Lines(""))
    fail_level: Severity | None = Severity.ERROR

    def place(self, span: Span) -> Place:
        """Return where a stretch of the text stands."""
        return self.lines.place(span)

    def count(self, severity: Severity) -> int:
        return sum(it.severity is severity for it in self.findings)

    @property
    def has_errors(self) -> bool:
        return any(it.severity is Severity.ERROR for it in self.everything)

    @property
    def everything(self) -> list[Finding]:
        """What is reported in the file, and behind it what is reported in other files."""
        others = (it for other in self.external.values() for it in other.findings)
        return [*self.findings, *others]

    def fails_for(self, finding: Finding) -> bool:
        """Whether the check fails for a finding."""
        level = self.fail_level
        return level is not None and _SEVERITIES.index(finding.severity) <= _SEVERITIES.index(level)

    @property
    def fails(self) -> bool:
        """Whether the check fails for what is reported in the file, or in one that it names."""
        return any(map(self.fails_for, self.findings)) or any(
            external.fails for external in self.external.values()
        )

    @property
    def external_findings(self) -> dict[Path, list[Finding]]:
        """What was found in other files, known to a baseline or not.

        Several files may say something of one: `check_external` brings it together.
        """
        return {path: [*it.findings, *it.known] for path, it in self.external.items()}
