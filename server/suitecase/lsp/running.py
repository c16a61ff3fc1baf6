"""One run that was begun in the editor: what was asked for, and what has come of it."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from lsprotocol import types

from suitecase.ide.results import CaseResult, grading_hash
from suitecase.ide.verdicts import worded
from suitecase.lsp.documents import OpenDocument
from suitecase.run.protocol import CaseNotRun, RunRequest
from suitecase.suite.parsed import ParsedSuite
from suitecase_evaluators.records.tally import Tally
from suitecase_evaluators.score import Verdict

#: How a message begins that says why a run asked nothing.
NOTHING_RUN = "Nothing was run: "


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
        left_out: the cases that are not run while others are, and why; `told_of_left_out` is of how
            many of them the client knows.
        is_refused: none of the cases is run, since they have errors.
        tally: what the records of this run come to.
        request: what the worker is asked to do.
        asking: the cases that have no result yet, and are asked by this run.
        shared: the cases that another run asks already, whose results this one takes.
    """

    id: str
    document: OpenDocument
    suite: ParsedSuite
    cases: tuple[str, ...]
    request: RunRequest
    asking: set[str] = field(default_factory=set)
    shared: tuple[str, ...] = ()
    results: list[CaseResult] = field(default_factory=list)
    source: Path | None = None
    problem: str | None = None
    is_outside: bool = False
    place: tuple[str, int, int] | None = None
    severity: types.MessageType = types.MessageType.Error
    cancelled: bool = False
    shown: bool = False
    left_out: list[CaseNotRun] = field(default_factory=list)
    told_of_left_out: int = 0
    is_refused: bool = False
    tally: Tally = field(default_factory=Tally)
    _begun: dict[str, float] = field(default_factory=dict)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def grading(self, case: str) -> str | None:
        """Return the `grading_hash` of a case as it was when the run began."""
        number = self.suite.case_named(case)
        return grading_hash(self.suite, number) if number is not None else None

    def asks(self, case: str, suite: ParsedSuite, request: RunRequest) -> bool:
        """Whether a case is being asked just as another run would ask it.

        Args:
            case: its id.
            suite: the suite as it is now.
            request: what the other run would ask the worker to do.
        """
        if case not in self.asking or self.cancelled:
            return False
        number = suite.case_named(case)
        grading = grading_hash(suite, number) if number is not None else None
        alike = replace(self.request, text=request.text, cases=request.cases)
        return grading is not None and grading == self.grading(case) and alike == request

    def done(self, case: str | None = None) -> None:
        """Note that a case is not asked any more, or none of them."""
        if case is None:
            self.asking.clear()
        self.asking.discard(case or "")
        self._news.set()

    async def result_of(self, case: str) -> CaseResult | None:
        """Return the result of a case once it is there; None where none comes."""
        while case in self.asking:
            self._news.clear()
            await self._news.wait()
        return next((it for it in self.results if it.case == case), None)

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
            "notRun": [
                {"id": it.case, "line": it.line, "kind": it.kind, "message": reason(it)}
                for it in self.left_out
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
        told = self._verdicts()
        if self.tally.answerers.no_model:
            return f"{told} (no model was called)"
        remark = self.tally.answerers.remark()
        return told if remark is None else f"{told}. {remark}"

    def _verdicts(self) -> str:
        not_run = f"; {len(self.left_out):,} not run" if self.left_out else ""
        if len(self.results) == 1:
            (only,) = self.results
            return f"{only.case}: {worded(only)}{not_run}"
        counted = Counter(it.verdict.value.replace("_", " ") for it in self.results)
        each = ", ".join(f"{count} {verdict}" for verdict, count in counted.items())
        return f"{len(self.results)} cases: {each}{not_run}"

    def told_left_out(self) -> str | None:
        """Return what to say of cases that were not run while others were."""
        if not self.left_out:
            return None
        names = ", ".join(it.case or f"the case on line {it.line}" for it in self.left_out[:3])
        more = f" and {len(self.left_out) - 3:,} more" if len(self.left_out) > 3 else ""
        return f"Not run: {names}{more}. {reason(self.left_out[0])}."

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


def reason(case: CaseNotRun) -> str:
    """Return why a case was not run: the rule and the place of its first error, and what it is."""
    if not case.findings:
        return case.message
    first, *rest = case.findings
    more = f" (and {len(rest)} more)" if rest else ""
    place = f"{Path(first['file']).name}:{first['line']}:{first['column']}"
    return f"{first['code']} at {place}: {first['message']}{more}"


class RunListener(Protocol):
    """Receives the progress of a run."""

    def queued(self, run: Run) -> None:
        """The suite is sound, and the run's cases will be asked."""

    def not_run(self, run: Run, case: CaseNotRun) -> None:
        """A case is left out, and others are run."""

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
        first = (
            f" {'It' if many == 1 else 'The first'} is in {place}: {it['code']} {it['message']}."
        )
    return f"{NOTHING_RUN}the suite has {errors}.{first}"
