"""The entries under `judges`, with their places: what rules on judges share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from suitecase.evidence.calibration_file import (
    Calibration,
    CalibrationProblem,
    NoCalibration,
    find_calibration,
)
from suitecase.evidence.governed import GovernedSuite
from suitecase.evidence.named_judges import NamedJudge, configs_of, judges_named
from suitecase.format.protocols import JudgeProtocol
from suitecase.format.workspace import Folder
from suitecase.text.node import Mapping, Node, Scalar, Span
from suitecase_evaluators.grade.evaluator import EvaluatorConfig


@dataclass(frozen=True)
class JudgeEntry:
    """An entry under `judges`.

    Attributes:
        suite: the suite.
        folder: its folder.
        key: the name.
        node: what stands under it.
        protocol: the same as a model.
    """

    suite: GovernedSuite
    folder: Folder
    key: Scalar
    node: Mapping
    protocol: JudgeProtocol

    @property
    def name(self) -> str:
        """The name of the evaluators."""
        return self.key.name

    @cached_property
    def judges(self) -> list[NamedJudge]:
        """The judges of that name."""
        return judges_named(self.suite.suite, self.name)

    @property
    def configs(self) -> list[EvaluatorConfig]:
        """The judges as they grade, apart from files that are not read."""
        return configs_of(self.suite.suite, self.judges)

    @property
    def calibration(self) -> Calibration | CalibrationProblem | NoCalibration:
        """The calibration."""
        return find_calibration(self.name, self.protocol.calibration, self.folder)

    def value(self, key: str) -> Node | None:
        """Return the value of a key."""
        return self.node.get(key)

    def span(self, key: str) -> Span:
        """Return the place in the file of the value of a key, or of the name without one."""
        value = self.node.get(key)
        if value is None:
            return self.suite.head_span(self.key.span)
        if isinstance(value, Scalar):
            return self.suite.head_span(value.span)
        found = self.node.key(key)
        return self.suite.head_span((found or self.key).span)


def judge_entries(suite: GovernedSuite, folder: Folder) -> Iterator[JudgeEntry]:
    """Yield the entries under `judges`; none if the file does not have the head, or it has errors."""
    node, model = suite.under("judges"), suite.model
    if node is None or model is None or not suite.has_head:
        return
    for name, entry in node:
        protocol = (model.judges or {}).get(name)
        if protocol is not None and isinstance(entry.value, Mapping):
            yield JudgeEntry(suite, folder, entry.key, entry.value, protocol)
