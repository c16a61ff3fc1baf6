"""A model that is asked directly is asked as litellm asks it, and answers, counts and costs the same."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from suitecase_evaluators.targets.config import read_target
from suitecase_evaluators.targets.factory import make_target
from suitecase_evaluators.targets.target import Reply, Target, TargetError, Turn
from support.servers.loopback_model import ANTHROPIC, OPENAI, THROUGH_LITELLM, question
from support.servers.openai import Answer, OpenAiServer

SCHEMA = {
    "type": "object",
    "properties": {
        "score": {"type": "number", "minimum": 0, "maximum": 1, "description": "how good"},
        "hits": {"type": "array", "items": {"type": "string", "minLength": 1}, "maxItems": 9},
        "either": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
    },
    "required": ["score", "hits", "either"],
    "additionalProperties": False,
}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "search",
            "description": "Search.",
            "parameters": {"type": "object", "properties": {"q": {"type": "string"}}},
        },
    },
    {"type": "function", "function": {"name": "now"}},
]
TURNS = (
    Turn("system", "Be short."),
    Turn("system", "Be kind."),
    Turn("user", "Capital?"),
    Turn("assistant", "Of what?"),
    Turn("user", "France."),
    Turn("tool", "found: Paris"),
)
SONNET, UNKNOWN = "anthropic/claude-sonnet-4-5", "anthropic/claude-unknown"
#: By a name, the entry of a target and what is asked.
ASKED: Mapping[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "chat": ({"model": "openai/gpt-4o-mini"}, {"turns": TURNS}),
    "chat with parameters": (
        {
            "model": "openai/gpt-4.1",
            "temperature": 0.5,
            "seed": 7,
            "max_output_tokens": 50,
            "params": {"top_p": 0.9, "stop": ["x"], "frequency_penalty": 0.1, "user": "u"},
        },
        {},
    ),
    "chat with tools": (
        {"model": "openai/gpt-4o", "params": {"tools": TOOLS, "tool_choice": "required"}},
        {},
    ),
    "chat with a schema": ({"model": "openai/gpt-4o"}, {"response_schema": SCHEMA}),
    "reasoning": (
        {"model": "openai/o3-mini", "params": {"reasoning_effort": "low"}},
        {"max_output_tokens": 100, "seed": 1},
    ),
    "GPT-5": ({"model": "openai/gpt-5", "max_output_tokens": 100}, {}),
    "a model of one's own": ({"model": "openai/anything", "max_output_tokens": 9}, {}),
    "messages": ({"model": SONNET}, {"turns": TURNS}),
    "messages that begin with the assistant": (
        {"model": SONNET},
        {"turns": (Turn("assistant", "So?"), Turn("user", ""), Turn("assistant", "It is  "))},
    ),
    "messages with parameters": (
        {
            "model": SONNET,
            "temperature": 0.0,
            "max_output_tokens": 50,
            "params": {"top_p": 0.5, "stop": "x", "top_k": 5},
        },
        {},
    ),
    "messages with tools": (
        {"model": SONNET, "params": {"tools": TOOLS, "tool_choice": "required"}},
        {},
    ),
    "messages with one tool": (
        {
            "model": SONNET,
            "params": {
                "tools": TOOLS[:1],
                "tool_choice": {"type": "function", "function": {"name": "search"}},
                "parallel_tool_calls": False,
            },
        },
        {},
    ),
    "messages with a schema": ({"model": SONNET}, {"response_schema": SCHEMA}),
    "messages with a schema as a tool": (
        {
            "model": UNKNOWN,
            "max_output_tokens": 100,
            "params": {
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "r", "schema": SCHEMA},
                }
            },
        },
        {},
    ),
    "messages that think": (
        {"provider": "anthropic", "model": "claude-opus-4-5", "thinking_budget": 2000},
        {},
    ),
    "messages of an unknown model": ({"model": UNKNOWN, "max_output_tokens": 100}, {}),
}

Ask = Callable[..., Any]
#: Earlier versions of litellm asked Anthropic in other ways, and counted what it keeps for an hour otherwise.
as_litellm_does_now = pytest.mark.skipif(
    tuple(map(int, version("litellm").split(".")[:2])) < (1, 106), reason="litellm is older"
)


@pytest.fixture
async def made() -> Any:
    """Makes targets that ask a server, and closes them."""
    targets: list[Target] = []

    def make(server: OpenAiServer, entry: Mapping[str, Any], *, by_litellm: bool) -> Target:
        model = str(entry["model"])
        is_anthropic = "claude" in model
        given = {
            "name": "there",
            "provider": "litellm",
            "api_base": server.url.removesuffix("/v1") if is_anthropic else server.url,
            "api_key": "sk-none-0123456789",
            "retry": {"max_retries": 0},
            **entry,
        }
        if given["provider"] == "anthropic":
            del given["api_base"]
        if by_litellm:
            given["params"] = {**given.get("params", {}), **THROUGH_LITELLM["params"]}
        environ = {"ANTHROPIC_BASE_URL": server.url.removesuffix("/v1")}
        targets.append(make_target(read_target(given), folder=Path(), environ=environ))
        return targets[-1]

    yield make
    for target in targets:
        await target.close()


async def both(
    made: Ask, server: OpenAiServer, entry: Mapping[str, Any], asked: Mapping[str, Any]
) -> Iterator[Reply]:
    targets = [made(server, entry, by_litellm=it) for it in (True, False)]
    return iter([await it.ask(question(**asked)) for it in targets])


@as_litellm_does_now
@pytest.mark.parametrize(("entry", "asked"), ASKED.values(), ids=ASKED)
async def test_the_same_is_sent(
    entry: dict[str, Any],
    asked: dict[str, Any],
    made: Ask,
    openai_server: OpenAiServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", openai_server.url.removesuffix("/v1"))
    if "claude" in entry["model"]:
        openai_server.default = message([{"type": "text", "text": "Paris"}])

    await both(made, openai_server, entry, asked)

    by_litellm, directly = openai_server.requests
    assert directly.path == by_litellm.path
    assert directly.body == by_litellm.body
    told = ("authorization", "x-api-key", "anthropic-version", "anthropic-beta", "content-type")
    assert {it: directly.headers.get(it) for it in told} == {
        it: by_litellm.headers.get(it) for it in told
    }


def message(content: list[dict[str, Any]], stop: str = "end_turn", **usage: Any) -> Answer:
    """Return an answer of Anthropic's."""
    said = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": content,
        "stop_reason": stop,
        "usage": {"input_tokens": 11, "output_tokens": 7, **usage},
    }
    return Answer(body=json.dumps(said).encode())


