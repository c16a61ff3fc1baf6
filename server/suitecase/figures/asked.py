"""What figures have to know of a suite: its cases, gates, slices and metrics.

Made where a suite has been read; plain data, so that a worker can hand it on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from suitecase.checking.rules.target_usage import target_of
from suitecase.evidence.reading_calibrations import calibrated_judges
from suitecase.evidence.reading_labels import peoples_ratings
from suitecase.figures.file_data import CalibratedJudge, PeoplesRatings
from suitecase.figures.gates.meaning import EvaluatorNames, FigureNames
from suitecase.figures.gates.names import suite_figures
from suitecase.figures.gates.slices import CaseFacts, facts_of, group_of
from suitecase.format.dataset_files import DATASET, sidecar_of
from suitecase.format.figure_keys import GateEntry, Intervals, Slice
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.effective_suite import UnsoundSuiteError
from suitecase.formats.suitecase.model import SuiteHead
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.formats.suitecase.resolve import case_text, dataset_name
from suitecase.text.node import Sequence
from suitecase_evaluators.answers.records.case_version import case_hash

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class AskedCase:
    """A case of today's suite.

    Attributes:
        evaluators: what grades it; None for one that has errors, or if the case cannot be read.
        group: the case is resampled together with those of the same group.
        hash: of its text, as records have it.
        rows: of another tool's suite, the targets and prompts that it is asked with.
    """

    facts: CaseFacts
    line: int
    evaluators: Mapping[str, EvaluatorNames | None] | None = None
    group: str | None = None
    hash: str | None = None
    target: str | None = None
    rows: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True, slots=True)
class AskedGate:
    """A gate as it is written in the suite."""

    text: str
    level: Level = "error"
    why: str | None = None
    #: From 1, in the file of the head; None if it is not known.
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A suite, as far as its figures depend on it."""

    #: Relative to the root of the workspace, as records have it.
    suite_path: str
    dataset: str
    cases: Mapping[str, AskedCase] = field(default_factory=dict)
    gates: tuple[AskedGate, ...] = ()
    slices: Mapping[str, Slice] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)
    intervals: Intervals = field(default_factory=Intervals)
    #: How often each case is to be asked.
    repeats: int = 1
    names: FigureNames = field(default_factory=FigureNames)
    #: What the labels under `human` and the calibrations under `judges` say, by name.
    people: Mapping[str, PeoplesRatings] = field(default_factory=dict)
    judges: Mapping[str, CalibratedJudge] = field(default_factory=dict)
    #: The file with the gates: the suite, or the sidecar of a data set.
    head_file: Path | None = None

    @property
    def safety_slices(self) -> frozenset[str]:
        """The names of the slices in which a failing gate fails the run whatever its level is."""
        return frozenset(name for name, it in self.slices.items() if it.safety)


def asked_of(parsed: ParsedSuite, path: Path, folder: Folder) -> Asked:
    """Return what figures have to know of a suite. Cases may have errors, its head may not.

    Raises:
        UnsoundSuiteError: its head has errors.
    """
    head = parsed.head.model
    if head is None:
        raise UnsoundSuiteError(str(path))
    figures = suite_figures(parsed)
    intervals = head.intervals or Intervals()
    target = target_of(parsed.head)
    cases: dict[str, AskedCase] = {}
    for number, case in enumerate(parsed.cases):
        facts = facts_of(case)
        if facts.id and case.node is not None:
            own = target_of(case) or target
            cases.setdefault(
                facts.id,
                AskedCase(
                    facts,
                    parsed.line(number, case.node.span),
                    figures.evaluators_of(number),
                    group_of(intervals.groups, facts),
                    case_hash(case_text(parsed, number, case.node)),
                    own.text if own is not None else None,
                ),
            )
    return Asked(
        suite_path=folder.shown(path),
        dataset=head.dataset or dataset_name(path),
        cases=cases,
        gates=tuple(_gates(head, _gate_lines(parsed))),
        slices=head.slices or {},
        metrics=head.metrics or {},
        intervals=intervals,
        repeats=(head.execution.repeats if head.execution is not None else None) or 1,
        names=figures.names,
        people=peoples_ratings(parsed, folder),
        judges=calibrated_judges(parsed, path, folder),
        head_file=(sidecar_of(path) if path.name.endswith(DATASET) else None) or path,
    )


def _gates(head: SuiteHead, lines: Mapping[int, int]) -> Iterator[AskedGate]:
    for number, entry in enumerate(head.gates or ()):
        if isinstance(entry, GateEntry):
            yield AskedGate(entry.gate, entry.level, entry.why, lines.get(number))
        else:
            yield AskedGate(entry, line=lines.get(number))


def _gate_lines(parsed: ParsedSuite) -> dict[int, int]:
    node = parsed.head.node
    listed = node.get("gates") if node is not None else None
    if not isinstance(listed, Sequence):
        return {}
    return {number: parsed.head_line(it.span) for number, it in enumerate(listed.items)}
