"""A model on the loopback interface, asked through litellm, for the tests of that target."""

from __future__ import annotations

import traceback
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from suitecase_evaluators.targets.config import read_target
from suitecase_evaluators.targets.factory import make_target
from suitecase_evaluators.targets.target import Question, Target, TargetError, Turn
from support.servers.openai import OpenAiServer

SECRET = "sk-s3cret-0123456789"
OTHER_SECRET = "another-secret"
#: Retries that do not keep a test waiting.
QUICK = {"initial_delay_ms": 1}

Make = Callable[..., Target]


#: What only litellm knows to do.
THROUGH_LITELLM = {"params": {"caching": False}}
#: The addresses of providers, whose prices are known. A server asked as a proxy answers in their place.
OPENAI, ANTHROPIC = "http://api.openai.com/v1", "http://api.anthropic.com"


@pytest.fixture
def as_providers(openai_server: OpenAiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the server answer for the addresses of all providers."""
    for name in ("NO_PROXY", "no_proxy", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", openai_server.url.removesuffix("/v1"))


@pytest.fixture(params=[THROUGH_LITELLM, {}], ids=["litellm", "direct"])
async def model(openai_server: OpenAiServer, request: pytest.FixtureRequest) -> AsyncIterator[Make]:
    """Makes a target that asks the server; fields of its entry may be given, None removes one.

    A model that litellm does not know is asked directly, unless a parameter is litellm's.
    """
    made: list[Target] = []

    def make(**more: Any) -> Target:
        entry = {
            "name": "local",
            "provider": "litellm",
            "model": "openai/anything",
            "api_base": openai_server.url,
            "api_key": "${{ SOME_KEY }}",
            "timeout_seconds": 20,
            "retry": QUICK,
            **request.param,
            **more,
        }
        config = read_target({key: it for key, it in entry.items() if it is not None})
        environ = {"SOME_KEY": SECRET, "OTHER_TOKEN": OTHER_SECRET}
        made.append(make_target(config, folder=Path(), environ=environ))
        return made[-1]

    yield make
    for target in made:
        await target.close()


def question(text: str = "Capital of France?", **more: Any) -> Question:
    """Make a question of one user turn."""
    return Question(**({"eval_id": "a", "turns": (Turn("user", text),)} | more))


async def refusal(target: Target, asked: Question | None = None) -> TargetError:
    """Ask, and return the error; it is one line of text, without the key, as is its traceback."""
    with pytest.raises(TargetError) as caught:
        await target.ask(asked or question())
    message = caught.value.message
    assert "`local`" in message
    assert SECRET not in message
    assert "\n" not in message
    trace = "".join(traceback.format_exception(caught.value))
    assert SECRET not in trace
    return caught.value
