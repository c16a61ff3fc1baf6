"""Rules on what providers are: ids that promptfoo does not know, models and scripts that are missing."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Edit, External, Finding, Fix, Related, Severity, rule
from suitecase.formats.promptfoo.suite.linked import PromptfooConfiguration
from suitecase.formats.promptfoo.suite.prompts.paths import prompt_path
from suitecase.formats.promptfoo.suite.prompts.prompts import has_value
from suitecase.formats.promptfoo.suite.providers.anthropic_models import lacks_mode
from suitecase.formats.promptfoo.suite.providers.prefixes import (
    OTHER_NAMES,
    PREFIXES,
    READ_AT,
    ProviderKind,
)
from suitecase.formats.promptfoo.suite.providers.providers import ProviderEntry, ProviderProblem
from suitecase.formats.promptfoo.suite.references.better_paths import better_path
from suitecase.text.near_names import nearest
from suitecase.text.node import Mapping, Scalar, Span
from suitecase_evaluators.system.path_kinds import FILE_SCHEME

#: How names of models begin, by the provider that has them.
_MODEL_NAMES = {
    "gpt-": "openai",
    "o1": "openai",
    "o3": "openai",
    "o4-": "openai",
    "claude-": "anthropic:messages",
    "gemini-": "google",
    "mistral-": "mistral",
    "deepseek-": "deepseek",
    "grok-": "xai",
    "command-": "cohere",
}


@rule("PF331")
def misspelled_provider(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """The id of a provider starts with nearly the name of one, or is a model without a provider.

    promptfoo refuses to run with a provider that it does not know.

    ```yaml bad
    prompts: ["Translate {{text}}"]
    providers:
      - opneai:gpt-4.1  # <- finding
      - gemini:gemini-2.5-flash  # <- finding
      - claude-sonnet-4-6  # <- finding
    ```

    ```yaml fixed
    prompts: ["Translate {{text}}"]
    providers:
      - openai:gpt-4.1
      - google:gemini-2.5-flash
      - anthropic:messages:claude-sonnet-4-6
    ```
    """
    for entry, node in _with_problem(configuration, ProviderProblem.UNKNOWN):
        meant = meant_id(node.text)
        if meant is not None:
            yield finding_of_provider(
                configuration,
                entry,
                node.span,
                f"promptfoo does not know the provider `{node.text}`; did you mean `{meant}`?",
                _rewritten(node, meant, f"Use `{meant}`"),
            )


def meant_id(text: str) -> str | None:
    """Return the id that an unknown one most likely means, or None."""
    name, colon, rest = text.partition(":")
    if not colon:
        found = next((it for start, it in _MODEL_NAMES.items() if text.startswith(start)), None)
        if found is not None:
            return f"{found}:{text}"
        return None
    other = OTHER_NAMES.get(name.lower()) or nearest(name, PREFIXES)
    if other is None or other == name:
        return None
    if other == "anthropic" and rest.startswith("claude-"):
        return f"anthropic:messages:{rest}"
    return f"{other}:{rest}"


@rule("PF332", Severity.WARNING)
def unregistered_provider(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """The id of a provider starts with a name that promptfoo does not know.

    It refuses to run with a provider that it does not know. The providers that are known here are
    those of promptfoo 0.121.20; a later version may have more.

    ```yaml bad
    prompts: ["Translate {{text}}"]
    providers:
      - acme-cloud:translator  # <- finding
    ```

    ```yaml good
    prompts: ["Translate {{text}}"]
    providers:
      - id: https://translator.example.com/v1
        config:
          body: {text: "{{prompt}}"}
    ```
    """
    problems = (ProviderProblem.UNKNOWN, ProviderProblem.UNKNOWN_ENDING)
    for entry, node in _with_problem(configuration, *problems):
        if entry.problem is ProviderProblem.UNKNOWN_ENDING:
            message = (
                f"promptfoo does not run `{node.text}`: a provider is a script of Python, "
                "JavaScript, TypeScript, Go or Ruby, or a list of providers in YAML or JSON"
            )
        elif meant_id(node.text) is None:
            message = f"promptfoo {READ_AT} does not know the provider `{node.text}`"
        else:
            continue
        yield finding_of_provider(configuration, entry, node.span, message)


@rule("PF333")
def provider_without_model(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """The id of a provider does not name a model.

    promptfoo refuses to run, or asks the service for a model without a name.

    ```yaml bad
    prompts: ["Translate {{text}}"]
    providers:
      - openai  # <- finding
      - azure:gpt-4.1  # <- finding
    ```

    ```yaml good
    prompts: ["Translate {{text}}"]
    providers:
      - openai:gpt-4.1
      - azure:chat:gpt-4.1
    ```
    """
    problems = (ProviderProblem.NO_MODEL, ProviderProblem.NO_MODE)
    for entry, node in _with_problem(configuration, *problems):
        prefix = entry.prefix
        if prefix is None:
            continue
        if entry.problem is ProviderProblem.NO_MODE:
            modes = ", ".join(f"`{it}`" for it in prefix.modes[:6])
            message = (
                f"`{node.text}` lacks the kind of model between `{prefix.name}:` and its name: {modes}"
                f"{', ...' if len(prefix.modes) > 6 else ''}"
            )
        elif prefix.kind is ProviderKind.CODE:
            message = f"`{node.text}` does not say what to run"
        else:
            example = prefix.models[0] if prefix.models else "<model>"
            mode = "messages:" if prefix.name == "anthropic" else ""
            message = (
                f"`{node.text}` does not name a model; write for example "
                f"`{prefix.name}:{mode}{example}`"
            )
        yield finding_of_provider(configuration, entry, node.span, message)


@rule("PF348", Severity.WARNING)
def anthropic_model_without_mode(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A model behind `anthropic:` is not one that promptfoo knows by name.

    It takes the names that it knows, those of version 0.121.20 here, and refuses to run with any
    other. It takes every name behind `anthropic:messages:`.

    ```yaml bad
    prompts: ["Translate {{text}}"]
    providers: [anthropic:claude-3-5-sonnet]  # <- finding
    ```

    ```yaml fixed
    prompts: ["Translate {{text}}"]
    providers: [anthropic:messages:claude-3-5-sonnet]
    ```
    """
    for entry in configuration.providers:
        node = entry.id_node
        if node is None or not node.text.startswith("anthropic:"):
            continue
        name = node.text.removeprefix("anthropic:")
        if lacks_mode(name):
            meant = f"anthropic:messages:{name}"
            yield finding_of_provider(
                *(configuration, entry, node.span),
                f"promptfoo {READ_AT} does not know the model `{name}`; write `{meant}`",
                _rewritten(node, meant, f"Use `{meant}`"),
            )


