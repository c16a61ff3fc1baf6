"""Who answers in a first suite: `mock`, a program, or a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from suitecase.format.starting.providers import KEY_VARIABLES, OTHER
from suitecase.text.near_names import nearest

_EXAMPLE = "openai/gpt-4o-mini"


#: Whose models have names that begin so, for people who leave the provider out.
_FAMILIES = {
    "gpt": "openai",
    "o1": "openai",
    "o3": "openai",
    "o4": "openai",
    "claude": "anthropic",
    "gemini": "gemini",
    "grok": "xai",
    "deepseek": "deepseek",
    "mistral": "mistral",
    "llama": "ollama",
}


class UnknownTargetError(Exception):
    """A target that is neither a kind of target nor a model; the text says what was expected.

    `reason` is its first part, for people who have just read what is expected.
    """

    def __init__(self, reason: str, help_text: str = "") -> None:
        super().__init__(f"{reason} {help_text}".strip())
        self.reason = reason


@dataclass(frozen=True, slots=True)
class StarterTarget:
    """Who answers.

    Attributes:
        kind: what it is.
        model: litellm's name of the model, such as `openai/gpt-4o-mini`; empty for other kinds.
        variables: the environment variables that have to be set for it, the key's first.
        address: that of the server, if the user runs it.
    """

    kind: Literal["mock", "cli", "model"]
    model: str = ""
    variables: tuple[str, ...] = ()
    address: str = ""

    @property
    def starts_program(self) -> bool:
        """Whether a program of the workspace answers."""
        return self.kind == CLI.kind

    @property
    def provider(self) -> str:
        """litellm's name of the model's provider."""
        return self.model.partition("/")[0]

    @property
    def key_variable(self) -> str | None:
        """The environment variable of the key; None if it is not a key that is needed."""
        first = self.variables[0] if self.variables else ""
        return first if first.endswith("_KEY") and not first.startswith("AWS_") else None


MOCK = StarterTarget("mock")
CLI = StarterTarget("cli")
#: Those that are no models.
_OTHERS = {target.kind: target for target in (MOCK, CLI)}


def parse_target(text: str) -> StarterTarget:
    """Return the target that `--target` or an answer names.

    Raises:
        UnknownTargetError: there is no such target.
    """
    name = text.strip()
    if name in _OTHERS:
        return _OTHERS[name]
    provider, slash, model = name.partition("/")
    known = {*KEY_VARIABLES, *OTHER}
    if not slash or not model.strip() or any(it.isspace() or it in "\"'" for it in name):
        if provider in known:
            reason = f"{provider} needs a model behind it, such as {_example(provider)}."
        else:
            near = _with_provider(name) or nearest(name, (*_OTHERS, *known))
            suggestion = f"; did you mean {_shown(near)}?" if near else "."
            reason = f"{name or 'an empty text'} is not a target{suggestion}"
        raise UnknownTargetError(
            reason,
            f"Name a model as litellm does, such as {_EXAMPLE}, anthropic/claude-sonnet-4-5 "
            "or ollama/llama3.2; mock for canned answers; or cli for a program",
        )
    if provider not in known:
        near = nearest(provider, known)
        suggestion = f"; did you mean {near}/{model}?" if near else "."
        raise UnknownTargetError(
            f"litellm has no provider {provider}{suggestion}",
            "It knows openai, anthropic, gemini, "
            "mistral, ollama, azure, bedrock, openrouter and many more. A server with OpenAI's API is "
            "openai/MODEL with `api_base` in targets.yaml",
        )
    return StarterTarget("model", name, KEY_VARIABLES.get(provider, ()))


def _shown(name: str) -> str:
    return name if name in _OTHERS or "/" in name else _example(name)


def _with_provider(name: str) -> str | None:
    """Return the name of a model with its provider, where the beginning of its name tells that."""
    found = (it for prefix, it in _FAMILIES.items() if name.startswith(prefix))
    provider = next(found, None) if "/" not in name and " " not in name else None
    return f"{provider}/{name}" if provider else None


def _example(provider: str) -> str:
    return _EXAMPLE if provider == "openai" else f"{provider}/MODEL"
