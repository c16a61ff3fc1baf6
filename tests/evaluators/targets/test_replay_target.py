"""Answers and judge replies of an earlier run."""

from __future__ import annotations

import json
from dataclasses import replace as changed
from pathlib import Path
from typing import Any, Literal

import pytest

from suitecase_evaluators.targets.config.canned import ReplayConfig
from suitecase_evaluators.targets.replay import ReplayTarget
from suitecase_evaluators.targets.target import Criterion, Judging, Question, TargetError, Turn

CORPUS = Path(__file__).parents[4] / "shared/corpus/agentv/tree-2026-02-01/examples"


def replay(folder: Path, *records: Any) -> ReplayTarget:
    lines = [it if isinstance(it, str) else json.dumps(it) + "\n" for it in records]
    (folder / "results.jsonl").write_text("".join(lines), "utf-8")
    return ReplayTarget(
        ReplayConfig(name="r", provider="replay", results="results.jsonl"), folder=folder
    )


def question(eval_id: str = "a", judging: Judging | None = None) -> Question:
    return Question(eval_id=eval_id, turns=(Turn("user", "Hello?"),), judging=judging)


def judged(
    *criteria: tuple[str, Literal["check", "range", "free"]], evaluator: str = "rubric"
) -> Question:
    made = tuple(Criterion(name, "text", mode) for name, mode in criteria)
    return question(judging=Judging(evaluator=evaluator, criteria=made, candidate_answer="x"))


async def test_answers_by_case_with_trace_figures(tmp_path: Path) -> None:
    target = replay(
        tmp_path,
        {"eval_id": "b", "candidate_answer": "no"},
        {
            "eval_id": "a",
            "candidate_answer": "Paris",
            "trace_summary": {
                "tool_names": ["fetchPage", "search"],
                "tool_calls_by_name": {"search": 2, "fetch_page": 1},
                "token_usage": {"input": 3, "output": 4, "cached": 1},
                "cost_usd": 0.25,
                "duration_ms": 40,
            },
        },
    )
    reply = await target.ask(question())
    assert reply.text == "Paris"
    assert [it.tool for it in reply.tool_calls] == ["search", "search", "fetchPage"]
    assert reply.token_usage is not None
    assert (reply.token_usage.input, reply.token_usage.output) == (3, 4)
    assert (reply.cost_usd, reply.duration_ms) == (0.25, 40)


async def test_recorded_messages_keep_calls_in_their_order(tmp_path: Path) -> None:
    call = {"tool": "search", "input": {"q": "x"}, "timestamp": "2026-01-01"}
    messages = [
        {"role": "assistant", "tool_calls": [call, {"tool": "fetch"}]},
        {"role": "assistant", "content": "Paris", "metadata": {}},
    ]
    target = replay(tmp_path, {"test_id": "a", "output": messages})
    reply = await target.ask(question())
    assert reply.text == "Paris"
    assert [(it.tool, it.input) for it in reply.tool_calls] == [
        ("search", {"q": "x"}),
        ("fetch", None),
    ]


async def test_the_last_record_with_an_answer_counts(tmp_path: Path) -> None:
    target = replay(
        tmp_path,
        {"eval_id": "a", "candidate_answer": "old"},
        {"eval_id": "a", "candidate_answer": "new"},
        {"eval_id": "a", "candidate_answer": "", "error": "host is down"},
        '{"eval_id": "a", "candidate_ans',
    )
    assert (await target.ask(question())).text == "new"


async def test_a_record_of_an_error_is_not_an_answer(tmp_path: Path) -> None:
    target = replay(tmp_path, {"eval_id": "a", "candidate_answer": "", "error": "host is down"})
    with pytest.raises(TargetError, match="host is down"):
        await target.ask(question())


async def test_an_empty_answer_is_an_answer(tmp_path: Path) -> None:
    target = replay(tmp_path, {"eval_id": "a", "candidate_answer": ""})
    assert (await target.ask(question())).text == ""


async def test_a_missing_record_names_file_and_case(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match=r"results\.jsonl.*`z`") as caught:
        await replay(tmp_path, {"eval_id": "a", "candidate_answer": "x"}).ask(question("z"))
    assert caught.value.kind == "configuration"


async def test_a_missing_file_says_where_it_was_looked_for(tmp_path: Path) -> None:
    target = ReplayTarget(
        ReplayConfig(name="r", provider="replay", results="none.jsonl"), folder=tmp_path
    )
    with pytest.raises(TargetError, match=r"none\.jsonl cannot be read.*No such file"):
        await target.ask(question())


@pytest.mark.parametrize("line", ["{broken\n", "[1]\n", '{"score": 1}\n'])
async def test_lines_that_are_no_results_are_named(tmp_path: Path, line: str) -> None:
    record = {"eval_id": "a", "candidate_answer": "x"}
    with pytest.raises(TargetError, match="line 2"):
        await replay(tmp_path, record, line, record).ask(question())


def result(**fields: Any) -> dict[str, Any]:
    given = {"name": "rubric", "type": "llm_judge", "score": 0.5, "weight": 1, **fields}
    return {"eval_id": "a", "candidate_answer": "x", "evaluator_results": [given]}


