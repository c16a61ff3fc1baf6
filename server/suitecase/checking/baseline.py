"""Filtering findings by a baseline, the same on the command line and in the editor."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from suitecase.checking.options import CheckOptions
from suitecase.format.baseline_file import Baseline, Fingerprint, configured_baseline
from suitecase.format.configuration import ParsedConfiguration
from suitecase.format.dialect import DialectFile
from suitecase.format.rule import Finding
from suitecase.format.workspace import Workspace
from suitecase.format.workspace_secrets import line_without_secrets, written_secrets
from suitecase.formats.suitecase.parsed import ParsedSuite, case_id_text
from suitecase.text.lines import Lines

if TYPE_CHECKING:
    from suitecase_evaluators.targets.redactor import Redactor


@dataclass(frozen=True, slots=True)
class CheckedText:
    """A text with the data that findings in it are matched by.

    `file` is its path as in baselines. `ids` has the start and the id of each case, in the order of
    the text. `secrets` is what `written_secrets` returns for it.
    """

    file: str
    lines: Lines
    ids: tuple[tuple[int, str], ...] = ()
    secrets: Redactor | None = None

    def case(self, offset: int) -> str:
        """Return the id of the case at an offset; empty outside of cases."""
        number = bisect_right(self.ids, offset, key=lambda entry: entry[0]) - 1
        return self.ids[number][1] if number >= 0 else ""

    def fingerprint(self, finding: Finding) -> Fingerprint:
        """Return the fingerprint of a finding, which does not depend on the lines around it.

        Baselines are committed, so it has no secret of the file.
        """
        number, _ = self.lines.position(finding.span.start)
        shown = self.lines.text(number)
        if self.secrets is not None:
            shown = line_without_secrets(self.lines, number, self.secrets)
        line = " ".join(shown.split())
        return Fingerprint(
            self.file, finding.code, self.case(finding.span.start), line or finding.message
        )


@dataclass(frozen=True, slots=True)
class BaselineInUse:
    """A baseline, and the folder that the files in it are relative to."""

    baseline: Baseline
    root: Path

    def name_of(self, path: Path) -> str:
        """Return the path of a file as in the baseline."""
        return (path.relative_to(self.root) if path.is_relative_to(self.root) else path).as_posix()


def baseline_in(
    workspace: Workspace, configuration: ParsedConfiguration | None, options: CheckOptions
) -> BaselineInUse | None:
    """Return the baseline for files of a configuration; the caller's takes precedence."""
    if options.baseline is not None:
        return BaselineInUse(options.baseline, workspace.root)
    if configuration is None or not options.use_baseline:
        return None
    configured = configured_baseline(configuration, workspace)
    return BaselineInUse(configured.baseline, configured.root) if configured is not None else None


@dataclass(frozen=True, slots=True)
class BaselineSplit:
    """New findings and those in the baseline; `matched` counts the matches of each entry."""

    new: list[Finding] = field(default_factory=list)
    known: list[Finding] = field(default_factory=list)
    matched: Counter[Fingerprint] = field(default_factory=Counter)


def split_by_baseline(
    found: Iterable[Finding],
    in_use: BaselineInUse,
    path: Path,
    lines: Lines,
    suite: ParsedSuite | DialectFile | None = None,
) -> BaselineSplit:
    """Split the findings of a file: each entry of the baseline matches as often as its count.

    An error that cannot be suppressed is always new.

    Args:
        found: the findings.
        in_use: the baseline.
        path: the file.
        lines: its text.
        suite: the file as a suite, if it is one: findings are matched by their cases.
    """
    split = BaselineSplit()
    file = in_use.name_of(path)
    if file not in in_use.baseline.files:
        split.new.extend(found)
        return split
    ids = tuple(ids_of(suite)) if suite is not None else ()
    secrets = written_secrets(
        lines, suite.document.head.content.text if suite is not None else None
    )
    text = CheckedText(file, lines, ids, secrets)
    for finding in found:
        if finding.rule.cannot_be_silenced:
            split.new.append(finding)
            continue
        fingerprint = text.fingerprint(finding)
        if split.matched[fingerprint] < in_use.baseline.counts[fingerprint]:
            split.matched[fingerprint] += 1
            split.known.append(finding)
        else:
            split.new.append(finding)
    return split


def ids_of(suite: ParsedSuite | DialectFile) -> Iterator[tuple[int, str]]:
    """Yield the start and the id of each case."""
    document = suite.document
    if isinstance(suite, ParsedSuite):
        ids = dict(suite.case_index.where(case_id_text))
        names: Iterable[str] = (ids.get(number, "") for number in range(len(suite.cases)))
    else:
        names = suite.case_names()
    if document.segmented:
        yield from zip(document.cases.starts, names, strict=True)
        return
    for piece, name in zip(document.cases, names, strict=True):
        yield piece.start if piece.node is None else piece.node.start, name
