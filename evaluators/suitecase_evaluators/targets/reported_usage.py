"""The tokens that a provider reports with a reply, and what it cost: what is not reported is unknown, never 0.

litellm, and some proxies, put zeros for what a provider leaves out. A question has at least one token,
and so has an answer that says or calls anything: a zero there stands for a number that is missing.
Nothing here fails, whatever a server writes: an answer is graded without them.
"""

from __future__ import annotations

from typing import Any

from suitecase_evaluators.records.values import count
from suitecase_evaluators.targets.recorded_messages import number_of
from suitecase_evaluators.trace import TokenUsage


def reported_tokens(response: Any) -> TokenUsage | None:
    """Return the tokens of a reply; None unless both numbers are known.

    Args:
        response: a `Completion`, or litellm's object of the same form.
    """
    usage = getattr(response, "usage", None)
    read = count(getattr(usage, "prompt_tokens", None))
    written = count(getattr(usage, "completion_tokens", None))
    total = count(getattr(usage, "total_tokens", None)) or 0
    if not written and read and total > read:
        written = total - read
    elif not read and written and total > written:
        read = total - written
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


def _says_anything(response: Any) -> bool:
    message = response.choices[0].message if getattr(response, "choices", None) else None
    return any(getattr(message, name, None) for name in ("content", "refusal", "tool_calls"))
