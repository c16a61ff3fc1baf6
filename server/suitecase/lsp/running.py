"""The state of one run started in the editor, and its results."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from lsprotocol import types

from suitecase.editor.grading_hashes import grading_of
from suitecase.editor.results import CaseResult, NotRun
from suitecase.editor.runnable_cases import RunnableCases
from suitecase.editor.verdicts import cut, error_of, worded
from suitecase.format.runnable import NOT_RUNNABLE
from suitecase.lsp.documents import OpenDocument
from suitecase.run.protocol import CaseNotRun, RunRequest
from suitecase.text.plural import capitalized
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.status import Status
from suitecase_evaluators.answers.records.tally import Tally

#: The prefix of messages that say why no case was run.
NOTHING_RUN = "Nothing was run: "


@dataclass(slots=True, eq=False)
class Run:
    """A run of cases of a document.

    Attributes:
        id: identifies the run; may be chosen by the client.
        suite: the document at the start of the run.
        cases: the ids of the cases, in run order.
        problem: why no case was run, or why the run was aborted.
        is_outside: whether the problem is outside the suite: a missing key, an unreachable host.
        place: the file, and the line and column from 1, of the problem.
        severity: the severity of the problem.
        shown: whether the client shows its progress.
        left_out: the cases that are not run although others are, and why; `reported_left_out` is how
            many of them were reported to the client.
        is_refused: whether no case is run because of errors in the suite.
        refused_cases: the cases of such a run, and why each is not run.
        reported_reasons: why cases were not run, as far as the client knows.
        tally: the tally of this run's records.
        request: the request to the worker.
        asking: the cases without a result that this run executes.
        shared: the cases that another run already executes, whose results this one reuses.
        tests: the test of each row, for suites of other tools; results are shown by test.
    """

    id: str
    document: OpenDocument
    suite: RunnableCases
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
    reported_left_out: int = 0
    is_refused: bool = False
    refused_cases: list[CaseNotRun] = field(default_factory=list)
    reported_reasons: set[str] = field(default_factory=set)
    tally: Tally = field(default_factory=Tally)
    tests: Mapping[str, str] = field(default_factory=dict)
    _awaited: dict[str, list[str]] = field(default_factory=dict)
    _rows: dict[str, list[CaseResult]] = field(default_factory=dict)
    _begun: dict[str, float] = field(default_factory=dict)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def grading(self, case: str) -> str | None:
        """Return the `grading_hash` of a case at the start of the run."""
        return grading_of(self.suite, case)

    def test_of(self, case: str) -> str:
        """Return the test of a row; a case of a suite of ours is itself."""
        return self.tests.get(case, case)

    def have_rows(self, tests: Mapping[str, str]) -> None:
        """Note the test of each row."""
        self.tests = tests
        for row, test in tests.items():
            self._awaited.setdefault(test, []).append(row)

    def take(self, record: ResultRecord) -> CaseResult | None:
        """Return the result of a case; None for a test until all of its rows are graded."""
        name = self.test_of(record.eval_id)
        graded_at = record.graded_at or datetime.now(UTC)
        result = CaseResult.of_record(
            record, grading=self.grading(name), at=graded_at, source=self.source
        )
        if record.row is None:
            return result
        rows = self._rows.setdefault(name, [])
        rows.append(result)
        awaited = self._awaited.get(name, [])
        if len(rows) < len(awaited):
            return None
        return CaseResult.of_rows(name, sorted(rows, key=lambda it: awaited.index(it.case)))

    def asks(self, case: str, suite: RunnableCases, request: RunRequest) -> bool:
        """Whether a case is being run exactly as another run would run it.

        Args:
            case: its id.
            suite: the current suite.
            request: the other run's request to the worker.
        """
        if case not in self.asking or self.cancelled:
            return False
        grading = grading_of(suite, case)
        request_for_case = replace(self.request, text=request.text, cases=request.cases)
        return grading is not None and grading == self.grading(case) and request_for_case == request

    def done(self, case: str | None = None) -> None:
        """Mark a case, or all of them, as no longer running."""
        if case is None:
            self.asking.clear()
        self.asking.discard(case or "")
        self._news.set()

    async def result_of(self, case: str) -> CaseResult | None:
        """Return the result of a case once there is one; None if there will be none."""
        while case in self.asking:
            self._news.clear()
            await self._news.wait()
        return next((result for result in self.results if result.case == case), None)

    def begin(self, case: str) -> None:
        """Record the start of a case."""
        self._begun.setdefault(case, time.monotonic())

    def took_ms(self, case: str) -> float | None:
        """Return how long a case has taken so far, in milliseconds; None if it has not started."""
        started = self._begun.get(case)
        return None if started is None else round((time.monotonic() - started) * 1000, 1)

    def answer(self) -> dict[str, Any]:
        """Return the result of the command."""
        return {
            "runId": self.id,
            "cases": [
                {"id": result.case, "verdict": result.status.value, "score": result.score}
                for result in self.results
            ],
            "notRun": [
                {"id": it.case, "line": it.line, "kind": it.kind, "message": reason(it)}
                for it in self.left_out
            ],
            "cancelled": self.cancelled,
            "problem": self.problem,
        }

    def summary(self) -> str:
        """Return a one-sentence summary."""
        if self.problem is not None:
            return self.problem
        if self.cancelled:
            return f"Run cancelled after {len(self.results):,} of {self._counted(len(self.cases))}"
        verdicts = self._verdicts()
        if self.left_out:
            verdicts += f"; {len(self.left_out):,} not run"
        return self._with_remark(verdicts)

    def _with_remark(self, verdicts: str) -> str:
        if self.tally.answerers.no_model:
            return f"{verdicts} (no model was called)"
        remark = self.tally.answerers.remark()
        return verdicts if remark is None else f"{verdicts}. {remark}"

    def _counted(self, number: int) -> str:
        noun = self.suite.noun
        return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"

    def _verdicts(self) -> str:
        if len(self.results) == 1:
            (only,) = self.results
            return f"{only.case}: {worded(only)}"
        counted = Counter(result.status for result in self.results)
        each = [status.counted(counted[status]) for status in Status if status in counted]
        return f"{self._counted(len(self.results))}: {', '.join(each)}"

    def left_out_message(self) -> str | None:
        """Return the message about cases that were not run, although others were."""
        if not self.left_out:
            return None
        names = [it.case or f"the case on line {it.line}" for it in self.left_out]
        different = list(dict.fromkeys(names))
        more = f" and {len(different) - 3:,} more" if len(different) > 3 else ""
        first = sentence(reason(self.left_out[0]))
        done = sentence(self._with_remark(self._verdicts()))
        return f"{done} Not run: {', '.join(different[:3])}{more}. {first}"

    def broken(self) -> str | None:
        """Return one message about all cases that could not be graded."""
        failed = (Status.ERROR, Status.JUDGE_FAILED)
        errors = Counter(error_of(result) for result in self.results if result.status in failed)
        if not errors:
            return None
        ((first, _),) = errors.most_common(1)
        count = errors.total()
        if len(self.results) == 1:
            return f"{self.results[0].case} could not be graded: {cut(first)}"
        others = len(errors) - 1
        suffix = f" (and {others} other {'reason' if others == 1 else 'reasons'})" if others else ""
        cases = self._counted(len(self.results))
        return f"{count:,} of {cases} could not be graded: {cut(first)}{suffix}"


def sentence(text: str) -> str:
    """Return a message as a sentence, which begins with a capital and ends with one mark."""
    text = text.rstrip()
    text = capitalized(text)
    return text if text.endswith((".", "?", "!")) else f"{text}."


def reason(case: CaseNotRun) -> str:
    """Return why a case was not run: the rule, place and message of its first error."""
    if not case.findings:
        return case.message
    first, *rest = case.findings
    more = f" (and {len(rest)} more)" if rest else ""
    place = f"{Path(first['file']).name}:{first['line']}:{first['column']}"
    return f"{first['code']} at {place}: {first['message']}{more}"


def not_run(case: CaseNotRun, grading: str | None) -> NotRun:
    """Return why a case was not run, in the form that is kept with the results.

    Args:
        case: the case.
        grading: its `grading_hash` at the start of the run.
    """
    if not case.findings:
        return NotRun(case.message, case.kind)
    first, *_ = case.findings
    return NotRun(
        reason(case),
        case.kind,
        len(case.findings),
        (first["code"], first["message"]),
        (str(first["file"]), int(first["line"]), int(first["column"])),
        grading=grading,
    )


class RunListener(Protocol):
    """Receives the progress of a run."""

    def queued(self, run: Run) -> None:
        """The suite is valid, and the run's cases will be run."""

    def not_run(self, run: Run, case: CaseNotRun) -> None:
        """A case is skipped while others are run."""

    def started(self, run: Run, case: str) -> None:
        """A case has started."""

    def finished(self, run: Run, result: CaseResult) -> None:
        """A case has been graded."""

    def over(self, run: Run) -> None:
        """The run has ended."""


def refused(findings: Sequence[Mapping[str, Any]]) -> str:
    """Return the message about a suite with errors: how many, and where the first is."""
    count = len(findings)
    errors = "an error" if count == 1 else f"{count} errors"
    first = ""
    if findings:
        finding = findings[0]
        place = f"{Path(finding['file']).name}, line {finding['line']}"
        which = "It" if count == 1 else "The first"
        code = "" if finding["code"] == NOT_RUNNABLE else f"{finding['code']} "
        message = sentence(f"{code}{finding['message']}")
        first = f" {which} is in {place}: {message}"
    return f"{NOTHING_RUN}the suite has {errors}.{first}"
