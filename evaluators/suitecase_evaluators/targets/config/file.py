"""A targets file as a whole, and which model of configuration a provider has."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, get_args

from pydantic import Discriminator, Field, Tag, TypeAdapter

from suitecase_evaluators.model import Model
from suitecase_evaluators.targets.config.agent import (
    ClaudeCodeConfig,
    CodexConfig,
    OtherAgentConfig,
    PiAgentSdkConfig,
    PiCodingAgentConfig,
    VsCodeConfig,
    VsCodeInsidersConfig,
)
from suitecase_evaluators.targets.config.canned import MockConfig, ReplayConfig
from suitecase_evaluators.targets.config.cli import CliConfig
from suitecase_evaluators.targets.config.llm import (
    AnthropicConfig,
    AzureConfig,
    GeminiConfig,
    LiteLlmConfig,
    OpenAiConfig,
    OpenRouterConfig,
)
from suitecase_evaluators.targets.config.target import TargetConfig

#: What an entry may be, in the order in which it is offered and documented.
MODELS: tuple[type[TargetConfig], ...] = (
    MockConfig,
    ReplayConfig,
    CliConfig,
    LiteLlmConfig,
    OpenAiConfig,
    OpenRouterConfig,
    AzureConfig,
    AnthropicConfig,
    GeminiConfig,
    CodexConfig,
    ClaudeCodeConfig,
    PiCodingAgentConfig,
    PiAgentSdkConfig,
    VsCodeConfig,
    VsCodeInsidersConfig,
    OtherAgentConfig,
)


def _names(model: type[TargetConfig]) -> tuple[str, ...]:
    """Return the names of a model's provider, the canonical one first."""
    names = get_args(model.model_fields["provider"].annotation)
    return ("other-agent", *names) if model is OtherAgentConfig else names


_BY_NAME = {name: model for model in MODELS for name in _names(model)}
#: Every name and alias a provider may be written with, and its canonical name.
PROVIDERS: Mapping[str, str] = {
    name: _names(model)[0]
    for model in MODELS
    for name in get_args(model.model_fields["provider"].annotation)
}


def model_of_provider(provider: str) -> type[TargetConfig]:
    """Return what an entry of a provider is, by any of the provider's names."""
    return _BY_NAME.get(provider, TargetConfig)


def _provider_of(value: Any) -> str | None:
    """Return the branch of an entry; an unknown provider results in a missing branch."""
    provider = (
        value.get("provider") if isinstance(value, dict) else getattr(value, "provider", None)
    )
    return None if provider is None else f"<{PROVIDERS.get(str(provider), provider)}>"


if TYPE_CHECKING:
    TargetEntry: TypeAlias = TargetConfig
else:
    TargetEntry = Annotated[
        reduce(or_, (Annotated[it, Tag(f"<{_names(it)[0]}>")] for it in MODELS)),
        Discriminator(_provider_of),
    ]


class TargetsFile(Model):
    """The targets that suites can be run against."""

    schema_: str | None = Field(
        default=None,
        alias="$schema",
        description="The JSON Schema that editors validate this file with.",
    )
    targets: list[TargetEntry] = Field(
        min_length=1, description="The targets, each with a unique name."
    )


def read_target(entry: Mapping[str, Any]) -> TargetConfig:
    """Return one entry of a targets file, given as plain values.

    Raises:
        pydantic.ValidationError: it is not a valid entry.
    """
    return _entries().validate_python(dict(entry))


@cache
def _entries() -> TypeAdapter[TargetConfig]:
    return TypeAdapter(TargetEntry)
