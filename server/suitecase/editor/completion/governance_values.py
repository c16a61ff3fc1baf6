"""Values of `governance`: licenses, slices of sources, replacements of cases; sources of cases; adjudicators."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.editor.completion.context import Context
from suitecase.evidence.sources import SOURCE_KEY, cases_of_source, source_entries
from suitecase.evidence.spdx import OWN, identifiers
from suitecase.figures.gates.names import suite_figures
from suitecase.format.protocols import Deprecation, Governance, HumanLabels, Source
from suitecase.formats.suitecase.parsed import ParsedSuite
from suitecase.text.node import Mapping, Scalar, Sequence
from suitecase.text.plural import counted

#: Licenses of data sets that are offered first.
_COMMON = ("CC-BY-4.0", "CC-BY-SA-4.0", "CC0-1.0", "ODbL-1.0", "MIT", "Apache-2.0")


def governance_values(context: Context, suite: ParsedSuite) -> Iterator[tuple[str, str]]:
    """Yield the values that are known where the cursor is, with remarks."""
    field = context.field
    if field is None:
        if context.path[-2:] == ("metadata", SOURCE_KEY):
            for name, _ in source_entries(suite.head):
                cases = len(cases_of_source(suite, name))
                yield name, f"source of {counted(cases, 'case')}"
        return
    place = (field.model, field.name)
    if place in ((Governance, "license"), (Source, "license")):
        known = identifiers().current
        for name in (*_COMMON, *(it for it in known if it not in _COMMON)):
            yield name, "SPDX identifier"
        yield f"{OWN}NAME", "a license that SPDX does not list"
    elif place == (Source, "slice"):
        figures = suite_figures(suite)
        for name in figures.slices:
            yield name, "slice"
        for name, cases in figures.tags.most_common():
            if name not in figures.declared:
                yield name, f"tag of {counted(cases, 'case')}"
    elif place == (Deprecation, "replacement"):
        own = context.parent.get("id") if isinstance(context.parent, Mapping) else None
        removed = own.text if isinstance(own, Scalar) else None
        yield from ((it, "case") for it in suite.case_ids if it != removed)
    elif place == (HumanLabels, "adjudicators"):
        siblings = context.parent.items if isinstance(context.parent, Sequence) else []
        taken = {sibling.text for sibling in siblings if isinstance(sibling, Scalar)} - {
            context.word
        }
        yield from ((author, "author") for author in _authors(suite) if author not in taken)


def _authors(suite: ParsedSuite) -> list[str]:
    node = suite.head.node.get("governance") if suite.head.node is not None else None
    authors = node.get("authors") if isinstance(node, Mapping) else None
    listed = authors.items if isinstance(authors, Sequence) else ()
    return [item.text for item in listed if isinstance(item, Scalar)]
