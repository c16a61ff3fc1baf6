"""A call that failed within a response of HTTP 200 is an error, whatever is checked, and is not cached."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

import pytest

from suitecase.run.protocol import Finished
from support.running.runs import RanHere, run_here
from support.running.site import Site
from support.servers.openai import Answer, OpenAiServer  # pyright: ignore[reportMissingImports] - see conftest.py
from support.servers.provider_replies import REPLIES  # pyright: ignore[reportMissingImports] - see conftest.py

VERDICT = json.dumps({"score": 1, "hits": [], "misses": [], "reasoning": "Right."})
#: On whatever is empty it passes.
POLITE = {"name": "polite", "type": "icontains", "value": "idiot", "negate": True}


@pytest.fixture
def models(site: Site, openai_server: OpenAiServer) -> Site:
    """A site whose targets are asked on a server: `bot` through litellm, `own` directly."""
    entry = {
        "provider": "openai",
        "api_base": openai_server.url,
        "api_key": "none",
        "judge_target": "judge",
    }
    retry = {"max_retries": 1, "initial_delay_ms": 1}
    targets = [
        {"name": "bot", "model": "gpt-4o", **entry, "retry": retry},
        {"name": "own", "model": "a-model", **entry, "retry": retry},
        {"name": "judge", "model": "a-judge", **entry, "retry": retry},
    ]
    site.write("targets.yaml", json.dumps({"targets": targets}))
    asks(site, POLITE)
    return site


def asks(site: Site, *evaluators: Mapping[str, Any]) -> None:
    """Write the suite: one case with these evaluators."""
    case = {"id": "late", "input": "Where is my parcel?", "expected_outcome": "Says when."}
    suite = {
        "execution": {"target": "own"},
        "evalcases": [{**case, "evaluators": list(evaluators)}],
    }
    site.write("a.eval.yaml", json.dumps(suite))


def reply(provider: str, form: str) -> Answer:
    return Answer(body=json.dumps(REPLIES[provider][form]).encode())


async def summary_of(ran: RanHere) -> dict[str, Any]:
    last = ran.events[-1]
    assert isinstance(last, Finished), last
    return last.summary


@pytest.mark.parametrize("target", ["bot", "own"])
@pytest.mark.parametrize("form", ["failed", "failed halfway", "error", "empty", "only thinking"])
async def test_a_failed_call_is_an_error(
    models: Site, openai_server: OpenAiServer, target: str, form: str
) -> None:
    openai_server.default = reply("OpenRouter", form)
    record = (await run_here(models.request(target=target))).records["late"]
    assert (record["verdict"], record["score"]) == ("error", None)
    assert "Tried 2 times" in record["error"]
    assert len(openai_server.requests) == 2


def test_a_failed_call_ends_a_run_with_exit_code_3(
    models: Site, openai_server: OpenAiServer
) -> None:
    openai_server.default = reply("OpenRouter", "failed")
    ran = models.run("a.eval.yaml", "--no-results")
    assert ran.code == 3
    assert "upstream is idle" in ran.out + ran.err


async def test_a_failed_call_that_works_the_next_time_is_an_answer(
    models: Site, openai_server: OpenAiServer
) -> None:
    openai_server.script(reply("OpenRouter", "failed"), "Tomorrow.")
    record = (await run_here(models.request())).records["late"]
    assert (record["verdict"], record["candidate_answer"]) == ("pass", "Tomorrow.")


async def test_a_failed_call_of_a_judge_is_no_grade(
    models: Site, openai_server: OpenAiServer
) -> None:
    asks(models, {"name": "judged", "type": "llm_judge"})
    failed = reply("OpenRouter", "failed halfway")
    openai_server.default = lambda body: failed if body["model"] == "a-judge" else "Tomorrow."
    record = (await run_here(models.request())).records["late"]
    assert (record["verdict"], record["score"]) == ("error", None)


async def test_an_answer_that_was_cut_off_before_its_first_word_is_none(
    models: Site, openai_server: OpenAiServer
) -> None:
    openai_server.default = reply("DeepSeek", "cut off while thinking")
    record = (await run_here(models.request())).records["late"]
    assert record["verdict"] == "error"
    assert "cut off after 7 tokens while it was thinking" in record["error"]
    assert "max_output_tokens" in record["error"]
    # It would be cut off there again.
    assert len(openai_server.requests) == 1


@pytest.mark.parametrize("target", ["bot", "own"])
async def test_thinking_is_recorded_beside_the_answer(
    models: Site, openai_server: OpenAiServer, target: str
) -> None:
    asks(models, {"name": "right", "type": "equals", "value": "Paris"})
    openai_server.default = "<think>Lyon, idiot?</think>\n\nParis"
    record = (await run_here(models.request(target=target))).records["late"]
    assert (record["verdict"], record["candidate_answer"]) == ("pass", "Paris")
    assert record["details"]["thinking"] == "Lyon, idiot?"


async def test_empty_answers_of_programs_are_counted(site: Site) -> None:
    site.write(
        "targets.yaml",
        json.dumps({"targets": [{"name": "own", "provider": "mock", "response": ""}]}),
    )
    asks(site, POLITE)
    ran = await run_here(site.request())
    assert ran.records["late"]["verdict"] == "pass"
    summary = await summary_of(ran)
    assert summary["empty_answers"] == 1
    assert any(remark.startswith("1 answer is empty") for remark in summary["remarks"])


@pytest.mark.parametrize("form", ["empty", "failed", "cut off", "filtered"])
async def test_what_is_no_whole_answer_is_not_cached(
    models: Site, openai_server: OpenAiServer, form: str
) -> None:
    openai_server.default = reply("OpenAI", form)
    await run_here(models.request(cache="read"))
    openai_server.requests.clear()
    openai_server.default = "Tomorrow."
    for cached in (None, True):  # the whole answer is
        record = (await run_here(models.request(cache="read"))).records["late"]
        assert record["candidate_answer"] == "Tomorrow."
        assert record["details"].get("cached") is cached
    assert len(openai_server.requests) == 1


async def test_an_empty_answer_in_an_old_cache_is_asked_for_again(
    models: Site, openai_server: OpenAiServer
) -> None:
    openai_server.default = "Tomorrow."
    await run_here(models.request(cache="read"))
    with sqlite3.connect(models.root / ".suitecase/cache.sqlite3") as cache:
        cache.execute("UPDATE answers SET reply = replace(reply, 'Tomorrow.', '')")
    record = (await run_here(models.request(cache="read"))).records["late"]
    assert record["candidate_answer"] == "Tomorrow."
    assert len(openai_server.requests) == 2


async def test_replies_of_judges_that_had_to_be_asked_again_are_not_cached(
    models: Site, openai_server: OpenAiServer
) -> None:
    asks(models, {"name": "judged", "type": "llm_judge"})
    said = "I would rather not say."
    openai_server.default = lambda body: said if body["model"] == "a-judge" else "Tomorrow."
    first = (await run_here(models.request(cache="read"))).records["late"]
    assert first["parse_failed"] is True
    openai_server.default = VERDICT
    for cached in (0, 1):
        record = (await run_here(models.request(cache="read"))).records["late"]
        assert record["verdict"] == "pass"
        (result,) = record["evaluator_results"]
        assert (result["attempts"], result["judge_usage"]["cached"]) == (1, cached)


async def test_a_recorded_failure_is_not_replayed_as_an_answer(
    models: Site, openai_server: OpenAiServer
) -> None:
    openai_server.default = "The refund is"
    record = (await run_here(models.request())).records["late"]
    models.write("old.results.jsonl", json.dumps({**record, "finish_reason": "error"}) + "\n")
    entry = {"name": "own", "provider": "replay", "results": "old.results.jsonl"}
    models.write("targets.yaml", json.dumps({"targets": [entry]}))
    replayed = (await run_here(models.request())).records["late"]
    assert replayed["verdict"] == "error"
    assert "the call failed" in replayed["error"]
