"""Rules on mappings whose type is selected by one of their keys."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

from suitecase.checking.rules.issue_places import issues_of
from suitecase.format.rule import Finding, replace, rule
from suitecase.format.target_files import ParsedTargets
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, keys_of
from suitecase.schema.fields import alternatives
from suitecase.schema.validation import IssueKind, ValidationIssue
from suitecase.text.near_names import nearest
from suitecase.text.node import Mapping, Scalar, describe
from suitecase_evaluators.targets.config import PROVIDERS


@cache
def _unions() -> dict[str, Any]:
    """Return what a mapping of several kinds may be, by its key."""
    from suitecase_evaluators.grade.composite import CompositeConfig
    from suitecase_evaluators.targets.config.cli import Healthcheck

    return {
        "aggregator": CompositeConfig.model_fields["aggregator"].annotation,
        "healthcheck": Healthcheck,
    }


@rule("SC107", only_of="issues", issues=(IssueKind.COMPONENT_TYPE,))
def unknown_type(part: ParsedHead | ParsedCase | ParsedTargets) -> Iterator[Finding]:
    """An aggregator or a health check has an unknown type.

    Its `type` determines how it works, and which keys it has.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: manners
            type: composite
            evaluators:
              - {name: hello, type: icontains, value: hello}
            aggregator:
              type: weighted_avrage  # <- finding
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: manners
            type: composite
            evaluators:
              - {name: hello, type: icontains, value: hello}
            aggregator:
              type: weighted_average
    ```
    """
    for issue in issues_of(part, unknown_type):
        of = "health check" if issue.field == "healthcheck" else issue.field
        yield _finding(issue, "type", _types(issue.field), of)


@rule("SC512", only_of="issues", issues=(IssueKind.TARGET_PROVIDER,))
def unknown_provider(targets: ParsedTargets) -> Iterator[Finding]:
    """A target has an unknown provider.

    The provider determines what is called, and which keys the target has. A target with a missing
    or misspelled provider cannot be used. The other targets of the file can.

    ```yaml bad
    targets:
      - name: small
        provider: opnai  # <- finding
        model: gpt-4o-mini
      - name: large  # <- finding
        model: gpt-4o
    ```

    ```yaml good
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
      - name: large
        provider: openai
        model: gpt-4o
    ```

    ```yaml bad
    targets:
      - name: small
        provider: opnai  # <- finding
        model: gpt-4o-mini
    ```

    ```yaml fixed
    targets:
      - name: small
        provider: openai
        model: gpt-4o-mini
    ```
    """
    for issue in issues_of(targets, unknown_provider):
        yield _finding(issue, "provider", tuple(PROVIDERS), "target")


def _types(field: str) -> tuple[str, ...]:
    """Return the types that a mapping of several kinds may have."""
    models = alternatives(_unions()[field])
    return tuple(
        str(name) for model in models for name in get_args(model.model_fields["type"].annotation)
    )


@cache
def _known_keys() -> frozenset[str]:
    """Return every key that such a mapping may have: none of them is misspelled."""
    from suitecase_evaluators.targets.config.file import TargetEntry

    unions = (TargetEntry, *_unions().values())
    return frozenset(
        key
        for union in unions
        for alternative in alternatives(union)
        for key in keys_of(alternative)
    )


def _finding(issue: ValidationIssue, key: str, known: tuple[str, ...], of: str) -> Finding:
    """Return the finding for the key that selects the type of a mapping."""
    keys = issue.node.entries if isinstance(issue.node, Mapping) else {}
    value = keys[key].value if key in keys else None
    listed = ", ".join(f"`{it}`" for it in known)
    if value is None:
        strange = [it for it in keys if it not in _known_keys()]
        near = keys.get(nearest(key, strange) or "")
        hint = (
            f"did you mean `{key}` instead of `{near.key.text}`?"
            if near
            else f"expected one of {listed}"
        )
        return Finding(near.key.span if near else issue.span, f"this {of} has no `{key}`; {hint}")
    if not isinstance(value, Scalar) or not value.text.strip():
        return Finding(
            keys[key].key.span, f"`{key}` must be one of {listed}; got {describe(value)}"
        )
    suggestion = nearest(value.text, known)
    message = f"unknown {of} {key} `{value.text}`" + (
        f"; did you mean `{suggestion}`?" if suggestion else f"; expected one of {listed}"
    )
    fix = (
        replace(value.span, suggestion, f"Change to `{suggestion}`", safe=False)
        if suggestion
        else None
    )
    return Finding(value.span, message, fix)
