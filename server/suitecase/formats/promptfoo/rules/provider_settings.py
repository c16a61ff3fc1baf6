"""The rule on settings that a provider cannot do without."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.formats.promptfoo.suite.linked import PromptfooConfiguration
from suitecase.formats.promptfoo.suite.prompts.prompts import has_value
from suitecase.formats.promptfoo.suite.providers.providers import ProviderEntry
from suitecase.rule import External, Finding, rule
from suitecase.syntax.node import Mapping, Scalar

#: Of the settings of each of these one is needed.
_NEEDED = {
    **dict.fromkeys(("http", "https"), ("body", "request", "multipart")),
    **dict.fromkeys(("ws", "wss", "websocket"), ("messageTemplate",)),
    "browser": ("steps",),
    "sequence": ("inputs",),
}


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
        yield Finding(
            node.span,
            f"`{entry.prefix.name if entry.prefix else ''}` needs {names} under `config`, or promptfoo "
            "refuses to run",
            external=External(entry.path, entry.span) if entry.path is not None else None,
        ).moved(configuration.head_span)


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
