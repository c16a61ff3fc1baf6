"""How many rows promptfoo makes of a configuration: counted, without making them.

What a test multiplies is kept with the test, so that counting costs little at each keystroke.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod

from suitecase.formats.promptfoo.suite.effective.repeats import overall_repeat, repeat_count
from suitecase.formats.promptfoo.suite.effective.rows import (
    distinct_providers,
    prompts_of_provider,
)
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.parsed import PromptfooTest
from suitecase.formats.promptfoo.suite.prompts.prompts import Prompt
from suitecase.formats.promptfoo.suite.providers.providers import ProviderEntry
from suitecase.formats.promptfoo.suite.references.by_name import is_allowed
from suitecase.formats.promptfoo.suite.test_cases.facts import TestFacts
from suitecase.text.cache import Cache
from suitecase.text.document import Content
from suitecase.text.node import Mapping, Node, Scalar, Sequence, plain


@dataclass(frozen=True, slots=True)
class Multiplying:
    """What a test says about its rows: equal for tests that make as many.

    Attributes:
        lists: the variables with lists, with the number of texts of each.
        names: the variables whose values in `defaultTest` do not count.
        providers: the providers that it is for; None for all.
        prompts: the prompts that it is for; None for all.
        repeat: how often it is asked, if it says so.
        keeps_lists: whether its lists stay lists.
        is_open: whether files that are not looked at may make more rows.
    """

    lists: tuple[tuple[str, int], ...] = ()
    names: frozenset[str] = frozenset()
    providers: tuple[str, ...] | None = None
    prompts: tuple[str, ...] | None = None
    repeat: int | None = None
    keeps_lists: bool = False
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class RowCount:
    """The rows of a configuration; `is_open` is whether there are more than are known."""

    rows: int
    tests: int
    prompts: int
    providers: int
    has_lists: bool
    is_open: bool


@dataclass
class _Asking:
    """The prompts that each provider is asked with."""

    providers: list[tuple[ProviderEntry, list[Prompt]]]
    known: dict[tuple[tuple[str, ...] | None, tuple[str, ...] | None], int] = field(
        default_factory=dict
    )

    def pairs(self, providers: tuple[str, ...] | None, prompts: tuple[str, ...] | None) -> int:
        """Return how many pairs of a prompt and a provider some filters let through."""
        key = (providers, prompts)
        if key not in self.known:
            self.known[key] = sum(
                is_allowed(prompts, it.label, it.id)
                for provider, sent in self.providers
                if is_allowed(providers, provider.id, _label(provider))
                for it in sent
            )
        return self.known[key]


def count_rows(linked: LinkedConfiguration) -> RowCount:
    """Return the number of rows of a configuration."""
    default_body = linked.head.default_test
    default = _of_node(default_body.node) if default_body is not None else Multiplying()
    tests = Counter(_tests(linked))
    asking = _Asking(
        [
            (provider, prompts_of_provider(provider, linked.prompts))
            for provider in distinct_providers(linked.providers)
        ]
    )
    repeat = overall_repeat(linked)
    rows, has_lists, is_open = 0, False, linked.has_unknown_tests or default.is_open
    for test, count in tests.items():
        combinations = _combinations(test, default)
        has_lists = has_lists or combinations > 1
        is_open = is_open or test.is_open
        providers = test.providers if test.providers is not None else default.providers
        prompts = test.prompts if test.prompts is not None else default.prompts
        times = test.repeat or default.repeat or repeat
        rows += count * combinations * times * asking.pairs(providers, prompts)
    return RowCount(
        *(rows, tests.total(), len(linked.prompts), len(asking.providers)),
        has_lists=has_lists,
        is_open=is_open,
    )


def _combinations(test: Multiplying, default: Multiplying) -> int:
    if test.keeps_lists or default.keeps_lists:
        return 1
    inherited = (count for name, count in default.lists if name not in test.names)
    return prod((*(count for _, count in test.lists), *inherited))


def _tests(linked: LinkedConfiguration) -> Iterator[Multiplying]:
    yield from linked.file.case_index.values(_of_test)
    for _, source in linked.test_sources:
        for file in source.files:
            if file.read.table is not None:
                names = frozenset(file.read.table.variables)
                yield from (Multiplying(names=names) for _ in file.read.table.rows)
                continue
            for piece in file.read.pieces:
                found = _MULTIPLYING.of(piece.content, _of_content, piece.content)
                if found is not None:
                    yield found


_MULTIPLYING: Cache[Multiplying | None] = Cache()


def _of_test(test: PromptfooTest) -> Multiplying | None:
    if test.node is None or "path" in test.node:
        return None
    return _of_node(test.node)


def _of_content(content: Content) -> Multiplying | None:
    return _of_node(content.node) if isinstance(content.node, Mapping) else None


def _of_node(node: Mapping) -> Multiplying:
    """Return what a test, or `defaultTest`, multiplies."""
    given, options = node.get("vars"), node.get("options")
    facts = TestFacts(node)
    repeat = options.get("repeat") if isinstance(options, Mapping) else None
    return Multiplying(
        tuple((it.key.text, it.items) for it in facts.lists),
        frozenset(given.entries) if isinstance(given, Mapping) else frozenset(),
        _names(node.get("providers")),
        _names(node.get("prompts")),
        repeat_count(plain(repeat)) if repeat is not None else None,
        facts.keeps_lists,
        any(file.reference.is_glob for file in facts.files if file.about != "value"),
    )


def _names(node: Node | None) -> tuple[str, ...] | None:
    if not isinstance(node, Sequence):
        return None
    return tuple(item.text for item in node.items if isinstance(item, Scalar))


def _label(provider: ProviderEntry) -> str | None:
    return provider.label.text if provider.label is not None else None
