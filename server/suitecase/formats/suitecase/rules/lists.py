"""Rules on lists of evaluators of newer formats."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Edit, Finding, Fix, Related, Severity, Tag, rule
from suitecase.formats.suitecase.legacy.normalize import AssertionList, LegacySyntax
from suitecase.formats.suitecase.parsed import (
    ParsedCase,
    ParsedHead,
    ParsedSuite,
    with_legacy_syntax,
)
from suitecase.text.node import Mapping, Span


@rule("SC613", Severity.WARNING, tags=(Tag.DEPRECATED,))
def legacy_assertions(suite: ParsedSuite) -> Iterator[Finding]:
    """Evaluators are listed as `assert` or `assertions`.

    They belong under `evaluators`, each with a name and a type. Texts in such a list are criteria
    for a judge: a list of texts only is the `rubrics` of a case; texts beside other evaluators are
    one `llm_judge`. If the arguments of tool calls were compared as a whole, the fix writes
    `args_match: exact`, for you to decide on. In such a list, a judge's prompt without variables is
    its criteria, and becomes an evaluator of type `criteria`.

    A case with such a list needs no expected outcome. In the current format every case has one, for
    judges and for people: the fix writes that the answer meets the assertions, or agrees with the
    expected output. Replace it with better words.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        assert:  # <- finding
          - Is warm
          - Is short
      - id: count
        input: Count to three.
        assertions:  # <- finding
          - type: contains
            value: two
          - Counts aloud
          - type: llm_judge
            prompt: Check that it is cheerful
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - Is warm
          - Is short
      - id: count
        input: Count to three.
        expected_outcome: Meets what is asserted
        evaluators:
          - name: contains
            type: contains
            value: two
          - name: rubrics
            type: llm_judge
            rubrics:
              - Counts aloud
          - name: criteria
            type: criteria
            criteria: Check that it is cheerful
    ```
    """
    waits = None
    parts: list[tuple[ParsedHead | ParsedCase, int | None]] = []
    if suite.kind != "dataset":  # the head of which is another file, with findings of its own
        parts.append((suite.head, None))
    parts += [(case, number) for number, case in suite.case_index.where(with_legacy_syntax)]
    for part, number in parts:
        for legacy_syntax in part.legacy_syntax:
            if legacy_syntax.kind != "assertions" or legacy_syntax.listed is None:
                continue
            if waits is None:
                waits = bool(suite.all_appended_to)
            fix = None if waits else _converted(part, legacy_syntax)
            span = legacy_syntax.node.span
            message = _called(legacy_syntax, legacy_syntax.listed)
            if suite.kind == "sidecar":
                message += (
                    ", and no longer grades cases of the data set that list evaluators of their own"
                )
            elif not (fix or waits):
                message += "; this cannot be fixed automatically here"
            yield Finding(
                _place(suite, number, span),
                message,
                fix
                and Fix(
                    fix.title,
                    tuple(Edit(_place(suite, number, edit.span), edit.text) for edit in fix.edits),
                    safe=suite.kind != "sidecar",
                ),
            )


def _place(suite: ParsedSuite, number: int | None, span: Span) -> Span:
    return suite.head_place(span) if number is None else suite.place(number, span)


def _converted(part: ParsedHead | ParsedCase, legacy_syntax: LegacySyntax) -> Fix | None:
    from suitecase.formats.suitecase.legacy.rewrite.assertions import (
        converted,  # few suites need it
    )

    edits = converted(part, legacy_syntax)
    return Fix(f"Write as `{legacy_syntax.new}`", edits) if edits else None


def _called(legacy_syntax: LegacySyntax, listed: AssertionList) -> str:
    message = f"`{legacy_syntax.old}` of {legacy_syntax.what} is now `{legacy_syntax.new}`"
    if listed.key != "rubrics" and listed.texts:
        message += ", and its texts are the rubrics of an `llm_judge`"
    return message


@rule("SC614", Severity.WARNING, tags=(Tag.DEPRECATED,))
def appended_evaluators(suite: ParsedSuite) -> Iterator[Finding]:
    """The suite's evaluators grade in addition to those that a case lists.

    That is how the formats with `tests`, `assert` or `assertions` work, and Suitecase grades them
    that way. In the current format the evaluators of a case replace those of the suite. The fix
    copies the suite's evaluators into each case that lists its own, and renames both lists to the
    current names.

    ```yaml bad
    execution:
      evaluators:
        - name: polite
          type: contains
          value: please
    tests:  # <- finding
      - id: greet
        input: Hi
        expected_outcome: Says hello
        execution:
          evaluators:
            - name: hello
              type: contains
              value: hello
      - id: leave
        input: Bye
        expected_outcome: Is polite
    ```

    ```yaml fixed
    execution:
      evaluators:
        - name: polite
          type: contains
          value: please
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        execution:
          evaluators:
            - name: hello
              type: contains
              value: hello
            - name: polite
              type: contains
              value: please
      - id: leave
        input: Bye
        expected_outcome: Is polite
    ```
    """
    waiting = suite.all_appended_to
    key = suite.document.list_key
    if not waiting or key is None:
        return
    from suitecase.formats.suitecase.legacy.rewrite.appending import (
        written_out,  # few suites need it
    )

    edits = written_out(suite)
    by_hand = "; copy them to these cases and rename the list to `evalcases`" if not edits else ""
    count = f"{len(waiting)} cases that list" if len(waiting) > 1 else "1 case that lists"
    first = suite.cases[waiting[0]].node
    yield Finding(
        suite.head_place(key.span),
        f"in this format the suite's evaluators also grade {count} evaluators; in the current "
        f"format those of a case replace them{by_hand}",
        Fix("Copy the suite's evaluators to these cases", edits) if edits else None,
        tuple(
            Related("lists its own evaluators", suite.place(number, _start(node)))
            for number in waiting[:20]
            if (node := suite.cases[number].node) is not None
        )
        if first is not None
        else (),
    )


def _start(node: Mapping) -> Span:
    key = node.key("id")
    return key.span if key is not None else Span(node.start, node.start)
