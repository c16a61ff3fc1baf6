"""The rubric mode: checklist items, score ranges, gates, and incomplete replies."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suitecase_evaluators.answers.rubric import Rubric, named
from suitecase_evaluators.answers.score import Verdict
from suitecase_evaluators.grade.judge.reply import Check, Checks
from suitecase_evaluators.grade.judge.scoring import rubric_score
from suitecase_evaluators.targets.target import TargetError
from support.evaluators.scripted_judge import (
    ScriptedJudge,
    checks,
    judged,
    satisfied,
    scored,
    subject,
    verdict,
)

RANGES = {"0": "wrong", "4": "partly right", "8": "right"}


def ranged(name: str, **changes: Any) -> dict[str, Any]:
    return {"id": name, "expected_outcome": f"{name} matters", "score_ranges": RANGES} | changes


async def test_rubric_mode_trigger() -> None:
    judge = ScriptedJudge(checks(satisfied("rubric-1")))
    score = await judged(judge, rubrics=["names Paris"])
    assert (score.score, score.verdict) == (1.0, Verdict.PASS)
    assert score.details["raw_scores"] == {"rubric-1": True}
    assert score.reasoning == "All in all fine."
    (question,) = judge.asked
    assert question.judging is not None
    assert [(it.id, it.text, it.mode) for it in question.judging.criteria] == [
        ("rubric-1", "names Paris", "check")
    ]
    assert question.judging.candidate_answer == "It is Paris."
    assert question.response_schema is not None
    assert question.response_schema["properties"]["checks"]["required"] == ["rubric-1"]


async def test_checklist_rubrics_continue_to_work() -> None:
    rubrics = [
        {"id": "a", "expected_outcome": "does a", "weight": 3},
        {"id": "b", "expected_outcome": "does b", "weight": 1, "required": False},
    ]
    score = await judged(
        ScriptedJudge(checks(satisfied("b", False), satisfied("a"))), rubrics=rubrics
    )
    assert (score.score, score.verdict) == (0.75, Verdict.BORDERLINE)


async def test_hits_and_misses_rubric() -> None:
    rubrics: list[Any] = [
        {"id": f"item-{number}", "expected_outcome": f"does {number}", "required": False}
        for number in range(7)
    ]
    reply = checks(*(satisfied(f"item-{n}", n != 3, "" if n else "so") for n in range(7)))
    score = await judged(ScriptedJudge(reply), rubrics=rubrics)
    assert score.hits == (
        "[item-0] does 0: so",
        *(f"[item-{n}] does {n}" for n in (1, 2, 4, 5, 6)),
    )
    assert score.misses == ("[item-3] does 3",)


@pytest.mark.parametrize(
    ("required", "met", "expected"),
    [
        (True, False, Verdict.FAIL),
        (None, False, Verdict.FAIL),
        (False, False, Verdict.PASS),
        (True, True, Verdict.PASS),
    ],
)
async def test_verdict_calculation_rubric(
    required: bool | None, met: bool, expected: Verdict
) -> None:
    rubrics = [
        {"id": "big", "expected_outcome": "the main thing", "weight": 9},
        {"id": "gate", "expected_outcome": "the gate", "weight": 1, "required": required},
    ]
    reply = checks(satisfied("big"), satisfied("gate", met))
    score = await judged(ScriptedJudge(reply), rubrics=rubrics)
    assert score.score == (1.0 if met else 0.9)
    assert score.verdict is expected
    assert score.gate_failed is (expected is Verdict.FAIL)


@pytest.mark.parametrize(
    ("met", "expected"),
    [(8, Verdict.PASS), (7, Verdict.BORDERLINE), (6, Verdict.BORDERLINE), (5, Verdict.FAIL)],
    ids=["pass verdict", "borderline verdict", "borderline verdict at 0.6", "fail verdict"],
)
async def test_verdict_logic_is_applied(met: int, expected: Verdict) -> None:
    rubrics = [{"id": str(n), "expected_outcome": "x", "required": False} for n in range(10)]
    reply = checks(*(satisfied(str(n), n < met) for n in range(10)))
    assert (await judged(ScriptedJudge(reply), rubrics=rubrics)).verdict is expected


async def test_range_rubrics_constrain_scoring() -> None:
    judge = ScriptedJudge(
        checks(scored("depth", 12), scored("style", 5)),
        checks(scored("depth", 9), scored("style", 5)),
    )
    score = await judged(judge, rubrics=[ranged("depth", weight=3), ranged("style")])
    assert score.score == pytest.approx((0.9 * 3 + 0.5) / 4)
    assert score.details["raw_scores"] == {"depth": 9, "style": 5}
    assert score.hits == ("[depth] depth matters: 9 of 10: seen",)
    assert score.misses == ("[style] style matters: 5 of 10 where 7 is needed: seen",)
    assert score.attempts == 2
    system, user = judge.asked[0].turns
    assert system.text.count("whole number from 0 to 10") == 2
    assert "4 to 7: partly right" in user.text
    assert "whole number from 0 to 10" in judge.asked[1].turns[-1].text


@pytest.mark.parametrize(
    ("gate", "value", "failed", "hit"),
    [
        ({"required_min_score": 8}, 8, False, True),
        ({"required_min_score": 8}, 7, True, False),
        ({"required_min_score": 3}, 6, False, False),
        ({"required_min_score": 0}, 0, False, False),
        ({"required": True}, 9, True, False),
        ({"required": True}, 10, False, True),
        ({}, 0, False, False),
        ({}, 7, False, True),
    ],
)
async def test_a_score_below_the_required_minimum_fails_whatever_the_score(
    gate: dict[str, Any], value: int, failed: bool, hit: bool
) -> None:
    rubrics = [ranged("main", weight=99), ranged("gated", **gate)]
    reply = checks(scored("main", 10), scored("gated", value))
    score = await judged(ScriptedJudge(reply), rubrics=rubrics)
    assert score.score is not None
    assert score.score >= 0.98
    assert score.gate_failed is failed
    assert score.verdict is (Verdict.FAIL if failed else Verdict.PASS)
    assert any(it.startswith("[gated]") for it in score.hits) is hit


async def test_checklist_and_range_items_stand_in_one_list_and_one_call() -> None:
    judge = ScriptedJudge(checks(satisfied("rubric-1"), scored("depth", 4)))
    score = await judged(judge, rubrics=["is polite", ranged("depth")])
    assert score.score == pytest.approx(0.7)
    assert score.details["raw_scores"] == {"rubric-1": True, "depth": 4}
    assert len(judge.asked) == 1
    schema = judge.asked[0].response_schema
    assert schema is not None
    entries = schema["properties"]["checks"]["properties"]
    assert {name: entry["required"] for name, entry in entries.items()} == {
        "rubric-1": ["reasoning", "satisfied"],
        "depth": ["reasoning", "score"],
    }


async def test_a_range_item_without_text_is_named_by_the_range_it_got() -> None:
    rubric = {"id": "depth", "score_ranges": RANGES}
    score = await judged(ScriptedJudge(checks(scored("depth", 5, ""))), rubrics=[rubric])
    assert score.misses == ("[depth] partly right: 5 of 10 where 7 is needed",)


async def test_a_range_item_that_misses_its_minimum_says_what_was_required() -> None:
    rubrics = [ranged("good", required_min_score=10)]
    score = await judged(ScriptedJudge(checks(scored("good", 9, "why"))), rubrics=rubrics)
    assert score.misses == ("[good] good matters: 9 of 10 where 10 is needed: why",)


async def test_weights_of_any_size_share_out_the_score() -> None:
    rubrics = [
        {"id": name, "expected_outcome": name, "weight": 1e308, "required": False} for name in "ab"
    ]
    reply = checks(satisfied("a"), satisfied("b", False))
    assert (await judged(ScriptedJudge(reply), rubrics=rubrics)).score == 0.5


async def test_missing_duplicate_and_unknown_ids_are_asked_again_with_the_reason() -> None:
    judge = ScriptedJudge(
        checks(satisfied("a")),
        checks(satisfied("a"), satisfied("a"), satisfied("b"), satisfied("c")),
        checks(satisfied("a"), satisfied("b")),
    )
    rubrics = [{"id": it, "expected_outcome": it} for it in "ab"]
    score = await judged(judge, rubrics=rubrics)
    assert (score.score, score.attempts, score.parse_failed) == (1.0, 3, False)
    assert "`b` is missing" in judge.asked[1].turns[-1].text
    assert "`a` is answered 2 times" in judge.asked[2].turns[-1].text
    assert "there is no item `c`" in judge.asked[2].turns[-1].text
    assert len(score.details["reply_problems"]) == 2


async def test_what_is_still_missing_after_three_attempts_counts_zero_and_fails_its_gate() -> None:
    rubrics = [
        {"id": "a", "expected_outcome": "does a", "weight": 9, "required": False},
        {"id": "b", "expected_outcome": "does b"},
        ranged("c", weight=0),
    ]
    judge = ScriptedJudge(*[checks(satisfied("a"), scored("c", 9))] * 3)
    score = await judged(judge, rubrics=rubrics)
    assert (score.score, score.verdict, score.gate_failed) == (0.9, Verdict.FAIL, True)
    assert (score.attempts, score.parse_failed) == (3, True)
    assert score.details["missing_items"] == ["b"]
    assert "no readable verdict on `b`" in score.reasoning
    assert score.details["raw_scores"] == {"a": True, "b": None, "c": 9}
    (miss,) = score.misses
    assert miss.startswith("[b] does b: ")
    assert "no usable verdict" in miss


async def test_the_last_usable_reply_counts_where_a_later_one_cannot_be_read() -> None:
    rubrics = [{"id": it, "expected_outcome": it, "required": False} for it in "ab"]
    judge = ScriptedJudge(checks(satisfied("a", False)), checks(satisfied("a")), "sorry")
    score = await judged(judge, rubrics=rubrics)
    assert (score.score, score.parse_failed) == (0.5, True)


@pytest.mark.parametrize("reply", ["fine!", verdict(1.0), checks(), checks(satisfied("other"))])
async def test_without_any_usable_reply_the_score_is_zero_and_says_so(reply: str) -> None:
    score = await judged(ScriptedJudge(reply, reply, reply), rubrics=["is polite"])
    assert (score.score, score.verdict, score.gate_failed) == (0.0, Verdict.FAIL, True)
    assert (score.hits, score.misses) == ((), ())
    assert (score.parse_failed, score.attempts, score.error) == (True, 3, None)
    assert score.details["raw_scores"] == {"rubric-1": None}


async def test_a_judge_that_cannot_be_reached_is_an_error_in_rubric_mode_too() -> None:
    score = await judged(ScriptedJudge(TargetError("no key")), rubrics=["is polite"])
    assert (score.verdict, score.score, score.error) == (Verdict.ERROR, None, "no key")


async def test_weights_of_zero_throughout_count_the_items_alike() -> None:
    rubrics = [{"id": it, "expected_outcome": it, "weight": 0, "required": False} for it in "ab"]
    reply = checks(satisfied("a"), satisfied("b", False))
    assert (await judged(ScriptedJudge(reply), rubrics=rubrics)).score == 0.5


async def test_an_item_of_weight_zero_does_not_count_but_gates() -> None:
    rubrics = [
        {"id": "a", "expected_outcome": "a"},
        {"id": "b", "expected_outcome": "b", "weight": 0},
    ]
    score = await judged(
        ScriptedJudge(checks(satisfied("a"), satisfied("b", False))), rubrics=rubrics
    )
    assert (score.score, score.verdict) == (1.0, Verdict.FAIL)


async def test_weights_that_add_up_to_a_threshold_reach_it() -> None:
    weights = {"a": 0.7, "b": 0.1, "c": 0.2}
    rubrics = [
        {"id": name, "expected_outcome": name, "weight": weight, "required": False}
        for name, weight in weights.items()
    ]
    reply = checks(satisfied("a"), satisfied("b"), satisfied("c", False))
    score = await judged(ScriptedJudge(reply), rubrics=rubrics)
    assert (score.score, score.verdict) == (0.8, Verdict.PASS)


async def test_an_empty_answer_meets_the_items_that_the_judge_finds_met() -> None:
    judge = ScriptedJudge(checks(satisfied("rubric-1"), satisfied("rubric-2", False)))
    silent = subject(candidate_answer=" ", output_messages=())
    score = await judged(judge, silent, rubrics=["stays silent", "says hello"])
    assert (score.score, score.verdict, score.gate_failed) == (0.5, Verdict.FAIL, True)
    assert score.hits == ("[rubric-1] stays silent: seen",)
    assert "The answer is empty" in judge.asked[0].turns[1].text


async def test_two_rubrics_of_one_id_are_an_error_before_anything_is_asked() -> None:
    judge = ScriptedJudge()
    rubrics: list[Any] = ["one", {"id": "rubric-1", "expected_outcome": "two"}]
    score = await judged(judge, rubrics=rubrics)
    assert score.verdict is Verdict.ERROR
    assert score.error is not None
    assert "`rubric-1`" in score.error
    assert judge.asked == []


RUBRICS = ["is polite", ranged("depth", required_min_score=7, weight=2)]
REPLY = checks(satisfied("rubric-1"), scored("depth", 9))


async def test_the_rubric_list_stands_after_the_candidate_with_weights_and_gates() -> None:
    judge = ScriptedJudge(REPLY)
    await judged(judge, rubrics=RUBRICS)
    text = judge.asked[0].turns[1].text
    listed = text.index("[rubric-1] (weight 1, REQUIRED)\nis polite")
    assert text.index("It is Paris.") < text.index("Names Paris.") < listed
    assert "[depth] (weight 2, score 0 to 10, REQUIRED: at least 7)" in text
    for line in ("0 to 3: wrong", "4 to 7: partly right", "8 to 10: right"):
        assert line in text


async def test_a_custom_prompt_with_rubrics_gets_their_list() -> None:
    judge = ScriptedJudge(REPLY)
    await judged(judge, rubrics=RUBRICS, prompt="{{ candidate_answer }} by\n{{ rubrics }}\nend")
    text = judge.asked[0].turns[1].text
    assert text.startswith("It is Paris. by\n[rubric-1] (weight 1, REQUIRED)")
    assert text.endswith("8 to 10: right\nend")


async def test_a_custom_prompt_that_forgets_the_rubrics_gets_them_all_the_same() -> None:
    judge = ScriptedJudge(REPLY)
    await judged(judge, rubrics=RUBRICS, prompt="Look at {{ candidate_answer }}")
    text = judge.asked[0].turns[1].text
    assert text.startswith("Look at It is Paris.\n\n[rubric-1]")


@given(
    st.lists(
        st.tuples(
            st.booleans(),
            st.integers(0, 10),
            st.floats(0, 1e6),
            st.booleans(),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_scores_stay_in_bounds_and_every_item_is_a_hit_or_a_miss(
    drawn: list[tuple[bool, int, float, bool]],
) -> None:
    rubrics = named(
        [
            Rubric(
                expected_outcome="x",
                weight=weight,
                required=required,
                score_ranges={"0": "any"} if is_range else None,
            )
            for is_range, _, weight, required in drawn
        ]
    )
    by_id = {
        rubric.id or "": Check(value if rubric.mode == "range" else value > 5)
        for rubric, (_, value, _, _) in zip(rubrics, drawn, strict=True)
    }
    score = rubric_score(Checks(by_id), rubrics, {})
    assert score.score is not None
    assert 0 <= score.score <= 1
    assert len(score.hits) + len(score.misses) == len(rubrics)
    if score.gate_failed:
        assert score.verdict is Verdict.FAIL
    if not score.misses and all(value == 10 for _, value, _, _ in drawn):
        assert score.verdict is Verdict.PASS
