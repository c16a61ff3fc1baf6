"""What a reply is read as: each form that a provider documents, asked on each way to a model."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from suitecase_evaluators.targets.config import read_target
from suitecase_evaluators.targets.factory import make_target
from suitecase_evaluators.targets.target import Target, TargetError
from support.servers.openai import Answer, OpenAiServer
from support.servers.provider_replies import ANSWER, FORMS, REPLIES, THOUGHT
from support.servers.provider_ways import asked, read_as, ways_to

#: What is not at one path in a response, so that it cannot be asked for over HTTP alone.
_NOT_AT_A_PATH = (
    "parts",
    "thinking beside",
    "call of a tool",
    "cut off while thinking",
    "refused",
    "filtered",
)


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAiServer]:
    """One server for all replies."""
    server = OpenAiServer()
    yield server
    server.close()


@pytest.fixture
async def ways(provider: str, server: OpenAiServer) -> AsyncIterator[dict[str, Target]]:
    """The ways on which a provider is asked."""
    targets = ways_to(provider, server.url)
    yield targets
    for target in targets.values():
        await target.close()


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
            reply = await asked(target)
            cell = (form, way)
            read[cell], expected[cell] = read_as(reply), FORMS[form]
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
    reply = await asked(target)
    await target.close()
    assert isinstance(reply, TargetError)
    assert "Provider returned error: upstream is idle" in reply.message
    assert "502" in reply.message
    assert len(server.requests) == 2  # it is tried again, as HTTP 502 is
