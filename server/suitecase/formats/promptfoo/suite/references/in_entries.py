"""References to prompts and providers by label or id, as in `prompts` and `providers` of a test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.parsed import PromptfooTest
from suitecase.formats.promptfoo.suite.prompts.prompts import Prompt, PromptSource, has_value
from suitecase.formats.promptfoo.suite.providers.prefixes import ProviderKind
from suitecase.formats.promptfoo.suite.providers.providers import ProviderEntry
from suitecase.syntax.node import Mapping, Node, Scalar, Sequence, Span

Filter = Literal["prompts", "providers"]
_FILTERS: tuple[Filter, ...] = ("prompts", "providers")


@dataclass(frozen=True, slots=True)
class Reference:
    """A label or an id in a filter: of a test, by its number from 0, or of `defaultTest`."""

    kind: Filter
    node: Scalar
    test: int | None

    @property
    def text(self) -> str:
        return self.node.text

    def span_in(self, configuration: LinkedConfiguration) -> Span:
        """Return its place in the document."""
        if self.test is None:
            return configuration.head_span(self.node.span)
        return configuration.test_span(self.test, self.node.span)


def references_in(configuration: LinkedConfiguration) -> Iterator[Reference]:
    """Yield the references in the filters of `defaultTest` and of the tests in the file."""
    body = configuration.head.default_test
    for kind, node in _filters(body.node) if body is not None else ():
        yield Reference(kind, node, None)
    for number, found in configuration.file.case_index.where(_filters_of_test):
        for kind, node in found:
            yield Reference(kind, node, number)


def _filters_of_test(test: PromptfooTest) -> tuple[tuple[Filter, Scalar], ...] | None:
    return tuple(_filters(test.node)) or None if test.node is not None else None


def _filters(node: Mapping) -> Iterator[tuple[Filter, Scalar]]:
    for kind in _FILTERS:
        for item in texts_of(node.get(kind)):
            yield kind, item


def texts_of(node: Node | None) -> list[Scalar]:
    """Return the texts of a list; none of anything else."""
    items = node.items if isinstance(node, Sequence) else ()
    return [it for it in items if isinstance(it, Scalar) and isinstance(it.value, str)]


def are_prompts_known(configuration: LinkedConfiguration) -> bool:
    """Whether all prompts are known by their labels."""
    if not has_value(configuration.head.get("prompts")):
        return True
    return all(
        it.prompts or it.same_as is not None for it in configuration.prompt_entries
    ) and not any(
        it.source is PromptSource.CODE and it.path is None for it in configuration.prompts
    )


def are_providers_known(configuration: LinkedConfiguration) -> bool:
    """Whether all providers are known by their labels and ids: code can name itself."""
    return all(
        it.id is not None and it.problem is None and it.kind not in (None, ProviderKind.CODE)
        for it in configuration.providers
    )


def names_prompt(reference: str, prompt: Prompt) -> bool:
    """Whether a reference means a prompt.

    A label that promptfoo makes of a path depends on the folder it is started in; the path from any
    folder is taken for it.
    """
    if any(_names(reference, it) for it in (prompt.label, prompt.id or "")):
        return True
    if prompt.path is None or "://" in reference:
        return False
    path = reference.rstrip("*").partition(": ")[0]
    return bool(path) and (
        prompt.path.as_posix().endswith(path) or f"{path}/" in prompt.path.as_posix()
    )


def names_provider(reference: str, provider: ProviderEntry) -> bool:
    """Whether a reference means a provider; a mode within an id, as in `openai:chat:`, is optional."""
    names = [provider.id or "", provider.label.text if provider.label is not None else ""]
    if provider.id_node is not None:
        names.append(provider.id_node.text)
    modes = provider.prefix.modes if provider.prefix is not None else ()
    names.extend(_without_mode(it, modes) for it in tuple(names))
    references = (reference, _without_mode(reference, modes))
    return any(_names(it, name) for name in names if name for it in references)


def _without_mode(name: str, modes: tuple[str, ...]) -> str:
    prefix, _, rest = name.partition(":")
    mode, colon, model = rest.partition(":")
    return f"{prefix}:{model}" if colon and mode in modes else name


def _names(reference: str, name: str) -> bool:
    if not name:
        return False
    is_start = reference.endswith("*") and name.startswith(reference[:-1])
    return name == reference or is_start or name.startswith(f"{reference}:")
