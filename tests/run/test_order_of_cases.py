"""Cases are shown in the order of the suite, whichever is graded first; each repeat has a seed."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest

from support.running.site import Site
from support.servers.openai import OpenAiServer  # pyright: ignore[reportMissingImports] - see conftest

NAMES = ["one", "two", "three"]
#: Each case is answered when the one after it is.
ANSWERED = {"one": "two", "two": "three", "three": "start"}


@pytest.mark.parametrize("form", ["text", "json", "junit", "jsonl"])
def test_whichever_is_graded_first(site: Site, form: str) -> None:
    (site.root / "start").touch()
    for name, after in ANSWERED.items():
        wait = f"while [ ! -e {after} ]; do sleep 0.05; done; sleep 0.5"
        site.write(f"{name}.sh", f"cat; {wait}; touch {name}")
    command = f"cd {site.root}; sh {{EVAL_ID}}.sh"
    target = {"name": "agent", "provider": "cli", "command_template": command, "workers": 3}
    site.write("targets.yaml", json.dumps({"targets": [target]}))
    grading = "evaluators: [{name: has, type: contains, value: x}]"
    site.suite(
        "".join(f"- {{id: {it}, expected_outcome: x, input: x, {grading}}}\n" for it in NAMES),
        head="execution: {target: agent}",
    )
    ran = site.run("a.eval.yaml", "--format", form, "--no-results")
    assert ran.code == 0, ran.err
    match form:
        case "text":
            order = re.findall(r"^PASS +1.00  (\w+)", ran.out, re.MULTILINE)
        case "json":
            order = [it["eval_id"] for it in json.loads(ran.out)["results"]]
        case "junit":
            tests = ElementTree.fromstring(ran.out).iter("testcase")
            order = [str(it.get("name")) for it in tests]
        case _:
            order = [json.loads(it)["eval_id"] for it in ran.out.splitlines()]
    if form == "json":
        assert [it["position"] for it in json.loads(ran.out)["results"]] == [1, 2, 3]
    # A stream waits for nobody.
    assert order == (list(reversed(NAMES)) if form == "jsonl" else NAMES)


@pytest.mark.parametrize("seed", [41, None])
def test_of_repeats_each_has_a_seed_of_its_own(
    site: Site, openai_server: OpenAiServer, seed: int | None
) -> None:
    entry = {"provider": "openai", "model": "m", "api_base": openai_server.url, "api_key": "key"}
    seeded = {} if seed is None else {"seed": seed}
    targets = [{"name": "bot", "workers": 1, **seeded, **entry}]
    site.write("targets.yaml", json.dumps({"targets": targets}))
    site.suite(
        "- {id: one, expected_outcome: x, input: x, "
        "evaluators: [{name: h, type: contains, value: x}]}",
        head="execution: {target: bot}",
    )
    openai_server.default = "x"
    ran = site.run("a.eval.yaml", "--repeat", "3", "--no-results", "--format", "json")
    assert ran.code == 0, ran.err
    expected = [None] * 3 if seed is None else [41, 42, 43]
    assert [it.body.get("seed") for it in openai_server.requests] == expected
    assert [it["seed"] for it in json.loads(ran.out)["results"]] == expected


def test_records_say_which_model_was_asked_and_which_answered(
    site: Site, openai_server: OpenAiServer
) -> None:
    entry = {"provider": "openai", "api_base": openai_server.url, "api_key": "key"}
    targets = [
        {"name": "bot", **entry, "model": "${{ BOT_MODEL }}", "judge_target": "critic"},
        {"name": "critic", **entry, "model": "big-judge"},
    ]
    site.write("targets.yaml", json.dumps({"targets": targets}))
    site.suite("- {id: one, expected_outcome: x, input: x}", head="execution: {target: bot}")
    openai_server.default = '{"score": 1, "hits": [], "misses": [], "reasoning": "x"}'
    ran = site.run("a.eval.yaml", "--no-results", "--format", "json", env={"BOT_MODEL": "tiny"})
    assert ran.code == 0, ran.err
    (record,) = json.loads(ran.out)["results"]
    assert record["requested_model"] == "tiny"
    assert record["evaluator_results"][0]["requested_model"] == "big-judge"
