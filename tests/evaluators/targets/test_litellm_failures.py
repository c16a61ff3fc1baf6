"""What is asked again, and what is said where a model gave no answer."""

from __future__ import annotations

import asyncio
from importlib.util import find_spec
from typing import Any

import pytest

from support.servers.loopback_model import OPENAI, QUICK, SECRET, Make, question, refusal
from support.servers.openai import Answer, OpenAiServer

TRANSIENT = {
    "429": Answer(status=429),
    "429 with a time": Answer(status=429, headers={"retry-after": "0"}),
    "408": Answer(status=408),
    "409": Answer(status=409),
    "500": Answer(status=500),
    "529": Answer(status=529),
    "cut at once": Answer(cut_after=0),
    "cut in the body": Answer(cut_after=40),
    "cut JSON": Answer(body=b'{"id": "x", "choices": ['),
    "HTML": Answer(body=b"<html>Welcome</html>"),
}


@pytest.mark.parametrize("mishap", TRANSIENT.values(), ids=TRANSIENT)
async def test_asks_again_after_a_mishap(
    model: Make, openai_server: OpenAiServer, mishap: Answer
) -> None:
    openai_server.script(mishap, mishap, "Paris")
    reply = await model().ask(question())
    assert (reply.text, reply.details["tries"]) == ("Paris", 3)
    assert len(openai_server.requests) == 3


@pytest.mark.parametrize("mishap", ["500", "cut in the body", "HTML"])
async def test_gives_up_after_three_tries(
    model: Make, openai_server: OpenAiServer, mishap: str
) -> None:
    openai_server.default = TRANSIENT[mishap]
    error = await refusal(model())
    assert len(openai_server.requests) == 3
    assert error.message.endswith("Tried 3 times.")
    assert "`openai/anything`" in error.message


@pytest.mark.parametrize(
    "setting", [{"retry": {"max_retries": 0}}, {"retry": None, "max_retries": 0}]
)
async def test_retries_can_be_switched_off(
    model: Make, openai_server: OpenAiServer, setting: dict[str, Any]
) -> None:
    openai_server.default = Answer(status=503, error="overloaded")
    error = await refusal(model(**setting))
    assert len(openai_server.requests) == 1
    assert "HTTP 503" in error.message
    assert "overloaded" in error.message
    assert "Tried" not in error.message


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "request was refused"),
        (401, "key was refused"),
        (403, "key was refused"),
        (404, "was not found"),
        (413, "request was refused"),
    ],
)
async def test_what_will_not_get_better_is_not_asked_again(
    model: Make, openai_server: OpenAiServer, status: int, said: str
) -> None:
    openai_server.default = Answer(status=status, error=f"Bad: {SECRET} and another-secret")
    error = await refusal(model())
    assert len(openai_server.requests) == 1
    assert error.kind == "rejected"
    assert said in error.message
    assert f"HTTP {status}" in error.message
    assert "Bad: [redacted] and [redacted]" in error.message


async def test_a_used_up_quota_is_not_asked_again(model: Make, openai_server: OpenAiServer) -> None:
    openai_server.default = Answer(status=429, error="No more.", code="insufficient_quota")
    error = await refusal(model())
    assert len(openai_server.requests) == 1
    assert "quota" in error.message


async def test_which_statuses_are_asked_again_is_configurable(
    model: Make, openai_server: OpenAiServer
) -> None:
    openai_server.script(Answer(status=404), "Paris", Answer(status=500))
    target = model(retry={**QUICK, "status_codes": [404]})
    assert (await target.ask(question())).text == "Paris"
    await refusal(target)
    assert len(openai_server.requests) == 3


async def test_a_server_that_asks_for_a_long_wait_is_not_asked_again(
    model: Make, openai_server: OpenAiServer
) -> None:
    openai_server.default = Answer(status=429, headers={"retry-after": "3600"})
    error = await refusal(model())
    assert len(openai_server.requests) == 1
    assert "wait 3600 s" in error.message
    assert "max_delay_ms" in error.message


