"""The OpenAI protocol spoken without litellm, to servers of the user's own.

litellm takes seconds to import and milliseconds of processor time per call. For a model it has
nothing to say about, no price and no peculiarity, behind an address of its own, that buys nothing.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, ValidationError, field_validator
from pydantic_core import to_json

from suitecase_evaluators.finite_json import finite_json
from suitecase_evaluators.targets.http_client import new_session, proxy_for
from suitecase_evaluators.targets.model_call import ModelCall
from suitecase_evaluators.targets.response_body import ACCEPTED, LimitedBody, check_not_redirected
from suitecase_evaluators.validation_words import in_words

#: Parameters of the protocol in addition to the turns; all others are left to litellm.
PARAMETERS = frozenset(
    {
        "api_base", "extra_body", "extra_headers", "frequency_penalty", "logit_bias", "logprobs",
        "max_completion_tokens", "max_tokens", "metadata", "parallel_tool_calls", "presence_penalty", "reasoning_effort",
        "response_format", "seed", "service_tier", "stop", "temperature", "tool_choice", "tools",
        "top_logprobs", "top_p", "user", "verbosity",
    }
)  # fmt: skip
#: What is litellm's in a call, not the protocol's.
_OF_THE_CALLER = frozenset(
    (
        "api_base",
        "api_key",
        "timeout",
        "num_retries",
        "max_retries",
        "extra_body",
        "extra_headers",
        "_skip_mcp_handler",
    )
)
#: How JSON begins to write half of a character, or one of two halves.
_HALF_CHARACTER = "\\ud"
#: Characters of a body that are kept in order to quote its beginning.
_BEGINNING = 10_000
_TOO_LONG = ("context_length_exceeded", "maximum context length")


def speaks_directly(call: ModelCall) -> bool:
    """Whether a model can be asked without litellm: it is unknown there, and has an address."""
    name = call.named(None)
    return (
        call.address is not None
        and name.startswith("openai/")
        and call.arguments.keys() <= PARAMETERS
        and not _known_to_litellm(name.removeprefix("openai/"))
    )


@cache
def _known_to_litellm(model: str) -> bool:
    """Whether litellm's list of prices and abilities has a model; litellm is not imported."""
    spec = find_spec("litellm")
    if spec is None or spec.origin is None:
        return False
    prices = Path(spec.origin).with_name("model_prices_and_context_window_backup.json")
    try:
        listed = prices.read_text("utf-8")
    except OSError:
        return True  # then litellm itself has to say
    return any(f"{json.dumps(name)}: {{" in listed for name in (model, f"openai/{model}"))


class StatusError(Exception):
    """The server answered with an HTTP status of 400 or more; its words are the text."""

    def __init__(self, status: int, text: str, headers: Mapping[str, str]) -> None:
        super().__init__(text)
        self.status_code = status
        self.headers = headers
        self.body = text


class ContextWindowExceededError(StatusError):
    """The question is longer than the model can read."""


class UnreachableError(Exception):
    """The connection failed or was lost."""


class UnreadableError(Exception):
    """What came is not a chat completion; `body` is how it begins."""

    def __init__(self, text: str, body: str) -> None:
        super().__init__(text)
        self.body = body[:_BEGINNING]


class _Function(BaseModel):
    name: str | None = None
    arguments: str | None = None

    @field_validator("arguments", mode="before")
    @classmethod
    def _as_text(cls, arguments: Any) -> Any:
        # The protocol says text; some servers send the object.
        return json.dumps(arguments) if isinstance(arguments, dict | list) else arguments


class _ToolCall(BaseModel):
    function: _Function
    id: str | None = None


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None
    tool_calls: list[_ToolCall] | None = None
    #: litellm's place for what it has no field for.
    provider_specific_fields: ClassVar[None] = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Completion(BaseModel):
    """A reply, as far as it is used; its fields are called as litellm's are."""

    choices: list[_Choice] = []
    usage: _Usage | None = None
    model: str | None = None
    id: str | None = None


