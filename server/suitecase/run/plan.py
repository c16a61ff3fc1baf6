"""The plan of a run: the cases to run, and what is known about them before it starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from suitecase.format.configuration import ParsedConfiguration
from suitecase.format.target_files import ParsedTargets
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.effective_suite import EffectiveSuite
from suitecase.run.case_store import Cases
from suitecase.run.human_labels import PeoplesScores
from suitecase.run.previous_results import FailedCases
from suitecase.run.protocol import CaseNotRun

if TYPE_CHECKING:
    from suitecase.figures.asked import Asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The sound cases of a suite, and those of them to run."""

    suite: EffectiveSuite
    #: All sound cases of the suite, which are read when they are needed.
    sound: Cases
    #: Those of them to run.
    cases: Cases
    #: How the cases were selected, for users; None for all cases or a list of ids.
    choice: str | None
    #: The previous failures, if the selection uses them.
    failed: FailedCases | None = None
    folder: Folder
    targets: ParsedTargets | None
    configuration: ParsedConfiguration | None = None
    #: The number of repeats if the request does not set it.
    repeats: int = 1
    #: The variables of the environment in texts that are sent.
    sent_variables: tuple[str, ...] = ()
    #: Notes for users before the run starts.
    notes: tuple[str, ...] = ()
    #: The selected cases that are not run, and why.
    not_run: tuple[CaseNotRun, ...] = ()
    #: What the figures of the suite are measured by; None if it names none.
    asked: Asked | None = None
    #: What people's labels of answers come to.
    people: PeoplesScores = field(default_factory=PeoplesScores)
    #: The number of cases in the suite, selected or not, with and without errors.
    all_cases: int = 0
    #: The test of each row, for a suite of another tool.
    tests: Mapping[str, str] = field(default_factory=dict)

    @property
    def ids(self) -> Sequence[str]:
        return self.cases.ids
