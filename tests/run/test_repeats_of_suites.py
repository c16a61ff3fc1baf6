"""`execution.repeats` and `execution.seed`: how often each case is asked, and with which seeds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from suitecase.editor.grading_hashes import grading_hash
from suitecase.format.reading import parse_document
from suitecase.format.workspace import Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite
from support.running.runs import run_here
from support.running.site import Site, lines_of
from support.servers.openai import (  # pyright: ignore[reportMissingImports] - see tests/conftest.py
    Answer,
    OpenAiServer,
)

SAYS_X = "evaluators: [{name: e, type: contains, value: x}]"
CASES = f"""
- {{id: one, expected_outcome: x, input: x1, {SAYS_X}}}
- {{id: two, expected_outcome: x, input: x2, {SAYS_X}}}
"""
JUDGED = "- {id: one, expected_outcome: x, input: x1, evaluators: [{name: j, type: llm_judge}]}"


def asked(path: Path) -> Counter[tuple[str, int]]:
    return Counter((it["eval_id"], it["repeat"]) for it in lines_of(path))


def model_site(site: Site, server: OpenAiServer, **settings: Any) -> None:
    entry = {"provider": "openai", "model": "m", "api_base": server.url, "api_key": "none"}
    targets = [{"name": "bot", "judge_target": "critic", **entry, **settings}]
    targets.append({"name": "critic", **entry})
    site.write("targets.yaml", json.dumps({"targets": targets}))


def seeds(server: OpenAiServer) -> list[Any]:
    """Return the seeds of the questions so far, and forget the questions."""
    found = [it.body.get("seed") for it in server.requests]
    server.requests.clear()
    return sorted(found, key=str)


def test_the_suite_says_how_often_each_case_is_asked(site: Site) -> None:
    site.suite(CASES, "execution: {target: mock, repeats: 3}")
    ran = site.run("a.eval.yaml", "--output", "r.jsonl")
    assert ran.code == 0, ran.err
    assert asked(site.root / "r.jsonl") == {(c, r): 1 for c in ("one", "two") for r in (1, 2, 3)}
    assert {it["repeats"] for it in lines_of(site.root / "r.jsonl")} == {3}
    assert "6 rehearsed" in ran.out


def test_the_command_line_goes_before_the_suite(site: Site) -> None:
    site.suite(CASES, "execution: {target: mock, repeats: 3}")
    site.run("a.eval.yaml", "--repeat", "1", "--output", "r.jsonl")
    assert asked(site.root / "r.jsonl") == {("one", 1): 1, ("two", 1): 1}


def test_a_sidecar_says_it_for_its_data_set(site: Site) -> None:
    site.write("b.jsonl", '{"id": "one", "input": "x", "expected_outcome": "x"}\n')
    site.write("b.yaml", "execution: {target: mock, repeats: 2}")
    assert site.run("b.jsonl", "--output", "r.jsonl").code == 0
    assert asked(site.root / "r.jsonl") == {("one", 1): 1, ("one", 2): 1}


def test_an_estimate_counts_every_question(site: Site, openai_server: OpenAiServer) -> None:
    model_site(site, openai_server)
    site.suite(JUDGED, "execution: {target: bot, repeats: 4}")
    ran = site.run("a.eval.yaml", "--dry-run", "--format", "json")
    (estimate,) = json.loads(ran.out)["estimates"]
    assert estimate["repeats"] == 4
    assert {it["purpose"]: it["least"] for it in estimate["questions"]} == {
        "answer": 4,
        "judging": 4,
    }
    assert not openai_server.requests


def test_a_suite_may_ask_more_often_than_a_results_file_alone(site: Site) -> None:
    site.suite(CASES, "execution: {target: mock, repeats: 25}")
    ran = site.run("a.eval.yaml", "--output", "r.jsonl")
    assert ran.code == 0, ran.err
    assert len(lines_of(site.root / "r.jsonl")) == 50


def test_a_resumed_file_is_finished_as_it_was_begun_and_the_run_says_so(site: Site) -> None:
    site.suite(CASES, "execution: {target: mock}")
    site.run("a.eval.yaml", "--output", "r.jsonl")
    site.suite(CASES, "execution: {target: mock, repeats: 2}")
    ran = site.run("a.eval.yaml", "--resume", "r.jsonl")
    assert len(lines_of(site.root / "r.jsonl")) == 2
    assert "each case is asked once, as in " in ran.err
    assert "although the suite has `repeats: 2`; --repeat 2 overrides it" in ran.err
    ran = site.run("a.eval.yaml", "--resume", "r.jsonl", "--repeat", "2")
    assert "although" not in ran.err
    assert asked(site.root / "r.jsonl") == {(c, r): 1 for c in ("one", "two") for r in (1, 2)}


def test_a_replay_grades_as_many_answers_as_were_recorded(site: Site) -> None:
    site.suite(CASES, "execution: {target: mock, repeats: 3}")
    site.run("a.eval.yaml", "--output", "r.jsonl")
    site.suite(CASES, "execution: {target: mock, repeats: 5}")
    site.run("a.eval.yaml", "--replay", "r.jsonl", "--output", "s.jsonl")
    assert len(lines_of(site.root / "s.jsonl")) == 6


def test_each_repeat_has_the_next_seed_and_records_it(
    site: Site, openai_server: OpenAiServer
) -> None:
    model_site(site, openai_server)
    openai_server.default = "x"
    site.suite(CASES, "execution: {target: bot, repeats: 3, seed: 17}")
    site.run("a.eval.yaml", "--output", "r.jsonl")
    assert seeds(openai_server) == [17, 17, 18, 18, 19, 19]
    records = lines_of(site.root / "r.jsonl")
    assert {(it["repeat"], it["seed"]) for it in records} == {(1, 17), (2, 18), (3, 19)}


def test_a_target_keeps_its_own_seed_and_judges_get_none(
    site: Site, openai_server: OpenAiServer
) -> None:
    model_site(site, openai_server, seed=100)
    openai_server.default = json.dumps({"reasoning": "", "hits": [], "misses": [], "score": 1})
    site.suite(JUDGED, "execution: {target: bot, repeats: 2, seed: 17}")
    site.run("a.eval.yaml", "--output", "r.jsonl")
    assert seeds(openai_server) == [100, 101, None, None]
    assert sorted(it["seed"] for it in lines_of(site.root / "r.jsonl")) == [100, 101]


def test_a_model_that_takes_no_seed_is_asked_without_one(
    site: Site, openai_server: OpenAiServer
) -> None:
    def answer(body: Mapping[str, Any]) -> Answer:
        if "seed" in body:
            return Answer(status=400, error="Unsupported parameter: 'seed'")
        return Answer(text="x")

    model_site(site, openai_server)
    openai_server.default = answer
    site.suite(CASES, "execution: {target: bot, seed: 17}")
    ran = site.run("a.eval.yaml", "--output", "r.jsonl")
    assert ran.code == 0, ran.err
    for record in lines_of(site.root / "r.jsonl"):
        assert record["seed"] is None
        assert record["details"]["left_out"] == ["seed"]


def test_repeats_are_cached_one_by_one_and_per_seed(
    site: Site, openai_server: OpenAiServer
) -> None:
    model_site(site, openai_server)
    openai_server.default = lambda body: f"x {body['seed']}"
    cached = ("a.eval.yaml", "--cache", "read", "--output")
    site.suite(CASES, "execution: {target: bot, repeats: 2, seed: 17}")
    for name in ("r.jsonl", "s.jsonl"):
        site.run(*cached, name)
        answers = Counter(it["candidate_answer"] for it in lines_of(site.root / name))
        assert answers == {"x 17": 2, "x 18": 2}
    assert seeds(openai_server) == [17, 17, 18, 18]
    site.suite(CASES, "execution: {target: bot, repeats: 2, seed: 18}")
    site.run(*cached, "t.jsonl")
    # The seed 18 was sent before, but for the second answer, not for the first.
    assert seeds(openai_server) == [18, 18, 19, 19]


async def test_another_seed_changes_the_case_and_more_repeats_do_not(site: Site) -> None:
    hashes = []
    for execution in ("", ", repeats: 4", ", seed: 1", ", seed: 2"):
        site.suite(CASES, f"execution: {{target: mock{execution}}}")
        ran = await run_here(site.request())
        hashes.append(ran.records["one"]["effective_hash"])
    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 3


def test_more_repeats_leave_results_in_an_editor_current(site: Site) -> None:
    def grading(execution: str) -> str | None:
        path = site.suite(CASES, f"execution: {{target: mock{execution}}}")
        suite = parse_document(path, path.read_text(), Workspace(site.root))
        assert isinstance(suite, ParsedSuite)
        return grading_hash(suite, 0)

    assert grading("") == grading(", repeats: 4") != grading(", seed: 4")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("execution: {repeats: 0}", "must be 1 or more"),
        ("execution: {repeats: 2.5}", "must be a whole number"),
        ("execution: {seed: -1}", "must be 0 or more"),
    ],
)
def test_wrong_numbers_are_reported(site: Site, keys: str, message: str) -> None:
    site.suite(CASES, keys)
    assert message in site.check("a.eval.yaml")


@pytest.mark.parametrize("keys", ["repeats: 3", "execution: {repeats: 3}", "execution: {seed: 3}"])
def test_a_case_that_sets_its_own_is_told_where_they_belong(site: Site, keys: str) -> None:
    site.suite(f"- {{id: one, expected_outcome: x, input: x1, {SAYS_X}, {keys}}}")
    assert "belongs in the suite's `execution`: it is the same for all cases" in site.check(
        "a.eval.yaml"
    )
