"""A targets file as a whole, and which model of configuration a provider has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import Discriminator, Field, Tag, TypeAdapter

from suitecase_evaluators.schema.model import Model
from suitecase_evaluators.schema.selected_model import SelectedModel, imported
from suitecase_evaluators.targets.config.target import TargetConfig

#: Where the model of each provider is, in the order in which they are offered and documented. It is
#: imported when a target has the provider.
MODELS: Mapping[str, str] = {
    "mock": "canned:MockConfig",
    "replay": "canned:ReplayConfig",
    "cli": "cli:CliConfig",
    "litellm": "llm:LiteLlmConfig",
    "openai": "llm:OpenAiConfig",
    "openrouter": "llm:OpenRouterConfig",
    "azure": "llm:AzureConfig",
    "anthropic": "llm:AnthropicConfig",
    "gemini": "llm:GeminiConfig",
    "codex": "agent:CodexConfig",
    "claude-code": "agent:ClaudeCodeConfig",
    "pi-coding-agent": "agent:PiCodingAgentConfig",
    "pi-agent-sdk": "agent:PiAgentSdkConfig",
    "vscode": "agent:VsCodeConfig",
    "vscode-insiders": "agent:VsCodeInsidersConfig",
    "other-agent": "agent:OtherAgentConfig",
}
#: The agents that are checked and not started, which share a model.
_OTHER_AGENTS = (
    "agentv",
    "cc-mirror",
    "claude",
    "claude-cli",
    "claude-sdk",
    "copilot",
    "copilot-cli",
    "copilot-log",
    "copilot-sdk",
    "copilot_sdk",
    "pi-cli",
    "transcript",
)
#: Other names of providers.
_ALIASES: Mapping[str, tuple[str, ...]] = {
    "azure": ("azure-openai",),
    "gemini": ("google", "google-gemini"),
    "codex": ("codex-cli",),
    "pi-coding-agent": ("pi",),
    "other-agent": _OTHER_AGENTS,
}
#: Every name and alias a provider may be written with, and its canonical name.
PROVIDERS: Mapping[str, str] = {
    name: canonical
    for canonical in MODELS
    for name in ((canonical,) if canonical != "other-agent" else ()) + _ALIASES.get(canonical, ())
}


def model_of_provider(provider: str) -> type[TargetConfig]:
    """Return what an entry of a provider is, by any of the provider's names."""
    canonical = PROVIDERS.get(provider, provider)
    return _model(canonical) if canonical in MODELS else TargetConfig


def models() -> tuple[type[TargetConfig], ...]:
    """Return what an entry may be, in the order in which it is offered and documented."""
    return tuple(map(_model, MODELS))


@cache
def _model(canonical: str) -> type[TargetConfig]:
    found: type[TargetConfig] = imported(f"targets.config.{MODELS[canonical]}")
    return found


def _provider_of(value: Any) -> str | None:
    """Return the branch of an entry; an unknown provider results in a missing branch."""
    provider = (
        value.get("provider") if isinstance(value, dict) else getattr(value, "provider", None)
    )
    return None if provider is None else f"<{PROVIDERS.get(str(provider), provider)}>"


def _reader(canonical: str) -> Callable[[Any], TargetConfig]:
    return lambda value: _model(canonical).model_validate(value)


class _SelectedTarget(SelectedModel):
    """An entry of a targets file is read by the configuration of its `provider`."""

    key = "provider"

    def model(self, word: str) -> type[TargetConfig] | None:
        return model_of_provider(word) if word in PROVIDERS else None

    def models(self) -> tuple[type[TargetConfig], ...]:
        return models()

    def tag(self, value: Any) -> str | None:
        return _provider_of(value)

    def readers(self) -> dict[str, Callable[[Any], TargetConfig]]:
        return {f"<{model}>": _reader(model) for model in MODELS}

    def described(self) -> Any:
        tagged = (Annotated[_model(model), Tag(f"<{model}>")] for model in MODELS)
        return Annotated[reduce(or_, tagged), Discriminator(_provider_of)]


if TYPE_CHECKING:
    TargetEntry: TypeAlias = TargetConfig
else:
    #: An entry of a targets file.
    TargetEntry = Annotated[TargetConfig, _SelectedTarget()]


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
