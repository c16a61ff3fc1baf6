"""All providers of a configuration with their places, those of tests and those that grade included."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from suitecase.format.rule import External
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.linked_tests import facts_in, files_of_tests
from suitecase.formats.promptfoo.suite.providers.providers import ProviderEntry, provider_entries
from suitecase.formats.promptfoo.suite.test_cases.default_test import default_node, named_file
from suitecase.text.document import Content
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span, plain

#: What a `provider` that grades may be given for, each with a provider of its own.
GRADED_KINDS = ("text", "embedding", "classification", "moderation")


@dataclass(frozen=True, slots=True)
class PlacedProvider:
    """A provider with its place.

    Attributes:
        entry: the provider; its places are relative to `source`, or in the file `entry.path`.
        source: the text that it is written in.
        place: returns the place in the document, or in the file of `external`, of one in `source`.
        external: the file that it is written in, if that is not the configuration.
    """

    entry: ProviderEntry
    source: str
    place: Callable[[Span], Span]
    external: External | None = None

    @property
    def named(self) -> Span:
        """Where the configuration names it."""
        return self.external.reference if self.external is not None else self.place(self.entry.span)


def placed_providers(configuration: LinkedConfiguration) -> Iterator[PlacedProvider]:
    """Yield the providers of `providers`, of `defaultTest` and of tests; equal ones of tests once."""
    head = configuration.head
    for entry in configuration.providers:
        yield PlacedProvider(entry, head.source, configuration.head_span)
    seen: set[str] = set()
    for node, source, place, external in _own_nodes(configuration):
        text = source[node.start : node.end]
        if "*" in text:  # what an alias stands for may differ from place to place
            text = json.dumps(plain(node), sort_keys=True, default=str)
        if text in seen:
            continue
        seen.add(text)
        for entry in provider_entries(node, configuration.folder):
            yield PlacedProvider(entry, source, place, external)


_Placed = tuple[Node, str, Callable[[Span], Span], External | None]


def _own_nodes(configuration: LinkedConfiguration) -> Iterator[_Placed]:
    """Yield the providers that `defaultTest` and tests have themselves, each with the text that it stands in."""
    head, document = configuration.head, configuration.file.document
    default = default_node(configuration)
    named = named_file(configuration, "defaultTest")
    if default is not None and named is None:
        for node in own_providers(default):
            yield node, head.source, configuration.head_span, None
    elif default is not None and named is not None:
        (path,) = named.found.files
        external = External(path, configuration.head_span(named.name.span))
        for node in own_providers(default):
            yield node, _text(configuration, path), _same, external
    for number, found in document.case_index.where(_own_of_test):
        piece = document.cases[number]
        for node in found:
            yield node, piece.content.text, piece.absolute, None
    for placed, file in files_of_tests(configuration):
        for piece in file.read.pieces:
            for node in _own_of_test(piece.content):
                external = External(file.path, placed.span)
                yield node, piece.content.text, piece.absolute, external


def _text(configuration: LinkedConfiguration, path: Path) -> str:
    text = configuration.folder.read(path)
    return text if isinstance(text, str) else ""


def _same(span: Span) -> Span:
    return span


def _own_of_test(content: Content) -> tuple[Node, ...]:
    if "provider" not in content.text:
        return ()
    facts = facts_in(content)
    return tuple(own_providers(facts.node)) if facts is not None else ()


def own_providers(test: Mapping) -> Iterator[Node]:
    """Yield the providers of a test: the one that answers, and those that grade."""
    options = test.get("options")
    yield from _each_kind(test.get("provider"))
    if isinstance(options, Mapping):
        yield from _each_kind(options.get("provider"))
    pending = [test.get("assert")]
    while pending:
        asserted = pending.pop()
        for item in asserted.items if isinstance(asserted, Sequence) else ():
            if isinstance(item, Mapping):
                yield from _each_kind(item.get("provider"))
                pending.append(item.get("assert"))


def _each_kind(node: Node | None) -> Iterator[Node]:
    """Yield a provider, or each of those that a mapping has by what is graded."""
    if (
        isinstance(node, Mapping)
        and "id" not in node
        and any(kind in node for kind in GRADED_KINDS)
    ):
        yield from (found for kind in GRADED_KINDS if (found := node.get(kind)) is not None)
    elif isinstance(node, Mapping | Scalar):
        yield node
