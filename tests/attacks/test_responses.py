"""What servers send without end, compressed beyond measure, drop by drop, or from elsewhere."""

from __future__ import annotations

import gzip
import json
import resource
import zlib
from collections.abc import AsyncIterator, Callable
from functools import cache
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from suitecase_evaluators.targets.config import read_target
from suitecase_evaluators.targets.factory import make_target
from suitecase_evaluators.targets.target import Target, TargetError
from support.servers.hostile import (  # pyright: ignore[reportMissingImports] - see tests/conftest.py
    COMPLETION,
    HostileServer,
    answers,
    redirects,
    serving,
)
from support.servers.loopback_model import THROUGH_LITELLM, question, refusal

KEY = "sk-redirected-0123456789"
WAYS: dict[str, dict[str, Any]] = {
    "direct": {},
    "litellm": THROUGH_LITELLM,
    "anthropic": {"model": "anthropic/claude-sonnet-4-5"},
    "litellm, anthropic": {"model": "anthropic/claude-sonnet-4-5", **THROUGH_LITELLM},
    "litellm, mistral": {"model": "mistral/any"},
    "litellm, azure": {"model": "azure/any", "params": {"api_version": "2024-12-01-preview"}},
}
Make = Callable[..., Target]


def in_each_way(name: str, *values: Any) -> pytest.MarkDecorator:
    """Give a test each value where we ask and where litellm does, and the first one in each other way, too."""
    pairs = [
        (way, value)
        for value in values
        for way in (WAYS if value is values[0] else ("direct", "litellm"))
    ]
    return pytest.mark.parametrize(("asked", name), pairs, indirect=["asked"])


@pytest.fixture(params=WAYS)
async def asked(request: pytest.FixtureRequest) -> AsyncIterator[Make]:
    """Makes a target that asks a server, in each way there is."""
    made: list[Target] = []

    def make(server: HostileServer, **more: Any) -> Target:
        entry = {
            "name": "local",
            "provider": "litellm",
            "model": "openai/any",
            "api_base": server.address if "anthropic" in request.param else server.url,
            "api_key": KEY,
            "retry": {"max_retries": 2, "initial_delay_ms": 1},
            "timeout_seconds": 30,
            **WAYS[request.param],
            **more,
        }
        made.append(make_target(read_target(entry), folder=Path(), environ={}))
        return made[-1]

    yield make
    for target in made:
        await target.close()


async def problem(target: Target) -> TargetError:
    error = await refusal(target)
    assert KEY not in error.message
    return error


def endless(request: BaseHTTPRequestHandler) -> None:
    """Send spaces, which JSON may begin with, for ever."""
    request.send_response(200)
    request.send_header("content-type", "application/json")
    request.send_header("connection", "close")
    request.end_headers()
    while True:
        request.wfile.write(b" " * 65536)


async def test_a_response_without_end_is_not_read_to_it(asked: Make) -> None:
    with serving(endless) as server:
        error = await problem(asked(server, max_response_mb=2))
    assert "sent more than 2 MB" in error.message
    assert "`max_response_mb`" in error.message
    assert len(server.asked) == 1  # another try would come to the same


async def test_twenty_megabytes_are_the_limit_where_nothing_is_said(asked: Make) -> None:
    with serving(endless) as server:
        error = await problem(asked(server))
    assert "sent more than 20 MB" in error.message


@cache
def _bomb() -> bytes:
    """Return 300 MB as less than 2 MB."""
    return gzip.compress(b" " * 300_000_000, 1)


@in_each_way("status", 200, 500)
async def test_what_is_compressed_is_measured_as_it_is_decompressed(
    asked: Make, status: int
) -> None:
    bomb = _bomb()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with serving(answers(bomb, status, {"content-encoding": "gzip"})) as server:
        error = await problem(asked(server))
    assert "sent more than 20 MB" in error.message
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 150_000  # KB


