"""What a check found in a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from suitecase.checking.findings import Findings
from suitecase.checking.rule_runner import RuleFailure
from suitecase.format.baseline_file import Fingerprint
from suitecase.format.rule import Finding, Rule, Severity
from suitecase.text.lines import Lines, Place
from suitecase.text.node import Span

_SEVERITIES = tuple(Severity)


@dataclass(slots=True)
class Analysis:
    """The findings of a file, in the order of its text.

    Attributes:
        findings: the reported findings.
        failures: the rules that raised, which are bugs.
        silenced: the findings that the configuration or a comment suppresses, which never
            prevent a case from being graded.
        known: the findings in the baseline.
        matched: how often each entry of the baseline was found.
        external: the findings in other files that the file names, each file once.
        references: where the file names another one, by that file, and the place and code of each
            finding in it.
        lines: the text, which the places of findings are offsets in.
        fail_level: the severity from which on the check fails; None if it never fails.
    """

    findings: Sequence[Finding]
    failures: list[RuleFailure] = field(default_factory=list)
    silenced: Sequence[Finding] = field(default_factory=list)
    known: list[Finding] = field(default_factory=list)
    matched: Counter[Fingerprint] = field(default_factory=Counter)
    external: dict[Path, Analysis] = field(default_factory=dict)
    references: dict[tuple[Path, Span, str], list[Span]] = field(default_factory=dict)
    lines: Lines = field(default_factory=lambda: Lines(""))
    fail_level: Severity | None = Severity.ERROR

    def place(self, span: Span) -> Place:
        """Return the lines and columns of a stretch of the text."""
        return self.lines.place(span)

    def touching(self, span: Span) -> list[Finding]:
        """Return the findings that touch a stretch of the text."""
        if isinstance(self.findings, Findings):
            return self.findings.touching(span)
        return Findings(self.findings).touching(span)

    def count(self, severity: Severity) -> int:
        if isinstance(self.findings, Findings):
            return self.findings.of_severity(severity)
        return sum(finding.severity is severity for finding in self.findings)

    @property
    def has_errors(self) -> bool:
        return any(it.severity is Severity.ERROR for it in self.everything)

    @property
    def everything(self) -> list[Finding]:
        """The findings reported in the file, followed by those in other files."""
        others = (finding for other in self.external.values() for finding in other.findings)
        return [*self.findings, *others]

    @property
    def rules(self) -> set[Rule]:
        """The rules with findings in the file, and in others that it names."""
        listed = (self.findings, *(it.findings for it in self.external.values()))
        return {
            found.rule
            for findings in listed
            for found in (findings.each() if isinstance(findings, Findings) else findings)
        }

    def fails_for(self, finding: Finding) -> bool:
        """Whether the check fails for a finding."""
        level = self.fail_level
        return level is not None and _SEVERITIES.index(finding.severity) <= _SEVERITIES.index(level)

    @property
    def fails(self) -> bool:
        """Whether the check fails because of findings in the file, or in a file that it names."""
        return any(map(self.fails_for, self.findings)) or any(
            external.fails for external in self.external.values()
        )

    @property
    def external_findings(self) -> dict[Path, list[Finding]]:
        """The findings in other files, in a baseline or not.

        Several files may have findings in the same one: `check_external` merges them.
        """
        return {path: [*it.findings, *it.known] for path, it in self.external.items()}
