"""Checking one file, and mending it: what `suitecase check` does for each, in this process or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from suitecase.analysis import Analysis, analyze
from suitecase.baseline import Fingerprint, Known
from suitecase.cli.findings import FileFindings, shown_path
from suitecase.rule import Severity
from suitecase.selection import Choice
from suitecase.suite.configuration import find_configuration
from suitecase.suite.reading import read_file
from suitecase.suite.workspace import Folder, Unreadable, Workspace, read_text
from suitecase.suite.written import WrittenSuite


@dataclass(frozen=True, slots=True)
class Job:
    """A file to check. `text` is what it holds where that does not come from the disk."""

    path: Path
    root: Path
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that could not be checked, or not be written, and why."""

    shown: str
    reason: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for, of each file alike."""

    choice: Choice = field(default_factory=Choice)
    mend: Literal["no", "write", "diff"] = "no"
    unsafe: bool = False
    fail_level: str | None = None
    known: Known | None = None


@dataclass(slots=True)
class FileChecker:
    """Checks files. What one needs of its workspace is kept for the next."""

    asked: Asked
    _workspaces: dict[Path, Workspace] = field(default_factory=dict)

    def workspace(self, root: Path) -> Workspace:
        return self._workspaces.setdefault(root, Workspace(root))

    def check(self, job: Job) -> FileFindings | Unread:
        """Check a file, and mend it where that is asked for; never raises for what it holds."""
        text = job.text if job.text is not None else read_text(job.path)
        if isinstance(text, Unreadable):
            return Unread(shown_path(job.path), text.reason)
        if self.asked.mend == "no":
            return self._found(job, text)
        from suitecase.fixing import fix_text

        found: dict[str, FileFindings] = {}

        def analyzed(text: str) -> Analysis:
            found[text] = self._found(job, text)
            return found[text].analysis

        fixed = fix_text(text, analyzed, unsafe=self.asked.unsafe)
        before, after = found[text], found[fixed.text]
        if fixed.text == text:
            return before
        diff = _diff(text, fixed.text, before.shown)
        if self.asked.mend == "diff":
            return replace(before, fixed=fixed.made, diff=diff)
        if job.text is None:
            from suitecase.cli.writing import write_atomically

            try:
                write_atomically(job.path, fixed.text)
            except OSError as error:
                return Unread(before.shown, f"it cannot be written: {error.strerror or error}")
        return replace(after, fixed=fixed.made, diff=diff, text=fixed.text)

    def _found(self, job: Job, text: str) -> FileFindings:
        workspace = self.workspace(job.root)
        written = read_file(job.path, text, workspace)
        folder = Folder(workspace, job.path.parent)
        analysis = analyze(written, folder, job.path, choice=self.asked.choice)
        document = written.document
        ids: tuple[tuple[int, str], ...] = ()
        if isinstance(written, WrittenSuite) and (analysis.findings or self.asked.known):
            ids = tuple(_ids(written))
        found = FileFindings(
            shown_path(job.path),
            len(document.cases),
            document.lines,
            analysis,
            isinstance(written, WrittenSuite) and written.kind != "sidecar",
            file=_within(job.path, job.root),
            ids=ids,
            fails_at=self._fails_at(workspace, job.path),
        )
        return _without_known(found, self.asked.known) if self.asked.known else found

    def _fails_at(self, workspace: Workspace, path: Path) -> Severity | None:
        level = self.asked.fail_level
        if level is None and self.asked.choice.configured:
            configuration = find_configuration(workspace, path.parent)
            level = configuration.model.fail_level if configuration else None
        if level == "never":
            return None
        return Severity(level) if level else Severity.ERROR


def _ids(suite: WrittenSuite) -> Iterator[tuple[int, str]]:
    """Yield where each case starts, with its id."""
    document = suite.document
    for piece, case in zip(document.cases, suite.cases, strict=True):
        start = piece.start
        if not document.segmented and piece.node is not None:
            start = piece.node.start
        yield start, case.id.text if case.id is not None else ""


def _within(path: Path, root: Path) -> str:
    return (path.relative_to(root) if path.is_relative_to(root) else path).as_posix()


def _without_known(found: FileFindings, known: Known) -> FileFindings:
    """Leave out what the baseline knows, as often as it knows it."""
    met: Counter[Fingerprint] = Counter()
    left = []
    for it in found.findings:
        fingerprint = found.fingerprint(it)
        if met[fingerprint] < known.counts[fingerprint]:
            met[fingerprint] += 1
        else:
            left.append(it)
    number = len(found.findings) - len(left)
    found.analysis.findings = left
    return replace(found, known=number, met=met)


def _diff(before: str, after: str, shown: str) -> str:
    """Return what changed as `patch` and `git apply` read it."""
    from difflib import unified_diff

    from suitecase.syntax.lines import LINE_BREAK

    def lines(text: str) -> list[str]:
        ends = [0, *(it.end() for it in LINE_BREAK.finditer(text))]
        cut = [text[start:end] for start, end in zip(ends, [*ends[1:], len(text)], strict=True)]
        return [it for it in cut if it]

    made = unified_diff(lines(before), lines(after), shown, shown)
    return "".join(
        it if it.endswith(("\n", "\r")) else f"{it}\n\\ No newline at end of file\n" for it in made
    )
