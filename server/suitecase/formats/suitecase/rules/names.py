"""Rules on older names of keys and types: understood, reported, and rewritten by a quick fix."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.checking.rules.judges_without_rubrics import lacks_rubrics
from suitecase.format.rewriting.lines import moved_under, removed
from suitecase.format.rule import Edit, Finding, Fix, Severity, Tag, replace, rule
from suitecase.format.target_files import ParsedTargets
from suitecase.formats.suitecase.legacy.normalize import LegacySyntax, is_list_of_tests
from suitecase.formats.suitecase.legacy.normalize.rubrics import SCORE_RUBRIC
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead, ParsedSuite, looks_like_suite
from suitecase.text.node import Mapping, Span
from suitecase_evaluators.grade.judge.config import LlmJudgeConfig


@rule("SC601", Severity.WARNING, only_of="legacy_syntax", tags=(Tag.DEPRECATED,))
def legacy_rubric_type(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """An evaluator has a type of an older or another format.

    `rubric`, `rubrics` and `llm-grader` are an `llm_judge`, and `code` and `code-grader` are a
    `code_judge`; the current types are written with underscores. The other names are understood;
    the fix replaces them with the current ones.

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
    for legacy_syntax in part.legacy_syntax:
        # Without its rubrics it is found as that: another type would make it grade freely.
        if legacy_syntax.kind == "evaluator_type" and not _lacks_its_rubrics(legacy_syntax):
            yield Finding(
                legacy_syntax.node.span,
                f"the type `{legacy_syntax.old}` is now called `{legacy_syntax.new}`",
                replace(
                    legacy_syntax.node.span, legacy_syntax.new, f"Change to `{legacy_syntax.new}`"
                ),
            )


@rule("SC325", only_of="legacy_syntax")
def rubric_evaluator_without_rubrics(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """An evaluator of type `rubric` has no rubrics.

    Such an evaluator grades by its rubrics. Without them it would be a judge that grades freely, by
    the expected outcome. If that is the intention, use the type `llm_judge`.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: tone
            type: rubric  # <- finding
    ```

    ```yaml good
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
    for legacy_syntax in part.legacy_syntax:
        if _lacks_its_rubrics(legacy_syntax):
            yield Finding(
                legacy_syntax.node.span,
                f"an evaluator of type `{legacy_syntax.old}` grades by its `rubrics`, but this one has "
                "none; add rubrics, or change its type to `llm_judge` for a free-form judge",
            )


def _lacks_its_rubrics(legacy_syntax: LegacySyntax) -> bool:
    """Whether an evaluator is called a `rubric` one, and has nothing that could be its rubrics."""
    if legacy_syntax.kind != "evaluator_type" or legacy_syntax.old not in ("rubric", "rubrics"):
        return False
    judge = legacy_syntax.parent
    return (
        "criteria" not in judge
        and SCORE_RUBRIC not in judge
        and lacks_rubrics(judge, LlmJudgeConfig)
    )


@rule("SC602", Severity.WARNING, only_of="legacy_syntax", tags=(Tag.DEPRECATED,))
def legacy_key(part: ParsedHead | ParsedCase | ParsedTargets) -> Iterator[Finding]:
    """A key has the name of an older or another format.

    The other names are understood; the fix replaces them with the current ones. Values, comments
    and order are kept; a time in milliseconds becomes one in seconds.

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
    for legacy_syntax in part.legacy_syntax:
        if legacy_syntax.kind == "milliseconds":
            entry = legacy_syntax.parent.entries[legacy_syntax.name]
            span = Span(entry.key.start, entry.value.end)
            yield Finding(
                legacy_syntax.node.span,
                f"`{legacy_syntax.old}` of {legacy_syntax.what} is now `{legacy_syntax.new}`",
                replace(span, legacy_syntax.new, f"Write `{legacy_syntax.new}`"),
            )
        if legacy_syntax.kind == "key":
            yield Finding(
                legacy_syntax.node.span,
                f"the key `{legacy_syntax.old}` of {legacy_syntax.what} is now called `{legacy_syntax.new}`",
                replace(
                    legacy_syntax.node.span, legacy_syntax.new, f"Rename to `{legacy_syntax.new}`"
                ),
            )


@rule("SC603", Severity.WARNING, tags=(Tag.DEPRECATED,))
def legacy_case_list(suite: ParsedSuite) -> Iterator[Finding]:
    """The list of cases has the name of an older or another format.

    All of the names are understood; the fix replaces them with the current one. A case in a list
    called `tests` needs no expected outcome if something else grades it; the fix adds one to these
    cases.

    ```yaml bad
    tests:  # <- finding
      - id: greet
        input: Hi
        expected_outcome: Says hello
      - id: leave
        input: Bye
        expected_output: Goodbye!
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
      - id: leave
        input: Bye
        expected_outcome: Agrees with the expected output
        expected_output: Goodbye!
    ```
    """
    key = suite.document.list_key
    if key is not None and key.text != "evalcases" and looks_like_suite(suite.document):
        if is_list_of_tests(key) and suite.all_appended_to:
            return  # the suite's evaluators have to be written out in the same step
        span = suite.head_place(key.span)
        from suitecase.formats.suitecase.legacy.rewrite.assertions import outcomes_written

        outcomes = outcomes_written(suite)
        by_hand = "; first add an `expected_outcome` to each case"
        if suite.kind == "sidecar" and is_list_of_tests(key):
            outcomes, by_hand = None, f"{by_hand} of the data set that lacks one"
        yield Finding(
            span,
            f"the list of cases must be called `evalcases`, not `{key.text}`"
            + (by_hand if outcomes is None else ""),
            Fix("Rename to `evalcases`", (Edit(span, "evalcases"), *outcomes))
            if outcomes is not None
            else None,
        )


@rule("SC604", Severity.WARNING, only_of="legacy_syntax", tags=(Tag.DEPRECATED,))
def legacy_range_gate(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """A rubric with score ranges has `required: true`.

    With ranges it means that only a 10 passes. `required_min_score` says so explicitly, and allows
    lower minimums.

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
    for legacy_syntax in part.legacy_syntax:
        if legacy_syntax.kind == "range_gate":
            value = legacy_syntax.parent.get("required")
            end = value.end if value is not None else legacy_syntax.node.end
            yield Finding(
                legacy_syntax.node.span,
                "beside `score_ranges`, `required: true` means `required_min_score: 10`",
                replace(
                    Span(legacy_syntax.node.start, end),
                    legacy_syntax.new,
                    f"Write `{legacy_syntax.new}`",
                ),
            )


@rule("SC605", Severity.WARNING, only_of="legacy_syntax", tags=(Tag.DEPRECATED,))
def legacy_target(head: ParsedHead) -> Iterator[Finding]:
    """A suite names its target at the top level.

    The target of a suite belongs under `execution`.

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
    for legacy_syntax in head.legacy_syntax:
        if legacy_syntax.kind == "target":
            yield Finding(
                legacy_syntax.node.span,
                "the `target` of a suite belongs under `execution`",
                _move_under_execution(legacy_syntax, head),
            )


def _move_under_execution(legacy_syntax: LegacySyntax, head: ParsedHead) -> Fix | None:
    root = head.content.node
    if not isinstance(root, Mapping):
        return None
    execution = root.get("execution")
    if isinstance(execution, Mapping) and "target" in execution:
        edits = removed(head.source, head.content.node, legacy_syntax.node)
        return Fix("Remove: `execution` names the target", edits) if edits else None
    edits = moved_under(head.source, root, "target", "execution", "target")
    return Fix("Move under `execution`", edits) if edits else None
