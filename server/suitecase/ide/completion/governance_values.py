"""Values of `governance`: licenses, slices of sources, replacements of cases; and sources of cases."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.ide.completion.context import Context
from suitecase.suite.counted import counted
from suitecase.suite.gates.names import suite_figures
from suitecase.suite.parsed import ParsedSuite
from suitecase.suite.protocols import Deprecation, Governance, Source
from suitecase.suite.sources import SOURCE_KEY, cases_of_source, source_entries
from suitecase.suite.spdx import OWN, identifiers

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
        yield from ((it, "case") for it in suite.case_ids)