async def test_the_replies_of_a_judge_come_again_one_after_the_other(tmp_path: Path) -> None:
    target = replay(tmp_path, result(details={"replies": ["no JSON", '{"score": 1}']}))
    first, second, third = (changed(judged(("r", "free")), attempt=it) for it in (1, 2, 3))
    assert (await target.ask(first)).text == "no JSON"
    assert (await target.ask(second)).text == '{"score": 1}'
    with pytest.raises(TargetError, match=r"no further reply .* was called 2 times"):
        await target.ask(third)


async def test_a_reply_that_was_not_kept_whole_is_made_from_the_result(tmp_path: Path) -> None:
    cut = '{"reasoning": "so so... (9000 more characters left out)'
    target = replay(tmp_path, result(details={"replies": [cut]}, hits=["good"]))
    reply = json.loads((await target.ask(judged(("r", "free")))).text)
    assert (reply["score"], reply["hits"]) == (0.5, ["good"])
    unread = replay(tmp_path, result(details={"replies": [cut]}, parse_failed=True))
    assert (await unread.ask(judged(("r", "free")))).text == cut


async def test_a_free_form_reply_is_made_from_the_result(tmp_path: Path) -> None:
    target = replay(tmp_path, result(hits=["good"], misses=["bad"], reasoning="why"))
    assert json.loads((await target.ask(judged(("r", "free")))).text) == {
        "reasoning": "why",
        "hits": ["good"],
        "misses": ["bad"],
        "score": 0.5,
    }


async def test_checks_are_made_from_hits_and_misses(tmp_path: Path) -> None:
    target = replay(
        tmp_path,
        result(
            hits=["[a] text: fine", "[r] good"],
            misses=["[b] text: absent", "[q] (score: 4/10)", "[s] poor"],
            details={"raw_scores": {"r": 8}},
            reasoning="all in all",
        ),
    )
    asked = judged(
        ("a", "check"),
        ("b", "check"),
        ("r", "range"),
        ("q", "range"),
        ("s", "range"),
        ("c", "check"),
    )
    reply = json.loads((await target.ask(asked)).text)
    assert [(it["id"], it.get("satisfied", it.get("score"))) for it in reply["checks"]] == [
        ("a", True),
        ("b", False),
        ("r", 8),
        ("q", 4),
        ("s", 0),
    ]
    assert reply["checks"][0]["reasoning"] == "text: fine"
    assert reply["overall_reasoning"] == "all in all"


async def test_members_of_composites_are_found(tmp_path: Path) -> None:
    member = {"name": "safety", "score": 1, "reasoning": "inner"}
    target = replay(tmp_path, result(evaluator_results=[member]))
    reply = await target.ask(judged(("r", "free"), evaluator="safety"))
    assert json.loads(reply.text)["reasoning"] == "inner"


async def test_members_of_one_name_are_told_apart_by_where_they_stand(tmp_path: Path) -> None:
    def composite(name: str, reply: str) -> dict[str, Any]:
        member = {"name": "quality", "details": {"replies": [reply]}}
        return {"name": name, "details": {"members": [member]}}

    results = [composite("first", "1"), composite("second", "2")]
    target = replay(
        tmp_path, {"eval_id": "a", "candidate_answer": "x", "evaluator_results": results}
    )
    for within, reply in ((("first",), "1"), (("second",), "2")):
        asked = Judging("quality", (Criterion("r", "text", "free"),), "x", within=within)
        assert (await target.ask(question(judging=asked))).text == reply
    asked = Judging("quality", (Criterion("r", "text", "free"),), "x", within=("elsewhere",))
    with pytest.raises(TargetError, match="2 results of evaluators named `quality`"):
        await target.ask(question(judging=asked))


async def test_calls_that_were_only_counted_are_not_taken_for_known(tmp_path: Path) -> None:
    for ours, counts, known in (
        ({}, {"b": 1, "a": 1}, "order"),
        ({}, {"b": 2, "a": 1}, "counts"),
        # Ours are sorted by name.
        ({"schema_version": 1}, {"a": 1, "b": 1}, "counts"),
    ):
        record = {"eval_id": "a", "candidate_answer": "x", **ours}
        target = replay(tmp_path, {**record, "trace_summary": {"tool_calls_by_name": counts}})
        assert (await target.ask(question())).calls_known == known


async def test_an_evaluator_that_was_not_recorded_is_told_which_were(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match=r"`tone`.*`rubric`"):
        await replay(tmp_path, result()).ask(judged(("r", "free"), evaluator="tone"))


async def test_a_grading_that_broke_is_not_replayed_as_a_score(tmp_path: Path) -> None:
    target = replay(tmp_path, result(score=None, verdict="error", error="judge is down"))
    with pytest.raises(TargetError, match="judge is down"):
        await target.ask(judged(("r", "free")))


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not part of the project")
async def test_recorded_baselines_of_the_corpus_are_replayed() -> None:
    answered = 0
    for file in CORPUS.rglob("*.baseline.jsonl"):
        target = ReplayTarget(
            ReplayConfig(name="r", provider="replay", results=file.name), folder=file.parent
        )
        for line in file.read_text("utf-8").splitlines():
            record = json.loads(line)
            reply = await target.ask(question(record["eval_id"]))
            assert reply.text == record["candidate_answer"]
            answered += 1
    assert answered > 20
