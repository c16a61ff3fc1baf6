"""What models cost before they are asked: by the targets file, or by the list that litellm has."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from suitecase_evaluators.targets.config.llm import GeminiConfig, LlmConfig
from suitecase_evaluators.targets.config.placeholder import PLACEHOLDER, as_number
from suitecase_evaluators.targets.config.target import TargetConfig
from suitecase_evaluators.targets.model_call import GEMINI_MODEL

#: The price list in litellm's own folder. Read as a file: importing litellm takes seconds.
_LIST = "model_prices_and_context_window_backup.json"


def model_of(config: TargetConfig) -> str | None:
    """Return the name of the model that a target asks; None where it asks none."""
    named = getattr(config, "deployment", None) or getattr(config, "model", None)
    if named is None and isinstance(config, GeminiConfig):
        return GEMINI_MODEL
    return named if isinstance(named, str) else None


def is_priced(config: TargetConfig, model: str | None) -> bool:
    """Whether it is known before what asking costs, or asking is no model's.

    A name that the environment has yet to fill in counts as known.

    Args:
        model: another one than the target's own.
    """
    if not isinstance(config, LlmConfig) or (
        config.price is not None and model in (None, model_of(config))
    ):
        return True
    asked = model or model_of(config)
    if asked is None or PLACEHOLDER.search(asked):
        return True
    return any("input_cost_per_token" in it for it in _listed(config, asked))


def input_price(config: TargetConfig, model: str | None) -> float | None:
    """Return what one token that is sent costs, in US dollars; None where that is not known.

    Args:
        model: another one than the target's own.
    """
    if not isinstance(config, LlmConfig):
        return None
    if config.price is not None and model in (None, model_of(config)):
        million = config.price.input_per_million
        if isinstance(million, str) and PLACEHOLDER.search(million):
            return None
        return (as_number(million) or 0.0) / 1e6
    asked = model or model_of(config)
    if asked is None or PLACEHOLDER.search(asked):
        return None
    if getattr(config, "api_base", None) is not None:
        return None  # a server of one's own has its own prices
    for entry in _listed(config, asked):
        price = entry.get("input_cost_per_token")
        if isinstance(price, float | int):
            return float(price)
    return None


def _listed(config: TargetConfig, model: str) -> Iterator[Mapping[str, Any]]:
    """Yield the entries that the list has under the names of a model."""
    for name in (f"{config.provider}/{model}", model, model.partition("/")[2]):
        if name in _prices():
            yield _prices()[name]


@lru_cache(maxsize=1)
def _prices() -> Mapping[str, Any]:
    spec = find_spec("litellm")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        try:
            prices = json.loads((Path(folder) / _LIST).read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(prices, dict):
            return prices
    return {}
