"""Suites written with a `|` where the cursor is, and results to go with them."""

from __future__ import annotations

from datetime import UTC, datetime
from textwrap import dedent
from typing import Any

from suitecase.editor.grading_hashes import grading_hash
from suitecase.editor.results import CaseResult
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_suite
from suitecase.text.node import Span
from suitecase_evaluators.answers.records.record import ResultRecord

NOW = datetime(2026, 2, 1, 12, 0, tzinfo=UTC)


def marked(text: str) -> tuple[ParsedSuite, int]:
    """Return a suite and the offset of the `|` in it; only the last one in the text is a mark."""
    text = dedent(text)
    at = text.rindex("|")
    return parse_suite(text[:at] + text[at + 1 :]), at


def suite(text: str) -> ParsedSuite:
    return parse_suite(dedent(text))


def shown(written: ParsedSuite, span: Span) -> str:
    """Return the line of a place with the place in it set off: `  - id: «greet»`."""
    text = written.document.text
    start = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", span.end)
    end = len(text) if end < 0 else end
    return (
        f"{text[start : span.start]}«{text[span.start : span.end]}»{text[span.end : end]}".strip()
    )


def result(written: ParsedSuite, case: str, verdict: str, **rest: Any) -> CaseResult:
    """Return a result of a case as it stands in a suite; `rest` is fields of the record."""
    number = written.case_named(case)
    grading = grading_hash(written, number) if number is not None else None
    record = {"eval_id": case, "verdict": verdict, "target": "mock", **rest}
    return CaseResult.of_record(ResultRecord(record), grading=grading, at=NOW)


def judged(misses: list[str], *, name: str = "rubric", type_: str = "llm_judge") -> dict[str, Any]:
    """Return an evaluator's part of a record."""
    return {
        "name": name,
        "type": type_,
        "verdict": "fail",
        "score": 0.4,
        "misses": misses,
        "evaluator_provider_request": {"target": "critic"},
    }
