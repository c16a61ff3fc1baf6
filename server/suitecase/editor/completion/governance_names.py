"""Names that are keys under `judges`, `human` and `governance.sources`."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.evidence.labels.items import items_of
from suitecase.figures.gates.names import suite_figures
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.plural import counted

_OF_EVALUATORS = ("judges", "human")
_SOURCES = ("governance", "sources")


def governance_keys(path: tuple[str | int, ...], suite: ParsedSuite) -> Iterator[tuple[str, str]]:
    """Yield the names that the mapping at a path may have as keys, with remarks."""
    if len(path) == 1 and path[0] in _OF_EVALUATORS:
        for name in suite_figures(suite).names.evaluators:
            cases = sum(bool(item) for item in items_of(suite, name).values())
            if cases:
                yield name, f"grades {counted(cases, 'case')}"
    elif path == _SOURCES:
        for name, count in _sources(suite).items():
            yield name, f"`metadata.source` of {counted(count, 'case')}"


def _sources(suite: ParsedSuite) -> dict[str, int]:
    found: dict[str, int] = {}
    for profile in suite_figures(suite).profiles:
        source = profile.facts.metadata.get("source")
        if isinstance(source, str):
            found[source] = found.get(source, 0) + 1
    return found
