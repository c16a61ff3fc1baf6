"""What a reply is read as: each form that a provider documents, asked on each way to a model."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from suitecase_evaluators.reply_meaning import ReplyMeaning
from suitecase_evaluators.row import Row
from suitecase_evaluators.targets.config import read_target
from suitecase_evaluators.targets.config.http import HttpConfig
from suitecase_evaluators.targets.factory import make_target
from suitecase_evaluators.targets.http import HttpTarget
from suitecase_evaluators.targets.target import Question, Reply, Target, TargetError, Turn
from support.servers.openai import Answer, OpenAiServer
from support.servers.provider_replies import ANSWER, FORMS, REPLIES, THOUGHT

#: What only litellm knows to do.
_BY_LITELLM = {"params": {"caching": False}}
_OPENAI = {"model": "openai/anything"}
#: By provider, the entries by which it is asked, by way; `{url}` is the server's address.
_ENTRIES: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "OpenAI": {"direct": _OPENAI, "litellm": {**_OPENAI, **_BY_LITELLM}},
    "Azure": {"direct": _OPENAI, "litellm": {"model": "azure/gpt-4o", "params": {"api_version": "2024-12-01-preview"}}},
    "Anthropic": {
        "direct": {"model": "anthropic/claude-sonnet-4-5"},
        "litellm": {"model": "anthropic/claude-sonnet-4-5", **_BY_LITELLM},
    },
    "Google": {"litellm": {"model": "gemini/gemini-2.5-flash"}},
    "Bedrock": {
        "litellm": {
            "model": "bedrock/converse/anthropic.claude-3-5-sonnet-20240620-v1:0",
            "params": {
                "aws_access_key_id": "AKIAEXAMPLE",
                "aws_secret_access_key": "example",
                "aws_region_name": "us-east-1",
                "aws_bedrock_runtime_endpoint": "{url}",
            },
        }
    },
    "OpenRouter": {"direct": _OPENAI, "litellm": {"model": "openrouter/some/model"}},
    "Mistral": {"direct": _OPENAI, "litellm": {"model": "mistral/mistral-small-latest"}},
    "DeepSeek": {"direct": _OPENAI, "litellm": {"model": "deepseek/deepseek-chat"}},
    "vLLM": {"direct": {"model": "hosted_vllm/m"}, "litellm": {"model": "hosted_vllm/m", **_BY_LITELLM}},
    "Ollama": {"litellm": {"model": "ollama_chat/m"}},
}  # fmt: skip
_COMPATIBLE = _ENTRIES["OpenAI"]
#: Where promptfoo's provider `http` finds the answer of those that do not speak OpenAI's protocol.
_PATHS: Mapping[str, tuple[str | int, ...]] = {
    "Anthropic": ("json", "content", 0, "text"),
    "Google": ("json", "candidates", 0, "content", "parts", 0, "text"),
    "Bedrock": ("json", "output", "message", "content", 0, "text"),
    "Ollama": ("json", "message", "content"),
}
_CHAT_PATH = ("json", "choices", 0, "message", "content")
#: What is not at one path in a response, so that it cannot be asked for over HTTP alone.
_NOT_AT_A_PATH = (
    "parts",
    "thinking beside",
    "call of a tool",
    "cut off while thinking",
    "refused",
    "filtered",
)

_ROW = Row(
    dialect="promptfoo", test="1", prompt_label="p", prompt="Capital?", provider="http", request=()
)


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAiServer]:
    """One server for all replies."""
    server = OpenAiServer()
    yield server
    server.close()


@pytest.fixture
async def ways(
    request: pytest.FixtureRequest, server: OpenAiServer
) -> AsyncIterator[dict[str, Target]]:
    """The ways on which a provider is asked."""
    provider = request.getfixturevalue("provider")
    targets: dict[str, Target] = {}
    for way, entry in _ENTRIES.get(provider, _COMPATIBLE).items():
        written = {
            "name": "there",
            "provider": "litellm",
            "api_base": server.url,
            "api_key": "sk-none-0123456789",
        }
        whole = json.loads(
            json.dumps({**written, "retry": {"max_retries": 0}, **entry}).replace(
                "{url}", server.url
            )
        )
        targets[way] = make_target(read_target(whole), folder=Path(), environ=os.environ)
    path = _PATHS.get(provider, _CHAT_PATH)
    http = HttpConfig.model_validate(
        {
            "name": "there",
            "provider": "http",
            "method": "POST",
            "url": server.url,
            "answer_path": path,
        }
        | {"retry": {"max_retries": 0}}
    )
    targets["http"] = HttpTarget(http)
    yield targets
    for target in targets.values():
        await target.close()


async def _asked(target: Target) -> Reply | TargetError:
    row = _ROW if isinstance(target, HttpTarget) else None
    question = Question(eval_id="a", turns=(Turn("user", "Capital of France?"),), row=row)
    try:
        return await target.ask(question)
    except TargetError as error:
        return error


def _meaning(reply: Reply | TargetError) -> ReplyMeaning:
    return ReplyMeaning.FAILED if isinstance(reply, TargetError) else reply.meaning


@pytest.mark.parametrize("provider", REPLIES)
async def test_what_a_reply_is_read_as(
    provider: str, ways: dict[str, Target], server: OpenAiServer
) -> None:
    read: dict[tuple[str, str], str] = {}
    expected: dict[tuple[str, str], str] = {}
    for form, body in REPLIES[provider].items():
        server.default = Answer(body=json.dumps(body).encode())
        for way, target in ways.items():
            if way == "http" and form in _NOT_AT_A_PATH:
                continue
            reply = await _asked(target)
            cell = (form, way)
            read[cell], expected[cell] = _meaning(reply), FORMS[form]
            if isinstance(reply, TargetError):
                assert "could not be read" not in reply.message
                assert "could not be reached" not in reply.message
                continue
            if form in ("answer", "parts") or form.startswith("thinking"):
                assert (cell, reply.text) == (cell, ANSWER)
            if form.startswith("thinking"):
                assert THOUGHT in reply.details["thinking"], cell
            if form == "cut off while thinking":
                assert (cell, reply.text) == (cell, "")
    assert read == expected


async def test_a_failure_has_the_providers_words(server: OpenAiServer) -> None:
    entry = {
        "name": "there",
        "provider": "litellm",
        "model": "openrouter/some/model",
        "api_base": server.url,
    }
    target = make_target(
        read_target(
            {
                **entry,
                "api_key": "sk-none-0123456789",
                "retry": {"max_retries": 1, "initial_delay_ms": 1},
            }
        ),
        folder=Path(),
        environ={},
    )
    server.requests.clear()
    server.default = Answer(body=json.dumps(REPLIES["OpenRouter"]["failed"]).encode())
    reply = await _asked(target)
    await target.close()
    assert isinstance(reply, TargetError)
    assert "Provider returned error: upstream is idle" in reply.message
    assert "502" in reply.message
    assert len(server.requests) == 2  # it is tried again, as HTTP 502 is
