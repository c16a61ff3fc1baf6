"""Rules on settings that a provider cannot do without, and on addresses that name no server."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Finding, rule
from suitecase.formats.promptfoo.rules.provider_ids import finding_of_provider
from suitecase.formats.promptfoo.suite.linked import PromptfooConfiguration
from suitecase.formats.promptfoo.suite.prompts.prompts import has_value
from suitecase.formats.promptfoo.suite.providers.providers import ProviderEntry
from suitecase.formats.promptfoo.templates.template import is_template
from suitecase.text.node import Mapping, Scalar
from suitecase_evaluators.targets.server_address import can_be_asked

#: Of the settings of each of these one is needed.
_NEEDED = {
    **dict.fromkeys(("http", "https"), ("body", "request", "multipart")),
    **dict.fromkeys(("ws", "wss", "websocket"), ("messageTemplate",)),
    "browser": ("steps",),
    "sequence": ("inputs",),
}
_HTTP = ("http", "https")


@rule("PF349")
def provider_without_settings(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A provider lacks a setting that it needs.

    An HTTP API needs to know what is sent: `body`, `request` or `multipart`, unless its `method` is
    `GET`. A WebSocket needs a `messageTemplate`, a browser its `steps`, and a sequence its `inputs`.
    promptfoo refuses to run without.

    ```yaml bad
    prompts: ["Translate {{text}}"]
    providers:
      - https://translator.example.com/v1  # <- finding
    ```

    ```yaml good
    prompts: ["Translate {{text}}"]
    providers:
      - id: https://translator.example.com/v1
        config:
          body: {text: "{{prompt}}"}
    ```
    """
    for entry in configuration.providers:
        node = entry.id_node
        needed = _NEEDED.get(entry.prefix.name) if entry.prefix is not None else None
        if node is None or needed is None or entry.problem is not None or _has(entry, needed):
            continue
        names = " or ".join(f"`{it}`" for it in needed)
        message = (
            f"`{entry.prefix.name if entry.prefix else ''}` needs {names} under `config`, or promptfoo "
            "refuses to run"
        )
        yield finding_of_provider(configuration, entry, node.span, message)


def _has(entry: ProviderEntry, needed: tuple[str, ...]) -> bool:
    """Whether a provider has one of some settings, or may have it."""
    if entry.options is None:
        return False
    config = entry.options.get("config")
    if not isinstance(config, Mapping):
        return has_value(config)  # It is in another file.
    if "$ref" in config or "$ref" in entry.options:
        return True
    method = config.get("method")
    if isinstance(method, Scalar) and (method.text.upper() == "GET" or "{{" in method.text):
        return True
    return any(has_value(config.get(it)) for it in needed)


@rule("PF352")
def provider_address_without_server(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """No server can be read from the address of a provider.

    The address of an HTTP API starts with `http://` or `https://` and names a host; a port is a number up
    to 65535. The same holds for the `apiBaseUrl` of a model. Each request to another address fails, and
    `suitecase run` asks nothing.

    ```yaml bad
    prompts: ["Translate {{text}}"]
    providers:
      - id: https
        config:
          url: translator.example.com/v1  # <- finding
          body: {text: "{{prompt}}"}
    ```

    ```yaml good
    prompts: ["Translate {{text}}"]
    providers:
      - id: https
        config:
          url: https://translator.example.com/v1
          body: {text: "{{prompt}}"}
    ```
    """
    for entry in configuration.providers:
        node = None if entry.problem is not None else _address(entry)
        if node is None or is_template(node.text) or _has_server(node.text):
            continue
        # The address is not shown: it may contain a password.
        message = (
            "no server can be read from this address, so that each request fails; write it as in "
            "`https://example.com/v1`"
        )
        yield finding_of_provider(configuration, entry, node.span, message)


def _address(entry: ProviderEntry) -> Scalar | None:
    """Return the address that a provider asks; None where it has none, or another part says it."""
    config = entry.config
    is_http = entry.prefix is not None and entry.prefix.name in _HTTP
    if config is not None and "$ref" in config:
        return None
    if is_http and config is not None and has_value(config.get("request")):
        return None
    written = None if config is None else config.get("url" if is_http else "apiBaseUrl")
    if has_value(written):
        return written if isinstance(written, Scalar) else None
    return entry.id_node if is_http and (entry.options is None or config is not None) else None


def _has_server(address: str) -> bool:
    return address.strip().startswith(("http://", "https://")) and can_be_asked(address)
