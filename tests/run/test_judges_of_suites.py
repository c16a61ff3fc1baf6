"""`judges` of a suite reaches every judge of that name, and records keep how it judged."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from suitecase.format.target_files import find_targets
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.graded_evaluators import as_graded
from suitecase.formats.suitecase.judge_hash import judge_hash, judge_parts
from suitecase_evaluators.grade.judge.config import LlmJudgeConfig
from support.running.processes import suitecase
from support.running.site import Ran, Site, lines_of
from support.servers.openai import (  # pyright: ignore[reportMissingImports] - see tests/conftest.py
    Answer,
    OpenAiServer,
)
from support.servers.otlp import OtlpReceiver

JUDGES = {
    "rubric": {
        "target": "critic",
        "model": "critic-2025-04-14",
        "temperature": 0.5,
        "references": ["policy.md"],
        "quotes": "required",
        "votes": 3,
    }
}


class JudgedByServer:
    """A suite whose target gives a canned answer, and whose judge is a server."""

    def __init__(self, site: Site, server: OpenAiServer) -> None:
        self.site, self.server = site, server
        #: What the judge says of the vote with each seed; of those without one, in their order.
        self.met: Mapping[int | None, bool] = {}
        self.in_order: list[bool] = []
        self.quote = "so sorry"
        bot = {"name": "bot", "provider": "mock", "response": "I am so sorry.", "judge_target": "x"}
        model = {"provider": "openai", "model": "m", "api_base": server.url, "api_key": "none"}
        targets = [bot, {"name": "critic", **model}, {"name": "x", **model}]
        site.write("targets.yaml", json.dumps({"targets": targets}))
        site.write("policy.md", "Apologise.")
        server.default = self._reply

    def _reply(self, body: Mapping[str, Any]) -> Answer:
        met = self.in_order.pop() if self.in_order else self.met.get(body.get("seed"), True)
        check = {"id": "sorry", "reasoning": "r", "quote": self.quote, "satisfied": met}
        if "sorry" not in body["messages"][0]["content"]:
            return Answer(text=json.dumps({"reasoning": "", "score": 1}))
        return Answer(text=json.dumps({"checks": [check], "overall_reasoning": ""}))

    def write(self, judges: Any = JUDGES, **head: Any) -> None:
        item = {"id": "sorry", "expected_outcome": "Says sorry"}
        case = {"id": "one", "input": "Hi", "expected_outcome": "Says sorry", "rubrics": [item]}
        execution = {"target": "bot", "seed": 17}
        suite = {"execution": execution, "judges": judges, "evalcases": [case], **head}
        self.site.write("a.eval.yaml", json.dumps(suite))

    def run(self, *options: str, **head: Any) -> Ran:
        self.write(**head)
        return self.site.run("a.eval.yaml", "--output", "r.jsonl", *options)

    def result(self, name: str = "r.jsonl") -> dict[str, Any]:
        *_, record = lines_of(self.site.root / name)
        found: dict[str, Any] = record["evaluator_results"][0]
        return found


@pytest.fixture
def judged(site: Site, openai_server: OpenAiServer) -> JudgedByServer:
    return JudgedByServer(site, openai_server)


def test_the_settings_reach_the_judge_that_rubrics_imply(judged: JudgedByServer) -> None:
    judged.met = {18: False}
    ran = judged.run()
    assert ran.code == 0, ran.out + ran.err
    bodies = [it.body for it in judged.server.requests]
    assert sorted(it["seed"] for it in bodies) == [17, 18, 19]
    assert {it["model"] for it in bodies} == {"critic-2025-04-14"}
    assert {it["temperature"] for it in bodies} == {0.5}
    assert all("policy.md:\nApologise." in it["messages"][1]["content"] for it in bodies)


def test_the_record_keeps_confidence_quotes_model_and_hash(judged: JudgedByServer) -> None:
    judged.met = {18: False}
    judged.run()
    result = judged.result()
    assert result["confidence"] == pytest.approx(2 / 3)
    assert result["quotes"] == [{"item": "sorry", "quote": "so sorry", "in_answer": True}]
    assert result["reported_model"] == "critic-2025-04-14"
    assert (result["attempts"], result["judge_usage"]["questions"]) == (3, 3)
    assert result["judge_usage"]["token_usage"] is not None


def test_the_hash_of_the_record_is_the_one_that_checking_computes(judged: JudgedByServer) -> None:
    judged.run()
    root = judged.site.root
    workspace = Workspace(root)
    entry = LlmJudgeConfig(name="rubric", type="llm_judge", **JUDGES["rubric"])  # type: ignore[arg-type]
    targets = find_targets(workspace, root)
    assert targets is not None
    graded = as_graded(entry, Folder(workspace, root))[0]
    assert judged.result()["judge_hash"] == judge_hash(
        judge_parts(graded, targets.config("critic"))
    )


def test_a_quote_that_is_not_in_the_answer_fails_the_item(judged: JudgedByServer) -> None:
    judged.quote = "We apologise"
    judges = {"rubric": {**JUDGES["rubric"], "votes": 1}}
    assert judged.run(judges=judges).code == 1
    result = judged.result()
    assert len(judged.server.requests) == 3
    assert result["quotes"] == [{"item": "sorry", "quote": "We apologise", "in_answer": False}]
    assert (result["confidence"], result["parse_failed"]) == (None, False)


def test_a_replay_gives_the_same_grade(judged: JudgedByServer) -> None:
    judged.met = {18: False}
    judged.run()
    before, asked = judged.result(), len(judged.server.requests)
    ran = judged.site.run("a.eval.yaml", "--replay", "r.jsonl", "--output", "again.jsonl")
    assert ran.code == 0, ran.out + ran.err
    after = judged.result("again.jsonl")
    same = ("score", "verdict", "confidence", "quotes", "judge_hash", "reported_model", "attempts")
    assert {it: after[it] for it in same} == {it: before[it] for it in same}
    assert len(judged.server.requests) == asked


def test_a_replay_keeps_what_was_asked_again_for_a_quote(judged: JudgedByServer) -> None:
    judged.quote = "We apologise"
    judged.run(judges={"rubric": {**JUDGES["rubric"], "votes": 1}})
    ran = judged.site.run("a.eval.yaml", "--replay", "r.jsonl", "--output", "again.jsonl")
    assert ran.code == 1, ran.out + ran.err
    before, after = judged.result(), judged.result("again.jsonl")
    for it in ("score", "verdict", "quotes", "attempts", "reasoning", "misses"):
        assert after[it] == before[it]


def test_a_changed_reference_changes_the_effective_hash(judged: JudgedByServer) -> None:
    hashes = []
    for policy in ("Apologise.", "Never apologise."):
        judged.site.write("policy.md", policy)
        (judged.site.root / "r.jsonl").unlink(missing_ok=True)
        judged.run()
        (record,) = lines_of(judged.site.root / "r.jsonl")
        hashes.append((record["effective_hash"], judged.result()["judge_hash"]))
    assert hashes[0][0] != hashes[1][0]
    assert hashes[0][1] != hashes[1][1]


def test_the_cache_keeps_votes_apart(judged: JudgedByServer) -> None:
    judged.met = {18: False}
    ran = judged.run("--cache", "read")
    assert ran.code == 0, ran.err
    asked = len(judged.server.requests)
    (judged.site.root / "r.jsonl").unlink()
    ran = judged.run("--cache", "read")
    assert ran.code == 0, ran.err
    assert len(judged.server.requests) == asked == 3
    assert judged.result()["confidence"] == pytest.approx(2 / 3)
    assert judged.result()["reported_model"] == "critic-2025-04-14"


def test_the_cache_keeps_votes_without_seeds_apart(judged: JudgedByServer) -> None:
    judged.in_order = [True, False, True]
    for _ in range(2):
        (judged.site.root / "r.jsonl").unlink(missing_ok=True)
        ran = judged.run("--cache", "read", execution={"target": "bot"})
        assert ran.code == 0, ran.err
        assert judged.result()["confidence"] == pytest.approx(2 / 3)
    assert [it.body.get("seed") for it in judged.server.requests] == [None] * 3


def test_a_seed_of_the_judging_target_goes_before_the_suites(judged: JudgedByServer) -> None:
    targets = json.loads((judged.site.root / "targets.yaml").read_text())
    targets["targets"][1]["seed"] = 40
    judged.site.write("targets.yaml", json.dumps(targets))
    judged.run()
    assert sorted(it.body["seed"] for it in judged.server.requests) == [40, 41, 42]


def test_a_dry_run_counts_the_votes(judged: JudgedByServer) -> None:
    judged.write()
    ran = judged.site.run("a.eval.yaml", "--dry-run", "--format", "json")
    questions = json.loads(ran.out)["estimates"][0]["questions"]
    judging = next(it for it in questions if it["purpose"] == "judging")
    assert (judging["target"], judging["least"], judging["most"]) == ("critic", 3, 9)


def test_show_prints_the_judge_as_it_grades(judged: JudgedByServer) -> None:
    judged.write()
    shown = suitecase("show", "a.eval.yaml", "--format", "json", cwd=judged.site.root).stdout
    (evaluator,) = json.loads(shown)["cases"][0]["evaluators"]
    assert {it: evaluator[it] for it in ("votes", "quotes", "model", "judge")} == {
        "votes": 3,
        "quotes": "required",
        "model": "critic-2025-04-14",
        "judge": "critic",
    }
    assert evaluator["references"] == ["policy.md:\nApologise."]
    origin = {"name": "rubric", "file": "a.eval.yaml", "line": 1}
    assert evaluator["origin"]["judge"] == origin
    text = suitecase("show", "a.eval.yaml", cwd=judged.site.root).stdout
    assert "with `judges.rubric` a.eval.yaml:1" in text


def test_criteria_and_members_of_composites_are_judges_too(judged: JudgedByServer) -> None:
    judges = {
        "evaluation_criteria": {"target": "critic", "model": "critic-1"},
        "inner": {"model": "critic-2"},
    }
    inner = {"name": "inner", "type": "llm_judge"}
    both = {
        "name": "both",
        "type": "composite",
        "aggregator": {"type": "weighted_average"},
        "evaluators": [inner],
    }
    case = {"input": "Hi", "expected_outcome": "Says sorry"}
    cases = [
        {"id": "one", **case, "evaluators": [both]},
        {"id": "two", **case, "evaluators": [inner]},
    ]
    ran = judged.run(
        judges=judges, evaluation_mode="llm", evaluation_criteria="Is kind", evalcases=cases
    )
    assert ran.code == 0, ran.err + ran.out
    models = sorted(it.body["model"] for it in judged.server.requests)
    assert models == ["critic-1", "critic-1", "critic-2", "critic-2"]


def test_spans_say_how_sure_the_judge_is_and_what_it_quoted(judged: JudgedByServer) -> None:
    judged.met = {18: False}
    judged.write()
    receiver = OtlpReceiver()
    try:
        judged.site.run("a.eval.yaml", "--no-results", env=receiver.environment)
        attributes = receiver.one("evaluate rubric").attributes
    finally:
        receiver.close()
    assert attributes["suitecase.judge.confidence"] == pytest.approx(2 / 3)
    assert attributes["suitecase.judge.quotes"] == attributes["suitecase.judge.quotes.in_answer"]
    assert attributes["suitecase.judge.quotes"] == 1
