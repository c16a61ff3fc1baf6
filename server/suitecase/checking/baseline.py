"""Leaving out what a baseline knows: the same for the command line and for the editor."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from suitecase.checking.analysis import ReportedFinding
from suitecase.suite.known_findings import Fingerprint, Known, find_baseline
from suitecase.suite.workspace import Workspace
from suitecase.suite.written import WrittenSuite
from suitecase.syntax.lines import Lines


@dataclass(frozen=True, slots=True)
class CheckedText:
    """What findings in a text are recognized by.

    `file` is its path as baselines have it. `ids` has where each case starts, with its id, in the
    order of the text.
    """

    file: str
    lines: Lines
    ids: tuple[tuple[int, str], ...] = ()

    def case(self, offset: int) -> str:
        """Return the id of the case that an offset lies in; empty outside of one."""
        number = bisect_right(self.ids, offset, key=lambda it: it[0]) - 1
        return self.ids[number][1] if number >= 0 else ""

    def fingerprint(self, finding: ReportedFinding) -> Fingerprint:
        """Return what a finding is recognized by when the lines around it change."""
        line = " ".join(self.lines.text(self.lines.position(finding.span.start)[0]).split())
        return Fingerprint(
            self.file, finding.code, self.case(finding.span.start), line or finding.message
        )


@dataclass(frozen=True, slots=True)
class Parted:
    """Findings that are new and those that are known; `met` counts how often each entry was met."""

    new: list[ReportedFinding] = field(default_factory=list)
    known: list[ReportedFinding] = field(default_factory=list)
    met: Counter[Fingerprint] = field(default_factory=Counter)


def parted(found: Iterable[ReportedFinding], known: Known, text: CheckedText) -> Parted:
    """Part the findings of a text: each entry of the baseline is met as often as it counts.

    An error that cannot be silenced is new each time.
    """
    made = Parted()
    if text.file not in known.files:
        made.new.extend(found)
        return made
    for it in found:
        if it.rule.cannot_be_silenced:
            made.new.append(it)
            continue
        fingerprint = text.fingerprint(it)
        if made.met[fingerprint] < known.counts[fingerprint]:
            made.met[fingerprint] += 1
            made.known.append(it)
        else:
            made.new.append(it)
    return made


def without_known(
    found: Iterable[ReportedFinding],
    path: Path,
    lines: Lines,
    workspace: Workspace,
    suite: WrittenSuite | None = None,
) -> list[ReportedFinding]:
    """Return findings in a file that the baseline of its folder does not know.

    Args:
        found: what was found.
        path: the file.
        lines: its text.
        workspace: reads the configuration and the baseline.
        suite: the file as a suite, if it is one: findings are recognized by their cases.
    """
    findings = list(found)
    baseline = find_baseline(workspace, path.parent) if findings else None
    if baseline is None:
        return findings
    file = Path(os.path.relpath(path, baseline.root)).as_posix()
    if file not in baseline.known.files:
        return findings
    ids = tuple(ids_of(suite)) if suite is not None else ()
    return parted(findings, baseline.known, CheckedText(file, lines, ids)).new


def ids_of(suite: WrittenSuite) -> Iterator[tuple[int, str]]:
    """Yield where each case starts, with its id."""
    document = suite.document
    for piece, case in zip(document.cases, suite.cases, strict=True):
        start = piece.start
        if not document.segmented and piece.node is not None:
            start = piece.node.start
        yield start, case.id.text if case.id is not None else ""