def completion(message: dict[str, Any], finish: str = "stop", **more: Any) -> Answer:
    """Return an answer of OpenAI's."""
    said = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-4o-mini-2024-07-18",
        "choices": [
            {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
        ],
        "usage": {"prompt_tokens": 1100, "completion_tokens": 700, "total_tokens": 1800},
        **more,
    }
    return Answer(body=json.dumps(said).encode())


def used(**usage: Any) -> dict[str, Any]:
    return {
        "usage": {"prompt_tokens": 1100, "completion_tokens": 700, "total_tokens": 1800, **usage}
    }


TEXT = {"type": "text", "text": "Paris"}
CALL = {"type": "tool_use", "id": "t1", "name": "search", "input": {"q": 1}}
FUNCTION = {"id": "1", "type": "function", "function": {"name": "search", "arguments": '{"q": 1}'}}
#: By a name, the model and what it answers.
ANSWERED: Mapping[str, tuple[str, Answer]] = {
    "text": ("openai/gpt-4o-mini", completion({"content": "Paris"})),
    "cut off": ("openai/gpt-4o-mini", completion({"content": "Par"}, "length")),
    "a call": ("openai/gpt-4o-mini", completion({"content": None, "tool_calls": [FUNCTION]}, "tool_calls")),
    "filtered": ("openai/gpt-4o-mini", completion({"content": ""}, "content_filter")),
    "a refusal": ("openai/gpt-4o-mini", completion({"content": None, "refusal": "I cannot."})),
    "cached": ("openai/gpt-4o-mini", completion({"content": "Paris"}, **used(prompt_tokens_details={"cached_tokens": 1000}))),
    "thought": ("openai/gpt-5", completion({"content": "Paris"}, model="gpt-5-2025-08-07", **used(completion_tokens_details={"reasoning_tokens": 600}))),
    "flex": ("openai/gpt-5", completion({"content": "Paris"}, model="gpt-5-2025-08-07", service_tier="flex")),
    "default": ("openai/gpt-5", completion({"content": "Paris"}, model="gpt-5-2025-08-07", service_tier="default")),
    "by another model": ("openai/gpt-4o", completion({"content": "Paris"}, model="gpt-4o-2024-05-13")),
    "by a stranger": ("openai/gpt-4o", completion({"content": "Paris"}, model="claude-sonnet-4-5")),
    "unknown": ("openai/anything", completion({"content": "Paris"}, model="anything")),
    "message": (SONNET, message([TEXT, {"type": "text", "text": "!"}])),
    "message cut off": (SONNET, message([TEXT], "max_tokens")),
    "message stopped": (SONNET, message([TEXT], "stop_sequence")),
    "message refused": (SONNET, message([TEXT], "refusal")),
    "message with a call": (SONNET, message([TEXT, CALL, {**CALL, "id": "t2", "input": {}}], "tool_use")),
    "message with thoughts": (SONNET, message([{"type": "thinking", "thinking": "Hm.", "signature": "s"}, TEXT])),
    "message from a cache": (SONNET, message([TEXT], cache_read_input_tokens=5000, cache_creation_input_tokens=300)),
    "message for an hour": (
        SONNET,
        message([TEXT], cache_creation_input_tokens=300, cache_creation={"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 200}),
    ),
    "long message": (SONNET, message([TEXT], input_tokens=250_000)),
    "unknown message": ("anthropic/claude-unknown", message([TEXT])),
}  # fmt: skip


@as_litellm_does_now
@pytest.mark.usefixtures("as_providers")
@pytest.mark.parametrize(("model", "answer"), ANSWERED.values(), ids=ANSWERED)
async def test_the_same_is_read(
    model: str, answer: Answer, made: Ask, openai_server: OpenAiServer
) -> None:
    openai_server.default = answer

    entry = {"model": model, "api_base": ANTHROPIC if "claude" in model else OPENAI}
    by_litellm, directly = await both(made, openai_server, entry, {})

    # litellm makes up an id of its own for answers of Anthropic.
    same = ("text", "output_messages", "tool_calls", "token_usage", "finish_reason", "seed", "model", "details")  # fmt: skip
    assert {it: getattr(directly, it) for it in same} == {
        it: getattr(by_litellm, it) for it in same
    }
    assert directly.cost_usd == pytest.approx(by_litellm.cost_usd)
    assert (directly.cost_usd is None) == (by_litellm.cost_usd is None)


async def test_an_answer_by_a_tool_is_the_answer(made: Ask, openai_server: OpenAiServer) -> None:
    answer = {**CALL, "name": "json_tool_call", "input": {"score": 1}}
    openai_server.default = message([answer], "tool_use")

    asked_for = ASKED["messages with a schema as a tool"][0]
    for reply in await both(made, openai_server, asked_for, {}):
        assert (json.loads(reply.text), reply.tool_calls) == ({"score": 1}, ())
        assert reply.finish_reason == "stop"


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, "bad"),
        (401, "invalid x-api-key"),
        (404, "no such model"),
        (429, "slow down"),
        (500, "sorry"),
    ],
)
@pytest.mark.parametrize("model", ["openai/gpt-4o-mini", SONNET])
async def test_what_goes_wrong_is_said_alike(
    model: str, status: int, error: str, made: Ask, openai_server: OpenAiServer
) -> None:
    openai_server.default = Answer(status=status, error=error)
    said = []
    for by_litellm in (True, False):
        target = made(openai_server, {"model": model}, by_litellm=by_litellm)
        with pytest.raises(TargetError) as caught:
            await target.ask(question())
        said.append((caught.value.message, caught.value.kind))

    assert said[0] == said[1]


