"""`--dry-run`: estimates the calls of a run without making any."""

from __future__ import annotations

import json

import pytest

from support.running.site import Site
from support.servers.openai import OpenAiServer  # pyright: ignore[reportMissingImports] - see conftest.py
from support.suites.counted_agent import CountedAgent

CASES = """
- {id: judged, expected_outcome: x, input: hello}
- id: twice
  expected_outcome: x
  input: hello
  evaluators:
    - {name: one, type: llm_judge}
    - {name: two, type: llm_judge, model: gpt-4.1}
    - {name: code, type: code_judge, script: "true", target: {max_calls: 5}}
    - {name: there, type: contains, value: x}
- {id: free, expected_outcome: x, input: hello, execution: {target: mock}}
"""


@pytest.fixture
def models(site: Site, openai_server: OpenAiServer) -> Site:
    common = {"provider": "openai", "api_base": openai_server.url, "api_key": "${{ NO_SUCH_KEY }}"}
    targets = [
        {"name": "asked", "model": "mine", "judge_target": "judge", **common},
        {"name": "judge", "model": "gpt-4o-mini", **common},
    ]
    site.write("targets.yaml", json.dumps({"targets": targets}))
    site.suite(CASES, head="execution: {target: asked}")
    return site


def test_questions_are_counted_by_target_and_purpose(
    models: Site, openai_server: OpenAiServer
) -> None:
    ran = models.run("a.eval.yaml", "--dry-run", "--repeat", "2", "--format", "json")
    assert ran.code == 0, ran.err
    (estimate,) = json.loads(ran.out)["estimates"]
    assert (estimate["cases"], estimate["repeats"], estimate["records"]) == (3, 2, 6)
    counts = {
        (question["target"], question["model"], question["purpose"]): (
            question["least"],
            question["most"],
        )
        for question in estimate["questions"]
    }
    assert counts == {
        ("asked", "mine", "answer"): (4, 4),
        ("mock", None, "answer"): (2, 2),
        # Each evaluator once, or three times where replies cannot be read; a script up to 5 times.
        ("judge", "gpt-4o-mini", "judging"): (4, 22),
        ("judge", "gpt-4.1", "judging"): (2, 6),
        ("mock", None, "judging"): (2, 6),
    }
    kinds = {question["type"]: question["cases"] for question in estimate["evaluators"]}
    assert kinds == {"llm_judge": 3, "code_judge": 1, "contains": 1}
    assert openai_server.requests == []
    assert not (models.root / ".suitecase").exists()


def test_people_are_told_what_is_an_estimate(models: Site, openai_server: OpenAiServer) -> None:
    ran = models.run("a.eval.yaml", "--dry-run", "--filter", "judged")
    assert ran.code == 0, ran.err
    assert "asks `asked` (openai, mine): 1 question, about 2 tokens sent (estimate" in ran.out
    assert "asks to judge `judge` (openai, gpt-4o-mini): 1 to 3 questions" in ran.out
    assert "Nothing was asked." in ran.out
    assert "$" not in ran.out, "a server of one's own has no price"
    assert openai_server.requests == []


def test_a_price_is_told_where_it_is_known(site: Site) -> None:
    site.write("targets.yaml", "targets: [{name: m, provider: openai, model: gpt-4o-mini}]")
    site.suite(
        f"- {{id: one, expected_outcome: x, input: {'word ' * 2_000}}}", "execution: {target: m}"
    )
    ran = site.run("a.eval.yaml", "--dry-run", "--format", "jsonl")
    (answer, judging) = json.loads(ran.out)["questions"]
    assert answer["tokens"] == 2_500
    assert 0.00001 < answer["input_cost_usd"] < 0.1
    assert judging["tokens"] is judging["input_cost_usd"] is None


def test_a_target_that_is_not_there_and_errors_are_told(site: Site) -> None:
    site.write("targets.yaml", "targets: [{name: m, provider: mock}]")
    site.suite("- {id: one, expected_outcome: x, input: x}")
    ran = site.run("a.eval.yaml", "--dry-run", "--target", "n")
    assert ran.code == 2
    assert "there is no target `n`" in ran.err
    site.suite("- {id: one, input: x}")
    assert site.run("a.eval.yaml", "--dry-run").code == 2


def test_what_a_resumed_run_would_ask(site: Site) -> None:
    agent = CountedAgent(site)
    site.suite(
        "- {id: one, expected_outcome: x, input: x}\n- {id: two, expected_outcome: x, input: x}",
        "execution: {target: agent}",
    )
    site.run("a.eval.yaml::one")
    agent.asked()
    ran = site.run("a.eval.yaml", "--resume", "--dry-run", "--format", "jsonl")
    estimate = json.loads(ran.out)
    assert (estimate["kept"], estimate["records"]) == (1, 2)
    assert estimate["questions"][0]["least"] == 1
    assert not agent.asked()
