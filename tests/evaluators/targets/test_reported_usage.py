"""What a server reports of tokens: what it leaves out is unknown, and nothing in it costs an answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.servers.loopback_model import (
    ANTHROPIC,
    OPENAI,
    Make,
    question,
)
from support.servers.openai import Answer, OpenAiServer

HUGE = 10**400
#: By a name, what a server sends as `usage`.
UNKNOWN: dict[str, Any] = {
    "null": None,
    "nothing": {},
    "zeros": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    "nulls": {"prompt_tokens": None, "completion_tokens": None, "total_tokens": None},
    "without the answer": {"prompt_tokens": 11},
    "nothing for the answer": {"prompt_tokens": 11, "completion_tokens": 0, "total_tokens": 11},
    "nothing for the question": {"prompt_tokens": 0, "completion_tokens": 7, "total_tokens": 7},
    "negative": {"prompt_tokens": -11, "completion_tokens": 7, "total_tokens": -4},
    "halves": {"prompt_tokens": 11.5, "completion_tokens": 7, "total_tokens": 18.5},
    "huge": {"prompt_tokens": HUGE, "completion_tokens": 7, "total_tokens": HUGE},
    "words": {"prompt_tokens": "eleven", "completion_tokens": "seven", "total_tokens": "many"},
    "lists": {"prompt_tokens": [11], "completion_tokens": {"all": 7}, "total_tokens": True},
    "a list": [11, 7],
    "a text": "18 tokens",
    "a number": 18,
    "true": True,
}
KNOWN: dict[str, Any] = {
    "numbers": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    "floats": {"prompt_tokens": 11.0, "completion_tokens": 7.0, "total_tokens": 18.0},
    "details that cannot be read": {
        "prompt_tokens": 11,
        "completion_tokens": 7,
        "total_tokens": 18,
        "prompt_tokens_details": {"cached_tokens": "none", "audio_tokens": [1]},
        "completion_tokens_details": {"reasoning_tokens": -3},
    },
}


def completion(usage: Any, **message: Any) -> Answer:
    said = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-4o",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Paris", **message},
                "finish_reason": "stop",
            }
        ],
        "usage": usage,
    }
    return Answer(body=json.dumps(said).encode())


@pytest.mark.usefixtures("as_providers")
@pytest.mark.parametrize("usage", UNKNOWN.values(), ids=UNKNOWN)
async def test_what_is_not_reported_is_unknown(
    model: Make, openai_server: OpenAiServer, usage: Any
) -> None:
    openai_server.default = completion(usage)
    reply = await model(model="openai/gpt-4o", api_base=OPENAI).ask(question())
    assert (reply.text, reply.token_usage, reply.cost_usd) == ("Paris", None, None)
    priced = model(price={"input_per_million": 2.5, "output_per_million": 10})
    assert (await priced.ask(question())).cost_usd is None


async def test_a_price_of_questions_needs_no_tokens(
    model: Make, openai_server: OpenAiServer
) -> None:
    openai_server.default = completion(None)
    free = model(price={"per_question": 0})
    assert (await free.ask(question())).cost_usd == 0


@pytest.mark.usefixtures("as_providers")
@pytest.mark.parametrize("usage", KNOWN.values(), ids=KNOWN)
async def test_what_can_be_read_is_counted(
    model: Make, openai_server: OpenAiServer, usage: Any
) -> None:
    openai_server.default = completion(usage)
    reply = await model(model="openai/gpt-4o", api_base=OPENAI).ask(question())
    assert reply.text == "Paris"
    assert reply.token_usage is not None
    assert (reply.token_usage.input, reply.token_usage.output) == (11, 7)
    assert reply.cost_usd == pytest.approx((11 * 2.5 + 7 * 10) / 1e6)


async def test_an_empty_answer_has_no_tokens(model: Make, openai_server: OpenAiServer) -> None:
    openai_server.default = completion(
        {"prompt_tokens": 11, "completion_tokens": 0, "total_tokens": 11},
        content="",
        tool_calls=[{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
    )
    assert (await model().ask(question())).token_usage is None  # a call is written, too


@pytest.mark.usefixtures("as_providers")
@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        {"input_tokens": 3},
        {"input_tokens": "x", "output_tokens": 4},
        {"input_tokens": 3, "output_tokens": 4, "cache_creation": 1},
        {"input_tokens": 3, "output_tokens": 4, "cache_creation": [1]},
        {"input_tokens": 3, "output_tokens": 4, "server_tool_use": {"web_search_requests": "x"}},
        {"input_tokens": 3, "output_tokens": 4, "server_tool_use": "none"},
        7,
    ],
)
async def test_messages_are_read_alike(
    model: Make, openai_server: OpenAiServer, usage: Any
) -> None:
    said = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [{"type": "text", "text": "Paris"}],
        "stop_reason": "end_turn",
        "usage": usage,
    }
    openai_server.default = Answer(body=json.dumps(said).encode())
    reply = await model(model="anthropic/claude-sonnet-4-5", api_base=ANTHROPIC).ask(question())
    assert reply.text == "Paris"
    known = isinstance(usage, dict) and usage.get("output_tokens") and usage["input_tokens"] == 3
    assert (reply.cost_usd is not None) == bool(known)


@pytest.mark.parametrize("name", ["openai/gpt-4o", "hosted_vllm/gpt-4o"])
async def test_no_price_of_others_is_charged_for_a_server_of_ones_own(
    model: Make, openai_server: OpenAiServer, name: str
) -> None:
    openai_server.default = completion(KNOWN["numbers"])
    reply = await model(model=name).ask(question())
    assert reply.token_usage is not None
    assert reply.cost_usd is None
