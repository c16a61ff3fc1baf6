"""One run that was begun in the editor: what was asked for, and what has come of it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from lsprotocol import types

from suitecase.ide.results import CaseResult, grading_hash
from suitecase.ide.verdicts import worded
from suitecase.lsp.documents import OpenDocument
from suitecase.suite.written import WrittenSuite
from suitecase_evaluators.score import Verdict


@dataclass(slots=True, eq=False)
class Run:
    """A run of cases of a document.

    Attributes:
        id: tells runs apart; the client may have chosen it.
        suite: the document as it was when the run began.
        cases: the ids of the cases, in the order they are run.
        problem: why nothing was run, or why the run broke off.
        is_outside: it is not the suite that is wrong: a key is missing, a host is down.
        place: the file, and the line and column from 1, that the problem is about.
        severity: how grave the problem is.
        shown: whether the client shows how it goes on.
    """

    id: str
    document: OpenDocument
    suite: WrittenSuite
    cases: tuple[str, ...]
    results: list[CaseResult] = field(default_factory=list)
    source: Path | None = None
    problem: str | None = None
    is_outside: bool = False
    place: tuple[str, int, int] | None = None
    severity: types.MessageType = types.MessageType.Error
    cancelled: bool = False
    shown: bool = False
    _begun: dict[str, float] = field(default_factory=dict)

    def grading(self, case: str) -> str | None:
        """Return the `grading_hash` of a case as it was when the run began."""
        number = self.suite.case_named(case)
        return grading_hash(self.suite, number) if number is not None else None

    def begin(self, case: str) -> None:
        """Note that a case is being asked from now on."""
        self._begun[case] = time.monotonic()

    def took_ms(self, case: str) -> float | None:
        """Return how long a case took until now, in milliseconds; None where it was never begun."""
        begun = self._begun.get(case)
        return None if begun is None else round((time.monotonic() - begun) * 1000, 1)

    def answer(self) -> dict[str, Any]:
        """Return what the command answers."""
        return {
            "runId": self.id,
            "cases": [
                {"id": it.case, "verdict": it.verdict.value, "score": it.score}
                for it in self.results
            ],
            "cancelled": self.cancelled,
            "problem": self.problem,
        }

    def summary(self) -> str:
        """Return how it went, in a sentence."""
        if self.problem is not None:
            return self.problem
        if self.cancelled:
            return f"cancelled after {len(self.results)} of {len(self.cases)} cases"
        if len(self.results) == 1:
            (only,) = self.results
            return f"{only.case}: {worded(only)}"
        counted = Counter(it.verdict.value.replace("_", " ") for it in self.results)
        each = ", ".join(f"{count} {verdict}" for verdict, count in counted.items())
        return f"{len(self.results)} cases: {each}"

    def broken(self) -> str | None:
        """Return what to say of cases that could not be graded, once for all of them."""
        errors = Counter(
            it.error or it.reasoning for it in self.results if it.verdict is Verdict.ERROR
        )
        if not errors:
            return None
        ((first, _),) = errors.most_common(1)
        many = errors.total()
        if len(self.results) == 1:
            return f"{self.results[0].case} could not be graded: {first}"
        others = len(errors) - 1
        also = f" (and {others} other {'reason' if others == 1 else 'reasons'})" if others else ""
        return f"{many} of {len(self.results)} cases could not be graded: {first}{also}"


class RunListener(Protocol):
    """Who is told how a run goes on."""

    def queued(self, run: Run) -> None:
        """The suite is sound, and the run's cases will be asked."""

    def started(self, run: Run, case: str) -> None:
        """A case is being asked."""

    def finished(self, run: Run, result: CaseResult) -> None:
        """A case is graded."""

    def over(self, run: Run) -> None:
        """Nothing more comes of the run."""


def refused(findings: Sequence[Mapping[str, Any]]) -> str:
    """Return what to say of a suite that has errors: how many, and where the first is."""
    many = len(findings)
    errors = "an error" if many == 1 else f"{many} errors"
    first = ""
    if findings:
        it = findings[0]
        place = f"{Path(it['file']).name}, line {it['line']}"
        first = f" {'It' if many == 1 else 'The first'} is in {place}: {it['message']}."
    return f"Nothing was run: the suite has {errors}.{first}"
