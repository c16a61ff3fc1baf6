"""Rules on canaries: texts by which a suite can be found in training data."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import lru_cache

from suitecase.evidence.governed import GovernedSuite
from suitecase.format.rule import Finding, Fix, Severity, replace, rule
from suitecase.format.workspace import Folder
from suitecase.formats.suitecase.parsed import ParsedCase
from suitecase.text.emitting import in_quotes
from suitecase.text.node import Mapping, Scalar, Span


@rule("SC915", Severity.WARNING)
def canary_missing(suite: GovernedSuite, folder: Folder) -> Iterator[Finding]:
    """The canary of a data set is not in the data set.

    A canary shows that the cases were in a model's training data, and lets those who collect such
    data leave the cases out. It has to be where the cases are: in the sidecar alone, it is left
    behind when the data set is copied. The fix adds it to the metadata of the first case.

    ```jsonl bad
    {"id": "late", "input": "My parcel is late.", "expected_outcome": "Says sorry"}  # <- finding@8
    ```

    ```yaml bad file=suite.yaml
    governance:
      canary: 5b0f0e9e-2d0c-4a53-9a33-6a1f0a2b7c11
    ```

    ```jsonl fixed
    {"id": "late", "input": "My parcel is late.", "expected_outcome": "Says sorry", "metadata": {"canary": "5b0f0e9e-2d0c-4a53-9a33-6a1f0a2b7c11"}}
    ```

    ```yaml fixed file=suite.yaml
    governance:
      canary: 5b0f0e9e-2d0c-4a53-9a33-6a1f0a2b7c11
    ```
    """
    if suite.file.kind != "dataset" or not suite.suite.cases:
        return
    governance = suite.under("governance")
    canary = governance.get("canary") if governance is not None else None
    if not isinstance(canary, Scalar) or not canary.text.strip():
        return
    if suite.suite.case_index.any(_with(canary.text.strip())):
        return
    first = suite.suite.cases[0]
    place = first.id.span if first.id is not None else Span(0, min(1, len(first.source)))
    fix = _added(first, canary.text.strip())
    yield Finding(
        suite.case_span(0, place),
        f"the canary `{canary.text.strip()}` is in the sidecar only, not in the data set, so copies of "
        "the cases are without it",
        fix=fix.moved(lambda span: suite.case_span(0, span)) if fix is not None else None,
    )


@lru_cache(maxsize=16)
def _with(canary: str) -> Callable[[ParsedCase], ParsedCase | None]:
    """Return a look for `ParsedSuite.case_index`: the cases with a canary."""
    forms = {canary, json.dumps(canary)[1:-1], json.dumps(canary, ensure_ascii=False)[1:-1]}
    return lambda case: case if any(form in case.source for form in forms) else None


def _added(case: ParsedCase, canary: str) -> Fix | None:
    """Return the fix that adds the canary to the metadata of a case of a data set."""
    node = case.node
    if case.content.broken or node is None or not node.entries:
        return None
    title = "Add the canary to the first case"
    entry = f'"canary": {in_quotes(canary)}'
    metadata = node.get("metadata")
    if metadata is None:
        end = node.end - 1
        return replace(Span(end, end), f', "metadata": {{{entry}}}', title)
    if not isinstance(metadata, Mapping) or "canary" in metadata:
        return None
    start = metadata.start + 1
    return replace(Span(start, start), f"{entry}, " if metadata.entries else entry, title)
