"""Each record tells whether its answer is a refusal, whatever grades the case."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from support.running.runs import run_here
from support.running.site import Site, lines_of
from support.servers.openai import (  # pyright: ignore[reportMissingImports] - see tests/conftest.py
    Answer,
    OpenAiServer,
)

SAYS_X = "evaluators: [{name: e, type: contains, value: x}]"
#: What the model answers, by the case's input.
ANSWERS: Mapping[str, Answer] = {
    "plain": Answer(text="x"),
    "opening": Answer(text="I\u2019m sorry, but I can\u2019t help with that."),
    "filtered": Answer(text="", finish_reason="content_filter"),
    "field": Answer(text="", message={"content": None, "refusal": "That is off limits"}),
    "broken": Answer(status=400, error="no"),
}


def suite_of(site: Site, server: OpenAiServer) -> None:
    entry = {"provider": "openai", "model": "m", "api_base": server.url, "api_key": "none"}
    site.write("targets.yaml", json.dumps({"targets": [{"name": "bot", **entry}]}))
    cases = [f"- {{id: {it}, expected_outcome: x, input: {it}, {SAYS_X}}}" for it in ANSWERS]
    site.suite("\n".join(cases), "execution: {target: bot}")
    server.default = lambda body: ANSWERS[body["messages"][-1]["content"]]


def refused(site: Site, name: str) -> dict[str, Any]:
    return {it["eval_id"]: it["refused"] for it in lines_of(site.root / name)}


def test_records_tell_which_answers_refuse(site: Site, openai_server: OpenAiServer) -> None:
    suite_of(site, openai_server)
    site.run("a.eval.yaml", "--output", "r.jsonl")
    expected = {"plain": False, "opening": True, "filtered": True, "field": True, "broken": None}
    assert refused(site, "r.jsonl") == expected
    # So do those of a replay, which has no model to say so.
    site.run("a.eval.yaml", "--replay", "r.jsonl", "--output", "s.jsonl")
    assert refused(site, "s.jsonl") == expected


async def test_an_evaluator_finds_refusals_that_the_built_in_patterns_do_not(site: Site) -> None:
    patterns = "{name: r, type: refusal, weight: 0, patterns: [(?i)^leider]}"
    composite = (
        "{name: c, type: composite, aggregator: {type: weighted_average}, "
        f"evaluators: [{patterns}, {{name: e, type: contains, value: i}}]}}"
    )
    site.write(
        "targets.yaml", "targets: [{name: bot, provider: mock, response: Leider geht das nicht.}]"
    )
    site.suite(
        f"""
        - {{id: none, expected_outcome: x, input: x, {SAYS_X}}}
        - {{id: own, expected_outcome: x, input: x, evaluators: [{patterns}]}}
        - {{id: member, expected_outcome: x, input: x, evaluators: [{composite}]}}
        """,
        "execution: {target: bot}",
    )
    records = (await run_here(site.request())).records
    assert {name: it["refused"] for name, it in records.items()} == {
        "none": False,
        "own": True,
        "member": True,
    }


def test_a_refusal_that_only_a_judge_could_not_grade_stays_one(
    site: Site, openai_server: OpenAiServer
) -> None:
    entry = {"provider": "openai", "model": "m", "api_base": openai_server.url, "api_key": "none"}
    targets = [{"name": "bot", "provider": "mock", "response": "Leider nein."}]
    targets.append({"name": "critic", **entry})
    site.write("targets.yaml", json.dumps({"targets": targets}))
    site.suite(
        """
        - id: one
          expected_outcome: x
          input: x
          evaluators:
            - {name: r, type: refusal, patterns: [^Leider]}
            - {name: j, type: llm_judge, target: critic}
        """,
        "execution: {target: bot}",
    )
    openai_server.default = Answer(status=400, error="no")
    assert site.run("a.eval.yaml", "--output", "r.jsonl").code == 3
    openai_server.default = json.dumps({"reasoning": "", "hits": [], "misses": [], "score": 1})
    assert site.run("a.eval.yaml", "--resume", "r.jsonl").code == 0
    assert refused(site, "r.jsonl") == {"one": True}


def test_repetition_in_a_pattern_is_reported_at_the_pattern(site: Site) -> None:
    site.suite(
        "- {id: a, expected_outcome: x, input: x, "
        "evaluators: [{name: r, type: refusal, patterns: [ok, (a+)+$]}]}"
    )
    assert "SC331] `(a+)+` is a nested repetition" in site.check("a.eval.yaml")
