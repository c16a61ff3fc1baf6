"""Records as a table: what counts, what is missing, and how little of it is kept."""

from __future__ import annotations

import tracemalloc

import pytest

from suitecase.figures.answer_values import UnusableScoreError
from suitecase.figures.cells import Cases
from suitecase.figures.gates.meaning import FigureKind, Meaning
from suitecase.figures.table import Tables
from suitecase_evaluators.answers.records.record import ResultRecord
from support.figures import answer, evaluator, repeated, tables_of


def test_a_case_asked_five_times_is_kept_in_4_kilobytes() -> None:
    tracemalloc.start()
    tables = Tables()
    for number in range(500):
        for record in repeated(f"case-{number}", 1.0, 0.0, 0.5, 1.0, 1.0):
            own = {**record, "candidate_answer": "A long answer. " * 100}
            own["evaluator_results"] = [evaluator("f1", 0.25), evaluator("rubric", 0.75)]
            tables.add(ResultRecord(own))
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert tables.by_target["bot"].answers == 2_500
    assert kept < 500 * 4_000


def test_each_target_has_a_table_and_each_suite_is_noted() -> None:
    tables = tables_of([answer("a", target="x"), answer("a", target="y"), answer("b", target="x")])
    assert [len(it.cases) for it in tables.by_target.values()] == [2, 1]
    assert tables.suites == {"s.eval.yaml": "s"}


def test_an_error_and_an_unread_reply_are_missing_and_what_was_not_evaluated_is_neither() -> None:
    tables = tables_of(
        [
            answer("graded", 0.5),
            answer("error", None),
            answer("unread", 0.0, parse_failed=True),
            answer("nothing", None, verdict="not_evaluated", error=None),
        ]
    )
    cases = Cases(tables.by_target["bot"], None)
    cell = cases.cell(Meaning(FigureKind.SCORE))
    assert cell.value.tolist()[0] == 0.5
    assert cell.missing.tolist() == [0, 1, 1, 0]
    assert cell.nothing.tolist() == [0, 0, 0, 1]
    assert cases.cell(Meaning(FigureKind.ERROR_RATE)).value.tolist() == [0, 1, 0, 0]
    failed = cases.cell(Meaning(FigureKind.JUDGE_FAILURE_RATE))
    assert failed.value.tolist()[2] == 1
    assert failed.missing.tolist() == [0, 1, 0, 0]


def test_a_later_record_of_a_case_and_repeat_counts() -> None:
    tables = tables_of([answer("a", 0.0), answer("a", 0.0, repeat=2, repeats=2), answer("a", 1.0)])
    table = tables.by_target["bot"]
    assert (table.answers, table.replaced) == (2, 1)
    assert Cases(table, None).cell(Meaning(FigureKind.SCORE)).value.tolist() == [0.5]


@pytest.mark.parametrize("score", [float("nan"), float("inf"), 2, -0.5, "1", True])
def test_a_score_of_an_evaluator_that_is_no_share_is_refused(score: object) -> None:
    record = answer("a", 1.0, evaluator_results=[{**evaluator("f1", 1.0), "score": score}])
    with pytest.raises(UnusableScoreError, match="the evaluator `f1` must be a number from 0 to 1"):
        Tables().add(ResultRecord(record), 7)
