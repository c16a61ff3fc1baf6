"""Rules on settings of other formats that have no effect, or are elsewhere in the current one."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rewriting.lines import moved_under, removed
from suitecase.format.rule import Edit, Finding, Fix, Severity, Tag, replace, rule
from suitecase.formats.suitecase.legacy.normalize import LegacySyntax
from suitecase.formats.suitecase.parsed import (
    ParsedCase,
    ParsedHead,
    ParsedSuite,
    with_legacy_syntax,
)
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span
from suitecase_evaluators.targets.variable_names import PLACEHOLDER


@rule("SC606", Severity.WARNING, only_of="legacy_syntax", tags=(Tag.DEPRECATED, Tag.UNNECESSARY))
def legacy_setting(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """A setting of an older or another format has no effect.

    It named the format, or requested what is now the default. The fix removes it.

    ```yaml bad
    $schema: agentv-eval-v2  # <- finding
    evaluator: llm_judge  # <- finding
    evalcases:
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
    for legacy_syntax in part.legacy_syntax:
        if legacy_syntax.kind == "gone":
            edits = removed(part.source, part.content.node, legacy_syntax.node)
            fix = Fix(f"Remove `{legacy_syntax.name}`", edits) if edits else None
            yield Finding(legacy_syntax.node.span, legacy_syntax.new, fix)


@rule("SC607", Severity.WARNING, only_of="legacy_syntax", tags=(Tag.DEPRECATED,))
def legacy_min_score(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """A rubric has a minimum score on the scale from 0 to 1.

    Judges score ranges from 0 to 10, and `required_min_score` uses the same scale.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: warmth
            min_score: 0.7  # <- finding
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
            required_min_score: 7
            score_ranges:
              0: Cold
              6: Warm
    ```
    """
    for legacy_syntax in part.legacy_syntax:
        if legacy_syntax.kind == "min_score":
            entry = legacy_syntax.parent.entries[legacy_syntax.name]
            span = Span(entry.key.start, entry.value.end)
            yield Finding(
                legacy_syntax.node.span,
                f"the minimum score of a rubric is on the scale 0 to 10: `{legacy_syntax.old}` is now "
                f"`{legacy_syntax.new}`",
                replace(span, legacy_syntax.new, f"Write `{legacy_syntax.new}`"),
            )


@rule("SC608", Severity.WARNING, only_of="legacy_syntax", tags=(Tag.DEPRECATED,))
def legacy_metadata(head: ParsedHead) -> Iterator[Finding]:
    """Metadata of a suite is at its top level instead of under `metadata`.

    Newer formats have `tags`, `author`, `license` and `requires` there. They are stored and do not
    affect grading.

    ```yaml bad
    tags: [greetings]  # <- finding
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```

    ```yaml fixed
    metadata:
      tags: [greetings]
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    for legacy_syntax in head.legacy_syntax:
        if legacy_syntax.kind == "metadata":
            name, root = legacy_syntax.name, head.content.node
            into = root.get("metadata") if isinstance(root, Mapping) else None
            edits = None
            if isinstance(root, Mapping) and not (isinstance(into, Mapping) and name in into):
                edits = moved_under(head.source, root, name, "metadata", name)
            yield Finding(
                legacy_syntax.node.span,
                f"`{name}` of a suite belongs under `metadata`",
                Fix("Move under `metadata`", edits) if edits else None,
            )


@rule("SC609", Severity.WARNING, only_of="legacy_syntax", tags=(Tag.DEPRECATED, Tag.UNNECESSARY))
def legacy_ignored_arguments(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """The arguments of an expected tool call are listed, but are set to be ignored.

    Write `args: any` instead.

    ```yaml bad
    evalcases:
      - id: search
        input: Look it up.
        expected_outcome: Searches
        evaluators:
          - name: tools
            type: tool_trajectory
            mode: in_order
            expected:
              - tool: search
                args: {query: it}  # <- finding
                args_match: ignore
    ```

    ```yaml fixed
    evalcases:
      - id: search
        input: Look it up.
        expected_outcome: Searches
        evaluators:
          - name: tools
            type: tool_trajectory
            mode: in_order
            expected:
              - tool: search
                args: any
    ```
    """
    for legacy_syntax in part.legacy_syntax:
        if legacy_syntax.kind == "any_arguments":
            yield Finding(
                legacy_syntax.node.span,
                "these arguments are ignored (`args_match: ignore`); write `args: any` instead",
                _any_arguments(legacy_syntax, part),
            )


def _any_arguments(legacy_syntax: LegacySyntax, part: ParsedHead | ParsedCase) -> Fix | None:
    entry, source = legacy_syntax.parent.entries[legacy_syntax.name], part.source
    if "#" in source[entry.key.end : entry.value.end]:
        return None
    edits = [Edit(Span(entry.key.end, entry.value.end), ": any")]
    match = legacy_syntax.parent.key("args_match")
    if match is not None:
        also = removed(source, part.content.node, match)
        if also is None:
            return None
        edits += also
    return Fix("Write `args: any`", tuple(edits))


@rule("SC610", Severity.WARNING, tags=(Tag.DEPRECATED,))
def legacy_skip_defaults(suite: ParsedSuite) -> Iterator[Finding]:
    """A case opts out of the suite's evaluators.

    A case that lists evaluators is graded only by them, so `skip_defaults` has no effect there. In
    a case without a list, an empty list has the same effect.

    ```yaml bad
    execution:
      evaluators:
        - {name: polite, type: contains, value: please}
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        execution:
          skip_defaults: true  # <- finding
          evaluators:
            - {name: hello, type: contains, value: hello}
      - id: leave
        input: Bye
        expected_outcome: Is polite
    ```

    ```yaml fixed
    execution:
      evaluators:
        - {name: polite, type: contains, value: please}
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        execution:
          evaluators:
            - {name: hello, type: contains, value: hello}
      - id: leave
        input: Bye
        expected_outcome: Is polite
    ```
    """
    for number, case in suite.case_index.where(with_legacy_syntax):
        for legacy_syntax in case.legacy_syntax:
            if legacy_syntax.kind == "skip_defaults":
                fix = None if suite.appends else _without_skipping(legacy_syntax, case)
                yield Finding(
                    suite.place(number, legacy_syntax.node.span),
                    f"`{legacy_syntax.old}` is no longer needed: the evaluators that a case lists "
                    "replace those of the suite",
                    fix
                    and Fix(
                        fix.title,
                        tuple(
                            Edit(suite.place(number, edit.span), edit.text) for edit in fix.edits
                        ),
                    ),
                )


def _without_skipping(legacy_syntax: LegacySyntax, case: ParsedCase) -> Fix | None:
    entry = legacy_syntax.parent.entries[legacy_syntax.name]
    if legacy_syntax.new:
        span = Span(entry.key.start, entry.value.end)
        return replace(span, legacy_syntax.new, f"Write `{legacy_syntax.new}`")
    key: Scalar | None = legacy_syntax.node
    if len(legacy_syntax.parent.entries) == 1 and isinstance(case.content.node, Mapping):
        key = case.content.node.key("execution")
    edits = removed(case.source, case.content.node, key) if key is not None else None
    return Fix("Remove `skip_defaults`", edits) if edits else None


@rule("SC622", Severity.WARNING)
def unexpanded_variable(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """A value contains an environment variable, which is filled in only in targets files.

    From version 4 on, AgentV replaces `${{ NAME }}` anywhere in a suite. Suitecase sends it and
    compares it literally. Move whatever differs between machines to the targets file, and write the
    literal value here.

    ```yaml bad
    evalcases:
      - id: greet
        input: "${{ GREETING }}"  # <- finding
        expected_outcome: Says hello
    ```

    ```yaml good
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
    ```
    """
    if "${{" not in part.source or part.node is None:
        return
    for scalar in _scalars(part.node):
        named = (
            PLACEHOLDER.fullmatch(scalar.text.strip()) if isinstance(scalar.value, str) else None
        )
        if named and named[1].isupper():  # as variables of the environment are, and of prompts not
            yield Finding(
                scalar.span,
                f"`{scalar.text.strip()}` is not expanded here, since environment variables are "
                f"replaced only in targets files; write the literal value",
            )


def _scalars(node: Node) -> Iterator[Scalar]:
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Mapping):
        for name, entry in node:
            if not name.startswith("x-"):
                yield from _scalars(entry.value)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _scalars(item)
