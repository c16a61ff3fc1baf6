"""Models through litellm, against a server on the loopback interface that misbehaves on request."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from openai_server import Answer, OpenAiServer

from suitecase_evaluators.targets.config import read_target
from suitecase_evaluators.targets.factory import make_target
from suitecase_evaluators.targets.target import Question, Reply, Target, TargetError, Turn

SECRET = "sk-s3cret-0123456789"
SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "number"}},
    "required": ["score"],
    "additionalProperties": False,
}
QUICK = {"initial_delay_ms": 1}

Make = Callable[..., Target]


@pytest.fixture
async def model(openai_server: OpenAiServer) -> AsyncIterator[Make]:
    """Make a target that asks the server."""
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
            **more,
        }
        config = read_target({key: it for key, it in entry.items() if it is not None})
        environ = {"SOME_KEY": SECRET, "OTHER_TOKEN": "another-secret"}
        made.append(make_target(config, folder=Path(), environ=environ))
        return made[-1]

    yield make
    for target in made:
        await target.close()


def question(text: str = "Capital of France?", **more: Any) -> Question:
    return Question(**({"eval_id": "a", "turns": (Turn("user", text),)} | more))


async def refusal(target: Target, asked: Question | None = None) -> TargetError:
    with pytest.raises(TargetError) as caught:
        await target.ask(asked or question())
    message = caught.value.message
    assert "`local`" in message
    assert SECRET not in message
    assert "\n" not in message
    return caught.value


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
    assert reply.details == {"finish_reason": "stop", "model": "openai/anything", "tries": 1}
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


async def test_a_known_model_has_a_price(model: Make) -> None:
    reply = await model(model="openai/gpt-4o-mini").ask(question())
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


@pytest.mark.parametrize("mishap", TRANSIENT.values(), ids=TRANSIENT)
async def test_gives_up_after_three_tries(
    model: Make, openai_server: OpenAiServer, mishap: Answer
) -> None:
    openai_server.default = mishap
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
        (404, "is not there"),
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
    assert "wait 3600 seconds" in error.message
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
    error = await refusal(model(timeout_seconds=0.3, retry={**QUICK, "max_retries": 1}))
    assert error.kind == "timeout"
    assert "0.3 seconds" in error.message
    assert error.message.endswith("Tried 2 times.")
    assert len(openai_server.requests) == 2


async def test_nobody_at_the_address(model: Make) -> None:
    error = await refusal(model(api_base="http://127.0.0.1:9/v1"))
    assert error.kind == "unreachable"
    assert "http://127.0.0.1:9/v1" in error.message
    assert "Check the address" in error.message


async def test_an_answer_of_ten_megabytes(model: Make, openai_server: OpenAiServer) -> None:
    openai_server.script("x" * 10_000_000)
    assert len((await model().ask(question())).text) == 10_000_000


async def test_a_reply_without_choices(model: Make, openai_server: OpenAiServer) -> None:
    openai_server.default = Answer(body=b'{"id": "x", "choices": []}')
    assert "without an answer" in (await refusal(model())).message


async def test_a_model_litellm_does_not_know(model: Make) -> None:
    error = await refusal(model(model="nonsense"))
    assert error.kind == "configuration"
    assert "provider/model" in error.message


async def test_a_missing_key_says_so(model: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    error = await refusal(model(api_key=None))
    assert error.kind == "configuration"
    assert "`api_key`" in error.message


def refuses(*words: str) -> Callable[[Mapping[str, Any]], Answer | str]:
    """Make a behaviour that answers 400 to requests with any of these words in them."""

    def behave(body: Mapping[str, Any]) -> Answer | str:
        text = json.dumps(body)
        found = [it for it in words if it in text]
        return Answer(status=400, error=f"{found[0]} is not supported") if found else "Paris"

    return behave


def formats(server: OpenAiServer) -> list[str | None]:
    return [it.body.get("response_format", {}).get("type") for it in server.requests]


async def test_a_schema_is_asked_for_where_it_can_be(
    model: Make, openai_server: OpenAiServer
) -> None:
    reply = await model(model="openai/gpt-4o-mini").ask(question(response_schema=SCHEMA))
    assert openai_server.requests[0].body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "reply", "schema": SCHEMA, "strict": True},
    }
    assert reply.details["response_format"] == "json_schema"


async def test_an_unknown_model_is_asked_for_json(model: Make, openai_server: OpenAiServer) -> None:
    await model().ask(question(response_schema=SCHEMA))
    assert formats(openai_server) == ["json_object"]


async def test_a_refused_format_is_not_tried_again(
    model: Make, openai_server: OpenAiServer
) -> None:
    openai_server.default = refuses("json_schema", "json_object")
    target = model(model="openai/gpt-4o-mini")
    for _ in range(2):
        reply = await target.ask(question(response_schema=SCHEMA))
        assert reply.details["response_format"] == "prompt"
    assert formats(openai_server) == ["json_schema", "json_object", None, None]


async def test_a_request_refused_for_another_reason_is_not_blamed_on_the_format(
    model: Make, openai_server: OpenAiServer
) -> None:
    target = model()
    openai_server.script(*[Answer(status=400, error="too odd")] * 2)
    assert "too odd" in (await refusal(target, question(response_schema=SCHEMA))).message
    await target.ask(question(response_schema=SCHEMA))
    assert formats(openai_server) == ["json_object", None, "json_object"]


async def test_a_schema_of_something_else_than_an_object_is_left_to_the_prompt(
    model: Make, openai_server: OpenAiServer
) -> None:
    await model(model="openai/gpt-4o-mini").ask(question(response_schema={"type": "array"}))
    assert formats(openai_server) == [None]


async def test_a_schema_that_is_not_closed_is_not_called_strict(
    model: Make, openai_server: OpenAiServer
) -> None:
    schema = {**SCHEMA, "required": []}
    await model(model="openai/gpt-4o-mini").ask(question(response_schema=schema))
    assert openai_server.requests[0].body["response_format"]["json_schema"]["strict"] is False


async def test_a_temperature_the_model_does_not_take_is_left_out(
    model: Make, openai_server: OpenAiServer
) -> None:
    openai_server.default = refuses("temperature")
    target = model()
    for _ in range(2):
        reply = await target.ask(question(temperature=0.0))
        assert reply.details["left_out"] == ["temperature"]
    assert ["temperature" in it.body for it in openai_server.requests] == [True, False, False]


async def test_a_temperature_of_the_entry_is_never_left_out(
    model: Make, openai_server: OpenAiServer
) -> None:
    openai_server.default = refuses("temperature")
    assert "temperature is not supported" in (await refusal(model(temperature=0.3))).message


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
