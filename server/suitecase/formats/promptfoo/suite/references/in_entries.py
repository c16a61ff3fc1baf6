"""References to prompts and providers by label or id, as in `prompts` and `providers` of a test."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Generic, Literal, TypeVar

from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.parsed import PromptfooTest
from suitecase.formats.promptfoo.suite.prompts.prompts import Prompt, PromptSource, has_value
from suitecase.formats.promptfoo.suite.providers.prefixes import ProviderKind
from suitecase.formats.promptfoo.suite.providers.providers import ProviderEntry
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span

T = TypeVar("T")

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
    return [item for item in items if isinstance(item, Scalar) and isinstance(item.value, str)]


def are_prompts_known(configuration: LinkedConfiguration) -> bool:
    """Whether all prompts are known by their labels."""
    if not has_value(configuration.head.get("prompts")):
        return True
    return all(
        prompt_entry.prompts or prompt_entry.same_as is not None
        for prompt_entry in configuration.prompt_entries
    ) and not any(
        prompt.source is PromptSource.CODE and prompt.path is None
        for prompt in configuration.prompts
    )


def are_providers_known(configuration: LinkedConfiguration) -> bool:
    """Whether all providers are known by their labels and ids: code can name itself."""
    return all(
        provider.id is not None
        and provider.problem is None
        and provider.kind not in (None, ProviderKind.CODE)
        for provider in configuration.providers
    )


class NamesOfPrompts:
    """Which prompts a reference means, found without comparing it with each of them.

    A label that promptfoo makes of a path depends on the folder it is started in; the path from any
    folder is taken for it.
    """

    def __init__(self, prompts: Iterable[Prompt]) -> None:
        prompts = tuple(prompts)
        self._names = _Names(
            (name, prompt) for prompt in prompts for name in (prompt.label, prompt.id or "")
        )
        self._paths = [
            (prompt.path.as_posix(), prompt) for prompt in prompts if prompt.path is not None
        ]
        self._all_paths = "".join(f"{path}\n" for path, _ in self._paths)

    def meant_by(self, reference: str) -> Iterator[Prompt]:
        """Yield the prompts that a reference means; one may be yielded twice."""
        yield from self._names.meant_by(reference)
        path = reference.rstrip("*").partition(": ")[0]
        if not path or "://" in reference:
            return
        if f"{path}\n" in self._all_paths or f"{path}/" in self._all_paths:
            for known, prompt in self._paths:
                if known.endswith(path) or f"{path}/" in known:
                    yield prompt

    def __contains__(self, reference: str) -> bool:
        return next(self.meant_by(reference), None) is not None


class NamesOfProviders:
    """Which providers a reference means; a mode within an id, as in `openai:chat:`, is optional."""

    def __init__(self, providers: Iterable[ProviderEntry]) -> None:
        by_modes: dict[tuple[str, ...], list[tuple[str, ProviderEntry]]] = {}
        for provider in providers:
            modes = provider.prefix.modes if provider.prefix is not None else ()
            names = [provider.id or "", provider.label.text if provider.label is not None else ""]
            if provider.id_node is not None:
                names.append(provider.id_node.text)
            names.extend([_without_mode(name, modes) for name in names])
            by_modes.setdefault(modes, []).extend((name, provider) for name in names)
        self._names = {modes: _Names(named) for modes, named in by_modes.items()}

    def __contains__(self, reference: str) -> bool:
        return any(
            next(names.meant_by(text), None) is not None
            for modes, names in self._names.items()
            for text in (reference, _without_mode(reference, modes))
        )


class _Names(Generic[T]):
    """What some names stand for, to be found by a name or the start of one."""

    def __init__(self, named: Iterable[tuple[str, T]]) -> None:
        known = sorted((item for item in named if item[0]), key=itemgetter(0))
        self._names = [name for name, _ in known]
        self._things = [thing for _, thing in known]

    def meant_by(self, reference: str) -> Iterator[T]:
        """Yield what is called so, what is called `reference:...`, and for `start*` all that starts so."""
        yield from self._from(reference, lambda name: name == reference)
        yield from self._from(f"{reference}:", lambda name: name.startswith(f"{reference}:"))
        if reference.endswith("*"):
            yield from self._from(reference[:-1], lambda name: name.startswith(reference[:-1]))

    def _from(self, start: str, belongs: Callable[[str], bool]) -> Iterator[T]:
        for number in range(bisect_left(self._names, start), len(self._names)):
            if not belongs(self._names[number]):
                return
            yield self._things[number]


def _without_mode(name: str, modes: tuple[str, ...]) -> str:
    prefix, _, rest = name.partition(":")
    mode, colon, model = rest.partition(":")
    return f"{prefix}:{model}" if colon and mode in modes else name