class ChatCompletions:
    """A hold on the connections to servers; has what of litellm is used to ask a model."""

    def __init__(self) -> None:
        self._session: Any = None
        #: The proxy of each address.
        self._proxies: dict[str, str | None] = {}

    async def get(self) -> ChatCompletions:
        """Return the one to ask: itself."""
        return self

    def supports_response_schema(self, *, model: str) -> bool:
        """Whether the model is known to take a JSON Schema; of unknown ones nothing is known."""
        return False

    def completion_cost(self, *, completion_response: Any, model: str) -> float:
        """Raise, as litellm does where it has no price."""
        raise LookupError(
            f"the price of `{model}` is unknown: {type(completion_response).__name__}"
        )

    async def acompletion(self, *, model: str, **arguments: Any) -> _Completion:
        """Ask a server once.

        Args:
            model: its name, `openai/` before it.
            arguments: `messages`, `api_base`, `api_key`, and what the protocol knows beside.

        Raises:
            StatusError: the server refused or failed.
            UnreachableError: there is no connection, or it was cut.
            UnreadableError: what came is not a chat completion.
            UnwantedResponseError: it is not read: a redirection, or too long.
        """
        import aiohttp

        if self._session is None:
            self._session = new_session()
        address = f"{arguments['api_base'].rstrip('/')}/chat/completions"
        if address not in self._proxies:
            self._proxies[address] = await asyncio.to_thread(proxy_for, address)
        values = {"model": model.removeprefix("openai/")} | {
            name: value for name, value in arguments.items() if name not in _OF_THE_CALLER
        }
        values |= arguments.get("extra_body") or {}
        headers = {"accept-encoding": ACCEPTED, "content-type": "application/json"}
        if key := arguments.get("api_key"):
            headers["authorization"] = f"Bearer {key}"
        own = arguments.get("extra_headers") or {}
        headers |= {name.lower(): str(value) for name, value in own.items()}
        try:
            async with self._session.post(
                address,
                data=_encoded(values),
                headers=headers,
                proxy=self._proxies[address],
                allow_redirects=False,
            ) as response:
                check_not_redirected(address, response.status, response.headers)
                body = LimitedBody(response.headers.get("content-encoding", ""))
                parts: list[bytes] = []
                while chunk := await response.content.readany():
                    parts.append(body.take(chunk))
                text = b"".join(parts).decode("utf-8", "replace")
                if response.status >= 400:
                    raise _refusal(response.status, text, response.headers)
        except aiohttp.InvalidURL as error:
            raise UnreachableError(f"`{error}` is not an address") from None
        except (aiohttp.ClientError, OSError) as error:
            if isinstance(error, TimeoutError):
                raise
            raise UnreachableError(str(error) or type(error).__name__) from None
        return _completion(text)

    async def close(self) -> None:
        """Close the connections; safe to call twice."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()


def _encoded(values: Mapping[str, Any]) -> bytes:
    """Return the body of a request; lone surrogates, which UTF-8 does not have, are escaped."""
    try:
        return to_json(values, inf_nan_mode="null")
    except ValueError:
        return finite_json(values).encode()


def _refusal(status: int, text: str, headers: Mapping[str, str]) -> StatusError:
    kind = ContextWindowExceededError if any(it in text for it in _TOO_LONG) else StatusError
    return kind(status, text, headers)


def _with_whole_characters(text: str) -> str:
    """Return JSON with question marks for halves of characters, where a model was cut off."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False).encode(errors="replace").decode()
    except (ValueError, RecursionError):
        return text


def _completion(text: str) -> _Completion:
    """Return a reply's body as an object.

    Raises:
        UnreadableError: it is no JSON, or JSON of another kind.
    """
    try:
        return _Completion.model_validate_json(text)
    except ValidationError as error:
        if _HALF_CHARACTER in text.lower() and (whole := _with_whole_characters(text)) != text:
            return _completion(whole)
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        message = in_words(first["type"], first["msg"], first.get("ctx", {}))
        message = f"`{place}` {message}" if place else f"it {message}"
        raise UnreadableError(message, text) from None
