"""The tokens that a provider reports with a reply, and what it cost: what is not reported is unknown, never 0.

litellm, and some proxies, put zeros for what a provider leaves out. A question has at least one token,
and so has an answer that says or calls anything: a zero there stands for a number that is missing.
Nothing here fails, whatever a server writes: an answer is graded without them.
"""

from __future__ import annotations

import json
import re
from typing import Any

from suitecase_evaluators.answers.records.values import count
from suitecase_evaluators.answers.trace import TokenUsage
from suitecase_evaluators.targets.recorded_messages import number_of

#: Where responses have their usage: those of OpenAI, Anthropic and most others, and Google's.
_USAGE = ("usage", "usageMetadata")
_USAGE_NAMED = tuple(f'"{name}"'.encode() for name in _USAGE)
#: Names of numbers of tokens and requests, and of objects with more such numbers.
_COUNTS = re.compile("token|requests$", re.IGNORECASE)
_DETAILS = re.compile("details", re.IGNORECASE)
_OBJECTS = frozenset({"cache_creation", "server_tool_use"})


def reported_tokens(response: Any) -> TokenUsage | None:
    """Return the tokens of a reply; None unless both numbers are known.

    Args:
        response: a `Completion`, or litellm's object of the same form.
    """
    usage = getattr(response, "usage", None)
    read = count(getattr(usage, "prompt_tokens", None))
    written = count(getattr(usage, "completion_tokens", None))
    if not read or written is None or (not written and _says_anything(response)):
        return None
    return TokenUsage(input=read, output=written)


def cost_of_reply(library: Any, response: Any, model: str) -> float | None:
    """Return what a reply cost by the list of prices, in US dollars; None if that is unknown.

    Args:
        library: what asked, which knows the prices.
    """
    if reported_tokens(response) is None:
        return None
    try:
        return number_of(library.completion_cost(completion_response=response, model=model))
    except Exception:  # noqa: BLE001 - of several kinds, all of which say that there is no price
        return None


def with_readable_usage(body: bytes) -> bytes:
    """Return the body of a response as litellm can read it: it gives up an answer for a count that is none.

    What is not JSON, and what has nothing wrong in its usage, is returned as it is. A count that cannot
    be read becomes 0, which stands for one that is missing.
    """
    if not any(name in body for name in _USAGE_NAMED):
        return body
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return body
    if not isinstance(found, dict):
        return body
    readable = {name: _readable(found[name], name) for name in _USAGE if name in found}
    if all(readable[name] == found[name] for name in readable):
        return body
    return json.dumps({**found, **readable}).encode()


def _readable(value: Any, name: str) -> Any:
    """Return a part of the usage with a count for each number of tokens."""
    if _COUNTS.search(name) and not _DETAILS.search(name):
        return count(value) or 0
    if isinstance(value, dict):
        read = {key: _readable(part, key) for key, part in value.items()}
        return {key: part for key, part in read.items() if part is not None}
    if name in _USAGE:
        return {}
    if name in _OBJECTS:
        return None
    if _DETAILS.search(name):
        parts = value if isinstance(value, list) else []
        return [_readable(part, name) for part in parts if isinstance(part, dict)] or None
    return value if not isinstance(value, int | float) else number_of(value)


def _says_anything(response: Any) -> bool:
    message = response.choices[0].message if getattr(response, "choices", None) else None
    return any(getattr(message, name, None) for name in ("content", "refusal", "tool_calls"))