@rule("PF338")
def missing_provider_file(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A provider names a file that does not exist, or a function that the file does not define.

    promptfoo looks for the file from the folder of the configuration. In a script of Python it
    calls `call_api` where no function is named.

    ```yaml bad
    prompts: ["Translate {{text}}"]
    providers:
      - file://translater.py  # <- finding
    ```

    ```python bad file=translator.py
    def call_api(prompt, options, context):
        return {"output": prompt}
    ```

    ```yaml fixed
    prompts: ["Translate {{text}}"]
    providers:
      - file://translator.py
    ```
    """
    folder = configuration.folder
    for entry, node in _with_problem(
        *(configuration, ProviderProblem.MISSING, ProviderProblem.UNREADABLE),
        ProviderProblem.NO_FUNCTION,
    ):
        path = prompt_path(node.text.removeprefix(FILE_SCHEME))
        name = path.path
        if not node.text.startswith(FILE_SCHEME) and entry.prefix is not None:
            name = name.partition(":")[2]
        if entry.problem is ProviderProblem.UNREADABLE:
            message = f"`{name}` does not parse as YAML, so its providers are not known"
        elif entry.problem is ProviderProblem.NO_FUNCTION:
            wanted = entry.function or "call_api"
            message = f"`{name}` does not define `{wanted}`, so every test ends with an error"
        else:
            better = better_path(name, folder)
            hint = f"; did you mean `{better}`?" if better is not None else ""
            message = f"file `{name}` not found{hint}"
            fix = None
            if better is not None:
                written = node.text.replace(name, better)
                fix = _rewritten(node, written, f"Use `{better}`", safe=False)
            yield finding_of_provider(configuration, entry, node.span, message, fix)
            continue
        yield finding_of_provider(configuration, entry, node.span, message)


@rule("PF343", Severity.INFO)
def no_providers(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A configuration has no list of providers.

    promptfoo refuses to run it, unless providers are named on the command line or another
    configuration has them. It takes a text in place of the list only where the configuration is
    named on the command line (`promptfoo eval -c promptfooconfig.yaml`).

    ```yaml bad
    prompts: ["Translate {{text}}"]
    providers: openai:gpt-4.1  # <- finding
    ```

    ```yaml bad
    prompts: ["Translate {{text}}"]  # <- finding
    tests:
      - vars: {text: Hello}
        assert:
          - {type: icontains, value: bonjour}
    ```

    ```yaml good
    prompts: ["Translate {{text}}"]
    providers:
      - id: openai:gpt-4.1
    ```
    """
    head, node = configuration.head, configuration.providers_node
    if head.node is None or isinstance(node, Mapping):
        return
    if isinstance(node, Scalar) and configuration.providers:
        message = "promptfoo takes a text in place of the list only where it is started with `-c`"
        yield Finding(node.span, message).moved(configuration.head_span)
    if configuration.providers:
        return
    key = head.node.key("providers") or head.node.key("prompts")
    if key is not None:
        message = (
            "there are no providers, so promptfoo refuses to run unless the command line names some"
        )
        yield Finding(key.span, message).moved(configuration.head_span)


@rule("PF344", Severity.WARNING)
def providers_and_targets(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A configuration has both `providers` and `targets`.

    They are two names of the same: promptfoo takes `targets` and ignores `providers`.

    ```yaml bad
    prompts: ["Translate {{text}}"]
    providers: [openai:gpt-4.1]  # <- finding
    targets: [openai:gpt-4.1-mini]
    ```

    ```yaml good
    prompts: ["Translate {{text}}"]
    providers: [openai:gpt-4.1, openai:gpt-4.1-mini]
    ```
    """
    head = configuration.head
    if head.node is None or not (
        has_value(head.get("providers")) and has_value(head.get("targets"))
    ):
        return
    providers = head.node.key(head.reading.key("providers"))
    targets = head.node.key(head.reading.key("targets"))
    if providers is not None and targets is not None:
        yield Finding(
            providers.span,
            "promptfoo ignores `providers`, because there are `targets`",
            related=(Related("the targets", targets.span),),
        ).moved(configuration.head_span)


def _with_problem(
    configuration: PromptfooConfiguration, *problems: ProviderProblem
) -> Iterator[tuple[ProviderEntry, Scalar]]:
    for entry in configuration.providers:
        if entry.problem in problems and entry.id_node is not None:
            yield entry, entry.id_node


def finding_of_provider(
    configuration: PromptfooConfiguration,
    entry: ProviderEntry,
    span: Span,
    message: str,
    fix: Fix | None = None,
) -> Finding:
    """Return a finding in the configuration, or in the file that lists the provider."""
    external = External(entry.path, entry.span) if entry.path is not None else None
    return Finding(span, message, fix, external=external).moved(configuration.head_span)


def _rewritten(node: Scalar, text: str, title: str, *, safe: bool = True) -> Fix | None:
    """Return the fix that gives a scalar another text, in its quotes."""
    if node.style not in ("", "'", '"') or any(it in text for it in "'\"\\\n"):
        return None
    return Fix(title, (Edit(node.span, f"{node.style}{text}{node.style}"),), safe)
