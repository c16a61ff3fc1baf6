"""What comes back from a model asked through litellm."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Mapping
from typing import Any

import pytest

from suitecase_evaluators.targets.target import Reply, Turn
from support.servers.loopback_model import ANTHROPIC, OPENAI, SECRET, Make, question
from support.servers.openai import Answer, OpenAiServer


async def test_an_answer_with_its_figures(model: Make, openai_server: OpenAiServer) -> None:
    turns = (Turn("system", "Be short."), Turn("user", "Capital?"), Turn("tool", "found"))
    reply = await model(temperature=0.5, max_output_tokens=50, seed=7, params={"top_p": 0.9}).ask(
        question(turns=turns)
    )
    assert reply.text == "Paris"
    assert [(it.role, it.text) for it in reply.output_messages] == [("assistant", "Paris")]
    assert reply.token_usage is not None
    assert (reply.token_usage.input, reply.token_usage.output) == (11, 7)
    assert reply.cost_usd is None  # nobody knows what `anything` costs
    assert reply.duration_ms is not None
    assert reply.duration_ms > 0
    assert reply.details == {"model": "openai/anything", "tries": 1}
    assert (reply.finish_reason, reply.seed) == ("stop", 7)
    (asked,) = openai_server.requests
    assert asked.headers["authorization"] == f"Bearer {SECRET}"
    assert asked.body == {
        "model": "anything",
        "messages": [
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": "Capital?"},
            {"role": "user", "content": "Result of a tool:\nfound"},
        ],
        "temperature": 0.5,
        "max_tokens": 50,
        "seed": 7,
        "top_p": 0.9,
    }


async def test_the_question_decides_before_the_entry(
    model: Make, openai_server: OpenAiServer
) -> None:
    await model(temperature=0.5, seed=7).ask(
        question(temperature=0.0, seed=8, max_output_tokens=9, model="openai/other")
    )
    body = openai_server.requests[0].body
    assert (body["model"], body["temperature"], body["seed"], body["max_tokens"]) == (
        "other",
        0.0,
        8,
        9,
    )


@pytest.mark.usefixtures("as_providers")
async def test_a_known_model_has_a_price(model: Make) -> None:
    reply = await model(model="openai/gpt-4o-mini", api_base=OPENAI).ask(question())
    assert reply.cost_usd is not None
    assert 0 < reply.cost_usd < 0.01


async def test_calls_of_tools_are_kept(model: Make, openai_server: OpenAiServer) -> None:
    calls = [
        {"id": "1", "type": "function", "function": {"name": "search", "arguments": '{"q": 1}'}},
        {"id": "2", "type": "function", "function": {"name": "fetch", "arguments": "not json"}},
    ]
    openai_server.script(Answer(message={"content": None, "tool_calls": calls}))
    reply = await model().ask(question())
    assert reply.text == ""
    assert [(it.tool, it.input) for it in reply.tool_calls] == [
        ("search", {"q": 1}),
        ("fetch", "not json"),
    ]


@pytest.mark.parametrize("name", ["openai/anything", "openai/gpt-4o-mini"])
async def test_a_refusal_is_the_answer(model: Make, openai_server: OpenAiServer, name: str) -> None:
    openai_server.script(Answer(message={"content": None, "refusal": "I cannot help."}))
    reply = await model(model=name).ask(question())
    assert (reply.text, reply.details["refusal"]) == ("I cannot help.", "I cannot help.")
    assert [it.text for it in reply.output_messages] == ["I cannot help."]


async def test_an_answer_of_ten_megabytes(model: Make, openai_server: OpenAiServer) -> None:
    openai_server.script("x" * 10_000_000)
    assert len((await model().ask(question())).text) == 10_000_000


async def test_many_questions_at_once(model: Make, openai_server: OpenAiServer) -> None:
    openai_server.default = lambda body: body["messages"][0]["content"]
    target = model()
    replies: list[Reply] = await asyncio.gather(*(target.ask(question(str(n))) for n in range(20)))
    assert [it.text for it in replies] == [str(n) for n in range(20)]


async def test_requests_keep_their_distance(model: Make, openai_server: OpenAiServer) -> None:
    target = model(rate_limit=600)
    started = asyncio.get_running_loop().time()
    await asyncio.gather(*(target.ask(question()) for _ in range(4)))
    assert asyncio.get_running_loop().time() - started >= 0.3


async def test_a_target_works_after_another_one_was_closed(model: Make) -> None:
    for _ in range(2):
        target = model()
        assert (await target.ask(question())).text == "Paris"
        await target.close()
        await target.close()


async def test_azure_is_asked_in_its_own_way(model: Make, openai_server: OpenAiServer) -> None:
    address = openai_server.url.removesuffix("/v1")
    target = model(provider="azure", model="my-deployment", endpoint=address, api_base=None)
    assert (await target.ask(question())).text == "Paris"
    (asked,) = openai_server.requests
    assert asked.path == (
        "/openai/deployments/my-deployment/chat/completions?api-version=2024-12-01-preview"
    )
    assert asked.headers["api-key"] == SECRET


async def test_openai_is_asked_for_the_bare_name(model: Make, openai_server: OpenAiServer) -> None:
    reply = await model(provider="openai", model="anything").ask(question())
    assert reply.details["model"] == "openai/anything"
    assert openai_server.requests[0].body["model"] == "anything"


async def test_litellm_leaves_the_environment_alone(model: Make) -> None:
    await model().ask(question())
    assert os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] == "True"
    assert SECRET not in os.environ.values()


@pytest.mark.usefixtures("as_providers")
async def test_other_protocols_are_understood(model: Make, openai_server: OpenAiServer) -> None:
    said = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [{"type": "text", "text": "Paris"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 3, "output_tokens": 4},
    }
    openai_server.default = Answer(body=json.dumps(said).encode())
    target = model(model="anthropic/claude-sonnet-4-5", api_base=ANTHROPIC)
    reply = await target.ask(question(seed=7, temperature=0.0))
    assert reply.text == "Paris"
    assert reply.token_usage is not None
    assert reply.token_usage.total == 7
    assert reply.cost_usd is not None
    assert reply.details["left_out"] == ["seed"]  # which Anthropic does not have
    assert openai_server.requests[0].body["temperature"] == 0.0


async def test_tokens_keep_their_distance(model: Make, openai_server: OpenAiServer) -> None:
    await model().ask(question())  # loading the library takes its time
    # Each reply uses 18 tokens, of 3600 a minute: 0.3 seconds, whatever was estimated.
    target = model(tokens_per_minute=3600)
    started = asyncio.get_running_loop().time()
    for _ in range(3):
        await target.ask(question("x"))
    assert asyncio.get_running_loop().time() - started >= 0.6


async def test_a_long_question_keeps_its_distance_though_many_requests_are_allowed(
    model: Make, openai_server: OpenAiServer
) -> None:
    await model().ask(question())  # loading the library takes its time
    # The answer to the first question would correct how long the second one waits, so it comes later.
    second_asked = threading.Event()

    def first(_: Mapping[str, Any]) -> str:
        assert second_asked.wait(60)
        return "Paris"

    def second(_: Mapping[str, Any]) -> str:
        second_asked.set()
        return "Paris"

    openai_server.script(first, second)
    # 25,000 tokens, as far as anyone knows before the answer: a quarter of a second.
    target = model(tokens_per_minute=6_000_000, rate_limit=600_000)
    started = asyncio.get_running_loop().time()
    await asyncio.gather(*(target.ask(question("x" * 100_000)) for _ in range(2)))
    assert asyncio.get_running_loop().time() - started >= 0.25


async def test_where_an_answer_was_cut_off_and_the_seed_are_told(
    model: Make, openai_server: OpenAiServer
) -> None:
    openai_server.script(Answer(finish_reason="length"))
    reply = await model(seed=7).ask(question(seed=8))
    assert (reply.finish_reason, reply.seed) == ("length", 8)
    openai_server.script(
        Answer(status=400, error="seed is not supported"), Answer(), Answer(status=400, error="no")
    )
    assert (await model().ask(question(seed=8))).seed is None
