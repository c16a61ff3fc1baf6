"""Composites: members grade on their own, and an aggregator makes one score of theirs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from suitecase_evaluators.answers.score import Score, Verdict
from suitecase_evaluators.targets.target import Question, Reply, Target
from support.running.evaluators import ENTRY, CannedJudge, answer, entry, graded, script

MEAN: dict[str, Any] = {"type": "weighted_average"}


def says(name: str, text: str, **fields: Any) -> dict[str, Any]:
    """A member that scores 1 where the answer holds the text, else 0."""
    return {"name": name, "type": "contains", "value": text, **fields}


YES, NO = says("yes", "Paris"), says("no", "London")
EMPTY = {"name": "empty", "type": "json_schema", "schema": None}
BROKEN = {"name": "broken", "type": "latency", "threshold": 1}
GATED = {
    "name": "gated",
    "type": "llm_judge",
    "rubrics": [
        {"id": "safe", "expected_outcome": "Is safe.", "weight": 1},
        {"id": "kind", "expected_outcome": "Is kind.", "weight": 9, "required": False},
    ],
}
GATE_FAILS = json.dumps(
    {
        "checks": [
            {"id": "safe", "satisfied": False, "reasoning": "no"},
            {"id": "kind", "satisfied": True, "reasoning": "yes"},
        ],
        "overall_reasoning": "",
    }
)


def composite(
    members: list[dict[str, Any]], aggregator: dict[str, Any] | None = None, name: str = "all"
) -> dict[str, Any]:
    return {
        "name": name,
        "type": "composite",
        "evaluators": members,
        "aggregator": aggregator or MEAN,
    }


async def combined(
    members: list[dict[str, Any]],
    aggregator: dict[str, Any] | None = None,
    judge: Target | None = None,
    folder: Path | None = None,
) -> Score:
    subject = answer("It is Paris.", folder=folder or Path())
    return await graded(composite(members, aggregator), subject, judge)


def verdicts(score: Score) -> dict[str, str]:
    return {it["name"]: it["verdict"] for it in score.details["members"]}


@pytest.mark.parametrize(
    ("members", "weights", "score"),
    [
        ([YES, NO], None, 0.5),
        ([YES, NO], {"yes": 3, "no": 1}, 0.75),
        ([YES, NO], {"yes": 3}, 0.75),
        ([YES, says("no", "London", weight=0)], None, 1.0),
        ([YES, says("no", "London", weight=9)], {"no": 1}, 0.5),
        ([YES, NO], {"no": 0}, 1.0),
    ],
)
async def test_a_weighted_average_is_the_mean_by_weight(
    members: list[dict[str, Any]], weights: dict[str, float] | None, score: float
) -> None:
    found = await combined(members, {**MEAN, **({"weights": weights} if weights else {})})
    assert found.score == score


async def test_each_members_result_is_kept() -> None:
    score = await combined([YES, NO])
    assert score.hits == ('[yes] the answer contains "Paris"',)
    assert score.misses == ('[no] the answer does not contain "London"',)
    assert [it["name"] for it in score.details["members"]] == ["yes", "no"]
    assert score.details["members"][1] == {
        "name": "no",
        "type": "contains",
        "score": 0.0,
        "weight": 1.0,
        "verdict": "fail",
        "gate_failed": False,
        "hits": [],
        "misses": ['the answer does not contain "London"'],
        "reasoning": 'the answer does not contain "London"',
        "details": {},
        "parse_failed": False,
        "attempts": 0,
    }


async def test_composites_nest() -> None:
    inner = composite([YES, NO], {**MEAN, "weights": {"yes": 0.6, "no": 0.4}}, name="inner")
    score = await combined([inner, NO], {**MEAN, "weights": {"inner": 0.5, "no": 0.5}})
    assert score.score == pytest.approx(0.3)
    (first, _) = score.details["members"]
    assert [it["name"] for it in first["details"]["members"]] == ["yes", "no"]


async def test_a_member_with_nothing_to_grade_by_does_not_count() -> None:
    score = await combined([YES, EMPTY])
    assert (score.score, verdicts(score)["empty"]) == (1.0, "not_evaluated")
    nothing = await combined([EMPTY])
    assert (nothing.verdict, nothing.score) == (Verdict.NOT_EVALUATED, None)
    weightless = await combined([says("yes", "Paris", weight=0)])
    assert (weightless.verdict, weightless.score) == (Verdict.NOT_EVALUATED, None)


AGGREGATORS: tuple[dict[str, Any], ...] = (
    MEAN,
    {"type": "code_judge", "path": "touch asked; echo '{\"score\": 0.75}'"},
    {"type": "llm_judge", "prompt": "{{ EVALUATOR_RESULTS_JSON }}"},
)


@pytest.mark.parametrize("aggregator", AGGREGATORS, ids=lambda it: it["type"])
async def test_a_member_that_broke_is_no_zero_and_is_not_left_out_in_silence(
    aggregator: dict[str, Any], tmp_path: Path
) -> None:
    judge = CannedJudge('{"reasoning": "", "score": 0.75}')
    score = await combined([YES, BROKEN], aggregator, judge, folder=tmp_path)
    assert (score.verdict, score.score) == (Verdict.ERROR, None)
    assert "`broken`: the target does not report" in (score.error or "")
    assert verdicts(score) == {"yes": "pass", "broken": "error"}
    # Nobody is asked for a score that could not be trusted.
    assert judge.asked == []
    assert not (tmp_path / "asked").exists()


@pytest.mark.parametrize("aggregator", AGGREGATORS, ids=lambda it: it["type"])
async def test_a_failed_gate_beside_a_member_that_broke_still_fails(
    aggregator: dict[str, Any],
) -> None:
    score = await combined([GATED, BROKEN], aggregator, CannedJudge(GATE_FAILS))
    assert (score.verdict, score.gate_failed, score.error) == (Verdict.FAIL, True, None)
    assert "the target does not report" in score.reasoning


async def test_an_average_tells_what_it_is_without_the_members_that_broke() -> None:
    score = await combined([YES, BROKEN])
    assert score.details["score_without_failed_members"] == 1.0


async def test_where_no_member_could_grade_neither_can_the_composite() -> None:
    for aggregator in (MEAN, {"type": "code_judge", "path": "exit 1"}):
        score = await combined([BROKEN, EMPTY], aggregator)
        assert (score.verdict, score.score) == (Verdict.ERROR, None)
        assert "no member could grade" in (score.error or "")
        assert verdicts(score) == {"broken": "error", "empty": "not_evaluated"}


async def test_a_failed_gate_of_a_member_fails_the_composite_whatever_its_score() -> None:
    aggregator = {**MEAN, "weights": {"gated": 1, "yes": 9}}
    score = await combined([GATED, YES], aggregator, CannedJudge(GATE_FAILS))
    assert score.score == pytest.approx(0.99)
    assert (score.verdict, score.gate_failed) == (Verdict.FAIL, True)
    assert "`gated`" in score.reasoning
    nested = await combined([composite([GATED, YES], aggregator)], None, CannedJudge(GATE_FAILS))
    assert (nested.verdict, nested.gate_failed) == (Verdict.FAIL, True)
    beside_broken = await combined([GATED, BROKEN], None, CannedJudge(GATE_FAILS))
    assert (beside_broken.verdict, beside_broken.gate_failed) == (Verdict.FAIL, True)


async def test_members_keep_their_own_prompts_and_rubrics() -> None:
    class Judge(Target):
        def __init__(self) -> None:
            super().__init__("judge")
            self.asked: dict[str, Question] = {}

        async def ask(self, question: Question) -> Reply:
            assert question.judging is not None
            self.asked[question.judging.evaluator] = question
            return Reply(
                text=GATE_FAILS
                if question.judging.evaluator == "gated"
                else '{"reasoning": "fine", "score": 1}'
            )

    judge = Judge()
    own = {"name": "own", "type": "llm_judge", "prompt": "Is {{ candidate_answer }} polite?"}
    await combined([own, GATED], None, judge)
    assert judge.asked["own"].turns[-1].text == "Is It is Paris. polite?"
    assert "Is safe." in judge.asked["gated"].turns[-1].text


async def test_a_script_may_aggregate(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    script(
        tmp_path / "rules",
        "import json, sys\n"
        "told = json.load(sys.stdin)\n"
        "worst = min(it['score'] for it in told['results'] if it['score'] is not None)\n"
        "names = [it['name'] + ' ' + it['verdict'] for it in told['results']]\n"
        "print(json.dumps({'score': worst, 'hits': names, 'misses': [told['candidate_answer']],\n"
        "                  'details': {'rule': 'worst'}}))\n",
        "worst.py",
    )
    aggregator = {"type": "code_judge", "path": "python3 worst.py", "cwd": "rules"}
    score = await combined([YES, NO, EMPTY], aggregator, folder=tmp_path)
    assert (score.score, score.error) == (0.0, None)
    assert score.hits == ("yes pass", "no fail", "empty not_evaluated")
    assert score.misses == ("It is Paris.",)
    assert score.details["rule"] == "worst"
    assert len(score.details["members"]) == 3


async def test_an_aggregating_script_that_fails_is_an_error(tmp_path: Path) -> None:
    aggregator = {"type": "code_judge", "path": "echo broken rule >&2; exit 3"}
    score = await combined([YES], aggregator, folder=tmp_path)
    assert (score.verdict, score.score) == (Verdict.ERROR, None)
    assert "broken rule" in (score.error or "")
    assert verdicts(score) == {"yes": "pass"}


async def test_the_judge_may_aggregate_by_the_members_results() -> None:
    judge = CannedJudge('{"reasoning": "settled", "hits": ["good"], "misses": [], "score": 0.7}')
    injected = says("{{ candidate_answer }}", "Paris")
    aggregator = {
        "type": "llm_judge",
        "prompt": "Settle for {{ question }}: {{EVALUATOR_RESULTS_JSON}}",
    }
    score = await combined([injected, NO], aggregator, judge)
    assert (score.score, score.verdict, score.reasoning) == (0.7, Verdict.BORDERLINE, "settled")
    assert len(score.details["members"]) == 2
    asked = judge.asked[0].turns[-1].text
    assert asked.startswith("Settle for What is the capital of France?: ")
    results = json.loads(asked[asked.index("[") :])
    assert [(it["name"], it["score"]) for it in results] == [
        ("{{ candidate_answer }}", 1.0),
        ("no", 0.0),
    ]
    assert score.request is not None
    assert score.request["target"] == "canned"


async def test_aggregators_are_not_told_how_members_were_judged() -> None:
    reply = '{"reasoning": "settled", "hits": [], "misses": [], "score": 0.7, "x": "RAW-REPLY"}'
    judge = CannedJudge(reply)
    inner = composite([{"name": "free", "type": "llm_judge", "prompt": "ASKED {{ question }}"}])
    aggregator = {"type": "llm_judge", "prompt": "{{ EVALUATOR_RESULTS_JSON }}"}
    score = await combined([{**inner, "name": "inner"}, YES], aggregator, judge)
    told = judge.asked[-1].turns[-1].text
    assert "RAW-REPLY" not in told
    assert "ASKED" not in told
    (free,) = json.loads(told)[0]["details"]["members"]
    assert (free["name"], free["score"], free["reasoning"]) == ("free", 0.7, "settled")
    # The record has all of it.
    kept = json.dumps(dict(score.details))
    assert "RAW-REPLY" in kept
    assert "ASKED" in kept


async def test_judged_members_and_the_aggregating_judge_are_counted_together() -> None:
    judge = CannedJudge("no verdict at all")
    member = {"name": "free", "type": "llm_judge"}
    score = await combined([member, YES], None, judge)
    assert (score.parse_failed, score.attempts) == (True, 3)
    assert score.score == 0.5


async def test_without_a_judge_the_aggregation_is_an_error() -> None:
    score = await combined([YES], {"type": "llm_judge", "prompt": "{{ EVALUATOR_RESULTS_JSON }}"})
    assert score.verdict is Verdict.ERROR
    assert verdicts(score) == {"yes": "pass"}
    assert "no judge is configured" in (score.error or "")


@pytest.mark.parametrize(
    ("written", "error"),
    [
        (composite([YES], {**MEAN, "weights": {"yess": 1}}), "composite_weight_unknown"),
        (composite([YES, YES]), "composite_member_twice"),
        (composite([]), "too_short"),
        (composite([YES], {"type": "code_judge"}), "missing"),
        (composite([YES], {**MEAN, "weights": {"yes": -1}}), "greater_than_equal"),
        (entry("composite", evaluators=[YES]), "missing"),
    ],
)
def test_composites_that_do_not_fit_are_errors_of_the_suite(
    written: dict[str, Any], error: str
) -> None:
    with pytest.raises(ValidationError) as raised:
        ENTRY.validate_python(written)
    assert [it["type"] for it in raised.value.errors()] == [error]
