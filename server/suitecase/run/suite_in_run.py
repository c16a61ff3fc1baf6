"""What grading needs of the suite of a run, beside the cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from suitecase.format.workspace import Folder
    from suitecase.formats.suitecase.effective_suite import EffectiveSuite
    from suitecase.run.human_labels import PeoplesScores


class SuiteInRun(Protocol):
    """What grading needs of the suite of a run, beside the case."""

    @property
    def suite(self) -> EffectiveSuite:
        """The suite; its cases are not needed."""
        ...

    @property
    def folder(self) -> Folder:
        """The folder of the suite, whose files are read."""
        ...

    @property
    def people(self) -> PeoplesScores:
        """What people's labels of answers come to."""
        ...
