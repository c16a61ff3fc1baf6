"""The parameters of a model's calls, from the `config` of its provider."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from suitecase.formats.promptfoo.running.providers.services import Manner
from suitecase.formats.promptfoo.running.providers.settings import (
    ProviderSettings,
    SettingError,
    strings_in,
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: By promptfoo's keys, our fields.
_OWN = {"temperature": "temperature", "max_tokens": "max_output_tokens", "seed": "seed"}
#: Parameters of chat completions that are passed on as they are.
_CHAT = _words(
    "top_p stop presence_penalty frequency_penalty max_completion_tokens tools tool_choice functions "
    "function_call response_format service_tier user verbosity top_k min_p"
)
#: Parameters that litellm does not know by name, which go into the body as they are.
_BODY = _words(
    "store metadata prompt_cache_key prompt_cache_options prompt_cache_retention tool_resources"
)
_OLLAMA = _words(
    "top_k top_p num_ctx num_gpu num_thread repeat_penalty repeat_last_n mirostat mirostat_eta "
    "mirostat_tau presence_penalty frequency_penalty stop think num_keep num_batch typical_p tfs_z"
)
#: By the keys of each service, litellm's parameters. None is one of our fields.
_TAKEN: Mapping[Manner, Mapping[str, str]] = {
    "openai": {it: it for it in _CHAT},
    "plain": {it: it for it in _CHAT},
    "mistral": {it: it for it in (*_CHAT, "safe_prompt")},
    "anthropic": {
        **{it: it for it in ("top_p", "top_k", "tools", "tool_choice", "thinking")},
        "stop_sequences": "stop",
    },
    "google": {
        **{it: it for it in ("top_p", "tools")},
        "topP": "top_p",
        "topK": "top_k",
        "stop": "stop",
        "stopSequences": "stop",
        "safetySettings": "safety_settings",
    },
    "ollama": {it: it for it in _OLLAMA},
    "bedrock": {
        **{it: it for it in ("top_p", "top_k", "stop", "tools", "thinking")},
        "stop_sequences": "stop",
        "stopSequences": "stop",
        "topP": "top_p",
    },
}
#: Other names of temperature, maximum length and seed.
_OTHER: Mapping[Manner, Mapping[str, str]] = {
    "openai": {"max_output_tokens": "max_output_tokens"},
    "google": {"maxOutputTokens": "max_output_tokens"},
    "ollama": {"num_predict": "max_output_tokens"},
    "mistral": {"random_seed": "seed"},
    "bedrock": {"maxTokens": "max_output_tokens"},
}
#: Keys with the address, the credentials and the price of a model, which `models.py` reads.
_ELSEWHERE = _words(
    "model apiKey apiKeyEnvar apiKeyRequired apiBaseUrl apiHost organization headers cost inputCost "
    "outputCost maxRetries omitDefaults passthrough extra_body reasoning_effort showThinking "
    "apiVersion api_version region projectId accessKeyId secretAccessKey sessionToken profile "
    "generationConfig effort beta stream basePath"
)
#: Keys that promptfoo reads, and that cannot be passed on.
_REFUSED = _words(
    "functionToolCallbacks mcp audio modalities instructions previous_response_id reasoning include "
    "truncation background max_tool_calls text conversation systemInstruction "
    "toolConfig tool_config context examples thinkingConfig responseSchema response_schema "
    "credentials keyFilename expressMode vertexai guardrailIdentifier guardrailVersion "
    "inferenceModelType inferenceProfileId inferenceConfig additionalModelRequestFields "
    "cache_control output_format logit_bias logprobs top_logprobs search_parameters "
    "web_search_options connectors documents preamble chat_history prompt_truncation "
    "dataSources data_sources deployment_id assistantId toolChoice performanceConfig think "
    "tfs_z useNUMA num_gqa main_gpu low_vram f16_kv logits_all vocab_only use_mmap use_mlock "
    "rope_frequency_base rope_frequency_scale penalize_newline transformResponse responseParser"
)
_REASONING = re.compile(r"(?:^|/)(?:ft:)?(?:o1|o3|o4|gpt-5)")
#: Models of Anthropic that no longer take a temperature.
_UNSAMPLED = re.compile(
    r"claude-(?:opus-4-(?:[7-9]|\d\d)\b|opus-[5-9]|sonnet-[5-9]|haiku-[5-9]|fable|mythos)"
)


#: Keys that one service or another takes.
_KNOWN = frozenset(name for names in (*_TAKEN.values(), _OWN) for name in names) | _BODY


@dataclass
class Parameters:
    """The parameters of a model's calls.

    Attributes:
        fields: fields of the target's configuration.
        params: the parameters by litellm's names.
        body: fields of the request's body.
        headers: headers of the request.
        is_flat: litellm takes these fields among the parameters.
    """

    fields: dict[str, Any] = field(default_factory=dict)
    params: dict[str, Any] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    is_flat: bool = False

    @property
    def all_params(self) -> dict[str, Any] | None:
        """The parameters with body and headers; None if there are none."""
        found = dict(self.params)
        if self.is_flat:
            found |= self.body
        elif self.body:
            found["extra_body"] = self.body
        if self.headers:
            found["extra_headers"] = self.headers
        return found or None


def parameters_of(provider: ProviderSettings, manner: Manner, model: str) -> Parameters:
    """Return the parameters of a model's calls.

    Args:
        provider: its provider.
        manner: how its `config` is read.
        model: the model.

    Raises:
        SettingError: it has a setting that would change answers, and cannot be taken over.
    """
    found = Parameters(is_flat=manner == "anthropic")
    taken, other = _TAKEN[manner], {**_OWN, **_OTHER.get(manner, {})}
    body = _BODY if manner in ("openai", "anthropic") else frozenset()
    for name, written in provider.config.items():
        if written is None or name in _ELSEWHERE:
            continue
        value = provider.value(name) if name in other or name in taken or name in body else None
        if name in other:
            found.fields[other[name]] = value
        elif name in taken:
            found.params[taken[name]] = value
        elif name in body:
            found.body[name] = value
        elif name in _KNOWN or name in _REFUSED:
            raise SettingError(
                f"`suitecase run` cannot pass `{name}` on to `{provider.prefix}`, and answers may "
                "depend on it",
                *("config", name),
            )
        else:
            provider.run.note(f"`{name}` in the `config` of `{provider.id}` is not passed on")
    if manner == "google":
        _generation_config(provider, found)
    elif manner == "anthropic":
        _anthropic(provider, found, model)
    elif provider.prefix == "localai":
        found.fields.setdefault("temperature", provider.number("LOCALAI_TEMPERATURE") or 0.7)
    elif manner in ("openai", "mistral", "bedrock"):
        _defaults(provider, found, manner, model)
    _headers(provider, found)
    _passed_on(provider, found)
    return found


def _defaults(provider: ProviderSettings, found: Parameters, manner: Manner, model: str) -> None:
    """Add promptfoo's defaults for what `config` does not set."""
    effort = provider.value("reasoning_effort")
    is_reasoning = manner == "openai" and _REASONING.search(model) is not None
    if effort and (is_reasoning or "gpt-oss" in model):
        found.params["reasoning_effort"] = effort
    if is_reasoning:
        # promptfoo leaves out what these models refuse.
        found.fields.pop("temperature", None)
        found.fields.pop("max_output_tokens", None)
        longest = provider.number("OPENAI_MAX_COMPLETION_TOKENS")
        if longest is not None:
            found.params.setdefault("max_completion_tokens", int(longest))
        return
    if manner == "openai":
        found.params.pop("max_completion_tokens", None)
    if manner == "mistral":
        found.fields.setdefault("max_output_tokens", 1024)
        return
    names = {"openai": "OPENAI", "bedrock": "AWS_BEDROCK"}[manner]
    omitted = bool(provider.config.get("omitDefaults"))
    for key, variable, default in (
        ("temperature", f"{names}_TEMPERATURE", 0.0),
        ("max_output_tokens", f"{names}_MAX_TOKENS", 1024.0),
    ):
        value = provider.number(variable)
        if value is None and not omitted:
            value = default
        if value is not None:
            found.fields.setdefault(key, value if key == "temperature" else int(value))
    for key in ("top_p", "presence_penalty", "frequency_penalty"):
        value = provider.number(f"{names}_{key.upper()}")
        if value is not None:
            found.params.setdefault(key, value)


