"""What is published: a run, the suite that it is of, and what was measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from suitecase.figures.asked import Asked
from suitecase.figures.figures_file import RunFigures
from suitecase.figures.table import Tables
from suitecase.format.protocols import Governance
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.effective_suite import EffectiveSuite
from suitecase.formats.suitecase.model import SuiteHead
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.formats.suitecase.resolve import resolve
from suitecase.report.results_file import Run
from suitecase.run.blocking_findings import SuiteErrors, suite_errors
from suitecase.text.node import Mapping as MappingNode
from suitecase.text.node import Span
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.record_file import RecordFile


@dataclass(frozen=True, kw_only=True)
class Release:
    """A run of a suite that is to be published.

    Attributes:
        suite: the suite as it is now, or a data set with its sidecar.
        path: its path.
        folder: its folder.
        asked: the suite, as far as figures depend on it.
        run: the answers to it.
        tables: the same as tables.
        figures: the figures of the run, and what is decided about the gates.
        baseline: the answers of an earlier run; None if there is none to compare with.
        baseline_tables: the same as tables.
    """

    suite: ParsedSuite
    path: Path
    folder: Folder
    asked: Asked
    run: Run
    tables: Tables
    figures: RunFigures
    baseline: Run | None = None
    baseline_tables: Tables | None = None

    @property
    def head(self) -> SuiteHead:
        """The head of the suite, which `asked` is made of, so that it has no errors."""
        head = self.suite.head.model
        if head is None:
            raise ValueError(f"{self.path} has errors in its head")
        return head

    @property
    def governance(self) -> Governance:
        """What the suite says about its governance; empty if it says nothing."""
        return self.head.governance or Governance()

    @property
    def version(self) -> str | None:
        """The version of the suite as text."""
        version = self.head.version
        return None if version is None else str(version).strip() or None

    @property
    def name(self) -> str:
        """The suite and its version, such as `support 2026.2`."""
        return " ".join(filter(None, (self.asked.dataset, self.version)))

    @property
    def head_file(self) -> Path:
        """The file that has the head: the suite, or the sidecar of a data set."""
        return self.asked.head_file or self.path

    @cached_property
    def moments(self) -> tuple[str, str] | None:
        """When the first and the last answer was graded, as records have it; None if unknown."""
        known = sorted(answer.timestamp for answer in self.run.answers if answer.timestamp)
        return (known[0], known[-1]) if known else None

    @cached_property
    def errors(self) -> SuiteErrors:
        """The errors of the suite that `suitecase check` reports, but for what this machine lacks."""
        return suite_errors(
            self.suite, self.path, self.folder, lambda finding: not finding.environment
        )

    @cached_property
    def effective(self) -> EffectiveSuite:
        """The suite as it is graded, without the cases that have errors."""
        cases = enumerate(self.suite.cases)
        sound = [it for it, case in cases if case.model and it not in self.errors.by_case]
        return resolve(self.suite, self.path, self.folder, only=sound)

    @cached_property
    def case_ids(self) -> Mapping[int, str]:
        """The ids of cases by their numbers."""
        return {number: case.id.text for number, case in enumerate(self.suite.cases) if case.id}

    def line_of(self, *keys: str) -> int | None:
        """Return the line of a key of the head, such as of `judges`, `rubric`; None if it has none.

        Of a key that is missing, the line of the last one that is there.
        """
        node, span = self.suite.head.node, None
        for key in keys:
            entry = node.entries.get(key) if node is not None else None
            if entry is None:
                break
            span = entry.key.span
            node = entry.value if isinstance(entry.value, MappingNode) else None
        return None if span is None else self.suite.head_line(span)

    def line_of_case(self, number: int) -> int:
        """Return the line of a case, from 1."""
        case = self.suite.cases[number]
        span = case.id.span if case.id is not None else Span(0, 0)
        return self.suite.line(number, span)


def answers_to(asked: Asked, run: Run, records: Sequence[ResultRecord]) -> Run:
    """Return the part of a run that answers a suite."""
    suites = {record.suite for record in records}
    if suites == {asked.suite_path} or len(suites) < 2:
        return run
    from suitecase_evaluators.answers.records.tally import Tally

    own = _chosen(records, lambda it: it.suite == asked.suite_path or it.dataset == asked.dataset)
    return replace(run, answers=own, tally=Tally.of(own))


def _chosen(
    records: Sequence[ResultRecord], is_chosen: Callable[[ResultRecord], bool]
) -> Sequence[ResultRecord]:
    if not isinstance(records, RecordFile):
        return tuple(filter(is_chosen, records))
    both = zip(records.offsets, records, strict=True)
    return RecordFile(records.path, [offset for offset, it in both if is_chosen(it)])
