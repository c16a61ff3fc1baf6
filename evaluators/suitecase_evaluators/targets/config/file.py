"""A targets file as a whole, and which model of configuration a provider has."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, get_args

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

#: Every name and alias a provider may be written with, and its canonical name.
PROVIDERS: Mapping[str, str] = {
    "mock": "mock",
    "replay": "replay",
    "cli": "cli",
    "litellm": "litellm",
    "azure": "azure",
    "azure-openai": "azure",
    "anthropic": "anthropic",
    "gemini": "gemini",
    "google": "gemini",
    "google-gemini": "gemini",
    "openai": "openai",
    "openrouter": "openrouter",
    "codex": "codex",
    "codex-cli": "codex",
    "claude-code": "claude-code",
    "pi-coding-agent": "pi-coding-agent",
    "pi": "pi-coding-agent",
    "pi-agent-sdk": "pi-agent-sdk",
    "vscode": "vscode",
    "vscode-insiders": "vscode-insiders",
    **dict.fromkeys(get_args(OtherAgentConfig.model_fields["provider"].annotation), "other-agent"),
}


def _provider_of(value: Any) -> str | None:
    """Name the branch of an entry; a provider nobody knows gives a branch that is not there."""
    provider = (
        value.get("provider") if isinstance(value, dict) else getattr(value, "provider", None)
    )
    return None if provider is None else f"<{PROVIDERS.get(str(provider), provider)}>"


TargetEntry = Annotated[
    Annotated[MockConfig, Tag("<mock>")]
    | Annotated[ReplayConfig, Tag("<replay>")]
    | Annotated[CliConfig, Tag("<cli>")]
    | Annotated[LiteLlmConfig, Tag("<litellm>")]
    | Annotated[OpenAiConfig, Tag("<openai>")]
    | Annotated[OpenRouterConfig, Tag("<openrouter>")]
    | Annotated[AzureConfig, Tag("<azure>")]
    | Annotated[AnthropicConfig, Tag("<anthropic>")]
    | Annotated[GeminiConfig, Tag("<gemini>")]
    | Annotated[CodexConfig, Tag("<codex>")]
    | Annotated[ClaudeCodeConfig, Tag("<claude-code>")]
    | Annotated[PiCodingAgentConfig, Tag("<pi-coding-agent>")]
    | Annotated[PiAgentSdkConfig, Tag("<pi-agent-sdk>")]
    | Annotated[VsCodeConfig, Tag("<vscode>")]
    | Annotated[VsCodeInsidersConfig, Tag("<vscode-insiders>")]
    | Annotated[OtherAgentConfig, Tag("<other-agent>")],
    Discriminator(_provider_of),
]


class TargetsFile(Model):
    """The targets a suite can be run against."""

    schema_: str | None = Field(
        default=None, alias="$schema", description="The JSON Schema an editor checks this file by."
    )
    targets: list[TargetEntry] = Field(
        min_length=1, description="Who can be asked, and who can judge, each with a unique name."
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
