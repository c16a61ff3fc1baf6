"""A suite of another tool as a run needs it: cases, targets, and what cannot be run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from suitecase.suite.dialect import DialectFile
from suitecase.suite.effective_suite import EffectiveCase, EffectiveSuite
from suitecase.suite.target_files import ParsedTargets
from suitecase.suite.workspace import Folder
from suitecase.syntax.node import Span

#: What stands where errors have the code of their rule.
NOT_RUNNABLE = "not-runnable"


@dataclass(frozen=True, slots=True)
class NotRunnable:
    """Why something in a suite cannot be run here, and where it stands.

    Attributes:
        message: why, for people.
        path: the file.
        span: the place in it.
        target: what cannot be asked, where it is only about that; other targets can be.
        is_replaced: whether `--target` stands in for that target.
    """

    message: str
    path: Path
    span: Span
    target: str | None = None
    is_replaced: bool = False


@dataclass(frozen=True, slots=True)
class RunnableTest:
    """A test, with a case for each of its rows.

    Attributes:
        name: what it is called; selects all of its cases.
        path: the file that it stands in.
        span: its place there; None of the test of a suite that has none.
        cases: the cases.
        problems: why it cannot be run; it has no cases then.
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
        targets: what answers and what judges, by name.
        tests: yields the tests, which are resolved one by one.
        problems: what keeps all of it from being run.
        repeats: how often each case is asked.
        notes: what is different from a run by the other tool, for people.
        others: targets that the suite does not name, and that judge or stand in for those it names.
    """

    suite: EffectiveSuite
    targets: ParsedTargets
    tests: Iterator[RunnableTest]
    problems: tuple[NotRunnable, ...] = ()
    repeats: int = 1
    notes: tuple[str, ...] = ()
    others: ParsedTargets | None = None


class MakesRunnable(Protocol):
    """What a format has in `running/suite.py` if its suites can be run."""

    def runnable_suite(
        self, file: DialectFile, path: Path, folder: Folder, environ: Mapping[str, str]
    ) -> RunnableSuite | None:
        """Return a file as a suite that can be run; None if it is only a part of one.

        Nothing is executed, and no file outside of the workspace is read.

        Args:
            file: the file.
            path: its path.
            folder: its folder.
            environ: the environment that templates are filled in from.
        """
        ...