@pytest.mark.parametrize("model", ["openai/gpt-4o-mini", SONNET])
@pytest.mark.parametrize(("status", "tries"), [(413, 1), (529, 3)])
async def test_the_status_is_the_one_of_the_server(
    model: str, status: int, tries: int, made: Ask, openai_server: OpenAiServer
) -> None:
    openai_server.default = Answer(status=status, error="no")
    retry = {"retry": {"max_retries": 2, "initial_delay_ms": 1}}
    target = made(openai_server, {"model": model, **retry}, by_litellm=False)
    with pytest.raises(TargetError, match=f"HTTP {status}"):
        await target.ask(question())
    assert len(openai_server.requests) == tries


_WHAT_IS_LOADED = """
import asyncio, json, sys
from pathlib import Path
from suitecase_evaluators.targets.config import read_target
from suitecase_evaluators.targets.factory import make_target
from suitecase_evaluators.targets.target import Question, Turn

async def main():
    for entry in json.loads(sys.argv[1]):
        target = make_target(read_target(entry), folder=Path(), environ={})
        reply = await target.ask(Question(eval_id="a", turns=(Turn("user", "?"),)))
        await target.close()
        loaded = [name for name in ("litellm", "openai") if name in sys.modules]
        print(json.dumps([reply.text, reply.cost_usd is None, loaded]))

asyncio.run(main())
"""


