"""Leaving out what a baseline knows: the same for the command line and for the editor."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from suitecase.rule import Finding
from suitecase.suite.baseline_file import Baseline, Fingerprint, find_baseline
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

    def fingerprint(self, finding: Finding) -> Fingerprint:
        """Return what a finding is recognized by when the lines around it change."""
        line = " ".join(self.lines.text(self.lines.position(finding.span.start)[0]).split())
        return Fingerprint(
            self.file, finding.code, self.case(finding.span.start), line or finding.message
        )


@dataclass(frozen=True, slots=True)
class BaselineSplit:
    """Findings that are new and those that are known; `matched` counts how often each entry was."""

    new: list[Finding] = field(default_factory=list)
    known: list[Finding] = field(default_factory=list)
    matched: Counter[Fingerprint] = field(default_factory=Counter)


def split_by_baseline(
    found: Iterable[Finding], baseline: Baseline, text: CheckedText
) -> BaselineSplit:
    """Part the findings of a text: each entry of the baseline is met as often as it counts.

    An error that cannot be silenced is new each time.
    """
    split = BaselineSplit()
    if text.file not in baseline.files:
        split.new.extend(found)
        return split
    for it in found:
        if it.rule.cannot_be_silenced:
            split.new.append(it)
            continue
        fingerprint = text.fingerprint(it)
        if split.matched[fingerprint] < baseline.counts[fingerprint]:
            split.matched[fingerprint] += 1
            split.known.append(it)
        else:
            split.new.append(it)
    return split


def filter_baseline(
    found: Iterable[Finding],
    path: Path,
    lines: Lines,
    workspace: Workspace,
    suite: WrittenSuite | None = None,
) -> list[Finding]:
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
    if file not in baseline.baseline.files:
        return findings
    ids = tuple(ids_of(suite)) if suite is not None else ()
    return split_by_baseline(findings, baseline.baseline, CheckedText(file, lines, ids)).new


def ids_of(suite: WrittenSuite) -> Iterator[tuple[int, str]]:
    """Yield where each case starts, with its id."""
    document = suite.document
    for piece, case in zip(document.cases, suite.cases, strict=True):
        start = piece.start
        if not document.segmented and piece.node is not None:
            start = piece.node.start
        yield start, case.id.text if case.id is not None else ""
