"""A configuration with the prompts, providers and tests that it has or names: what rules on the whole look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple
from weakref import ref

from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.promptfoo.suite.linked_shape import shape_of
from suitecase.formats.promptfoo.suite.parsed import PromptfooFile, PromptfooHead, Reading
from suitecase.formats.promptfoo.suite.prompts.prompts import (
    Prompt,
    PromptEntry,
    has_value,
    prompt_entries,
    prompts_of,
)
from suitecase.formats.promptfoo.suite.providers.providers import ProviderEntry, provider_entries
from suitecase.formats.promptfoo.suite.test_cases.files import LinkedTest, test_of
from suitecase.formats.promptfoo.suite.test_cases.lists import TestSource, source_of
from suitecase.text.cache import Cache
from suitecase.text.document import Content, Piece
from suitecase.text.node import Mapping, Node, Span


class _Named(NamedTuple):
    """What the head of a configuration comes to, with the files of a workspace."""

    workspace: ref[Workspace]
    prompts: tuple[PromptEntry, ...]
    providers: tuple[ProviderEntry, ...]


class PlacedSource(NamedTuple):
    """What `tests`, or an entry of it, names, and the part of the document that it stands in."""

    piece: Piece
    source: TestSource

    @property
    def span(self) -> Span:
        """Where the name stands in the document."""
        return self.piece.absolute(self.source.name.span)


#: What the head comes to, kept with its text for the last workspace.
_NAMED: Cache[_Named] = Cache()


@dataclass(eq=False)
class LinkedConfiguration:
    """A configuration in its folder.

    Findings about it have places in the document: `head_span` and `test_span` say where a place in
    the head or in a test is. Those in other files are `External`.

    Attributes:
        file: the configuration.
        folder: its folder, from which the files that it names are found.
        derived: what others derive from it.
    """

    file: PromptfooFile
    folder: Folder
    derived: dict[Cache[Any], Any] = field(default_factory=dict)

    @property
    def shape(self) -> object | None:
        """What findings about it depend on, besides its head and the files; see `format/dialect.py`."""
        document = self.file.document
        if not document.segmented:
            return None
        shapes: Sequence[str] = document.case_index.values(shape_of)
        return shapes

    @property
    def reading(self) -> Reading:
        return self.file.reading

    @property
    def head(self) -> PromptfooHead:
        return self.file.head

    def head_span(self, span: Span) -> Span:
        """Return the place in the document of a place in the head."""
        return self.file.document.head.absolute(span)

    def test_span(self, number: int, span: Span) -> Span:
        """Return the place in the document of a place in a test, by its number from 0."""
        return self.file.document.cases[number].absolute(span)

    @property
    def prompt_entries(self) -> tuple[PromptEntry, ...]:
        """The entries of `prompts`, with places in the head or in their files."""
        return self._named.prompts

    @cached_property
    def prompts(self) -> tuple[Prompt, ...]:
        """The prompts, or the one that promptfoo assumes where none is written."""
        return prompts_of(self.prompt_entries, is_written=has_value(self.head.get("prompts")))

    @property
    def providers(self) -> tuple[ProviderEntry, ...]:
        """The entries of `providers` or `targets`, with places in the head or in their files."""
        return self._named.providers

    @property
    def providers_node(self) -> Node | None:
        """The value of `targets`, which promptfoo takes where both are written, or of `providers`."""
        targets = self.head.get("targets")
        return targets if has_value(targets) else self.head.get("providers")

    @cached_property
    def test_sources(self) -> tuple[PlacedSource, ...]:
        """What `tests`, or its entries, name."""
        document = self.file.document
        if document.list_node is not None and not document.cases:
            source = source_of(document.list_node, self.folder, in_list=False)
            return () if source is None else (PlacedSource(document.head, source),)
        naming: Sequence[tuple[int, Node]] = document.case_index.where(_naming)
        found = (
            (document.cases[number], source_of(entry, self.folder, in_list=True))
            for number, entry in naming
        )
        return tuple(PlacedSource(piece, it) for piece, it in found if it is not None)

    @cached_property
    def own_tests(self) -> tuple[LinkedTest, ...]:
        """The tests that the configuration has itself."""
        return tuple(
            test_of(piece, number, None)
            for number, piece in enumerate(self.file.document.cases, 1)
            if isinstance(piece.node, Mapping) and "path" not in piece.node
        )

    @cached_property
    def tests(self) -> tuple[LinkedTest, ...]:
        """The tests that the configuration has itself, then those of the files that it names."""
        return (*self.own_tests, *self._named_tests())

    def _named_tests(self) -> Iterator[LinkedTest]:
        for _, source in self.test_sources:
            for file in source.files:
                yield from file.tests

    @property
    def has_unknown_tests(self) -> bool:
        """Whether there are tests that are not known: a script, a service or a missing file has them."""
        if self.head.get("scenarios") is not None:
            return True
        return any(
            test_source.source.is_open or test_source.source.problem
            for test_source in self.test_sources
        )

    @property
    def _named(self) -> _Named:
        content, workspace = self.head.content, self.folder.workspace
        known = _NAMED.get(content)
        if known is None or known.workspace() is not workspace:
            known = self._find_named(workspace)
            _NAMED.set(content, known)
        return known

    def _find_named(self, workspace: Workspace) -> _Named:
        prompts = prompt_entries(self.head.get("prompts"), self.folder, self.head.source)
        return _Named(ref(workspace), prompts, provider_entries(self.providers_node, self.folder))


@dataclass(eq=False)
class TestTexts:
    """The tests of a configuration, for rules that compare all that they say."""

    configuration: LinkedConfiguration


class PromptfooConfiguration(LinkedConfiguration):
    """A configuration of promptfoo itself, for rules on what other tools of the family do otherwise."""


def _naming(content: Content) -> Node | None:
    """Return an entry of `tests` that names files."""
    node = content.node
    is_test = isinstance(node, Mapping) and "path" not in node
    return None if is_test or content.broken else node
