"""Rules on older spellings: understood, reported, and rewritten by a quick fix."""

from __future__ import annotations

import re
from collections.abc import Iterator

from suitecase.rule import Edit, Finding, Fix, Severity, replace, rule
from suitecase.suite.written import WrittenCase, WrittenHead
from suitecase.syntax.document import Document
from suitecase.syntax.node import Mapping, Span


@rule("SC601", Severity.WARNING)
def legacy_rubric_type(part: WrittenHead | WrittenCase) -> Iterator[Finding]:
    """An evaluator has a type of an older format.

    `rubric` is an `llm_judge` with `rubrics`, `code` is a `code_judge`. The older names are
    understood; the fix writes today's.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: rubric  # <- finding
            rubrics:
              - Is warm
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: llm_judge
            rubrics:
              - Is warm
    ```
    """
    for respelled in part.respelled:
        if respelled.kind == "evaluator_type":
            yield Finding(
                respelled.node.span,
                f"the type `{respelled.old}` is called `{respelled.new}` today",
                replace(respelled.node.span, respelled.new, f"Change to `{respelled.new}`"),
            )


@rule("SC602", Severity.WARNING)
def legacy_key(part: WrittenHead | WrittenCase) -> Iterator[Finding]:
    """A key has a name of an older format.

    The older names are understood; the fix writes today's. Values, comments and order stay as they
    are.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        outcome: Says hello  # <- finding
        rubrics:
          - id: warmth
            description: Is warm  # <- finding
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: warmth
            expected_outcome: Is warm
    ```
    """
    for respelled in part.respelled:
        if respelled.kind == "key":
            yield Finding(
                respelled.node.span,
                f"the key `{respelled.old}` of {respelled.what} is called `{respelled.new}` today",
                replace(respelled.node.span, respelled.new, f"Rename to `{respelled.new}`"),
            )


@rule("SC603", Severity.WARNING)
def legacy_case_list(document: Document) -> Iterator[Finding]:
    """The list of cases has a name of an older or another format.

    The list is understood under each of its names; the fix writes today's.

    ```yaml bad
    testcases:  # <- finding
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    key = document.list_key
    if key is not None and key.text != "evalcases":
        span = document.head.absolute(key.span)
        yield Finding(
            span,
            f"the list of cases is called `evalcases`; here it is `{key.text}`",
            replace(span, "evalcases", "Rename to `evalcases`"),
        )


@rule("SC604", Severity.WARNING)
def legacy_range_gate(part: WrittenHead | WrittenCase) -> Iterator[Finding]:
    """A rubric with score ranges has `required: true`.

    With ranges it means that nothing but a 10 passes. `required_min_score` says so, and can say
    less.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: warmth
            required: true  # <- finding
            score_ranges:
              0: Cold
              6: Warm
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: warmth
            required_min_score: 10
            score_ranges:
              0: Cold
              6: Warm
    ```
    """
    for respelled in part.respelled:
        if respelled.kind == "range_gate":
            value = respelled.parent.get("required")
            end = value.end if value is not None else respelled.node.end
            yield Finding(
                respelled.node.span,
                "beside `score_ranges`, `required: true` means `required_min_score: 10`",
                replace(Span(respelled.node.start, end), respelled.new, f"Write `{respelled.new}`"),
            )


@rule("SC605", Severity.WARNING)
def legacy_target(head: WrittenHead) -> Iterator[Finding]:
    """A suite names its target at the top.

    The target of a suite stands under `execution`.

    ```yaml bad
    target: mock  # <- finding
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml fixed
    execution:
      target: mock
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    for respelled in head.respelled:
        if respelled.kind == "target":
            yield Finding(
                respelled.node.span,
                "the `target` of a suite stands under `execution`",
                _move_under_execution(respelled.node.span, respelled.parent, head.source),
            )


def _move_under_execution(key: Span, root: Mapping, source: str) -> Fix | None:
    before = re.split(r"[\r\n]", source[: key.start])[-1].removeprefix("\ufeff")
    if root.flow or "execution" in root or before.strip():
        return None
    return Fix("Move under `execution`", (Edit(key, f"execution:\n{before}  target"),))
