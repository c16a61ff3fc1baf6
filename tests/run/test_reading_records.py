"""Records are written back exactly as they were read, whichever version or tool wrote them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from suitecase.editor.results import CaseResult
from suitecase.editor.run_log import run_log
from suitecase.run.record_model import SCHEMA_VERSION, EvaluatorResult, RecordModel
from suitecase_evaluators.answers.records.graded import EvaluatorRecord
from suitecase_evaluators.answers.records.reading import read_records
from suitecase_evaluators.answers.records.record import NEWEST_READ, ResultRecord
from suitecase_evaluators.answers.records.tally import Tally
from suitecase_evaluators.answers.records.values import moment
from suitecase_evaluators.answers.score import Verdict
from support.running.runs import run_here
from support.running.site import Site

TESTS = Path(__file__).parents[1]
CORPUS = Path(__file__).parents[3] / "shared/corpus"
#: Lines as a run writes them: with fields of a later version, and of one that had few.
WRITTEN = (
    (
        b'{"schema_version": 1, "later": {"b": [1, 2.5, null], "a": "\xc3\xa9"}, "eval_id": "a", '
        b'"score": 1.0, "verdict": "pass", "evaluator_results": [{"later": 1, "name": "x"}]}\n'
    ),
    b'{"eval_id": "a", "score": 1, "cost": 1e-07}\n',
    b'{"suite_path": "a.eval.yaml", "eval_id": "a", "timestamp": "2026-01-01", "cleared": true}\n',
)
#: Values that no field of a record has all of.
ODD: tuple[Any, ...] = (
    None,
    True,
    -1,
    0.5,
    10**400,
    float("nan"),
    "odd",
    [],
    [None, "x"],
    {},
    {"a": 1},
)


async def test_a_record_of_a_run_is_written_as_it_was_read(tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    site = Site(tmp_path)
    site.suite(
        "- {id: a, input: Hé, expected_outcome: Hi, evaluators: [{name: x, type: contains, value: H}]}"
    )
    await run_here(site.request(results_path=str(results)))
    lines = results.read_bytes().splitlines(keepends=True)
    assert [it.line() for it in read_records(results)] == lines
    (record,) = read_records(results)
    assert list(record.fields) == list(RecordModel.model_fields)


@pytest.mark.parametrize("line", WRITTEN)
def test_unknown_and_absent_fields_stay_as_they_are(line: bytes) -> None:
    record = ResultRecord.parse(line)
    assert record is not None
    assert record.line() == line


def test_a_file_that_an_editor_began_with_a_mark_keeps_its_first_record(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + b"".join(WRITTEN))
    assert len(list(read_records(path))) == len(WRITTEN)


def _lines_of_others() -> Iterator[bytes]:
    for path in (*TESTS.rglob("*.jsonl"), *CORPUS.rglob("*.jsonl")):
        with path.open("rb") as file:
            yield from file


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of real suites is not here")
def test_records_of_other_tools_keep_their_fields_and_their_order() -> None:
    count = 0
    for line in _lines_of_others():
        record = ResultRecord.parse(line)
        if record is not None:
            count += 1
            assert _ordered(record.line()) == _ordered(line)
            assert Tally.of([record]).records == 1
            assert run_log(record)
    assert count > 20


def _ordered(line: bytes) -> Any:
    return json.loads(line, object_pairs_hook=list)


@pytest.mark.parametrize("value", ODD, ids=lambda it: f"{it!r:.20}")
def test_a_field_of_another_type_spoils_no_reader(value: Any) -> None:
    names = [it for it in RecordModel.model_fields if it != "eval_id"]
    for name in names:
        _read({"eval_id": "a", "verdict": "pass", "score": 1, name: value})
    for name in EvaluatorResult.model_fields:
        graded = {"name": "x", "type": "composite", "verdict": "pass", "score": 1}
        member = {**graded, name: value}
        holder = {**graded, "details": {"members": [member, value], "replies": value}}
        _read({"eval_id": "a", "evaluator_results": [member, holder, value]})


def _read(fields: dict[str, Any]) -> None:
    record = ResultRecord.parse(json.dumps(fields))
    assert record is not None
    for part in (record, *record.evaluator_results):
        kind = ResultRecord if part is record else EvaluatorRecord
        for name in dir(kind):
            if isinstance(getattr(kind, name), property):
                getattr(part, name)
    assert (record.graded_score is not None) is record.status.graded
    Tally.of([record]).summary(("a",))
    run_log(record)
    at = moment("2026-01-01")
    assert at is not None
    CaseResult.of_record(record, grading=None, at=at)


def test_a_verdict_that_is_not_recorded_follows_from_the_score() -> None:
    def verdict(**fields: Any) -> Verdict:
        return ResultRecord({"eval_id": "a", **fields}).verdict

    assert verdict(score=0.9) is Verdict.PASS
    assert verdict(score=0.7) is Verdict.BORDERLINE
    assert verdict(score=0.9, error="it broke") is Verdict.ERROR
    assert verdict() is Verdict.NOT_EVALUATED
    assert verdict(verdict="pass") is Verdict.NOT_EVALUATED
    assert verdict(verdict=None, score=0.9) is Verdict.PASS


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"verdict": "FAILED"}, '"FAILED" is not a verdict'),
        ({"verdict": True}, "true is not a verdict"),
        ({"verdict": "pass", "error": "timed out"}, "timed out"),
        ({"verdict": "borderline", "error": "timed out"}, "timed out"),
        ({"verdict": "not_evaluated", "error": "timed out"}, "timed out"),
        (
            {"verdict": "pass", "schema_version": 2},
            "a newer version of Suitecase wrote this result (format 2; this version reads 1)",
        ),
    ],
)
def test_a_record_that_says_no_verdict_was_not_graded(fields: dict[str, Any], error: str) -> None:
    record = ResultRecord({"eval_id": "a", "score": 0.9, **fields})
    assert (record.verdict, record.graded_score, record.error) == (Verdict.ERROR, None, error)


def test_an_answer_that_failed_a_gate_fails_although_a_grader_broke() -> None:
    fields = {"score": 0.9, "verdict": "fail", "gate_failed": True, "error": "a judge broke"}
    record = ResultRecord({"eval_id": "a", **fields})
    assert (record.verdict, record.graded_score) == (Verdict.FAIL, 0.9)


def test_the_version_that_is_read_is_the_one_that_is_written() -> None:
    assert NEWEST_READ == SCHEMA_VERSION


def test_a_number_of_thousands_of_digits_makes_no_record_unreadable() -> None:
    line = '{"eval_id": "a", "score": 0.5, "verdict": "pass", "details": {"n": %s}}' % ("9" * 5000)
    record = ResultRecord.parse(line)
    assert record is not None
    assert (record.eval_id, record.graded_score) == ("a", 0.5)
