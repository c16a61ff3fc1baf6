"""The findings of a file, for output in any format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from suitecase.checking.analysis import Analysis
from suitecase.checking.baseline import CheckedText
from suitecase.cli import EXIT_USAGE
from suitecase.cli.shown_paths import shown_path
from suitecase.format.baseline_file import Fingerprint
from suitecase.format.rule import Finding, Fix, Related, Severity
from suitecase.format.workspace_secrets import secrets_in
from suitecase.text.lines import Lines, Place
from suitecase.text.node import Span

if TYPE_CHECKING:
    from suitecase_evaluators.targets.redactor import Redactor


@dataclass(frozen=True, slots=True)
class FileFindings:
    """A checked file. `shown` is its path as it is printed: relative to the working directory.

    `is_suite` is False for what belongs to suites: targets files, the sidecars of data sets, and
    configurations. `file` is its path from the root of its workspace, `path` the whole of it. `ids` has
    where each case starts, with its id, in the order of the text, if something was found.
    """

    shown: str
    cases: int
    analysis: Analysis
    is_suite: bool = True
    file: str = ""
    path: Path | None = None
    #: The root of its workspace; None for a configuration, which no baseline holds for.
    root: Path | None = None
    ids: tuple[tuple[int, str], ...] = ()
    #: Whether it configures targets, whose keys are not shown.
    configures: bool = False
    #: What it is, of a file that is not certain to be of a format that is read; nothing of it was checked.
    unread: str = ""
    #: How many fixes were made, by the code of their rule, the text afterwards (None if nothing changed),
    #: and the text that was read.
    fixed: Counter[str] = field(default_factory=Counter)
    text: str | None = None
    before: str | None = None
    #: What was found in files it names. `names` has its prompt and label files, each with its path from
    #: the root of the workspace, as far as someone asks for them.
    others: tuple[FileFindings, ...] = ()
    names: Mapping[Path, str] = field(default_factory=dict)
    #: The lines of other files that findings have to do with.
    beside: Mapping[Path, Lines] = field(default_factory=dict)

    @property
    def lines(self) -> Lines:
        return self.analysis.lines

    def place(self, span: Span) -> Place:
        return self.analysis.place(span)

    def related_place(self, related: Related) -> tuple[str, Place | None]:
        """Return the file, as it is printed, and the place a finding has to do with.

        The place is None where it lies in a file that was not read here.
        """
        if related.path is None:
            return self.shown, self.place(related.span)
        lines = self.beside.get(related.path)
        return shown_path(related.path), lines.place(related.span) if lines else None

    def count(self, severity: Severity) -> int:
        return self.analysis.count(severity)

    @property
    def findings(self) -> Sequence[Finding]:
        return self.analysis.findings

    @property
    def fails(self) -> bool:
        """Whether the check fails because of these findings."""
        return self.analysis.fails

    @property
    def secrets(self) -> Redactor | None:
        """What removes the keys that stand in it; None if it configures no targets."""
        return secrets_in(str(self.lines)) if self.configures else None

    def fix_to_show(self, finding: Finding) -> Fix | None:
        """Return the fix of a finding for programs; None if what it writes has a secret of the file."""
        fix = finding.fix
        if fix is None:
            return None
        secrets = self.secrets
        hidden = secrets is not None and any(secrets.spans(edit.text) for edit in fix.edits)
        return None if hidden else fix

    @property
    def text_checked(self) -> CheckedText:
        """What its findings are recognized by."""
        return CheckedText(self.file or self.shown, self.lines, self.ids, self.secrets)

    def case(self, offset: int) -> str:
        """Return the id of the case at an offset; empty outside of cases."""
        return self.text_checked.case(offset)

    def fingerprint(self, finding: Finding) -> Fingerprint:
        """Return what a finding is recognized by when the lines around it change."""
        return self.text_checked.fingerprint(finding)


#: The message for a file that could not be written.
NOT_FIXED = "was not fixed"


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that could not be checked or written, and why; `what` says which, after its name.

    `shown` is its path as it is printed, and `path` the whole of it, where it was found. `code` is the
    exit code.
    """

    shown: str
    reason: str
    what: str = "cannot be checked"
    path: Path | None = None
    code: int = EXIT_USAGE

    @property
    def message(self) -> str:
        """What is said about the file after its name."""
        return f"{self.what}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Report:
    """The findings of all files. `unread` has the files that could not be checked or written."""

    files: Sequence[FileFindings]
    unread: Sequence[Unread] = ()

    @property
    def suites(self) -> int:
        return sum(file.is_suite for file in self.files)

    @property
    def cases(self) -> int:
        return sum(file.cases for file in self.files)

    def count(self, severity: Severity) -> int:
        return sum(file.count(severity) for file in self.files)
