"""OpenAI's protocol spoken without litellm: to OpenAI, and to servers of the user's own.

litellm takes seconds to import and milliseconds of processor time per call. What it knows of a
model, its price and its limits, is read from its list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from suitecase_evaluators.targets.completion import Completion
from suitecase_evaluators.targets.direct_request import Connections, NoKeyError, read_reply
from suitecase_evaluators.targets.model_call import ModelCall
from suitecase_evaluators.targets.price_list import answering_entry, cost_of, entry_of

#: Prefixes of models that are asked by this protocol; all but the first need an address.
PREFIXES = ("openai", "hosted_vllm", "lm_studio", "llamafile")
#: Parameters of the protocol in addition to the turns; all others are left to litellm.
PARAMETERS = frozenset(
    {
        "api_base", "extra_body", "extra_headers", "frequency_penalty", "logit_bias", "logprobs",
        "max_completion_tokens", "max_tokens", "metadata", "modalities", "parallel_tool_calls", "prediction",
        "presence_penalty", "prompt_cache_key", "reasoning_effort", "response_format", "safety_identifier", "seed",
        "service_tier", "stop", "store", "temperature", "tool_choice", "tools", "top_logprobs", "top_p", "user",
        "verbosity",
    }
)  # fmt: skip
#: What is litellm's in a call, not the protocol's.
OF_THE_CALLER = frozenset(
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
_ADDRESS = "https://api.openai.com/v1"
_ADDRESSES = ("OPENAI_BASE_URL", "OPENAI_API_BASE")
_OPTIONAL_HEADERS = {
    "openai-organization": ("OPENAI_ORGANIZATION", "OPENAI_ORG_ID"),
    "openai-project": ("OPENAI_PROJECT_ID",),
}
#: Models of OpenAI that reason, and take `max_completion_tokens` alone.
_REASONING = re.compile(r"o\d|gpt-5(?!-chat)")


def speaks_directly(call: ModelCall, model: str) -> bool:
    """Whether a model is asked by this protocol, and all that is to be sent is known to it.

    Args:
        model: litellm's name of it, the prefix first.
    """
    prefix, _, name = model.partition("/")
    if prefix not in PREFIXES or not call.arguments.keys() <= PARAMETERS:
        return False
    if prefix != "openai":
        return call.address is not None
    # Others are asked by another of OpenAI's interfaces.
    entry = entry_of("openai", name)
    return not name.startswith("responses/") and (
        entry is None or entry.get("mode", "chat") == "chat"
    )


class ChatCompletions:
    """A hold on the connections to servers; has what of litellm is used to ask a model."""

    def __init__(self, call: ModelCall, environ: Mapping[str, str]) -> None:
        self._connections = Connections()
        self._own_server = call.own_server
        named = (environ.get(name) for name in _ADDRESSES)
        self._address = call.address or next(filter(None, named), _ADDRESS)
        self._headers: dict[str, str] = {}
        if call.address is None:
            for header, names in _OPTIONAL_HEADERS.items():
                value = next(filter(None, map(environ.get, names)), None)
                if value is not None:
                    self._headers[header] = value

    async def get(self) -> ChatCompletions:
        """Return the one to ask: itself."""
        return self

    def completion_cost(self, *, completion_response: Completion, model: str) -> float:
        """Return what a call cost in US dollars.

        Raises:
            LookupError: the price is unknown.
        """
        usage = completion_response.usage
        entry = answering_entry(_entry(model), PREFIXES[0], completion_response.model)
        cost = None
        if entry is not None and usage is not None:
            tier = completion_response.service_tier
            cost = cost_of(
                entry,
                prompt_tokens=usage.prompt_tokens or 0,
                completion_tokens=usage.completion_tokens or 0,
                cached_tokens=usage.cached_tokens,
                tier=tier if isinstance(tier, str) else None,
            )
        if cost is None:
            raise LookupError(f"the price of `{model}` is unknown")
        return cost

    async def acompletion(self, *, model: str, **arguments: Any) -> Completion:
        """Ask a server once.

        Args:
            model: its name, the prefix before it.
            arguments: `messages`, `api_key`, and what the protocol knows beside.

        Raises:
            NoKeyError: there is no key, and the server or the model is OpenAI's.
            StatusError: the server refused or failed.
            UnreachableError: there is no connection, or it was cut.
            UnreadableError: what came is not a chat completion.
            UnwantedResponseError: it is not read: a redirection, or too long.
        """
        name = model.partition("/")[2]
        values = {"model": name} | {
            parameter: value
            for parameter, value in arguments.items()
            if parameter not in OF_THE_CALLER
        }
        if "max_tokens" in values and _REASONING.match(name) and _entry(model) is not None:
            values.setdefault("max_completion_tokens", values.pop("max_tokens"))
        values |= arguments.get("extra_body") or {}
        headers = dict(self._headers)
        if key := arguments.get("api_key"):
            headers["authorization"] = f"Bearer {key}"
        elif not self._own_server:
            raise NoKeyError
        headers |= {
            header.lower(): str(value)
            for header, value in (arguments.get("extra_headers") or {}).items()
        }
        address = f"{self._address.rstrip('/')}/chat/completions"
        return read_reply(Completion, await self._connections.post(address, values, headers))

    async def close(self) -> None:
        """Close the connections; safe to call twice."""
        await self._connections.close()


def _entry(model: str) -> Mapping[str, Any] | None:
    prefix, _, name = model.partition("/")
    return entry_of(prefix, name)
