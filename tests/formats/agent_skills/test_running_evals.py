"""`suitecase run evals/evals.json`: an agent is asked, and its answers are graded by the statements."""

from __future__ import annotations

import json

from support.running.site import Site

EVALS = {
    "skill_name": "greeting",
    "evals": [
        {
            "id": 1,
            "prompt": "Greet Ann",
            "expected_output": "A greeting",
            "assertions": ["hello Ann", {"text": "a full stop"}],
            "files": ["evals/files/names.txt"],
        },
        {"id": "bye", "prompt": "Bid farewell", "expected_output": "bye"},
        {"id": "trigger", "query": "Who are you?", "should_trigger": False},
    ],
}


def greeting(site: Site, evals: object = EVALS) -> None:
    """Write a skill with its evals, and an agent that answers them."""
    site.write("greeting/SKILL.md", "---\nname: greeting\ndescription: Greets\n---\nGreet.\n")
    site.write("greeting/evals/files/names.txt", "Ann\n")
    site.write("greeting/evals/evals.json", json.dumps(evals))
    agent = site.program("agent.py", "import sys\nprint('hello Ann, with a full stop.')\n")
    site.write(
        "targets.yaml",
        f"""\
        targets:
          - {{name: agent, provider: cli, command_template: "{agent} {{PROMPT}}", judge_target: judge}}
          - {{name: judge, provider: mock}}
        """,
    )


def test_an_agent_is_graded_by_the_statements_of_each_eval(site: Site) -> None:
    greeting(site)
    ran = site.run(
        "greeting/evals/evals.json", "--target", "agent", "--keep-going", "--format", "jsonl"
    )
    assert set(ran.records) == {"1", "bye"}, ran.err
    first = ran.records["1"]
    assert (first["verdict"], first["dataset"]) == ("pass", "greeting")
    assert [it["name"] for it in first["evaluator_results"]] == ["rubric"]
    assert len(first["hits"]) == 2
    assert "names.txt" in json.dumps(first["input"])
    assert ran.records["bye"]["expected_outcome"] == "bye"


def test_an_eval_that_asks_nothing_is_refused_at_its_line(site: Site) -> None:
    greeting(site)
    refused = site.run("greeting/evals/evals.json", "--target", "agent")
    assert refused.code == 2
    assert "evals.json:1:" in refused.err + refused.out
    assert "asks the `prompt` of an eval, which this one does not have" in refused.err + refused.out


def test_an_eval_is_chosen_by_its_id(site: Site) -> None:
    greeting(site)
    ran = site.run("greeting/evals/evals.json::bye", "--target", "agent", "--format", "jsonl")
    assert list(ran.records) == ["bye"], ran.err


def test_half_of_a_surrogate_pair_in_a_statement_is_replaced(site: Site) -> None:
    greeting(site, {"evals": [{"id": 1, "prompt": "Greet \ud83d", "assertions": ["a \ud83d"]}]})
    ran = site.run("greeting/evals/evals.json", "--dry-run")
    assert ran.code == 0, ran.err
