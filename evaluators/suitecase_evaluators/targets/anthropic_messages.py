"""Anthropic's Messages API, spoken without litellm.

It is asked as litellm asks it, so that answers are the same: `tests/evaluators/targets` compares
the requests of both.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator

from suitecase_evaluators.answers.records.values import count
from suitecase_evaluators.targets.completion import (
    AnsweredMessage,
    CalledFunction,
    CalledTool,
    Choice,
    Completion,
    Tokens,
    Usage,
)
from suitecase_evaluators.targets.direct_request import (
    Connections,
    NoKeyError,
    UnsupportedParamsError,
    read_reply,
)
from suitecase_evaluators.targets.model_call import ModelCall
from suitecase_evaluators.targets.price_list import answering_entry, cost_of, entry_of

PREFIX = "anthropic"
#: Parameters that are known here; all others are left to litellm.
PARAMETERS = frozenset(
    {
        "api_base", "extra_body", "extra_headers", "max_completion_tokens", "max_tokens", "parallel_tool_calls",
        "response_format", "seed", "stop", "temperature", "thinking", "tool_choice", "tools", "top_k", "top_p",
    }
)  # fmt: skip
_ADDRESS = "https://api.anthropic.com"
_ADDRESSES = ("ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL")
_PATH = "/v1/messages"
_VERSION = "2023-06-01"
_BETA_OF_SCHEMAS = "structured-outputs-2025-11-13"
#: Keys of accounts, which are sent otherwise.
_ACCOUNT_KEY = "sk-ant-oat"
#: Tokens of an answer where litellm's list does not have the model, and beside those of thinking.
_MOST_TOKENS = 4096
#: The tool by which a model that cannot be held to a schema is made to answer in JSON.
_ANSWER_TOOL = "json_tool_call"
#: The interface refuses a text that is empty; these are litellm's words.
_EMPTY = "[System: Empty message content sanitised to satisfy protocol]"
_OPERATOR = (
    "Operator note (not from the user): the following was originally a mid-conversation "
    "system-role reminder."
)
_FINISHED = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "compaction": "length",
    "model_context_window_exceeded": "length",
    "pause_turn": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}


def speaks_directly(call: ModelCall, model: str) -> bool:
    """Whether a model is asked by this interface, and all that is to be sent is known to it.

    Args:
        model: litellm's name of it, the prefix first.
    """
    tools = call.arguments.get("tools") or []
    return (
        model.startswith(f"{PREFIX}/")
        and call.arguments.keys() <= PARAMETERS
        and not (call.api_key or "").startswith(_ACCOUNT_KEY)
        and isinstance(tools, list)
        and all(
            isinstance(tool, dict)
            and tool.get("type") == "function"
            and tool.keys() <= {"type", "function"}
            for tool in tools
        )
    )


class _Block(BaseModel):
    type: str
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: Any = None


class _MessageUsage(BaseModel):
    input_tokens: Tokens = None
    output_tokens: Tokens = None
    cache_read_input_tokens: Tokens = None
    cache_creation_input_tokens: Tokens = None
    cache_creation: Any = None
    service_tier: Any = None


class _Message(BaseModel):
    content: list[_Block]
    stop_reason: str | None = None
    usage: Annotated[
        _MessageUsage | None,
        BeforeValidator(lambda usage: usage if isinstance(usage, dict) else None),
    ] = None
    model: str | None = None
    id: str | None = None


class AnthropicMessages:
    """A hold on the connections to Anthropic; has what of litellm is used to ask a model."""

    def __init__(self, call: ModelCall, environ: Mapping[str, str]) -> None:
        self._connections = Connections()
        named = (environ.get(name) for name in _ADDRESSES)
        address = (call.address or next(filter(None, named), _ADDRESS)).rstrip("/")
        self._address = address if address.endswith(_PATH) else f"{address}{_PATH}"

    async def get(self) -> AnthropicMessages:
        """Return the one to ask: itself."""
        return self

    def completion_cost(self, *, completion_response: Completion, model: str) -> float:
        """Return what a call cost in US dollars.

        Raises:
            LookupError: the price is unknown.
        """
        usage = completion_response.usage
        entry = answering_entry(_entry(model), PREFIX, completion_response.model)
        cost = None
        if entry is not None and usage is not None:
            cost = cost_of(
                entry,
                prompt_tokens=usage.prompt_tokens or 0,
                completion_tokens=usage.completion_tokens or 0,
                cached_tokens=usage.cached_tokens,
                written_tokens=usage.written_tokens,
                written_for_an_hour=usage.written_for_an_hour,
            )
        if cost is None:
            raise LookupError(f"the price of `{model}` is unknown")
        return cost

    async def acompletion(
        self, *, model: str, messages: Sequence[Mapping[str, str]], **arguments: Any
    ) -> Completion:
        """Ask Anthropic once.

        Args:
            model: its name, the prefix before it.
            arguments: `api_key`, and parameters by OpenAI's names.

        Raises:
            NoKeyError: there is no key.
            UnsupportedParamsError: the interface does not have a parameter.
            StatusError: the server refused or failed.
            UnreachableError: there is no connection, or it was cut.
            UnreadableError: what came is not a message.
            UnwantedResponseError: it is not read: a redirection, or too long.
        """
        if "seed" in arguments:
            raise UnsupportedParamsError("Anthropic has no parameter `seed`.")
        key = arguments.get("api_key")
        if not key:
            raise NoKeyError
        name = model.removeprefix(f"{PREFIX}/")
        headers = {"x-api-key": str(key), "anthropic-version": _VERSION}
        values = _body(name, messages, arguments)
        if "output_format" in values:
            headers["anthropic-beta"] = _BETA_OF_SCHEMAS
        values |= arguments.get("extra_body") or {}
        headers |= {
            header.lower(): str(value)
            for header, value in (arguments.get("extra_headers") or {}).items()
        }
        body = await self._connections.post(self._address, values, headers)
        return _completion(read_reply(_Message, body))

    async def close(self) -> None:
        """Close the connections; safe to call twice."""
        await self._connections.close()


def _entry(model: str) -> Mapping[str, Any] | None:
    return entry_of(PREFIX, model.removeprefix(f"{PREFIX}/"))


def _body(
    name: str, messages: Iterable[Mapping[str, str]], arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the body of a request, from OpenAI's parameters."""
    system, turns = _conversation(messages)
    values: dict[str, Any] = {"model": name, "messages": turns}
    if system:
        values["system"] = system
    values |= {
        parameter: value
        for parameter, value in arguments.items()
        if parameter in ("temperature", "top_p", "top_k", "thinking") and value is not None
    }
    stop = arguments.get("stop")
    if stop is not None:
        values["stop_sequences"] = [stop] if isinstance(stop, str) else list(stop)
    if arguments.get("tools"):
        values["tools"] = [_tool(it["function"]) for it in arguments["tools"]]
    choice = _tool_choice(arguments.get("tool_choice"), arguments.get("parallel_tool_calls"))
    if choice is not None:
        values["tool_choice"] = choice
    thinking = values.get("thinking")
    thinks = isinstance(thinking, Mapping) and thinking.get("type") == "enabled"
    schema = _schema(arguments.get("response_format"))
    if schema is not None:
        entry = entry_of(PREFIX, name) or {}
        if entry.get("supports_native_structured_output") and not has_references(schema):
            values["output_format"] = {"type": "json_schema", "schema": as_taken(schema)}
        else:
            tool = {"name": _ANSWER_TOOL, "input_schema": {"type": "object", **schema}}
            values["tools"] = [*values.get("tools", ()), tool]
            if not thinks:
                values["tool_choice"] = {"type": "tool", "name": _ANSWER_TOOL}
    most = arguments.get("max_completion_tokens") or arguments.get("max_tokens")
    if most is None and thinks and isinstance(thinking, Mapping):
        most = int(thinking.get("budget_tokens") or 0) + _MOST_TOKENS
    values["max_tokens"] = most or _most_tokens(name)
    return values


