"""Scenarios "Runner configuration and determinism" and "Telemetry and logging", from files to spans.

A suite is run against a model on a server, which is overloaded at first, with a judge and a script.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from support.running.site import Ran, Site, lines_of
from support.servers.openai import (  # pyright: ignore[reportMissingImports] - see tests/conftest.py
    Answer,
    OpenAiServer,
)
from support.servers.otlp import OtlpReceiver

CASES = """
- id: capital
  tags: [facts]
  input: What is the capital of France?
  expected_outcome: Names Paris
  evaluators:
    - {name: quality, type: llm_judge}
    - {name: script, type: code_judge, script: [PYTHON, judge.py]}
- id: river
  tags: [facts]
  input: Which river flows through it?
  expected_outcome: Names the Seine
  evaluators: [{name: seine, type: contains, value: Seine}]
- id: endless
  input: Grade me for ever.
  expected_outcome: Ends
  evaluators: [{name: slow, type: code_judge, timeout_seconds: 1, script: [PYTHON, slow.py]}]
"""
HEAD = """
execution: {target: bot, repeats: 2, seed: 17}
gates: [pass_rate >= 10%, 'pass_rate[facts] >= 90%']
"""
GRADES = '{"reasoning": "It names Paris.", "hits": ["names Paris"], "misses": [], "score": 0.9}'
PRICE = {"input_per_million": 10, "output_per_million": 100}


def _behave(body: Mapping[str, Any]) -> str:
    return GRADES if body["model"] == "judge" else "Paris"


@dataclass(frozen=True)
class World:
    """Two runs, the second with the cache of the first, and what was asked and traced."""

    site: Site
    first: Ran
    second: Ran
    asked: list[Mapping[str, Any]]
    asked_again: list[Mapping[str, Any]]
    receiver: OtlpReceiver

    @property
    def records(self) -> list[dict[str, Any]]:
        return lines_of(self.site.root / "first.jsonl")

    def record(self, case: str) -> dict[str, Any]:
        return next(it for it in self.records if it["eval_id"] == case)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    site = Site(tmp_path_factory.mktemp("world"))
    server, receiver = OpenAiServer(), OtlpReceiver()
    server.default = _behave
    server.script(Answer(status=429, headers={"retry-after": "0"}))
    model = {"provider": "openai", "api_base": server.url, "api_key": "none", "price": PRICE}
    targets = [
        {"name": "bot", "model": "bot", "rate_limit": 600, "judge_target": "judge", **model},
        {"name": "judge", "model": "judge", **model},
    ]
    site.write("targets.yaml", json.dumps({"targets": targets}))
    site.write("judge.py", 'print(\'{"score": 1, "reasoning": "It is short."}\')')
    site.write("slow.py", "import time\nwhile True: time.sleep(1)\n")
    site.suite(CASES.replace("PYTHON", sys.executable), HEAD)
    options = ("a.eval.yaml", "--cache", "read", "--output")
    first = site.run(*options, "first.jsonl", env=receiver.environment)
    asked = [it.body for it in server.requests]
    server.requests.clear()
    second = site.run(*options, "second.jsonl")
    again = [it.body for it in server.requests]
    server.close()
    yield World(site, first, second, asked, again, receiver)
    receiver.close()


def test_an_overloaded_provider_is_asked_again(world: World) -> None:
    answered = [it for it in world.records if it["verdict"] != "error"]
    assert len(answered) >= 4
    # 3 cases twice, and the attempt that the server refused
    assert len([it for it in world.asked if it["model"] == "bot"]) == 3 * 2 + 1


def test_seeds_are_explicit_and_answers_are_cached_by_model_prompt_and_parameters(
    world: World,
) -> None:
    seeds = {it["seed"] for it in world.asked if it["model"] == "bot"}
    assert seeds == {17, 18}
    assert {(it["repeat"], it["seed"]) for it in world.records} == {(1, 17), (2, 18)}
    assert [it for it in world.asked_again if it["model"] == "bot"] == []
    again = lines_of(world.site.root / "second.jsonl")
    assert all(it["details"].get("cached") for it in again if it["candidate_answer"])


def test_programs_are_sandboxed_with_limits(world: World) -> None:
    script = next(
        it for it in world.record("capital")["evaluator_results"] if it["name"] == "script"
    )
    assert script["sandbox"] in ("limits", "isolated")
    (slow,) = world.record("endless")["evaluator_results"]
    assert "1 s" in json.dumps(slow)


def test_each_item_is_logged_with_what_was_asked_answered_graded_and_paid(world: World) -> None:
    record = world.record("capital")
    assert record["input"][0]["content"] == "What is the capital of France?"
    assert record["candidate_answer"] == "Paris"
    assert (record["verdict"], record["score"]) == ("pass", pytest.approx(0.95))
    judge = next(it for it in record["evaluator_results"] if it["name"] == "quality")
    assert (judge["reasoning"], judge["hits"]) == ("It names Paris.", ["names Paris"])
    assert "confidence" in judge
    cost = (11 * 10 + 7 * 100) / 1e6
    assert record["judge_cost_usd"] == pytest.approx(cost)
    assert record["trace_summary"]["cost_usd"] == pytest.approx(cost)


def test_slices_and_intervals_are_logged_and_decide_the_exit_code(world: World) -> None:
    lines = lines_of(world.site.root / "first.figures.jsonl")
    figures = {(it["figure"], it["slice"]): it for it in lines if it["kind"] == "figure"}
    facts = figures["pass_rate", "facts"]
    assert (facts["estimate"], facts["cases"]) == (0.5, 2)
    assert 0 <= facts["low"] < 0.5 < facts["high"] <= 1
    gates = {it["gate"]: it["outcome"] for it in lines if it["kind"] == "gate"}
    assert gates["pass_rate[facts] >= 90%"] == "fails"
    assert world.first.code == world.second.code == 1


def test_spans_have_the_time_and_the_cost_from_end_to_end(world: World) -> None:
    run = world.receiver.one("run a")
    assert {it.trace for it in world.receiver.spans} == {run.trace}
    assert all(
        run.start_ns <= it.start_ns <= it.end_ns <= run.end_ns for it in world.receiver.spans
    )
    spent = {key: it for key, it in run.attributes.items() if "cost" in key}
    assert sum(spent.values()) == pytest.approx(
        sum(it["trace_summary"]["cost_usd"] + (it["judge_cost_usd"] or 0) for it in world.records)
    )
    assert any(it.name == "suitecase.gate" for it in run.events)
