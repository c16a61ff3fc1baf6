"""`--max-errors`: a run stops after consecutive errors of a target, a judge or a script."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from support.running.site import Site, lines_of
from support.servers.openai import (  # pyright: ignore[reportMissingImports] - see tests/conftest.py
    Answer,
    OpenAiServer,
)

VERDICT = json.dumps({"score": 1, "hits": [], "misses": [], "reasoning": ""})
DOWN = Answer(status=503, error="out of order")


class Models:
    """A writer and its judge on one server, and suites of cases."""

    def __init__(self, site: Site, server: OpenAiServer) -> None:
        self.site = site
        self.server = server
        targets = [
            {
                "name": name,
                "provider": "openai",
                "model": name,
                "api_base": server.url,
                "api_key": "unused",
                "judge_target": "judge",
                "workers": 2,
                "retry": {"max_retries": 0},
            }
            for name in ("writer", "judge")
        ]
        site.write("targets.yaml", json.dumps({"targets": targets}))

    def suite(self, number: int, name: str = "a.eval.yaml", **head: Any) -> None:
        cases = [
            {"id": f"case-{it}", "input": "x", "expected_outcome": "y"} for it in range(number)
        ]
        suite = {"execution": {"target": "writer", **head}, "evalcases": cases}
        self.site.write(name, json.dumps(suite))

    def down(self, *names: str) -> None:
        def answer(body: Mapping[str, Any]) -> Answer | str:
            if body["model"] in names:
                return DOWN
            return "Paris" if body["model"] == "writer" else VERDICT

        self.server.default = answer

    def asked(self) -> Counter[str]:
        counted = Counter(str(it.body["model"]) for it in self.server.requests)
        self.server.requests.clear()
        return counted


@pytest.fixture
def models(site: Site, openai_server: OpenAiServer) -> Models:
    return Models(site, openai_server)


def test_a_judge_that_is_down_ends_the_run_before_all_is_paid(site: Site, models: Models) -> None:
    models.suite(40)
    models.down("judge")
    ran = site.run("a.eval.yaml", "--output", "r.jsonl")
    assert ran.code == 3
    # Ten, and what was under way at the tenth.
    assert 10 <= models.asked()["writer"] <= 12
    assert re.search("the target `judge` failed 1[0-2] times in a row", ran.err)
    assert "out of order" in ran.err
    records = lines_of(site.root / "r.jsonl")
    again = "suitecase run a.eval.yaml --resume r.jsonl"
    missing = f"Not run: {40 - len(records)} of 40 cases. To run them:"
    assert f"{missing}\n    {again}\n" in ran.out
    # What was paid is kept.
    models.down()
    ran = site.run("a.eval.yaml", "--resume", "r.jsonl")
    assert ran.code == 0, ran.err
    assert models.asked() == Counter(writer=40 - len(records), judge=40)


@pytest.mark.parametrize(
    ("option", "most", "code"), [(("--max-errors", "3"), 4, 3), (("--max-errors", "0"), 15, 3)]
)
def test_the_limit_can_be_set_and_lifted(
    site: Site, models: Models, option: tuple[str, str], most: int, code: int
) -> None:
    models.suite(15)
    models.down("writer")
    ran = site.run("a.eval.yaml", "--no-results", *option)
    assert ran.code == code
    calls = models.asked()["writer"]
    assert calls <= most
    assert ("Not run:" in ran.out) == (calls < 15)


def test_errors_between_answers_are_not_in_a_row(site: Site, models: Models) -> None:
    models.suite(12)
    turn = iter(range(1000))
    models.server.default = lambda body: (
        VERDICT if body["model"] == "judge" else DOWN if next(turn) % 3 else "Paris"
    )
    ran = site.run("a.eval.yaml", "--no-results", "--max-errors", "5")
    assert ran.code == 3
    assert "in a row" not in ran.err
    assert models.asked()["writer"] == 12


def test_a_script_that_always_breaks_ends_the_run(site: Site, models: Models) -> None:
    models.suite(20, evaluators=[{"name": "code", "type": "code_judge", "script": "exit 3"}])
    models.down()
    ran = site.run("a.eval.yaml", "--no-results", "--max-errors", "3")
    assert ran.code == 3
    # One that was being graded may fail, too, before the run ends.
    assert re.search(r"the evaluator `code` \(code_judge\) failed [3-5] times in a row", ran.err)
    assert models.asked()["writer"] <= 5


def test_it_holds_for_all_suites_of_a_command(site: Site, models: Models) -> None:
    names = [f"{it}.eval.yaml" for it in "abcd"]
    for name in names:
        models.suite(4, name)
    models.down("judge")
    ran = site.run(*names, "--no-results", "--max-errors", "6")
    assert ran.code == 3
    # Four of the first, two or three of the second, and of each other one try.
    assert models.asked()["writer"] <= 4 + 3 + 2 + 2


def test_what_costs_nothing_goes_on(site: Site) -> None:
    targets = [{"name": "silent", "provider": "mock", "response": {"another case": "x"}}]
    site.write("targets.yaml", json.dumps({"targets": targets}))
    cases = "".join(f"- {{id: case-{it}, expected_outcome: x, input: x}}\n" for it in range(12))
    site.suite(cases, "execution: {target: silent}")
    ran = site.run("a.eval.yaml", "--no-results", "--max-errors", "2", "--format", "jsonl")
    assert ran.code == 3
    assert len(ran.records) == 12


def test_a_judge_that_never_keeps_to_the_form_ends_the_run(site: Site, models: Models) -> None:
    models.suite(40)
    models.server.default = lambda body: "I like it."
    ran = site.run("a.eval.yaml", "--output", "r.jsonl")
    assert ran.code == 3
    assert 10 <= models.asked()["writer"] <= 12
    assert re.search("the judge `judge` failed 1[0-2] times in a row", ran.err)
    assert "this judge does not keep to the form: the reply holds no JSON object" in ran.err


def test_a_few_replies_that_cannot_be_read_are_reported(site: Site, models: Models) -> None:
    models.suite(3)
    models.server.default = lambda body: "I like it."
    ran = site.run("a.eval.yaml", "--output", "r.jsonl")
    assert ran.code == 3
    told = " ".join(ran.err.split())
    assert "the judge `judge` could not be read 3 times in a row: this judge does not keep" in told


def test_a_judge_that_is_read_now_and_then_is_not_reported(site: Site, models: Models) -> None:
    models.suite(6)

    def answer(body: Mapping[str, Any]) -> str:
        if body["model"] == "writer":
            return "Paris"
        judged = sum(request.body["model"] == "judge" for request in models.server.requests)
        return "I like it." if judged % 3 else VERDICT

    models.server.default = answer
    ran = site.run("a.eval.yaml", "--output", "r.jsonl", "--concurrency", "1")
    assert "does not keep to the form" not in ran.err
