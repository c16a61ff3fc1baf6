"""Prices of models: from the targets file, or from litellm's price list."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from suitecase_evaluators.targets.config.llm import LlmConfig
from suitecase_evaluators.targets.config.placeholder import as_number
from suitecase_evaluators.targets.config.price import PriceConfig
from suitecase_evaluators.targets.config.target import TargetConfig
from suitecase_evaluators.targets.model_call import own_server_of
from suitecase_evaluators.targets.price_list import price_list
from suitecase_evaluators.targets.variable_names import PLACEHOLDER


def is_priced(config: TargetConfig, model: str | None) -> bool:
    """Whether the price is known; true for targets that are not models.

    A name with an unresolved placeholder counts as known.

    Args:
        model: overrides the target's own.
    """
    if config.asks != "model" or _own_price(config, model) is not None:
        return True
    model_name = model or config.asked_model
    if model_name is None or PLACEHOLDER.search(model_name):
        return True
    if _asks_own_server(config):
        return False
    return any("input_cost_per_token" in item for item in _listed(config, model_name))


def input_price(config: TargetConfig, model: str | None) -> float | None:
    """Return the price of an input token in US dollars; None if it is unknown.

    Args:
        model: overrides the target's own.
    """
    if config.asks != "model":
        return None
    price = _own_price(config, model)
    if price is not None:
        million = price.input_per_million
        if isinstance(million, str) and PLACEHOLDER.search(million):
            return None
        return (as_number(million) or 0.0) / 1e6
    model_name = model or config.asked_model
    if model_name is None or PLACEHOLDER.search(model_name):
        return None
    if _asks_own_server(config):
        return None  # it has its own prices
    for entry in _listed(config, model_name):
        listed = entry.get("input_cost_per_token")
        if isinstance(listed, float | int):
            return float(listed)
    return None


def _asks_own_server(config: TargetConfig) -> bool:
    """Whether a model is asked on a server whose prices nobody lists; False where that is not known yet."""
    return isinstance(config, LlmConfig) and own_server_of(config, os.environ) is not None


def _own_price(config: TargetConfig, model: str | None) -> PriceConfig | None:
    return config.own_price if model in (None, config.asked_model) else None


def _listed(config: TargetConfig, model: str) -> Iterator[Mapping[str, Any]]:
    """Yield the entries of the price list for a model."""
    for name in (f"{config.provider}/{model}", model, model.partition("/")[2]):
        if name in price_list():
            yield price_list()[name]