def _anthropic(provider: ProviderSettings, found: Parameters, model: str) -> None:
    thinking = found.params.get("thinking")
    thinks = isinstance(thinking, Mapping) and thinking.get("type") in ("enabled", "adaptive")
    longest = provider.number("ANTHROPIC_MAX_TOKENS") or (2048 if thinks else 1024)
    found.fields.setdefault("max_output_tokens", int(longest))
    if thinks or "top_p" in found.params or _UNSAMPLED.search(model):
        found.fields.pop("temperature", None)
    else:
        found.fields.setdefault("temperature", provider.number("ANTHROPIC_TEMPERATURE") or 0.0)
    if thinks and provider.config.get("showThinking", True):
        provider.run.note("The reasoning of models is not part of their answers")
    choice = found.params.get("tool_choice")
    if isinstance(choice, Mapping):
        kinds = {"auto": "auto", "any": "required", "none": "none"}
        named = {"type": "function", "function": {"name": choice.get("name")}}
        found.params["tool_choice"] = kinds.get(str(choice.get("type")), named)
    if provider.config.get("effort"):
        found.body["output_config"] = {"effort": provider.value("effort")}
    beta = provider.value("beta")
    if isinstance(beta, list) and beta:
        found.headers["anthropic-beta"] = ",".join(map(str, beta))


_GENERATION = {
    "temperature": "temperature",
    "maxOutputTokens": "max_output_tokens",
    "seed": "seed",
}


def _generation_config(provider: ProviderSettings, found: Parameters) -> None:
    written = provider.value("generationConfig")
    for name, value in written.items() if isinstance(written, Mapping) else ():
        if name in _GENERATION:
            found.fields.setdefault(_GENERATION[name], value)
        elif name in _TAKEN["google"]:
            found.params.setdefault(_TAKEN["google"][name], value)
        elif name in ("response_mime_type", "responseMimeType"):
            if value == "application/json":
                found.params.setdefault("response_format", {"type": "json_object"})
        else:
            raise SettingError(
                f"`suitecase run` cannot pass `{name}` on to `{provider.prefix}`, and answers may "
                "depend on it",
                *("config", "generationConfig", str(name)),
            )


def _headers(provider: ProviderSettings, found: Parameters) -> None:
    found.headers |= strings_in(provider.value("headers"))
    organization = provider.value("organization") or (
        provider.variable("OPENAI_ORGANIZATION") if provider.prefix == "openai" else None
    )
    if organization:
        found.headers["OpenAI-Organization"] = str(organization)


def _passed_on(provider: ProviderSettings, found: Parameters) -> None:
    for name in ("passthrough", "extra_body"):
        written = provider.value(name)
        if isinstance(written, Mapping):
            found.body |= written
