"""The variables of the environment that are sent with the settings of providers, as a run sends them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from suitecase.formats.promptfoo.rendering.environment_uses import (
    EnvironmentUse,
    host_of,
    uses_in_provider,
    uses_in_tree,
)
from suitecase.formats.promptfoo.running.providers.of_configuration import run_settings
from suitecase.formats.promptfoo.running.providers.services import SERVICES
from suitecase.formats.promptfoo.running.providers.settings import strings_in
from suitecase.formats.promptfoo.running.targets import Refused, target_of
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.providers.placed import PlacedProvider
from suitecase.formats.promptfoo.suite.providers.providers import ProviderEntry
from suitecase.text.node import plain
from suitecase_evaluators.targets.config.http import HttpConfig
from suitecase_evaluators.targets.config.llm import LlmConfig
from suitecase_evaluators.targets.config.target import TargetConfig
from suitecase_evaluators.targets.environment import sent_with_settings
from suitecase_evaluators.targets.variable_names import PLACEHOLDER

#: What stands for the value of a variable while it is not known.
_VALUE = "x"


def setting_uses(
    placed: PlacedProvider, configuration: LinkedConfiguration
) -> Iterator[EnvironmentUse]:
    """Yield what a provider that `names_variables` is sent with its settings, each with who gets it.

    A provider that a run refuses is looked at as it is written.
    """
    entry = placed.entry
    written = [use for use in uses_in_provider(placed, configuration) if use.name is not None]
    settings = run_settings(configuration, {})
    own = {**settings.env, **strings_in(_plain(entry, "env"))}
    in_own = list(uses_in_tree(configuration.head.get("env"), configuration))
    named = (use.name for use in (*written, *in_own))
    environ = {name: _VALUE for name in named if name is not None and name not in own}
    target = target_of(entry, "provider", replace(settings, environ=environ))
    if isinstance(target, Refused):
        address = host_of(entry.id or "") or _written_host(entry)
        if address is not None:
            yield from (replace(use, recipient=f"`{address}`") for use in written)
        return
    recipient = _recipient(target, entry)
    if recipient is None:
        return
    places: dict[str | None, EnvironmentUse] = {}
    for use in (*written, *in_own):
        places.setdefault(use.name, use)
    whole = EnvironmentUse(None, placed.place(entry.span), placed.external)
    for name in _names(target, entry):
        place = places.get(name, replace(whole, name=name))
        yield replace(place, is_sent=False, recipient=recipient)


def _names(target: TargetConfig, entry: ProviderEntry) -> Iterator[str]:
    """Yield the variables that are sent: to the own address of a service, without the key that it expects."""
    expected: set[str] = set()
    service = SERVICES.get((entry.id or "").partition(":")[0])
    address = _address(target)
    if isinstance(target, LlmConfig) and (
        address is None or (service is not None and address == service.address)
    ):
        expected = {"OPENAI_ORGANIZATION", *PLACEHOLDER.findall(target.api_key or "")}
        expected |= set(service.keys) if service is not None else set()
    elif address is not None and host_of(address) is None:
        # The address is no news to who is there.
        field = "url" if isinstance(target, HttpConfig) else "api_base"
        target = target.model_copy(update={field: ""})
    for name in sent_with_settings(target):
        if name not in expected:
            yield name


def _recipient(target: TargetConfig, entry: ProviderEntry) -> str | None:
    """Return who gets the settings of a target, in words; None if nobody is asked."""
    address = _address(target)
    if target.command is not None:
        return f"the program of `{entry.id or entry.name}`"
    if address is None:
        return f"`{entry.id}`" if isinstance(target, LlmConfig) else None
    host = host_of(address)
    if host is not None and "${" not in host:
        return f"`{host}`"
    found = PLACEHOLDER.search(address)
    return f"the address in `{found[1]}`" if found is not None else f"`{entry.name}`"


def _address(target: TargetConfig) -> str | None:
    """Return the address of a target."""
    if isinstance(target, HttpConfig):
        template, _ = target.templates.get(("url",), (target.url, "text"))
        return template
    address = getattr(target, "api_base", None)
    return address if isinstance(address, str) else None


def _written_host(entry: ProviderEntry) -> str | None:
    """Return the host that the settings of a provider name."""
    for key in ("url", "apiBaseUrl", "apiHost", "baseUrl", "baseURL"):
        written = _plain(entry, "config").get(key)
        if isinstance(written, str) and (host := host_of(written)):
            return host
    return None


def _plain(entry: ProviderEntry, key: str) -> dict[str, object]:
    node = entry.options.get(key) if entry.options is not None else None
    found = plain(node) if node is not None else None
    return found if isinstance(found, dict) else {}
