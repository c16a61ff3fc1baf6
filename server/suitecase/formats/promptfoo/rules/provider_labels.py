"""Rules on the names of providers, and on filters that name prompts and providers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from suitecase.format.rule import Edit, External, Finding, Fix, Related, Severity, rule
from suitecase.formats.promptfoo.rules.provider_ids import finding_of_provider
from suitecase.formats.promptfoo.suite.linked import PromptfooConfiguration
from suitecase.formats.promptfoo.suite.providers.providers import ProviderEntry
from suitecase.formats.promptfoo.suite.references.in_entries import (
    Filter,
    NamesOfPrompts,
    NamesOfProviders,
    Reference,
    are_prompts_known,
    are_providers_known,
    references_in,
    texts_of,
)
from suitecase.text.near_names import nearest
from suitecase.text.node import Scalar, plain
from suitecase.text.node import Sequence as Listed

#: No more names are listed in a message.
_MOST_NAMES = 5
_LONGEST_NAME = 50


@rule("PF334", Severity.WARNING)
def duplicate_provider(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """Two providers have one label, or one id and no labels.

    Results and filters name a provider by its label, or else by its id, so that these two cannot be
    told apart. Where they have different `prompts`, those of the last one hold for both.

    ```yaml bad
    prompts: ["Translate {{text}}"]
    providers:
      - id: openai:gpt-4.1
        config: {temperature: 0}
      - id: openai:gpt-4.1  # <- finding
        config: {temperature: 1}
    ```

    ```yaml good
    prompts: ["Translate {{text}}"]
    providers:
      - id: openai:gpt-4.1
        label: cold
        config: {temperature: 0}
      - id: openai:gpt-4.1
        label: warm
        config: {temperature: 1}
    ```
    """
    called: dict[str, list[ProviderEntry]] = {}
    for entry in configuration.providers:
        if entry.name is not None and entry.problem is None:
            called.setdefault(entry.name, []).append(entry)
    for name, entries in called.items():
        if len(entries) == 1:
            continue
        first, second = entries[:2]
        place, before = _name_node(second), _name_node(first)
        if place is None or before is None:
            continue
        if len(entries) == 2 and plain(first.node) == plain(second.node):
            message = f"the provider `{_short(name)}` is listed twice"
        else:
            number = "two" if len(entries) == 2 else str(len(entries))
            message = (
                f"{number} providers are called `{_short(name)}`, so that results cannot tell them "
                "apart; give each a `label`"
            )
        is_beside = first.path is None and second.path is None
        yield Finding(
            place.span,
            message,
            related=(Related("the first one", before.span),) if is_beside else (),
            external=External(second.path, second.span) if second.path is not None else None,
        ).moved(configuration.head_span)


def _name_node(entry: ProviderEntry) -> Scalar | None:
    """Return the label of a provider, or what stands for it."""
    return entry.label if entry.label is not None and entry.label.value else entry.id_node


@rule("PF335")
def unknown_provider_reference(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A test names a provider that the configuration does not have.

    `providers` of a test says which of the configuration's providers it is for, by label or id; a
    `*` at the end stands for anything. promptfoo refuses to run with a name that it does not find.

    ```yaml bad
    prompts: ["Translate {{text}}"]
    providers:
      - id: openai:gpt-4.1
        label: big
    tests:
      - vars: {text: Hello}
        providers: [bigg]  # <- finding
        assert:
          - {type: icontains, value: bonjour}
    ```

    ```yaml fixed
    prompts: ["Translate {{text}}"]
    providers:
      - id: openai:gpt-4.1
        label: big
    tests:
      - vars: {text: Hello}
        providers: [big]
        assert:
          - {type: icontains, value: bonjour}
    ```
    """
    providers = configuration.providers
    known = [provider.name for provider in providers if provider.name]
    if providers:
        unknown = _unmatched(configuration, "providers", NamesOfProviders(providers))
        if unknown and are_providers_known(configuration):
            for reference in unknown:
                yield _unknown(configuration, reference, "provider", known)


