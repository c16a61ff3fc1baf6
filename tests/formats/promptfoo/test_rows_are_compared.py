"""The rows of a configuration are answers to its tests: providers and prompts are what is compared."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.running.processes import suitecase
from support.running.site import Site

PROVIDERS = "[{id: echo, label: one}, {id: echo, label: two}, {id: echo, label: three}]"
CONFIGURATION = """\
prompts: [PROMPTS]
providers: PROVIDERS
tests:
  - {description: greets, vars: {text: hello}, assert: [{type: contains, value: Say}]}
  - {description: leaves, vars: {text: bye}, assert: [{type: contains, value: bye}]}
"""


def ran(site: Site, prompts: str, *arguments: str) -> Any:
    text = CONFIGURATION.replace("PROMPTS", prompts).replace("PROVIDERS", PROVIDERS)
    site.write("promptfooconfig.yaml", text)
    return site.run("promptfooconfig.yaml", *arguments)


def measured(site: Site) -> dict[str, Any]:
    document = suitecase("metrics", "--format", "json", cwd=site.root).stdout
    found: dict[str, Any] = json.loads(document)
    return found


def test_cases_are_the_unit_and_providers_are_ranked(site: Site) -> None:
    assert ran(site, '"Say {{text}}"').code == 0
    found = measured(site)
    assert [(run["target"], run["cases"]) for run in found["runs"]] == [
        ("one", 2),
        ("two", 2),
        ("three", 2),
    ]
    board = found["leaderboards"][0]
    assert [comparison["cases"] for comparison in board["comparisons"]] == [2, 2, 2]
    (listed,) = json.loads(suitecase("list", "--format", "json", cwd=site.root).stdout)["runs"]
    assert (listed["cases"], listed["answers"]) == (2, 6)


def test_prompts_are_compared_too(site: Site) -> None:
    assert ran(site, '"Say {{text}}", "Tell {{text}} now, in as many words as you like"').code == 1
    found = measured(site)
    assert {run["target"]: run["cases"] for run in found["runs"]} == {
        f"{provider}, {prompt}": 2
        for provider in ("one", "two", "three")
        for prompt in ("Say {{text}}", "prompt 2")
    }
    rates = {
        entry["target"]: entry["figure"]["estimate"]
        for entry in found["leaderboards"][0]["entries"]
    }
    assert (rates["one, Say {{text}}"], rates["one, prompt 2"]) == (1.0, 0.5)


@pytest.mark.parametrize("gate", ["pass_rate >= 90%", "pass_rate >= 40%"])
def test_a_gate_is_decided_for_each(site: Site, gate: str) -> None:
    done = ran(site, '"Say {{text}}"', "--gate", gate, "--format", "json")
    decisions = json.loads(done.out)["gates"][-1]["decisions"]
    assert [(decision["target"], decision["figure"]["cases"]) for decision in decisions] == [
        ("one", 2),
        ("two", 2),
        ("three", 2),
    ]


def test_a_test_for_one_provider_leaves_no_case_of_another_open(site: Site) -> None:
    text = CONFIGURATION.replace("PROMPTS", '"Say {{text}}"').replace("PROVIDERS", PROVIDERS)
    site.write(
        "promptfooconfig.yaml",
        text.replace("description: leaves,", "description: leaves, providers: [one],"),
    )
    done = site.run("promptfooconfig.yaml", "--gate", "pass_rate >= 90%", "--format", "json")
    decisions = json.loads(done.out)["gates"][-1]["decisions"]
    assert {decision["outcome"] for decision in decisions} == {"rehearsed"}, done.out


def test_records_of_earlier_versions_are_compared_by_test_and_variables(site: Site) -> None:
    assert ran(site, '"Say {{text}}"', "--output", "r.jsonl").code == 0
    lines = [json.loads(text) for text in (site.root / "r.jsonl").read_text("utf-8").splitlines()]
    for line in lines:
        del line["row"]["case"], line["run_id"]
    (site.root / "r.jsonl").write_text(
        "".join(f"{json.dumps(record)}\n" for record in lines), "utf-8"
    )
    assert [run["cases"] for run in measured(site)["runs"]] == [2, 2, 2]
