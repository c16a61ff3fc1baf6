"""What figures have to know of a suite: its cases, gates, slices and metrics.

Made where a suite has been read; plain data, so that a worker can hand it on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from suitecase.suite.gates.meaning import EvaluatorNames, FigureNames
from suitecase.suite.gates.slices import CaseFacts, facts_of, group_of
from suitecase.suite.model import GateEntry, Intervals, Slice, SuiteHead
from suitecase.suite.parsed import ParsedSuite
from suitecase.suite.resolve import EffectiveCase, EffectiveSuite, resolve
from suitecase.suite.workspace import Folder
from suitecase.syntax.node import Mapping as MappingNode
from suitecase.syntax.node import Sequence
from suitecase_evaluators.evaluator import EvaluatorConfig
from suitecase_evaluators.records.case_version import case_hash

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class AskedCase:
    """A case of today's suite.

    Attributes:
        evaluators: what grades it, each with its parts (None if they are not known); None if the case
            has errors, so that this is not known.
        group: the case is resampled together with those of the same group.
        hash: of its text, as records have it.
    """

    facts: CaseFacts
    line: int
    evaluators: Mapping[str, frozenset[str] | None] | None = None
    group: str | None = None
    hash: str | None = None
    target: str | None = None


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
    #: The file with the gates: the suite, or the sidecar of a data set.
    head_path: str | None = None

    @property
    def names(self) -> FigureNames:
        """The names of its figures. Of an evaluator's labels only records tell."""
        parts: dict[str, frozenset[str]] = {}
        for case in self.cases.values():
            for name, own in (case.evaluators or {}).items():
                parts[name] = parts.get(name, frozenset()) | (own or frozenset())
        evaluators = {name: EvaluatorNames(own) for name, own in parts.items()}
        return FigureNames(evaluators, frozenset(self.metrics))

    @property
    def safety_slices(self) -> frozenset[str]:
        """The names of the slices in which a failing gate fails the run whatever its level is."""
        return frozenset(name for name, it in self.slices.items() if it.safety)


def asked_of(parsed: ParsedSuite, path: Path, folder: Folder) -> Asked:
    """Return what figures have to know of a suite.

    Raises:
        UnsoundSuiteError: its head has errors.
    """
    sound = [number for number, case in enumerate(parsed.cases) if case.model is not None]
    suite = resolve(parsed, path, folder, only=sound)
    groups = (suite.head.intervals or Intervals()).groups
    by_number = dict(zip(sound, suite.cases, strict=True))
    cases: dict[str, AskedCase] = {}
    for number, case in enumerate(parsed.cases):
        facts = facts_of(case)
        if not facts.id or facts.id in cases:
            continue
        effective = by_number.get(number)
        if effective is None:
            line = parsed.line(number, case.node.span) if case.node is not None else 1
            cases[facts.id] = AskedCase(facts, line, group=group_of(groups, facts))
        else:
            cases[facts.id] = _asked_case(effective, facts, groups)
    return _with_head(suite, cases, _gate_lines(parsed), path, folder)


def _asked_case(case: EffectiveCase, facts: CaseFacts, groups: str) -> AskedCase:
    return AskedCase(
        facts,
        case.line,
        {it.config.name: _parts(it.config) for it in case.evaluators},
        group_of(groups, facts),
        case_hash(case.text),
        case.target,
    )


def _with_head(
    suite: EffectiveSuite,
    cases: Mapping[str, AskedCase],
    lines: Mapping[int, int],
    path: Path,
    folder: Folder,
) -> Asked:
    head = suite.head
    return Asked(
        suite_path=folder.shown(path),
        dataset=suite.dataset,
        cases=cases,
        gates=tuple(_gates(head, lines)),
        slices=head.slices or {},
        metrics=head.metrics or {},
        intervals=head.intervals or Intervals(),
    )


def _gates(head: SuiteHead, lines: Mapping[int, int]) -> Iterator[AskedGate]:
    for number, entry in enumerate(head.gates or ()):
        if isinstance(entry, GateEntry):
            yield AskedGate(entry.gate, entry.level, entry.why, lines.get(number))
        else:
            yield AskedGate(entry, line=lines.get(number))


def _gate_lines(parsed: ParsedSuite) -> dict[int, int]:
    node = parsed.head.node
    listed = node.get("gates") if isinstance(node, MappingNode) else None
    if not isinstance(listed, Sequence):
        return {}
    return {number: parsed.head_line(it.span) for number, it in enumerate(listed.items)}


def _parts(config: EvaluatorConfig) -> frozenset[str] | None:
    """Return the rubrics or members of an evaluator; None for one whose parts are its own business."""
    rubrics = getattr(config, "rubrics", None)
    members = getattr(config, "evaluators", None)
    if isinstance(members, list):
        return frozenset(it.name for it in members if isinstance(it, EvaluatorConfig))
    if isinstance(rubrics, list):
        return frozenset(it.id for it in rubrics if getattr(it, "id", None))
    return None
