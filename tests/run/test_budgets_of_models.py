"""`--budget-usd` with models: a run needs their prices before it calls them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

import suitecase
from support.running.site import Site, lines_of
from support.servers.loopback_model import OPENAI
from support.servers.openai import OpenAiServer  # pyright: ignore[reportMissingImports] - see conftest.py

VERDICT = json.dumps({"score": 1, "hits": [], "misses": [], "reasoning": ""})
#: The server tells 11 tokens read and 7 written, so that an answer costs $0.1.
TEN_CENTS = {"input_per_million": 0.03e6 / 11, "output_per_million": 0.07e6 / 7}


@pytest.fixture
def models(site: Site, openai_server: OpenAiServer) -> Site:
    """A site whose writer and judge are asked on a server; a suite of ten cases."""
    openai_server.default = lambda body: "Paris" if body["model"] == "writer-1" else VERDICT
    cases = [{"id": f"case-{it}", "input": "x", "expected_outcome": "y"} for it in range(10)]
    suite = {"execution": {"target": "writer"}, "evalcases": cases}
    site.write("a.eval.yaml", json.dumps(suite))
    entry = {"provider": "openai", "api_base": openai_server.url, "api_key": "unused"}
    put(site, entry, writer={"price": TEN_CENTS}, judge={"price": TEN_CENTS})
    return site


def put(site: Site, entry: Mapping[str, Any], **entries: Mapping[str, Any]) -> None:
    targets = [
        {"name": name, "model": f"{name}-1", "judge_target": "judge", **entry, **more}
        for name, more in entries.items()
    ]
    site.write("targets.yaml", json.dumps({"targets": targets}))


@pytest.mark.parametrize("unknown", ["writer", "judge"])
@pytest.mark.parametrize("dry", [(), ("--dry-run",)], ids=["run", "dry run"])
def test_a_budget_is_refused_where_a_price_is_not_known(
    models: Site, openai_server: OpenAiServer, unknown: str, dry: tuple[str, ...]
) -> None:
    targets = json.loads((models.root / "targets.yaml").read_text())
    for target in targets["targets"]:
        if target["name"] == unknown:
            del target["price"]
    models.write("targets.yaml", json.dumps(targets))
    ran = models.run("a.eval.yaml", "--budget-usd", "1", *dry)
    assert ran.code == 2
    assert f"the price is unknown for the model `{unknown}-1` of the target `{unknown}`" in ran.err
    assert "price: {input_per_million" in ran.err
    assert openai_server.requests == []
    assert not (models.root / ".suitecase").exists()
    dry_run = models.run("a.eval.yaml", "--dry-run")
    assert dry_run.code == 0
    lines = [
        target for target in dry_run.out.splitlines() if "--budget-usd would be refused" in target
    ]
    assert [f"`{unknown}`" in target for target in lines] == [True]


def test_another_model_than_the_price_is_for_is_refused(
    models: Site, openai_server: OpenAiServer
) -> None:
    models.suite(
        "- {id: a, input: x, expected_outcome: y, "
        "evaluators: [{name: j, type: llm_judge, model: dear-2}]}",
        "execution: {target: writer}",
    )
    ran = models.run("a.eval.yaml", "--budget-usd", "1")
    assert ran.code == 2
    assert "`dear-2` of the target `judge`" in ran.err
    assert "make `dear-2` a target of its own" in ran.err


@pytest.mark.usefixtures("as_providers")
def test_a_price_that_is_known_needs_no_setting(models: Site, openai_server: OpenAiServer) -> None:
    entry = {"provider": "openai", "api_base": OPENAI, "api_key": "unused"}
    put(models, {**entry, "model": "gpt-4o-mini"}, writer={}, judge={})
    openai_server.default = VERDICT
    ran = models.run("a.eval.yaml", "--budget-usd", "1", "--format", "json")
    assert ran.code == 0, ran.err
    assert 0 < json.loads(ran.out)["summary"]["spending"]["cost_usd"] < 0.01


def test_the_budget_is_overrun_by_no_more_than_a_case_and_resumed_with_what_is_left(
    models: Site, openai_server: OpenAiServer
) -> None:
    # A case costs $0.2 with its judge. Without regard to those under way, four more would begin.
    ran = models.run("a.eval.yaml", "--budget-usd", "0.5", "--output", "r.jsonl")
    assert ran.code == 3
    assert "the budget of $0.5 is used up: $0.6 spent" in ran.err
    assert len(openai_server.requests) == 6
    openai_server.requests.clear()
    ran = models.run("a.eval.yaml", "--budget-usd", "0.9", "--resume", "r.jsonl")
    assert ran.code == 3
    assert "$1 spent, $0.6 of it before this run" in ran.err
    assert len(openai_server.requests) == 4
    openai_server.requests.clear()
    assert models.run("a.eval.yaml", "--budget-usd", "0.9", "--resume", "r.jsonl").code == 3
    assert openai_server.requests == []
    assert len(lines_of(models.root / "r.jsonl")) == 5


def test_a_price_changes_no_case(models: Site, openai_server: OpenAiServer) -> None:
    assert models.run("a.eval.yaml", "--output", "r.jsonl").code == 0
    entry = {"provider": "openai", "api_base": openai_server.url, "api_key": "unused"}
    put(models, entry, writer={"price": {"per_question": 1}}, judge={})
    openai_server.requests.clear()
    assert models.run("a.eval.yaml", "--resume", "r.jsonl").code == 0
    assert openai_server.requests == []


def test_a_price_that_says_nothing_is_an_error(models: Site, openai_server: OpenAiServer) -> None:
    entry = {"provider": "openai", "api_base": openai_server.url, "api_key": "unused"}
    put(models, entry, writer={"price": {}}, judge={"price": {"per_question": -1}})
    ran = models.run("a.eval.yaml")
    assert ran.code == 2
    assert "a price needs `input_per_million`" in ran.err


def second_suite(models: Site, target: str) -> None:
    case = {"id": "later", "input": "x", "expected_outcome": "y"}
    suite = {"execution": {"target": target}, "evalcases": [case]}
    models.write("b.eval.yaml", json.dumps(suite))


def test_a_later_suite_without_a_price_is_refused_before_the_first_is_asked(
    models: Site, openai_server: OpenAiServer
) -> None:
    entry = {"provider": "openai", "api_base": openai_server.url, "api_key": "unused"}
    put(models, entry, writer={"price": TEN_CENTS}, judge={"price": TEN_CENTS}, dear={})
    second_suite(models, "dear")
    ran = models.run("a.eval.yaml", "b.eval.yaml", "--budget-usd", "1", "--output", "r.jsonl")
    assert ran.code == 2
    assert ran.err.count("the price is unknown for the model `dear-1` of the target `dear`") == 1
    assert openai_server.requests == []
    assert not (models.root / "r.jsonl").exists()
    # Nothing else of a later suite keeps the first one from being asked.
    models.write("b.eval.yaml", "evalcases: [{id: a}]")
    models.run("a.eval.yaml", "b.eval.yaml", "--budget-usd", "100", "--no-results")
    assert len(openai_server.requests) == 20


def test_what_a_later_suite_is_resumed_with_counts_from_the_beginning(
    models: Site, openai_server: OpenAiServer
) -> None:
    second_suite(models, "writer")
    assert models.run("b.eval.yaml", "--output", "r.jsonl").code == 0
    assert models.run("a.eval.yaml::case-0", "--output", "r.jsonl").code == 0
    openai_server.requests.clear()
    both = ("a.eval.yaml", "b.eval.yaml", "--resume", "r.jsonl")
    ran = models.run(*both, "--budget-usd", "0.4")
    assert ran.code == 3
    assert "the budget of $0.4 is used up: $0.4 spent" in ran.err
    assert openai_server.requests == []
    # Once, and not once more when its turn comes.
    ran = models.run(*both, "--budget-usd", "100", "--format", "json")
    assert (ran.code, len(openai_server.requests)) == (0, 18)


def test_a_python_program_is_told_which_cases_a_budget_left_out(models: Site) -> None:
    result = suitecase.run_suite(models.root / "a.eval.yaml", budget_usd=0.5)
    graded = {it.eval_id for it in result.records}
    assert {it.verdict.value for it in result.records} == {"pass"}
    assert {case for case, _ in result.not_run} == {f"case-{it}" for it in range(10)} - graded
    assert all("budget" in why for _, why in result.not_run)
    assert result.not_run
    assert not result.passed
    assert suitecase.run_suite(models.root / "a.eval.yaml").passed
