"""A suite of another tool, prepared for a run: its cases, its targets, and what cannot be run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from suitecase.format.dialect import DialectFile
from suitecase.format.target_files import ParsedTargets
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.effective_suite import EffectiveCase, EffectiveSuite
from suitecase.text.node import Span
from suitecase_evaluators.targets.config.target import TargetConfig

#: The code of these problems, where findings have the code of their rule.
NOT_RUNNABLE = "not-runnable"


@dataclass(frozen=True, slots=True)
class NotRunnable:
    """Why something in a suite cannot be run here, and where it is.

    Attributes:
        message: the reason, for users.
        path: the file.
        span: the place in it.
        target: the target that cannot be called; None if the problem concerns more than one target.
        is_replaced: whether `--target` stands in for that target.
        part: the part of the file that has the problem, if any error that the check finds there is the same
            mistake.
    """

    message: str
    path: Path
    span: Span
    target: str | None = None
    is_replaced: bool = False
    part: Span | None = None


@dataclass(frozen=True, slots=True)
class RunnableTest:
    """A test, with a case for each of its rows.

    Attributes:
        name: its name, which selects all of its cases.
        path: the file that it is in.
        span: its place there; None for the implicit test of a suite without tests.
        cases: the cases.
        problems: why it cannot be run, in which case it has no cases.
    """

    name: str
    path: Path
    span: Span | None
    cases: tuple[EffectiveCase, ...]
    problems: tuple[NotRunnable, ...] = ()


@dataclass(frozen=True, slots=True)
class RunnableSuite:
    """A suite that can be run.

    Attributes:
        suite: the suite, without its cases.
        targets: the targets and judges, by name.
        tests: yields the tests, which are resolved one by one.
        problems: why the suite as a whole, or one of its targets, cannot be run.
        repeats: how often each case is run.
        notes: what differs from a run by the other tool, for users.
        sent_variables: the variables of the environment in texts that are sent.
        others: targets that the suite does not define, which judge or replace some that it does.
    """

    suite: EffectiveSuite
    targets: ParsedTargets
    tests: Iterator[RunnableTest]
    problems: tuple[NotRunnable, ...] = ()
    repeats: int = 1
    notes: tuple[str, ...] = ()
    sent_variables: tuple[str, ...] = ()
    others: ParsedTargets | None = None


class MakesRunnable(Protocol):
    """The interface of `running/suite.py` in formats whose suites can be run."""

    def runnable_suite(
        self,
        file: DialectFile,
        path: Path,
        folder: Folder,
        environ: Mapping[str, str],
        instead: TargetConfig | None = None,
    ) -> RunnableSuite | None:
        """Return a file as a suite that can be run; None if it is only part of one.

        Nothing is executed, and no file outside the workspace is read.

        Args:
            file: the file.
            path: its path.
            folder: its folder.
            environ: the environment that templates read variables from.
            instead: what answers in place of all targets of the suite, and grades where it names no grader.
        """
        ...