COMPRESSED = {
    "gzip": ("gzip", gzip.compress(COMPLETION)),
    "gzip in two": ("gzip", gzip.compress(COMPLETION[:20]) + gzip.compress(COMPLETION[20:])),
    "gzip with a tail": ("gzip", gzip.compress(COMPLETION) + b"\0" * 100),
    "zlib": ("deflate", zlib.compress(COMPLETION)),
    "deflate": ("deflate", zlib.compress(COMPLETION)[2:-4]),
    "identity": ("identity", COMPLETION),
}


@in_each_way("how", *COMPRESSED)
async def test_what_is_compressed_is_read(asked: Make, how: str) -> None:
    encoding, body = COMPRESSED[how]
    with serving(answers(body, headers={"content-encoding": encoding})) as server:
        assert (await asked(server).ask(question())).text == "Paris"


NOT_UNDONE = {"br": "`br`", "gzip, gzip": "`gzip, gzip`", "gzip": "invalid compression"}


@in_each_way("encoding", *NOT_UNDONE)
async def test_a_compression_that_cannot_be_undone_is_said(asked: Make, encoding: str) -> None:
    with serving(answers(b"\xff\xfe\xfd" * 9, headers={"content-encoding": encoding})) as server:
        error = await problem(asked(server))
    assert NOT_UNDONE[encoding] in error.message


@in_each_way("status", 307, 301, 302, 303, 308)
async def test_a_redirection_is_an_error_that_names_the_new_address(
    asked: Make, status: int
) -> None:
    with serving(answers()) as other:
        location = other.address.replace("//", "//user:pass@") + "/v2/chat?token=abc"
        with serving(redirects(location, status)) as server:
            error = await problem(asked(server))
    assert [it.method for it in server.asked] == ["POST"]
    assert other.asked == []  # neither the question nor the key went there
    assert f"redirects to `{other.address}/v2/chat` (HTTP {status})" in error.message
    assert "token" not in error.message
    assert "user:pass" not in error.message


@pytest.mark.parametrize(
    "model",
    [
        "anthropic/claude-sonnet-4-5", "azure/any", "bedrock/converse/anthropic.claude-3-haiku-20240307-v1:0",
        "databricks/any", "deepseek/deepseek-chat", "gemini/gemini-2.5-flash", "groq/any",
        "huggingface/together/any", "ollama_chat/any", "openai/any", "openrouter/any", "perplexity/sonar",
        "text-completion-openai/gpt-3.5-turbo-instruct", "together_ai/any", "xai/any",
    ],
)  # fmt: skip
async def test_litellm_follows_no_redirection_for(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "none")
    monkeypatch.setenv("AWS_REGION_NAME", "eu-west-1")
    params = {**THROUGH_LITELLM["params"], "api_version": "2024-12-01-preview"}
    with serving(answers()) as other, serving(redirects(other.address, 307)) as server:
        entry = {"name": "local", "provider": "litellm", "model": model, "api_base": server.url}
        given = {**entry, "api_key": KEY, "params": params, "retry": {"max_retries": 0}}
        target = make_target(read_target(given), folder=Path(), environ={})
        error = await problem(target)
        await target.close()
    assert "redirects to " in error.message
    assert (len(server.asked), other.asked) == (1, [])


async def test_a_redirection_to_itself_ends(asked: Make) -> None:
    with serving(redirects("?again", 307)) as server:
        error = await problem(asked(server))
    assert len(server.asked) == 1
    assert f"redirects to `{server.address}/v1/" in error.message


@in_each_way("location", "http://[::1", "\x1b[31mred", "//", "javascript:alert(1)")
async def test_a_redirection_to_no_address_is_said_without_it(asked: Make, location: str) -> None:
    with serving(redirects(location, 302)) as server:
        error = await problem(asked(server))
    assert "redirects to " in error.message
    assert error.message.isprintable()


