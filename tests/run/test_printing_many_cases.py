"""Cases that are printed in the order of the suite, or all at the end, are not held in memory."""

import json
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from suitecase.cli.output.formatter import run_formatter
from suitecase.cli.running import case_spool
from suitecase.cli.running.case_order import CaseNumbers, CaseOrder
from suitecase.cli.running.case_spool import SpooledCases
from suitecase.cli.running.detail import Detail
from suitecase.cli.running.graded_case import GradedCase
from suitecase.cli.running.run_report import RunReport
from suitecase.cli.suite_argument import SuiteArgument
from suitecase_evaluators.answers.records.record import ResultRecord

SUITE = SuiteArgument(Path("s.eval.yaml"), ())
#: More than stays in memory here: 6 MB of records, and 1 MB of them.
MANY, LONG, IN_MEMORY = 1_000, "x" * 6_000, 1_000_000


@pytest.fixture(scope="module", autouse=True)
def _little_memory() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(case_spool, "_IN_MEMORY", IN_MEMORY)
        yield


def graded(case: str, repeat: int = 1, verdict: str = "pass", **more: Any) -> GradedCase:
    fields = {"eval_id": case, "repeat": repeat, "repeats": 2, "target": "bot", "verdict": verdict}
    score = None if verdict == "error" else 0.9
    return GradedCase(SUITE, ResultRecord({**fields, "score": score, **more}), 1.5)


@contextmanager
def at_most(megabytes: int) -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < megabytes * 1_000_000
    finally:
        tracemalloc.stop()


def test_cases_that_wait_for_a_slow_one_are_printed_in_order() -> None:
    shown: list[tuple[str, int, str, float | None]] = []

    def show(case: GradedCase) -> None:
        record = case.record
        shown.append((record.eval_id, record.repeat, record.fields["answer"], case.seconds))

    cases = [f"case-{it}" for it in range(300)]
    order = CaseOrder(CaseNumbers(cases, 2), show)
    for repeat in (2, 1):
        for case in reversed(cases[1:]):
            order.put(graded(case, repeat, answer=f"{case} {repeat}"))
    assert not shown

    order.put(graded(cases[0], 1, answer="case-0 1"))

    assert [it[0] for it in shown] == cases
    assert all(it[2] == f"{it[0]} {it[1]}" and it[3] == 1.5 for it in shown)

    order.put(graded("of another run", answer="of another run 1"))
    order.end()
    order.end()

    assert [it[:2] for it in shown[300:]] == [*((it, 2) for it in cases[1:]), ("of another run", 1)]


def test_cases_that_wait_are_not_in_memory() -> None:
    numbers = CaseNumbers([f"case-{it}" for it in range(MANY)])
    with at_most(4):
        order = CaseOrder(numbers, lambda _: None)
        for it in range(1, MANY):
            order.put(graded(f"case-{it}", answer=f"{it}{LONG}"))
        order.put(graded("case-0"))
        order.end()


@pytest.fixture(scope="module")
def report() -> Iterator[RunReport]:
    """A run of many cases, of which each third failed and each 100th could not be graded."""
    report = RunReport()
    cases = report.of(SUITE).cases
    with at_most(4):
        for it in range(MANY):
            verdict = "error" if it % 100 == 0 else "fail" if it % 3 == 0 else "pass"
            why = {"error": "no answer"} if verdict == "error" else {}
            # They come in another order than that of the suite.
            cases.add(graded(f"case-{it}", 1, verdict, candidate_answer=LONG, **why), MANY - it)
            report.total.add(graded(f"case-{it}", 1, verdict).record)
    yield report
    report.spool.close()


def test_cases_are_counted_without_reading_them(report: RunReport) -> None:
    cases: SpooledCases = report.of(SUITE).cases

    assert {status.value: number for status, number in cases.statuses.items()} == {
        "pass": 660,
        "fail": 330,
        "error": 10,
    }
    assert cases[0].record.eval_id == f"case-{MANY - 1}"
    assert [it.record.eval_id for it in cases[-2:]] == ["case-1", "case-0"]


def test_junit_is_written_case_by_case(report: RunReport) -> None:
    with at_most(4):
        lines = iter(run_formatter("junit", Detail()).finish(report))
        count = sum("<testcase" in str(it) for it in lines)
    assert count == MANY

    text = "\n".join(map(str, run_formatter("junit", Detail()).finish(report)))
    root = ElementTree.fromstring(text.encode())
    assert root.attrib["tests"] == str(MANY)
    assert root.attrib["failures"] == str(len(root.findall(".//failure"))) == "330"
    assert root.attrib["errors"] == str(len(root.findall(".//error"))) == "10"


def test_json_is_written_record_by_record(report: RunReport) -> None:
    with at_most(4):
        for _ in run_formatter("json", Detail()).finish(report):
            pass

    text = "\n".join(map(str, run_formatter("json", Detail()).finish(report)))
    whole = json.loads(text)
    assert text == json.dumps(whole, indent=2, ensure_ascii=False)
    assert [it["eval_id"] for it in whole["results"]] == [f"case-{it}" for it in range(MANY)][::-1]


def test_markdown_shows_the_gravest_first(report: RunReport) -> None:
    with at_most(4):
        text = "\n".join(map(str, run_formatter("markdown", Detail()).finish(report)))

    assert "### 340 not passed" in text
    assert "... and 140 more cases that did not pass" in text
    assert text.count("⚠️ error |") == 11  # the head of the table, and all that could not be graded
    assert "<summary>660 passed</summary>" in text
