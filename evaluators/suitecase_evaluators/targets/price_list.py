"""What litellm's list of models has of one: prices, limits and abilities.

The list is a file of litellm's package. It is read without importing litellm, which takes seconds;
where litellm is not installed, nothing is known of any model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_FILE = "model_prices_and_context_window_backup.json"
#: A price that holds for longer questions, such as `input_cost_per_token_above_200k_tokens`.
_ABOVE = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")


@cache
def price_list() -> Mapping[str, Any]:
    """Return the entries by their names; empty where there are none."""
    spec = find_spec("litellm")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        try:
            prices = json.loads((Path(folder) / _FILE).read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(prices, dict):
            return prices
    return {}


def entry_of(provider: str, model: str) -> Mapping[str, Any] | None:
    """Return the entry of a model of a provider, if there is one."""
    for name in (model, f"{provider}/{model}"):
        entry = price_list().get(name)
        if isinstance(entry, dict) and entry.get("litellm_provider") in (provider, None):
            return entry
    return None


def answering_entry(
    asked: Mapping[str, Any] | None, provider: str, model: str | None
) -> Mapping[str, Any] | None:
    """Return the entry by which an answer is paid for: that of the model that answered, if it is known.

    Args:
        asked: the entry of the model that was asked.
        model: the name that the server gave.
    """
    return (entry_of(provider, model) if model else None) or asked


def cost_of(
    entry: Mapping[str, Any],
    *,
    prompt_tokens: int,
    completion_tokens: int,
    cached_tokens: int = 0,
    written_tokens: int = 0,
    written_for_an_hour: int = 0,
    tier: str | None = None,
) -> float | None:
    """Return what a call cost in US dollars; None where the entry has no price.

    Args:
        prompt_tokens: all that was read, of which some are cached or written to the cache.
        cached_tokens: those that were read from the cache.
        written_tokens: those that were written to the cache.
        written_for_an_hour: those of them that the cache keeps for an hour.
        tier: `service_tier` of the answer.
    """
    for name in ("input_cost_per_token", "output_cost_per_token"):
        if not isinstance(entry.get(name), int | float):
            return None
    above = [int(it[1]) for name in entry if (it := _ABOVE.fullmatch(name))]
    passed = max((it for it in above if prompt_tokens > it * 1000), default=None)
    length = "" if passed is None else f"_above_{passed}k_tokens"
    at_tier = f"_{tier}" if tier in ("flex", "priority") else ""

    def price(name: str, otherwise: float) -> float:
        for suffix in (f"{length}{at_tier}", length, at_tier, ""):
            found = entry.get(f"{name}{suffix}")
            if isinstance(found, int | float):
                return float(found)
        return otherwise

    read = price("input_cost_per_token", 0.0)
    plain = max(prompt_tokens - cached_tokens - written_tokens, 0)
    writing = price("cache_creation_input_token_cost", read)
    return (
        plain * read
        + cached_tokens * price("cache_read_input_token_cost", read)
        + (written_tokens - written_for_an_hour) * writing
        + written_for_an_hour * price("cache_creation_input_token_cost_above_1hr", writing)
        + completion_tokens * price("output_cost_per_token", 0.0)
    )
