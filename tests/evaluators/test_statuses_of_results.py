"""What results are shown as: verdicts, failures of judges, and rehearsals."""

from __future__ import annotations

from typing import Any

import pytest

from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.records.status import GRAVEST_FIRST, Status
from suitecase_evaluators.answers.records.tally import Tally
from suitecase_evaluators.answers.score import Verdict

EMBEDDED = ["embedded"]
MODEL = ["model"]


def graded(verdict: str = "pass", score: float | None = 1.0, **more: Any) -> dict[str, Any]:
    """Return the result of an evaluator."""
    return {
        "name": "a",
        "type": "contains",
        "weight": 1,
        "score": score,
        "verdict": verdict,
        **more,
    }


def judged(by: list[str], **more: Any) -> dict[str, Any]:
    return graded(**{"type": "llm_judge", "judged_by": by, "attempts": 1, **more})


def record(
    *results: dict[str, Any], verdict: str = "pass", score: float | None = 1.0, by: str = "model"
) -> ResultRecord:
    fields: dict[str, Any] = {"eval_id": "case", "target": "bot", "candidate_answer": "Paris"}
    fields |= {"score": score, "verdict": verdict, "answered_by": by}
    fields["parse_failed"] = any(result.get("parse_failed") for result in results)
    return ResultRecord({**fields, "evaluator_results": list(results)})


UNREAD = judged(MODEL, verdict="fail", score=0.0, parse_failed=True)
NEAREST = judged(MODEL, parse_failed=True, details={"given_score": 20})


@pytest.mark.parametrize(
    ("found", "status"),
    [
        (record(graded()), Status.PASS),
        (record(judged(MODEL)), Status.PASS),
        (record(graded(), by="program"), Status.PASS),
        (record(judged(MODEL), by="canned"), Status.PASS),
        (record(graded(), by="canned"), Status.REHEARSED),
        (record(graded(), by="echo"), Status.REHEARSED),
        (record(judged(EMBEDDED)), Status.REHEARSED),
        (record(judged(["canned"])), Status.REHEARSED),
        (record(graded(), judged(EMBEDDED)), Status.REHEARSED),
        (record(graded(), {**judged(EMBEDDED), "weight": 0}), Status.PASS),
        (record(judged([*EMBEDDED, *MODEL])), Status.PASS),
        (record(judged(EMBEDDED, verdict="fail"), verdict="fail", score=0.1), Status.FAIL),
        (record(UNREAD, verdict="fail", score=0.0), Status.JUDGE_FAILED),
        (record(NEAREST), Status.JUDGE_FAILED),
        (record(graded(), NEAREST), Status.JUDGE_FAILED),
        (record(graded(), {**UNREAD, "weight": 0}), Status.PASS),
        (
            record({**UNREAD, "weight": 0, "gate_failed": True}, verdict="fail", score=0.0),
            Status.JUDGE_FAILED,
        ),
        (record(NEAREST, by="canned"), Status.JUDGE_FAILED),
        (record(UNREAD, verdict="error", score=None), Status.ERROR),
        (record(verdict="not_evaluated", score=None), Status.NOT_EVALUATED),
    ],
)
def test_the_status_of_a_record(found: ResultRecord, status: Status) -> None:
    assert found.status is status
    assert (found.graded_score is not None) is status.graded


def test_a_member_that_failed_or_was_rehearsed_makes_its_composite_so() -> None:
    def composite(member: dict[str, Any]) -> dict[str, Any]:
        failed = member.get("parse_failed", False)
        return graded(type="composite", details={"members": [member]}, parse_failed=failed)

    assert record(composite(judged(EMBEDDED))).status is Status.REHEARSED
    assert record(composite(NEAREST)).status is Status.JUDGE_FAILED


def test_judge_failures_and_rehearsals_are_counted_apart_and_the_former_missing_in_the_mean() -> (
    None
):
    records = [
        record(graded(), score=0.9),
        record(UNREAD, verdict="fail", score=0.0),
        record(NEAREST),
        record(graded(), by="canned", score=1.0),
    ]
    tally = Tally.of(records)
    assert dict(tally.statuses) == {Status.PASS: 1, Status.JUDGE_FAILED: 2, Status.REHEARSED: 1}
    assert (tally.graded, tally.failing, tally.mean_score) == (2, 2, 0.95)
    assert tally.verdicts[Verdict.PASS] == 3  # as they are recorded
    (remark,) = [told for told in tally.remarks() if "judge" in told]
    assert remark == (
        "2 answers were not graded: the judge's replies could not be read in full. It is the judge that "
        "failed, not the target."
    )


def test_each_status_has_its_words_and_its_place() -> None:
    assert set(GRAVEST_FIRST) == set(Status)
    words = [status.counted(2) for status in Status]
    assert words == [
        *("2 passed", "2 rehearsed", "2 borderline", "2 failed", "2 judge failures"),
        *("2 could not be graded", "2 not evaluated"),
    ]
    assert Status.JUDGE_FAILED.counted(1) == "1 judge failure"
