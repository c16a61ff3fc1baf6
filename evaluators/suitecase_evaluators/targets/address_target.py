"""A target that is only an address: `http://127.0.0.1:8080/v1`, and the model behind `#` if it serves several.

It is a server that speaks OpenAI's protocol. No key of the environment is sent to it, and nothing is known
of its price.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from suitecase_evaluators.targets.config.llm import OpenAiConfig

_SCHEMES = ("http://", "https://")
#: What a server is sent that needs no key.
_NO_KEY = "none"


def is_address(name: str | None) -> TypeGuard[str]:
    """Whether the name of a target is the address of a server."""
    return name is not None and name.startswith(_SCHEMES)


def model_at(name: str) -> tuple[str, str]:
    """Return the address of a server, and the model on it; an empty one if the name has none."""
    address, _, model = name.partition("#")
    address = address.rstrip("/").removesuffix("/chat/completions")
    has_path = "/" in address.partition("://")[2]
    return address if has_path else f"{address}/v1", model


def config_at(name: str) -> OpenAiConfig:
    """Return the configuration of the target that an address names.

    Args:
        name: with its model.
    """
    from suitecase_evaluators.targets.config.llm import OpenAiConfig

    address, model = model_at(name)
    return OpenAiConfig(
        name=name, provider="openai", model=model or "default", api_base=address, api_key=_NO_KEY
    )
