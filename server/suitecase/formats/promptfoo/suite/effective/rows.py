"""The rows that promptfoo makes of a configuration: each is one question to one provider.

Rows are tests x repeats x combinations of listed variables x providers x prompts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, product
from pathlib import Path
from typing import Any

from suitecase.format.workspace import Folder
from suitecase.formats.promptfoo.suite.effective.repeats import overall_repeat, repeat_count
from suitecase.formats.promptfoo.suite.effective.tests import EffectiveTest, effective_tests
from suitecase.formats.promptfoo.suite.linked import LinkedConfiguration
from suitecase.formats.promptfoo.suite.prompts.prompts import Prompt
from suitecase.formats.promptfoo.suite.providers.providers import ProviderEntry
from suitecase.formats.promptfoo.suite.references.by_name import is_allowed
from suitecase.formats.promptfoo.suite.references.file_references import (
    FileReference,
    known_location,
    path_from,
)
from suitecase.text.node import plain
from suitecase_evaluators.system.path_kinds import FILE_SCHEME

#: No more rows are listed: lists that multiply reach any number.
MOST_ROWS = 100_000


@dataclass(frozen=True, slots=True)
class Row:
    """A question to a provider. `id` stays the same wherever the test stands."""

    id: str
    prompt: Prompt
    provider: ProviderEntry
    variables: dict[str, Any]
    repeat: int


@dataclass(frozen=True)
class TestRows:
    """A test with its rows.

    `is_open` is whether there may be others: variables are not known.
    """

    __test__ = False

    test: EffectiveTest
    rows: tuple[Row, ...]
    is_open: bool


@dataclass
class Expansion:
    """All rows of a configuration; `is_open` is whether there are tests that are not known."""

    prompts: tuple[Prompt, ...]
    providers: tuple[ProviderEntry, ...]
    tests: list[TestRows] = field(default_factory=list)
    is_open: bool = False

    @property
    def count(self) -> int:
        """The number of rows that are known."""
        return sum(len(test.rows) for test in self.tests)


def expand(
    linked: LinkedConfiguration, path: Path, default_providers: tuple[ProviderEntry, ...] = ()
) -> Expansion:
    """Return the rows of a configuration.

    Args:
        linked: the configuration.
        path: its path.
        default_providers: the providers of a configuration that names none.
    """
    providers = tuple(distinct_providers(linked.providers)) or default_providers
    expansion = Expansion(linked.prompts, providers, is_open=linked.has_unknown_tests)
    by_provider = [(it, prompts_of_provider(it, linked.prompts)) for it in providers]
    overall = overall_repeat(linked)
    taken: dict[str, int] = {}
    left = MOST_ROWS
    for test in effective_tests(linked, path):
        rows: list[Row] = []
        variables = list(islice(combinations(test, linked.folder), max(left, 1)))
        repeats = repeat_count(test.options.get("repeat")) or overall
        asked = product(range(1, repeats + 1), variables, by_provider)
        for repeat, given, (provider, prompts) in islice(asked, max(left, 1)):
            if not is_allowed(test.settings.get("providers"), provider.id, _label(provider)):
                continue
            for prompt in prompts:
                if is_allowed(test.settings.get("prompts"), prompt.label, prompt.id):
                    name = _digest(test, prompt, provider, given, repeat)
                    taken[name] = taken.get(name, 0) + 1
                    number = f"-{taken[name]}" if taken[name] > 1 else ""
                    rows.append(Row(f"{name}{number}", prompt, provider, given, repeat))
        expansion.tests.append(TestRows(test, tuple(rows), test.is_open))
        left -= len(rows)
        if left <= 0:
            expansion.is_open = True
            break
    return expansion


def combinations(test: EffectiveTest, folder: Folder) -> Iterator[dict[str, Any]]:
    """Yield the variables of each row that the lists and patterns of a test make."""
    if test.options.get("disableVarExpansion") is True:
        yield test.variables
        return
    choices = [_choices(value, folder) for value in test.variables.values()]
    for values in product(*choices):
        yield dict(zip(test.variables, values, strict=True))


def _choices(value: Any, folder: Folder) -> list[Any]:
    if isinstance(value, str) and value.startswith(FILE_SCHEME):
        reference = FileReference(value.removeprefix(FILE_SCHEME).replace("\\", "/"))
        if reference.is_glob:
            found = known_location(reference, folder)
            return [f"{FILE_SCHEME}{path_from(folder, file)}" for file in found.files] or [value]
        return [value]
    return value if isinstance(value, list) and value and isinstance(value[0], str) else [value]


def distinct_providers(providers: tuple[ProviderEntry, ...]) -> Iterator[ProviderEntry]:
    """Yield the providers, of those that are written alike only the first, as promptfoo does."""
    seen: set[str] = set()
    for provider in providers:
        key = json.dumps(plain(provider.node), sort_keys=True, default=str)
        if provider.path is not None or key not in seen:
            seen.add(key)
            yield provider


def prompts_of_provider(provider: ProviderEntry, prompts: tuple[Prompt, ...]) -> list[Prompt]:
    """Return the prompts that a provider is sent."""
    listed = provider.options.get("prompts") if provider.options is not None else None
    allowed = plain(listed) if listed is not None else None
    return [prompt for prompt in prompts if is_allowed(allowed or None, prompt.label, prompt.id)]


def _label(provider: ProviderEntry) -> str | None:
    return provider.label.text if provider.label is not None else None


def _digest(
    test: EffectiveTest,
    prompt: Prompt,
    provider: ProviderEntry,
    variables: dict[str, Any],
    repeat: int,
) -> str:
    told = [test.assertions, prompt.label, prompt.text, provider.name, variables, repeat]
    text = json.dumps(told, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