def _most_tokens(name: str) -> int:
    entry = entry_of(PREFIX, name) or {}
    found = entry.get("max_output_tokens") or entry.get("max_tokens")
    return found if isinstance(found, int) else _MOST_TOKENS


def _conversation(
    messages: Iterable[Mapping[str, str]],
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the system's texts that come first, and the turns, which take turns."""
    system: list[dict[str, Any]] = []
    turns: list[dict[str, Any]] = []
    for message in messages:
        role, text = message["role"], message["content"]
        if role == "system" and not turns:
            if text:
                system.append(_text(text))
            continue
        told = [_text(text if text.strip() else _EMPTY)]
        if role == "system":
            role, told = "user", [_text(_OPERATOR), *told]
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += told
        else:
            turns.append({"role": role, "content": told})
    if turns and turns[-1]["role"] == "assistant":
        # A beginning of the answer must not end with a space.
        last = turns[-1]["content"][-1]
        last["text"] = last["text"].rstrip()
    return system, turns


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _tool(function: Mapping[str, Any]) -> dict[str, Any]:
    described = function.get("description")
    return {
        "name": function["name"],
        "input_schema": function.get("parameters") or {"type": "object", "properties": {}},
        "type": "custom",
        **({} if described is None else {"description": described}),
    }


def _tool_choice(choice: Any, parallel: Any) -> dict[str, Any] | None:
    """Return OpenAI's `tool_choice` and `parallel_tool_calls` as Anthropic has them."""
    found: dict[str, Any] | None = None
    if isinstance(choice, Mapping) and isinstance(choice.get("function"), Mapping):
        found = {"type": "tool", "name": choice["function"].get("name")}
    elif isinstance(choice, Mapping):
        choice = choice.get("type")
    if isinstance(choice, str):
        kind = {"auto": "auto", "required": "any", "any": "any", "none": "none"}.get(choice)
        found = None if kind is None else {"type": kind}
    if parallel is not None and choice != "none":
        found = {**(found or {"type": "auto"}), "disable_parallel_tool_use": not parallel}
    return found


def _schema(reply_format: Any) -> Mapping[str, Any] | None:
    """Return the schema of a `response_format`; `json_object` has no counterpart."""
    described = reply_format.get("json_schema") if isinstance(reply_format, Mapping) else None
    schema = described.get("schema") if isinstance(described, Mapping) else None
    return schema if isinstance(schema, Mapping) else None


def _completion(message: _Message) -> Completion:
    """Return a message as OpenAI's completions are."""
    text = "".join(it.text or "" for it in message.content if it.type == "text")
    used = [it for it in message.content if it.type == "tool_use"]
    finished = _FINISHED.get(message.stop_reason or "", "stop")
    if [it.name for it in used] == [_ANSWER_TOOL]:
        # The call is the answer.
        text, used, finished = json.dumps(used[0].input), [], "stop"
    calls = [
        CalledTool(
            id=it.id, function=CalledFunction(name=it.name, arguments=json.dumps(it.input or {}))
        )
        for it in used
    ]
    answered = AnsweredMessage(content=text or None, tool_calls=calls or None)
    return Completion(
        choices=[Choice(message=answered, finish_reason=finished)],
        usage=None if message.usage is None else _usage(message.usage),
        model=message.model,
        id=message.id,
    )


def _usage(usage: _MessageUsage) -> Usage:
    read, written = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
    details = usage.cache_creation
    kept = details.get("ephemeral_1h_input_tokens") if isinstance(details, dict) else None
    plain = usage.input_tokens
    return Usage(
        prompt_tokens=None if plain is None else plain + read + written,
        completion_tokens=usage.output_tokens,
        prompt_tokens_details={"cached_tokens": read},
        written_tokens=written,
        written_for_an_hour=min(count(kept) or 0, written),
    )


#: What is refused, and how it is told to the model instead.
_TOLD = {
    "minItems": "minimum number of items: {}",
    "maxItems": "maximum number of items: {}",
    "uniqueItems": "all array items must be unique",
    "contains": "array must contain an item matching: {}",
    "minContains": "minimum number of matching items: {}",
    "maxContains": "maximum number of matching items: {}",
    "prefixItems": "leading items must match, in order: {}",
    "minimum": "minimum value: {}",
    "maximum": "maximum value: {}",
    "exclusiveMinimum": "exclusive minimum value: {}",
    "exclusiveMaximum": "exclusive maximum value: {}",
    "multipleOf": "must be a multiple of {}",
    "minLength": "minimum length: {}",
    "maxLength": "maximum length: {}",
    "minProperties": "minimum number of properties: {}",
    "maxProperties": "maximum number of properties: {}",
    "patternProperties": "properties whose names match each pattern must satisfy: {}",
    "propertyNames": "property names must satisfy: {}",
    "dependentRequired": "dependent required properties: {}",
    "dependentSchemas": "dependent schemas: {}",
    "unevaluatedProperties": "unevaluated properties must satisfy: {}",
    "if": "conditional (if): {}",
    "then": "conditional (then): {}",
    "else": "conditional (else): {}",
    "not": "must not match: {}",
}


def has_references(schema: object) -> bool:
    """Whether a schema refers to another part of itself, which the interface does not follow."""
    match schema:
        case Mapping():
            return "$ref" in schema or any(map(has_references, schema.values()))
        case list():
            return any(map(has_references, schema))
        case _:
            return False


def as_taken(schema: Any) -> Any:
    """Return a schema with what the interface takes; descriptions tell the rest."""
    if not isinstance(schema, Mapping):
        return schema
    told = [
        words.format(
            json.dumps(schema[name]) if isinstance(schema[name], dict | list) else schema[name]
        )
        for name, words in _TOLD.items()
        if name in schema and schema[name] is not False
    ]
    taken: dict[str, Any] = {}
    if told:
        note = f"Note: {', '.join(told)}."
        described = schema.get("description")
        taken["description"] = f"{described} {note}" if described else note
    for name, value in schema.items():
        if name in _TOLD or (name == "description" and told):
            continue
        if name == "properties" and isinstance(value, Mapping):
            taken[name] = {key: as_taken(part) for key, part in value.items()}
        elif name in ("anyOf", "oneOf") and isinstance(value, list):
            taken["anyOf"] = [*taken.get("anyOf", ()), *map(as_taken, value)]
        elif name == "allOf" and isinstance(value, list):
            taken[name] = [as_taken(inner) for inner in value]
        else:
            taken[name] = as_taken(value) if name == "items" else value
    if taken.get("type") == "object":
        taken["additionalProperties"] = False
    return taken
