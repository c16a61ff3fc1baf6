"""Providers that are models: the target that calls them, and its parameters."""

from __future__ import annotations

from collections.abc import Mapping

from suitecase.formats.promptfoo.running.providers.parameters import Parameters, parameters_of
from suitecase.formats.promptfoo.running.providers.services import SERVICES, Service
from suitecase.formats.promptfoo.running.providers.settings import ProviderSettings
from suitecase.formats.promptfoo.running.providers.validation import validated
from suitecase.formats.promptfoo.running.refused import RefusedError
from suitecase.formats.promptfoo.suite.providers.prefixes import PREFIXES
from suitecase_evaluators.targets.config.llm import LiteLlmConfig

_PER_MILLION = 1_000_000
#: The model of an id without one.
_DEFAULT_MODELS = {
    "openai:chat": "gpt-4.1-2025-04-14",
    "openai:responses": "gpt-4.1-2025-04-14",
    "openai:completion": "gpt-3.5-turbo-instruct",
    "deepseek": "deepseek-chat",
    "perplexity": "sonar",
}
#: Models that only complete a text.
_COMPLETING = ("gpt-3.5-turbo-instruct", "davinci-002", "babbage-002")


class CompletingConfig(LiteLlmConfig):
    """A model that completes text: it receives the whole prompt as a string, even a list of messages."""


class ParsedConfig(LiteLlmConfig):
    """A model that is sent a JSON Schema: assertions see the value of its answer."""


def model_target(provider: ProviderSettings) -> LiteLlmConfig:
    """Return the target of a model.

    Raises:
        RefusedError: it cannot be called as promptfoo calls it.
    """
    service = SERVICES.get(provider.prefix)
    if service is None:
        raise RefusedError(
            f"`suitecase run` cannot call `{provider.prefix}`: neither it nor litellm knows this service"
        )
    litellm, model = _named(provider, service)
    found = parameters_of(provider, service.manner, model)
    address = _address(provider, service)
    if litellm.startswith("azure"):
        if address is None:
            raise RefusedError(
                "the address of the Azure resource is missing: set AZURE_API_HOST, or `apiHost` "
                "under `config`"
            )
        version = provider.value("apiVersion") or provider.variable("AZURE_OPENAI_API_VERSION")
        found.params["api_version"] = version or "2024-12-01-preview"
    for name, param in _credentials(service).items():
        if provider.config.get(name):
            found.params[param] = provider.value(name)
    if litellm == "vertex_ai":
        _place(provider, found)
    completes = _completes(provider, litellm)
    if litellm == "text-completion-openai":
        found.params.setdefault("stop", ["<|im_end|>", "<|endoftext|>"])
    return validated(
        CompletingConfig if completes else ParsedConfig if _is_parsed(provider) else LiteLlmConfig,
        {
            "name": provider.name,
            "provider": "litellm",
            "model": f"{litellm}/{model}",
            "api_base": address,
            "api_key": _key(provider, service, address),
            "price": _price(provider),
            "params": found.all_params,
            **found.fields,
            **provider.limits(),
        },
    )


def _named(provider: ProviderSettings, service: Service) -> tuple[str, str]:
    """Return litellm's name of the service, and the model.

    Raises:
        RefusedError: there is no model, or it does not answer with text.
    """
    litellm, model = service.litellm, provider.rest
    mode, _, rest = model.partition(":")
    modes = service.modes or {}
    if mode in modes:
        litellm, model = modes[mode], rest
        if mode == "responses":
            provider.run.note(
                "Models of the Responses API are called through chat completions if they support these"
            )
    elif mode in PREFIXES[provider.prefix].modes:
        raise RefusedError(
            f"`suitecase run` does not call `{provider.prefix}:{mode}`: it asks models for text"
        )
    if litellm == "openai" and provider.prefix == "openai" and model in _COMPLETING:
        litellm = "text-completion-openai"
    chosen = provider.config.get("model")
    model = model or (chosen if isinstance(chosen, str) else "")
    model = model or _DEFAULT_MODELS.get(provider.id.rstrip(":"), "")
    if not model.strip():
        raise RefusedError(f"`{provider.id}` names no model")
    return litellm, provider.filled(model, "id")


def _address(provider: ProviderSettings, service: Service) -> str | None:
    is_azure = service.litellm == "azure"
    variables = [f"{provider.prefix.upper()}_API_HOST"] if service.addresses else []
    if is_azure:
        variables = ["AZURE_API_HOST", "AZURE_OPENAI_API_HOST"]
    host = provider.value("apiHost") or provider.variable(*variables)
    if host and not (is_azure and "://" in str(host)):
        return f"https://{host}" if is_azure else f"https://{host}/v1"
    found = host or provider.value("apiBaseUrl") or provider.variable(*service.addresses)
    if found and service.litellm == "gemini":
        return f"{str(found).rstrip('/')}/v1beta"
    return str(found) if found else service.address


def _key(provider: ProviderSettings, service: Service, address: str | None) -> str | None:
    """Return the key, or a placeholder for the variable that has it."""
    written = provider.value("apiKey")
    if written:
        return str(written)
    named = provider.value("apiKeyEnvar")
    if isinstance(named, str) and named:
        return provider.variable(named) or f"${{{{ {named} }}}}"
    found = provider.variable(*service.keys)
    if found is None and service.needs_key and address == service.address:
        return f"${{{{ {service.keys[0]} }}}}"  # the run reports that it is missing
    return found


def _price(provider: ProviderSettings) -> dict[str, float] | None:
    cost = provider.config.get("cost")
    read = provider.config.get("inputCost", cost)
    written = provider.config.get("outputCost", cost)
    if not (isinstance(read, int | float) and isinstance(written, int | float)):
        return None
    return {
        "input_per_million": read * _PER_MILLION,
        "output_per_million": written * _PER_MILLION,
    }


def _credentials(service: Service) -> dict[str, str]:
    if service.litellm != "bedrock":
        return {}
    return {
        "region": "aws_region_name",
        "accessKeyId": "aws_access_key_id",
        "secretAccessKey": "aws_secret_access_key",
        "sessionToken": "aws_session_token",
        "profile": "aws_profile_name",
    }


def _place(provider: ProviderSettings, found: Parameters) -> None:
    """Add where a model of Vertex AI runs."""
    for key, param, variables in (
        ("projectId", "vertex_project", ("VERTEX_PROJECT_ID", "GOOGLE_PROJECT_ID")),
        ("region", "vertex_location", ("VERTEX_REGION", "GOOGLE_LOCATION")),
    ):
        value = provider.value(key) or provider.variable(*variables)
        if value:
            found.params[param] = value


def _is_parsed(provider: ProviderSettings) -> bool:
    # promptfoo looks at what is written, so an answer to the schema of a file stays text.
    wanted = provider.config.get("response_format")
    is_schema = isinstance(wanted, Mapping) and wanted.get("type") == "json_schema"
    return is_schema and provider.prefix != "mistral"


def _completes(provider: ProviderSettings, litellm: str) -> bool:
    is_ollama = provider.prefix == "ollama" and not provider.rest.startswith("chat:")
    return is_ollama or litellm in ("text-completion-openai", "azure_text")
