"""What a model is asked with, and what it refuses of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from support.servers.loopback_model import Make, question, refusal
from support.servers.openai import Answer, OpenAiServer

SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "number"}},
    "required": ["score"],
    "additionalProperties": False,
}


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


async def test_an_unknown_model_is_sent_the_schema_too(
    model: Make, openai_server: OpenAiServer
) -> None:
    await model().ask(question(response_schema=SCHEMA))
    assert formats(openai_server) == ["json_schema"]


async def test_a_schema_is_sent_without_its_limits_where_these_are_refused(
    model: Make, openai_server: OpenAiServer
) -> None:
    text = {"type": "string", "maxLength": 9}
    # What looks like a limit here is the name of a property.
    limited = {**SCHEMA, "properties": {"minimum": text}, "required": ["minimum"]}
    openai_server.default = refuses("maxLength")
    target = model()
    for _ in range(2):
        reply = await target.ask(question(response_schema=limited))
        assert reply.details["response_format"] == "json_schema_without_limits"
    assert formats(openai_server) == ["json_schema"] * 3
    sent = openai_server.requests[-1].body["response_format"]["json_schema"]
    assert sent["schema"] == {**limited, "properties": {"minimum": {"type": "string"}}}
    assert sent["strict"] is True


async def test_a_server_that_fails_for_want_of_a_grammar_is_asked_without_the_schema(
    model: Make, openai_server: OpenAiServer
) -> None:
    def fails(body: Mapping[str, Any]) -> Answer | str:
        schema = body.get("response_format", {}).get("type") == "json_schema"
        return Answer(status=500, error="failed to parse grammar") if schema else "Paris"

    openai_server.default = fails
    reply = await model().ask(question(response_schema=SCHEMA))
    assert reply.text == "Paris"
    assert formats(openai_server) == ["json_schema", "json_object"]


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
    openai_server.script(*[Answer(status=400, error="too odd")] * 3)
    assert "too odd" in (await refusal(target, question(response_schema=SCHEMA))).message
    await target.ask(question(response_schema=SCHEMA))
    assert formats(openai_server) == ["json_schema", "json_object", None, "json_schema"]


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
