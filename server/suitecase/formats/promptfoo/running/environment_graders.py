"""The model that grades if a configuration names none: promptfoo picks it by the keys in the environment.

As of promptfoo 0.121.20. Credentials in files (of Google Cloud, of Codex) are ignored: runs on
other machines would silently be graded by other models.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

_OPENAI: Final = "openai:chat:gpt-5.5-2026-04-23"
#: In order of preference: variables, one of which has to be set, and the model.
_AFTER_AZURE: Final = (
    (("ANTHROPIC_API_KEY",), "anthropic:messages:claude-sonnet-4-6"),
    (("GEMINI_API_KEY", "GOOGLE_API_KEY", "PALM_API_KEY"), "google:gemini-2.5-pro"),
    (("MISTRAL_API_KEY",), "mistral:mistral-large-latest"),
    (("XAI_API_KEY",), "xai:grok-4.3"),
)
_AZURE_KEYS: Final = ("AZURE_OPENAI_API_KEY", "AZURE_API_KEY")
_AZURE_CLIENT: Final = ("AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_TENANT_ID")
_AZURE_DEPLOYMENT: Final = "AZURE_OPENAI_DEPLOYMENT_NAME"
_GITHUB: Final = {
    "id": "openai:chat:openai/gpt-5",
    "config": {"apiBaseUrl": "https://models.github.ai/inference", "apiKeyEnvar": "GITHUB_TOKEN"},
}
#: Variables that decide, for messages.
DECIDING: Final = "`OPENAI_API_KEY`, `ANTHROPIC_API_KEY`, `GEMINI_API_KEY`, ..."


@dataclass(frozen=True, slots=True)
class EnvironmentGrader:
    """The model that promptfoo picks, as a provider of a configuration, and the variable that decides."""

    provider: str | dict[str, Any]
    variable: str


def environment_grader(environ: Mapping[str, str]) -> EnvironmentGrader | None:
    """Return the model that promptfoo picks in an environment; None without a key of any service."""
    if environ.get("OPENAI_API_KEY"):
        return EnvironmentGrader(_OPENAI, "OPENAI_API_KEY")
    azure = _azure(environ)
    if azure is not None:
        return azure
    for names, provider in _AFTER_AZURE:
        if (name := _set(environ, names)) is not None:
            return EnvironmentGrader(provider, name)
    if environ.get("GITHUB_TOKEN"):
        return EnvironmentGrader(_GITHUB, "GITHUB_TOKEN")
    return None


def _azure(environ: Mapping[str, str]) -> EnvironmentGrader | None:
    name = _set(environ, _AZURE_KEYS)
    if name is None and all(environ.get(it) for it in _AZURE_CLIENT):
        name = _AZURE_CLIENT[0]
    deployment = environ.get(_AZURE_DEPLOYMENT)
    # promptfoo wants both, and asks the second.
    if name is None or not deployment or not environ.get("AZURE_DEPLOYMENT_NAME"):
        return None
    return EnvironmentGrader(f"azure:chat:{deployment}", name)


def _set(environ: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    return next((it for it in names if environ.get(it)), None)
