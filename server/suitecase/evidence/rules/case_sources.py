"""Rules on which cases are of a source."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.evidence.governed import GovernedSuite
from suitecase.evidence.sources import (
    SOURCE_KEY,
    cases_of_source,
    named_sources,
    source_entries,
    sources_of,
)
from suitecase.figures.gates.names import suite_figures
from suitecase.format.rule import Finding, Severity, replace, rule
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.parsed import ParsedCase
from suitecase.text.near_names import nearest
from suitecase.text.node import Mapping, Scalar, Sequence


@rule("SC918", Severity.WARNING)
def undeclared_source(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """A case names a source that is not declared.

    The license, the notice and the restrictions of a source are under its name in
    `governance.sources`. A case whose `metadata.source` is another name has none of them, and
    `suitecase publish` refuses it. A suite without `governance.sources` may use the key for anything.

    ```yaml bad
    governance:
      sources:
        shoe-thesaurus: {license: CC-BY-4.0, restricted: [expected_output]}
    evalcases:
      - id: size
        input: The shoes are too small.
        expected_outcome: Names the topic
        metadata: {source: shoe-thesaurus}
      - id: late
        input: My parcel is late.
        expected_outcome: Names the topic
        metadata: {source: shoe-thesuarus}  # <- finding@24
    ```

    ```yaml fixed
    governance:
      sources:
        shoe-thesaurus: {license: CC-BY-4.0, restricted: [expected_output]}
    evalcases:
      - id: size
        input: The shoes are too small.
        expected_outcome: Names the topic
        metadata: {source: shoe-thesaurus}
      - id: late
        input: My parcel is late.
        expected_outcome: Names the topic
        metadata: {source: shoe-thesaurus}
    ```
    """
    declared = {name for name, _ in source_entries(suite.head)}
    if not suite.has_cases or not declared:
        return
    for name, numbers in named_sources(suite_figures(suite.suite)).items():
        if name in declared:
            continue
        meant = nearest(name, declared)
        hint = f"; did you mean `{meant}`?" if meant else ""
        for number in numbers:
            node = _source_named(suite, number, name)
            if node is None:
                continue
            span = suite.case_span(number, node.span)
            fix = replace(span, meant, f"Change to `{meant}`", safe=False) if meant else None
            yield Finding(span, f"`governance.sources` has no `{name}`{hint}", fix)


def _source_named(suite: GovernedSuite, number: int, name: str) -> Scalar | None:
    node = suite.suite.cases[number].node
    metadata = node.get("metadata") if node is not None else None
    source = metadata.get(SOURCE_KEY) if isinstance(metadata, Mapping) else None
    listed = source.items if isinstance(source, Sequence) else [source]
    scalars = [item for item in listed if isinstance(item, Scalar)]
    return next(
        (scalar for scalar in scalars if scalar.text == name), scalars[0] if scalars else None
    )


@rule("SC919", gradable=True, affects="release")
def source_without_cases(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """No case is of a source.

    What a source restricts would be published: either its `slice` is the name of no slice and of no
    tag, or no case has its name as `metadata.source`.

    ```yaml bad
    governance:
      sources:
        shoe-thesaurus:
          slice: thesuarus  # <- finding@14
          license: CC-BY-4.0
    evalcases:
      - id: size
        input: The shoes are too small.
        expected_outcome: Names the topic
        tags: [thesaurus]
    ```

    ```yaml fixed
    governance:
      sources:
        shoe-thesaurus:
          slice: thesaurus
          license: CC-BY-4.0
    evalcases:
      - id: size
        input: The shoes are too small.
        expected_outcome: Names the topic
        tags: [thesaurus]
    ```
    """
    figures = suite_figures(suite.suite)
    if not suite.has_head or not suite.suite.cases or suite.suite.case_index.any(_with_errors):
        return  # it is unknown which cases are of a source
    declared = sources_of(suite.head)
    for name, entry in source_entries(suite.head):
        source = declared.get(name)
        if source is None or cases_of_source(suite.suite, name):
            continue
        node = entry.value.get("slice") if isinstance(entry.value, Mapping) else None
        if source.slice is None and node is not None:
            continue  # it has no value, which has a rule of its own
        if source.slice is None or not isinstance(node, Scalar):
            message = f"no case has `metadata.source: {name}`, and the source has no `slice`"
            yield Finding(suite.head_span(entry.key.span), message)
            continue
        span = suite.head_span(node.span)
        if source.slice in figures.declared:
            continue  # the slice is empty, which has a rule of its own
        if figures.choose(source.slice) is not None:
            yield Finding(span, f"no case is in the slice `{source.slice}`")
            continue
        meant = nearest(source.slice, [*figures.declared, *figures.tags])
        hint = f"; did you mean `{meant}`?" if meant else ""
        fix = replace(span, meant, f"Change to `{meant}`", safe=False) if meant else None
        yield Finding(span, f"no slice and no tag is called `{source.slice}`{hint}", fix)


def _with_errors(case: ParsedCase) -> ParsedCase | None:
    return case if case.model is None else None
