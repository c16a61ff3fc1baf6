"""What several processes of a run share: rate limits, places of targets, the budget, the cache."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import pytest

from support.running.site import Site, lines_of
from support.servers.openai import (  # pyright: ignore[reportMissingImports] - see conftest
    Answer,
    OpenAiServer,
)

pytestmark = pytest.mark.process  # else this one starts those that grade, and does not fork them

VERDICT = json.dumps({"score": 1, "hits": [], "misses": [], "reasoning": ""})
#: The server tells 11 tokens read and 7 written, so that a call costs $0.1.
TEN_CENTS = {"input_per_million": 0.03e6 / 11, "output_per_million": 0.07e6 / 7}


def judged(site: Site, server: OpenAiServer, cases: int, **judge: Any) -> None:
    """Write a suite whose cases a mock answers and a model judges."""
    targets = [
        {"name": "plain", "provider": "mock", "judge_target": "judge"},
        {
            "name": "judge",
            "provider": "openai",
            "model": "judge-1",
            "api_base": server.url,
            "api_key": "unused",
            **judge,
        },
    ]
    site.write("targets.yaml", json.dumps({"targets": targets}))
    listed = [
        {"id": f"case-{it}", "input": f"case-{it}.", "expected_outcome": "y"} for it in range(cases)
    ]
    suite = {"execution": {"target": "plain"}, "evalcases": listed}
    site.write("a.eval.yaml", json.dumps(suite))


def test_a_rate_limit_holds_for_all_processes_together(
    site: Site, openai_server: OpenAiServer
) -> None:
    arrived: list[float] = []

    def reply(_: object) -> str:
        arrived.append(time.monotonic())
        return VERDICT

    openai_server.default = reply
    judged(site, openai_server, 40, rate_limit=20 * 60, workers=12)
    ran = site.run("a.eval.yaml", "--workers", "3", "--concurrency", "12")
    assert "40 passed" in ran.out, ran.err
    # 20 a second: three processes with a limit each would take a third of the time.
    assert max(arrived) - min(arrived) > 0.6 * 39 / 20


def test_a_target_with_one_worker_has_one_call_at_a_time(
    site: Site, openai_server: OpenAiServer
) -> None:
    lock = threading.Lock()
    at_once: list[int] = []
    running = 0

    def reply(_: object) -> str:
        nonlocal running
        with lock:
            running += 1
            at_once.append(running)
        time.sleep(0.01)  # how long the model takes
        with lock:
            running -= 1
        return VERDICT

    openai_server.default = reply
    judged(site, openai_server, 40, workers=1)
    ran = site.run("a.eval.yaml", "--workers", "3")
    assert "40 passed" in ran.out, ran.err
    assert max(at_once) == 1


def test_a_budget_is_exceeded_by_no_more_than_a_case(
    site: Site, openai_server: OpenAiServer
) -> None:
    openai_server.default = VERDICT
    judged(site, openai_server, 60, price=TEN_CENTS, workers=8)
    ran = site.run("a.eval.yaml", "--workers", "3", "--budget-usd", "2", "--output", "r.jsonl")
    assert ran.code == 3
    assert "the budget of $2 is used up" in ran.out + ran.err
    assert 20 <= len(openai_server.requests) <= 21
    assert len(lines_of(site.root / "r.jsonl")) == len(openai_server.requests)


def test_errors_in_a_row_are_counted_over_all_processes(
    site: Site, openai_server: OpenAiServer
) -> None:
    openai_server.default = Answer(status=400)
    judged(site, openai_server, 60, workers=4)
    ran = site.run("a.eval.yaml", "--workers", "2", "--concurrency", "4", "--max-errors", "6")
    assert ran.code == 3
    assert "--max-errors 6" in ran.out + ran.err
    summary = [it for it in ran.out.splitlines() if "not run" in it.lower()]
    assert summary, ran.out


def test_an_answer_in_the_cache_is_found_by_every_process(
    site: Site, openai_server: OpenAiServer
) -> None:
    openai_server.default = VERDICT
    judged(site, openai_server, 20, workers=4)
    site.run("a.eval.yaml", "--workers", "3", "--cache", "read")
    ran = site.run("a.eval.yaml", "--workers", "3", "--cache", "read")
    assert "20 passed" in ran.out, ran.err
    assert "cache" in ran.out
    assert len(openai_server.requests) == 20


@pytest.mark.parametrize("number", ["1", "3"])
def test_a_warning_is_shown_once(site: Site, number: str) -> None:
    site.suite(
        "".join(
            f"- {{id: c{it}, input: hello, expected_outcome: x, "
            "evaluators: [{name: has, type: contains, value: hello}]}\n"
            for it in range(6)
        ),
        "execution: {target: mock}",
    )
    ran = site.run("a.eval.yaml", "--workers", number, env={"OTEL_TRACES_EXPORTER": "console"})
    assert "6 rehearsed" in ran.out
    assert (ran.out + ran.err).count("spans are not exported") == 1
