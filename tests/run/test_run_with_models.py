"""Runs against models: a server on the loopback interface that behaves as its model's name says.

Loading the library for models takes seconds, so one run serves all tests of this file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support.running.site import Ran, Site, lines_of
from support.servers.openai import (  # pyright: ignore[reportMissingImports] - see tests/conftest.py
    Answer,
    OpenAiServer,
)

KEY = "sk-suitecase-very-secret-0123456789"
GOOD_REPLY = '{"reasoning": "Right.", "hits": ["names Paris"], "misses": [], "score": 0.9}'
#: The cases, each after the target that answers it.
TARGETS = ("good", "judged-by-garbage", "judged-at-second-try", "down", "slow", "no-entry", "echo")


def behave(body: Mapping[str, Any]) -> Answer | str:
    """Answer as the model's name says."""
    prompt = json.dumps(body["messages"])
    match body["model"]:
        case "judge":
            return GOOD_REPLY
        case "garbage-judge":
            return "I would rather not say."
        case "hesitant-judge":
            return GOOD_REPLY if "could not be used" in prompt else "Well, good, I think."
        case "down":
            return Answer(status=500, error="out of order")
        case "slow":
            return Answer(stall=True)
        case "no-entry":
            return Answer(status=401, error=f"Incorrect API key provided: {KEY}")
        case "echo":
            return f"Your key is {KEY}. Paris."
        case _:
            return "Paris"


@dataclass(frozen=True)
class ModelRun:
    """What the run left."""

    ran: Ran
    server: OpenAiServer
    results: Path

    def record(self, case: str) -> dict[str, Any]:
        return self.ran.records[case]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelRun]:
    """One run of a case for each target."""
    site = Site(tmp_path_factory.mktemp("models"))
    server = OpenAiServer()
    server.default = behave

    def model(name: str, judge: str = "judge", **more: Any) -> dict[str, Any]:
        return {
            "name": name,
            "provider": "openai",
            "model": name,
            "api_base": server.url,
            "api_key": "${{ SUITECASE_TEST_KEY }}",
            "judge_target": judge,
            "retry": {"max_retries": 1, "initial_delay_ms": 1},
            **more,
        }

    targets = [
        model("good"),
        model("judged-by-garbage", "garbage-judge"),
        model("judged-at-second-try", "hesitant-judge"),
        model("down"),
        model("slow", timeout_seconds=1, retry={"max_retries": 0}),
        model("no-entry"),
        model("echo"),
        *(model(name) for name in ("judge", "garbage-judge", "hesitant-judge")),
    ]
    site.write("targets.yaml", json.dumps({"targets": targets}))
    site.suite(
        "\n".join(
            f"- {{id: {name}, expected_outcome: Names Paris., input: 'Capital of France?', "
            f"execution: {{target: {name}}}}}"
            for name in TARGETS
        )
    )
    results = site.root / "results.jsonl"
    ran = site.run(
        "a.eval.yaml",
        "--format",
        "jsonl",
        "--output",
        str(results),
        env={"SUITECASE_TEST_KEY": KEY},
    )
    yield ModelRun(ran, server, results)
    server.close()


def test_an_answer_is_judged_by_the_judge_of_its_target(run: ModelRun) -> None:
    record = run.record("good")
    assert (record["verdict"], record["score"]) == ("pass", 0.9)
    assert record["hits"] == ["names Paris"]
    assert record["candidate_answer"] == "Paris"
    assert record["trace_summary"]["token_usage"] == {"input": 11, "output": 7}
    result = record["evaluator_results"][0]
    assert result["evaluator_provider_request"]["target"] == "judge"
    assert record["attempts"] == 1


def test_a_judge_that_replies_garbage_three_times_scores_0_and_says_so(run: ModelRun) -> None:
    record = run.record("judged-by-garbage")
    assert (record["verdict"], record["score"]) == ("fail", 0.0)
    assert record["parse_failed"] is True
    assert record["attempts"] == 3
    assert record["error"] is None
    assert sum(it.body["model"] == "garbage-judge" for it in run.server.requests) == 3


def test_a_judge_that_replies_soundly_the_second_time_counts(run: ModelRun) -> None:
    record = run.record("judged-at-second-try")
    assert (record["verdict"], record["parse_failed"], record["attempts"]) == ("pass", False, 2)


@pytest.mark.parametrize(
    ("case", "told"), [("down", "500"), ("slow", "within 1 s"), ("no-entry", "401")]
)
def test_a_model_that_cannot_answer_is_an_error_and_no_score(
    run: ModelRun, case: str, told: str
) -> None:
    record = run.record(case)
    assert (record["verdict"], record["score"]) == ("error", None)
    assert record["candidate_answer"] is None
    assert told in record["error"]


def test_a_refused_key_is_not_tried_again_and_a_broken_server_is(run: ModelRun) -> None:
    models = [it.body["model"] for it in run.server.requests]
    assert models.count("no-entry") == 1
    assert models.count("down") == 2


def test_cases_that_could_not_be_graded_decide_the_exit_code(run: ModelRun) -> None:
    assert run.ran.code == 3, run.ran.err
    assert set(run.ran.records) == set(TARGETS)


def test_no_secret_is_anywhere(run: ModelRun) -> None:
    # It was used, and a target told it; it is in nothing that is kept or shown.
    assert run.server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in run.results.read_text("utf-8")
    assert KEY not in run.ran.out
    assert KEY not in run.ran.err
    assert run.record("echo")["candidate_answer"] == "Your key is [redacted]. Paris."


def test_the_results_file_holds_what_was_shown(run: ModelRun) -> None:
    assert {it["eval_id"]: it for it in lines_of(run.results)} == run.ran.records


def test_of_a_suite_with_errors_nothing_is_asked(site: Site, openai_server: OpenAiServer) -> None:
    site.write(
        "targets.yaml",
        f"targets: [{{name: m, provider: openai, model: m, api_base: '{openai_server.url}', "
        "api_key: key}]",
    )
    site.suite(
        """
        - {id: sound, expected_outcome: x, input: x}
        - {id: unsound, input: x}
        """,
        head="execution: {target: m}",
    )
    ran = site.run("a.eval.yaml")
    assert ran.code == 2
    assert "a.eval.yaml:4:5: error[" in ran.err
    assert "nothing was asked" in ran.err
    assert openai_server.requests == []
    assert not (site.root / ".suitecase").exists()