async def test_a_body_that_comes_drop_by_drop_ends_with_the_time_limit(asked: Make) -> None:
    def drips(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("content-length", "1000000")
        request.end_headers()
        while not server.over.wait(0.05):
            request.wfile.write(b" ")

    with serving(drips) as server:
        target = asked(server, timeout_seconds=60)
        await target._way(target._call.named(None)).get()  # type: ignore[attr-defined] # not within the time limit
        target = asked(server, timeout_seconds=1, retry={"max_retries": 0})
        error = await problem(target)
    assert "did not answer within 1 s" in error.message


async def test_a_head_that_comes_drop_by_drop_ends_with_the_time_limit(asked: Make) -> None:
    def drips(request: BaseHTTPRequestHandler) -> None:
        request.wfile.write(b"HTTP/1.1 200 OK\r\nx-drop: ")
        while not server.over.wait(0.05):
            request.wfile.write(b".")

    with serving(drips) as server:
        error = await problem(asked(server, timeout_seconds=2, retry={"max_retries": 0}))
    assert "did not answer within 2 s" in error.message


def test_a_longer_answer_is_allowed_by_the_target(tmp_path: Path) -> None:
    from support.running.site import Site

    long = json.loads(COMPLETION)
    long["choices"][0]["message"]["content"] = "Paris " * 500_000
    site = Site(tmp_path)
    site.suite(
        """
        - id: a
          expected_outcome: Paris
          input_messages: [{role: user, content: The capital of France?}]
          evaluators: [{name: says, type: contains, value: Paris}]
        """
    )
    with serving(answers(json.dumps(long).encode())) as server:
        codes = []
        for limit in (2, 4):
            site.write(
                "targets.yaml",
                f"""
                targets:
                  - {{name: there, provider: litellm, model: openai/any, api_base: "{server.url}",
                      max_response_mb: {limit}}}
                """,
            )
            codes.append(site.run("a.eval.yaml", "--target", "there").code)
    assert codes == [3, 0]


@pytest.mark.parametrize(
    ("location", "said"),
    [("/health", "redirects more than 5 times"), ("/elsewhere", "")],
    ids=["to itself", "to a healthy page"],
)
async def test_a_health_check_follows_no_loop(location: str, said: str) -> None:
    def behave(request: BaseHTTPRequestHandler) -> None:
        to = answers(b"ok") if request.path == "/elsewhere" else redirects(location, 302)
        to(request)

    with serving(behave) as server:
        target = _with_health_check(server, 5)
        if said:
            assert said in (await _no_answer(target)).message
        else:
            assert (await target.ask(question())).text == "Paris"
    assert len(server.asked) <= 6


async def test_a_health_check_that_drips_ends_with_its_time_limit() -> None:
    def drips(request: BaseHTTPRequestHandler) -> None:
        request.wfile.write(b"HTTP/1.1 200 OK\r\nx-drop: ")
        while not server.over.wait(0.05):
            request.wfile.write(b".")

    with serving(drips) as server:
        error = await _no_answer(_with_health_check(server, 1))
    assert "did not answer within 1 s" in error.message


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("yes | head -c 20000000", "more to standard output than an answer may have"),
        ("yes | head -c 20000000 > {OUTPUT_FILE}", "more to {OUTPUT_FILE} than an answer may have"),
    ],
    ids=["standard output", "file"],
)
async def test_what_a_program_answers_has_a_limit(command: str, said: str) -> None:
    entry = {"name": "local", "provider": "cli", "command_template": command}
    target = make_target(read_target(entry), folder=Path(), environ={"PATH": "/usr/bin:/bin"})
    error = await _no_answer(target)
    assert f"{said} (10,000,000 bytes)" in error.message


def _with_health_check(server: HostileServer, seconds: float) -> Target:
    entry = {
        "name": "local",
        "provider": "cli",
        "command_template": "echo Paris",
        "healthcheck": {
            "type": "http",
            "url": f"{server.address}/health",
            "timeout_seconds": seconds,
        },
    }
    return make_target(read_target(entry), folder=Path(), environ={"PATH": "/usr/bin:/bin"})


async def _no_answer(target: Target) -> TargetError:
    with pytest.raises(TargetError) as caught:
        await target.ask(question())
    return caught.value