@pytest.mark.usefixtures("as_providers")
def test_litellm_is_not_loaded(openai_server: OpenAiServer) -> None:
    openai_server.default = lambda asked: (
        message([TEXT]) if "claude" in asked["model"] else Answer()
    )
    entries = [
        {"provider": "openai", "model": "gpt-4o-mini", "api_base": OPENAI},
        {"provider": "litellm", "model": "hosted_vllm/any", "api_base": openai_server.url},
        {"provider": "litellm", "model": SONNET, "api_base": ANTHROPIC},
    ]
    named = [{"name": "there", "api_key": "none", **entry} for entry in entries]
    ended = subprocess.run(
        [sys.executable, "-c", _WHAT_IS_LOADED, json.dumps(named)],
        capture_output=True,
        text=True,
        check=True,
    )

    # The price is unknown only for a self-hosted server.
    assert [json.loads(line) for line in ended.stdout.splitlines()] == [
        ["Paris", False, []],
        ["Paris", True, []],
        ["Paris", False, []],
    ]


@pytest.mark.parametrize(
    ("entry", "variables"),
    [
        ({"provider": "openai", "model": "gpt-4o-mini"}, ("OPENAI_BASE_URL", "OPENAI_API_BASE")),
        ({"provider": "anthropic", "model": "claude-sonnet-4-5"}, ("ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL")),
    ],
    ids=["openai", "anthropic"],
)  # fmt: skip
async def test_addresses_and_keys_are_taken_from_the_environment(
    entry: dict[str, Any], variables: tuple[str, ...], openai_server: OpenAiServer
) -> None:
    is_anthropic = entry["provider"] == "anthropic"
    openai_server.default = message([TEXT]) if is_anthropic else Answer()
    address = openai_server.url.removesuffix("/v1") if is_anthropic else openai_server.url
    for variable in variables:
        environ = {
            variable: address,
            f"{entry['provider'].upper()}_API_KEY": "sk-of-the-environment",
            "OPENAI_ORGANIZATION": "org-1",
        }
        target = make_target(
            read_target({"name": "there", **entry}), folder=Path(), environ=environ
        )
        assert (await target.ask(question())).text == "Paris"
        await target.close()

    for asked in openai_server.requests:
        key = asked.headers.get("x-api-key") or asked.headers["authorization"]
        assert key.endswith("sk-of-the-environment")
        assert asked.headers.get("openai-organization") == (None if is_anthropic else "org-1")


async def test_what_only_litellm_knows_is_left_to_it(openai_server: OpenAiServer) -> None:
    from suitecase_evaluators.targets.litellm import way_of
    from suitecase_evaluators.targets.model_call import model_call

    def way(**entry: Any) -> str:
        call = model_call(read_target({"name": "there", "provider": "litellm", **entry}), {})  # type: ignore[arg-type]
        return way_of(call, call.named(None))

    assert way(model="openai/gpt-4o") == "openai"
    assert way(model="anthropic/claude-sonnet-4-5") == "anthropic"
    for left in (
        {"model": "openai/gpt-4o", "params": {"drop_params": True}},
        {"model": "openai/responses/gpt-4o"},
        {"model": "openai/gpt-5-codex"},
        {"model": "lm_studio/any"},
        {"model": "anthropic/claude-sonnet-4-5", "params": {"reasoning_effort": "low"}},
        {"model": "anthropic/claude-sonnet-4-5", "params": {"tools": [{"type": "web_search_20250305", "name": "web_search"}]}},
        {"model": "gemini/gemini-2.5-flash"},
        {"model": "azure/gpt-4o"},
    ):  # fmt: skip
        assert way(**left) == "litellm", left
