"""The finding that says how many others of a file are not shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lsprotocol import types

from suitecase.format.rule import Severity
from suitecase.text.shell_words import shell_word

#: Its code, and its source.
CODE, SOURCE = "more-findings", "suitecase"
_NAMES = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "info"}
_START = types.Range(types.Position(0, 0), types.Position(0, 0))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What is not shown in a file.

    Attributes:
        findings: how many findings, by severity.
        cases: how many cases with results to be looked at.
    """

    findings: Mapping[Severity, int] = field(default_factory=dict)
    cases: int = 0

    def __bool__(self) -> bool:
        return bool(self.findings or self.cases)

    def diagnostic(self, path: Path | None, root: Path, limit: int) -> types.Diagnostic:
        """Return what says so.

        Args:
            path: the file.
            root: the root of its workspace, in which commands are started.
            limit: the value of the setting.
        """
        parts: list[str] = []
        if self.findings:
            total = sum(self.findings.values())
            parts.append(
                f"{_counted(total, 'more finding')} in this file {_is(total)} not shown: "
                f"{_listed(self.findings)}. {_command(path, root)} prints all of them."
            )
        if self.cases:
            parts.append(
                f"The results of {_counted(self.cases, 'more case')} are not shown: "
                "the report of the run has all of them."
            )
        parts.append(
            f"The setting `diagnostics.limit` ({limit:,}) says how many an editor shows of a file; "
            "errors come first, then what is nearest the cursor."
        )
        return types.Diagnostic(
            range=_START,
            severity=types.DiagnosticSeverity.Information,
            code=CODE,
            source=SOURCE,
            message=" ".join(parts),
        )


def _listed(findings: Mapping[Severity, int]) -> str:
    counts = [_counted(findings[name], _NAMES[name]) for name in _NAMES if findings.get(name)]
    return " and ".join([", ".join(counts[:-1]), counts[-1]] if len(counts) > 1 else counts)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def _command(path: Path | None, root: Path) -> str:
    if path is None:
        return "`suitecase check`"
    shown = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
    return f"`suitecase check {shell_word(shown)}`"