@rule("PF336")
def unknown_prompt_reference(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """A test names a prompt that the configuration does not have.

    `prompts` of a test says which of the configuration's prompts it is for, by label or id; a `*` at
    the end stands for anything. promptfoo refuses to run with a name that it does not find.

    ```yaml bad
    prompts:
      - {raw: "Translate {{text}}", label: short}
    providers: [openai:gpt-4.1]
    tests:
      - vars: {text: Hello}
        prompts: [shrt]  # <- finding
        assert:
          - {type: icontains, value: bonjour}
    ```

    ```yaml fixed
    prompts:
      - {raw: "Translate {{text}}", label: short}
    providers: [openai:gpt-4.1]
    tests:
      - vars: {text: Hello}
        prompts: [short]
        assert:
          - {type: icontains, value: bonjour}
    ```
    """
    prompts = configuration.prompts
    unknown = _unmatched(configuration, "prompts", NamesOfPrompts(prompts))
    if unknown and are_prompts_known(configuration):
        for reference in unknown:
            yield _unknown(configuration, reference, "prompt", [prompt.label for prompt in prompts])


def _unmatched(
    configuration: PromptfooConfiguration, kind: Filter, names: NamesOfPrompts | NamesOfProviders
) -> list[Reference]:
    """Return the references of a kind that are none of some names."""
    known: dict[str, bool] = {}
    found: list[Reference] = []
    for reference in references_in(configuration):
        if reference.kind != kind:
            continue
        text = reference.text
        if text not in known:
            known[text] = "{{" in text or text in names
        if not known[text]:
            found.append(reference)
    return found


@rule("PF337", Severity.WARNING)
def provider_without_prompts(configuration: PromptfooConfiguration) -> Iterator[Finding]:
    """The `prompts` of a provider name a prompt that the configuration does not have.

    They name prompts by label or id. promptfoo does not report a name that it does not find: a
    provider is not asked anything where none of its names is found. A path is not the label of its
    prompts: give the prompt a `label`.

    ```yaml bad
    prompts:
      - {raw: "Translate {{text}}", label: short}
    providers:
      - id: openai:gpt-4.1
        prompts: [shrt]  # <- finding
    ```

    ```yaml fixed
    prompts:
      - {raw: "Translate {{text}}", label: short}
    providers:
      - id: openai:gpt-4.1
        prompts: [short]
    ```
    """
    prompts = configuration.prompts
    known = NamesOfPrompts(prompts)
    for entry in configuration.providers:
        written = entry.options.get("prompts") if entry.options is not None else None
        references = texts_of(written)
        missing = [reference for reference in references if reference.text not in known]
        if isinstance(written, Listed) and missing and not are_prompts_known(configuration):
            continue
        for node in missing:
            if "{{" in node.text:
                continue
            if len(missing) == len(references):
                effect = "so this provider is not asked anything"
            else:
                effect = "so it has no effect"
            message, fix = _worded(node, "prompt", [prompt.label for prompt in prompts])
            message = f"{message}, {effect}"
            yield finding_of_provider(configuration, entry, node.span, message, fix)


def _unknown(
    configuration: PromptfooConfiguration, reference: Reference, kind: str, known: Sequence[str]
) -> Finding:
    message, fix = _worded(reference.node, kind, known)
    span = reference.span_in(configuration)
    shift = span.start - reference.node.start
    if fix is not None:
        fix = fix.moved(lambda place: place.shifted(shift))
    return Finding(span, f"{message}, so promptfoo refuses to run", fix)


def _worded(node: Scalar, kind: str, known: Sequence[str]) -> tuple[str, Fix | None]:
    """Return the message on a name that is not found, and the fix if a near one is known."""
    near = nearest(node.text, [it for it in known if "\n" not in it])
    message = f"there is no {kind} `{_short(node.text)}`"
    if near is None:
        names = [f"`{_short(it)}`" for it in dict.fromkeys(known)][:_MOST_NAMES]
        return f"{message} among {', '.join(names)}" if names else message, None
    fix = None
    if node.style in ("", "'", '"') and not any(it in near for it in "'\"\\:#,[]{}"):
        fix = Fix(f"Use `{near}`", (Edit(node.span, f"{node.style}{near}{node.style}"),))
    return f"{message}; did you mean `{_short(near)}`?", fix


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_NAME else f"{line[: _LONGEST_NAME - 1]}…"
