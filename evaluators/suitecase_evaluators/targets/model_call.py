"""What litellm is called with for each provider."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from suitecase_evaluators.targets.config.llm import (
    AnthropicConfig,
    AzureConfig,
    GeminiConfig,
    LiteLlmConfig,
    LlmConfig,
    OpenAiConfig,
    OpenRouterConfig,
)
from suitecase_evaluators.targets.config.placeholder import as_int, as_number
from suitecase_evaluators.targets.config.target import RetryConfig
from suitecase_evaluators.targets.server_address import is_own_server, named_address
from suitecase_evaluators.targets.target import Turn
from suitecase_evaluators.targets.variable_names import PLACEHOLDER

AZURE_API_VERSION = "2024-12-01-preview"

#: The usual environment variables of a provider's key, by litellm's name of the provider.
KEY_VARIABLES: Mapping[str, tuple[str, ...]] = {
    "openai": ("OPENAI_API_KEY",),
    "azure": ("AZURE_API_KEY", "AZURE_OPENAI_API_KEY"),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """A model and how it is reached, in litellm's terms."""

    #: litellm's name of the provider, put before models; empty where the model's name has it.
    prefix: str
    model: str
    #: Where the server is; None for the provider's own.
    address: str | None = None
    api_key: str | None = None
    #: Whether the server is not the provider's: what litellm knows of its prices does not hold.
    own_server: bool = False
    #: The arguments of every call in addition to the turns.
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def named(self, model: str | None) -> str:
        """Return litellm's name of a model of this provider, or of the call's own for None."""
        name = model or self.model
        if not self.prefix or name.startswith(f"{self.prefix}/"):
            return name
        return f"{self.prefix}/{name}"


def model_call(config: LlmConfig, environ: Mapping[str, str]) -> ModelCall:
    """Return what a resolved configuration means for litellm.

    Args:
        environ: where the provider's usual variable is looked up for a configuration without key.
    """
    arguments: dict[str, Any] = dict(config.params or {})
    prefix, model, address = _place(config)
    if isinstance(config, AzureConfig):
        arguments["api_version"] = config.version or AZURE_API_VERSION
    if isinstance(config, AnthropicConfig):
        budget = as_int(config.thinking_budget)
        if budget is not None:
            arguments["thinking"] = {"type": "enabled", "budget_tokens": budget}
    provider = prefix or model.partition("/")[0]
    usual = (environ.get(name) for name in KEY_VARIABLES.get(provider, ()))
    return ModelCall(
        prefix=prefix,
        model=model,
        address=address,
        own_server=own_server_of(config, environ) is not None,
        api_key=config.api_key or next((key for key in usual if key), None),
        arguments={
            **arguments,
            **_given(
                temperature=as_number(config.temperature),
                max_tokens=as_int(config.max_output_tokens),
                seed=as_int(config.seed),
                api_base=address,
            ),
        },
    )


def own_server_of(config: LlmConfig, environ: Mapping[str, str]) -> str | None:
    """Return the address of the user's own server that a configuration asks; None if it asks another, or
    if a placeholder in the address is not filled in.
    """
    prefix, model, address = _place(config)
    provider = prefix or model.partition("/")[0]
    asked = address or named_address(provider, environ)
    if asked is None or PLACEHOLDER.search(asked) or not is_own_server(provider, asked):
        return None
    return asked


def _place(config: LlmConfig) -> tuple[str, str, str | None]:
    """Return litellm's prefix, the model, and the address if the configuration gives one."""
    match config:
        case AzureConfig():
            model = config.deployment or config.model or ""
            return "azure", model, _azure_address(config.endpoint or config.resource or "")
        case AnthropicConfig():
            return "anthropic", config.model, None
        case GeminiConfig():
            return "gemini", config.asked_model, None
        case OpenAiConfig():
            return "openai", config.model, config.api_base
        case OpenRouterConfig():
            return "openrouter", config.model, config.api_base
        case LiteLlmConfig():
            return "", config.model, config.api_base
        case _:
            raise TypeError(f"{type(config).__name__} is not asked through litellm")


def retry_of(config: LlmConfig) -> RetryConfig:
    """Return `retry`, with AgentV's spellings for what it leaves out."""
    given = config.retry or RetryConfig()
    return RetryConfig(
        max_retries=_first(given.max_retries, config.max_retries),
        initial_delay_ms=_first(given.initial_delay_ms, config.retry_initial_delay_ms),
        max_delay_ms=_first(given.max_delay_ms, config.retry_max_delay_ms),
        backoff_factor=_first(given.backoff_factor, config.retry_backoff_factor),
        status_codes=_first(given.status_codes, config.retry_status_codes),
    )


def as_messages(turns: tuple[Turn, ...]) -> list[dict[str, str]]:
    """Return turns as providers take them.

    What a tool said is told as the user's: providers refuse a tool's turn that answers no call.
    """
    return [
        {"role": "user", "content": f"Result of a tool:\n{turn.text}"}
        if turn.role == "tool"
        else {"role": turn.role, "content": turn.text}
        for turn in turns
    ]


def _azure_address(endpoint: str) -> str:
    """Return an address; what is none is the name of a resource."""
    if endpoint.startswith(("http://", "https://")):
        return endpoint.rstrip("/")
    return f"https://{endpoint}.openai.azure.com"


def _first(one: Any, other: Any) -> Any:
    return other if one is None else one


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