async def test_a_wait_the_server_asks_for_is_waited(
    model: Make, openai_server: OpenAiServer
) -> None:
    openai_server.script(Answer(status=429, headers={"retry-after-ms": "400"}), "Paris")
    started = asyncio.get_running_loop().time()
    await model().ask(question())
    assert asyncio.get_running_loop().time() - started >= 0.4


async def test_a_slow_server_is_given_up(model: Make, openai_server: OpenAiServer) -> None:
    openai_server.default = Answer(stall=True)
    error = await refusal(model(timeout_seconds=1, retry={**QUICK, "max_retries": 1}))
    assert error.kind == "timeout"
    assert "within 1 s" in error.message
    assert error.message.endswith("Tried 2 times.")
    assert len(openai_server.requests) == 2


async def test_nobody_at_the_address(model: Make) -> None:
    error = await refusal(model(api_base="http://127.0.0.1:9/v1"))
    assert error.kind == "unreachable"
    assert "http://127.0.0.1:9/v1" in error.message
    assert "Check the address" in error.message


async def test_a_reply_without_choices(model: Make, openai_server: OpenAiServer) -> None:
    openai_server.default = Answer(body=b'{"id": "x", "choices": []}')
    assert "without an answer" in (await refusal(model())).message


async def test_a_model_litellm_does_not_know(model: Make) -> None:
    error = await refusal(model(model="nonsense"))
    assert error.kind == "configuration"
    assert "provider/model" in error.message


@pytest.mark.usefixtures("as_providers")
async def test_a_missing_key_says_so(model: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    error = await refusal(model(api_key=None, model="openai/gpt-4o-mini", api_base=OPENAI))
    assert error.kind == "configuration"
    assert "`api_key`" in error.message


async def test_a_server_of_ones_own_may_need_no_key(
    model: Make, openai_server: OpenAiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    await model(api_key=None, params=None).ask(question())
    assert "authorization" not in openai_server.requests[-1].headers
    openai_server.default = Answer(status=401, error="who are you")
    error = await refusal(model(api_key=None, params=None))
    assert error.kind == "rejected"
    assert "who are you" in error.message
    assert "`api_key`" in error.message


async def test_nothing_is_printed_or_logged(
    model: Make,
    openai_server: OpenAiServer,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    openai_server.default = Answer(status=401, error=f"bad {SECRET}")
    await refusal(model())
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")
    assert SECRET not in caplog.text


#: Models of other protocols, and the header their key goes in.
KEY_HEADERS = {
    "anthropic/claude-sonnet-4-5": "x-api-key",
    "gemini/gemini-2.5-flash": "x-goog-api-key",
}


@pytest.mark.parametrize("name", KEY_HEADERS)
@pytest.mark.parametrize(
    ("mishap", "kind"),
    [
        (Answer(status=429, headers={"retry-after": "0"}), "rejected"),
        (Answer(status=500), "failed"),
        (Answer(cut_after=10), "unreachable"),
        (Answer(body=b"<html>Welcome</html>"), "failed"),
    ],
)
async def test_other_protocols_fail_alike(
    model: Make, openai_server: OpenAiServer, name: str, mishap: Answer, kind: str
) -> None:
    openai_server.default = mishap
    address = openai_server.url.removesuffix("/v1")
    error = await refusal(model(model=name, api_base=address))
    assert len(openai_server.requests) == 3
    assert error.kind == kind
    assert error.message.endswith("Tried 3 times.")
    assert "litellm." not in error.message
    assert '{"error"' not in error.message
    assert all(it.headers[KEY_HEADERS[name]] == SECRET for it in openai_server.requests)


@pytest.mark.parametrize("before", range(480, 502, 3))
async def test_a_secret_is_gone_before_long_words_are_shortened(
    model: Make, openai_server: OpenAiServer, before: int
) -> None:
    openai_server.default = Answer(status=400, error="x" * before + SECRET + "y" * 100)
    message = (await refusal(model())).message
    assert "sk-" not in message
    assert "s3cret" not in message


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.skipif(_is_installed("google.auth"), reason="the package is installed")
async def test_a_package_that_a_service_needs_is_named(model: Make) -> None:
    error = await refusal(model(provider="litellm", model="vertex_ai/gemini-2.5-flash"))
    assert error.kind == "configuration"
    assert "`pip install google-auth`" in error.message
