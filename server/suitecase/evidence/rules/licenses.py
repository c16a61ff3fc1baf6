"""Rules on licenses: of the suite, and of the sources of its cases."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.evidence.governed import GovernedSuite
from suitecase.evidence.sources import cases_of_source, source_entries, sources_of
from suitecase.evidence.spdx import license_problem
from suitecase.format.rule import Finding, Severity, replace, rule
from suitecase.format.workspace import Folder
from suitecase.text.embedded import embedded
from suitecase.text.node import Mapping, Node, Scalar
from suitecase.text.plural import counted


@rule("SC911", gradable=True, affects="release")
def unlicensed_source(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A source of cases has no license.

    What is published with the cases of a source has to keep to its license, so `license` has to say
    which one that is: an SPDX identifier, or `LicenseRef-NAME` for any other terms. `suitecase
    publish` refuses a suite in which it is unknown.

    ```yaml bad
    governance:
      sources:
        shoe-thesaurus:  # <- finding
          notice: Contains terms of the Shoe Thesaurus 7.
    evalcases:
      - id: size
        input: The shoes are too small.
        expected_outcome: Names the topic
        metadata: {source: shoe-thesaurus}
    ```

    ```yaml good
    governance:
      sources:
        shoe-thesaurus:
          license: LicenseRef-ShoeThesaurus-7
          notice: Contains terms of the Shoe Thesaurus 7.
    evalcases:
      - id: size
        input: The shoes are too small.
        expected_outcome: Names the topic
        metadata: {source: shoe-thesaurus}
    ```
    """
    if not suite.has_head:
        return
    sources = sources_of(suite.head)
    for name, entry in source_entries(suite.head):
        source = sources.get(name)
        written = isinstance(entry.value, Mapping) and "license" in entry.value
        if source is None or written:
            continue
        cases = len(cases_of_source(suite.suite, name))
        of_it = f"{counted(cases, 'case')} {'is' if cases == 1 else 'are'} of it"
        yield Finding(
            suite.head_span(entry.key.span),
            f"the source `{name}` has no `license`" + (f", and {of_it}" if cases else ""),
        )


@rule("SC912", Severity.WARNING)
def unknown_license(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A license is not an SPDX license expression.

    Programs that collect licenses know them by the identifiers of the SPDX license list, such as
    `CC-BY-4.0`. Several are combined as in `MIT OR Apache-2.0`, and a license that is not in the
    list is `LicenseRef-NAME`, with a name of your choice. Deprecated identifiers are reported, too.

    ```yaml bad
    governance:
      license: CC-BY4  # <- finding@12
      sources:
        forum:
          license: GPL-2.0  # <- finding@16
    evalcases:
      - id: size
        input: The shoes are too small.
        expected_outcome: Names the topic
        metadata: {source: forum}
    ```

    ```yaml fixed
    governance:
      license: CC-BY-4.0
      sources:
        forum:
          license: GPL-2.0-only
    evalcases:
      - id: size
        input: The shoes are too small.
        expected_outcome: Names the topic
        metadata: {source: forum}
    ```
    """
    if not suite.has_head:
        return
    for node in _licenses(suite):
        problem = license_problem(node.text)
        if problem is None:
            continue
        place = embedded(node, suite.head.source).span(problem.start, problem.end)
        span = suite.head_span(place)
        fix = None
        if problem.meant is not None:
            fix = replace(span, problem.meant, f"Change to `{problem.meant}`", safe=False)
        yield Finding(span, problem.message, fix)


def _licenses(suite: GovernedSuite) -> Iterator[Scalar]:
    governance = suite.under("governance")
    entries = [it.value for _, it in source_entries(suite.head)]
    for holder in (governance, *entries):
        node: Node | None = holder.get("license") if isinstance(holder, Mapping) else None
        if isinstance(node, Scalar) and isinstance(node.value, str) and node.text.strip():
            yield node
