"""Rules on the messages of older formats."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rewriting.lines import column, dash_of, line_start, newline
from suitecase.format.rule import Edit, Finding, Fix, Severity, Tag, rule
from suitecase.formats.suitecase.legacy.normalize import LegacySyntax
from suitecase.formats.suitecase.parsed import ParsedCase
from suitecase.text.node import Span


@rule("SC611", Severity.WARNING, only_of="legacy_syntax", tags=(Tag.DEPRECATED,))
def legacy_messages(case: ParsedCase) -> Iterator[Finding]:
    """A case has one list of messages that ends with the expected answer.

    The messages to the target belong under `input_messages`, the expected answer under
    `expected_messages`. The assistant messages at the end of the conversation are the expected
    answer; earlier ones are part of the input.

    ```yaml bad
    evalcases:
      - id: greet
        expected_outcome: Says hello
        messages:  # <- finding
          - role: user
            content: Hi
          - role: assistant
            content: Hello!
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        expected_outcome: Says hello
        input_messages:
          - role: user
            content: Hi
        expected_messages:
          - role: assistant
            content: Hello!
    ```
    """
    for legacy_syntax in case.legacy_syntax:
        if legacy_syntax.kind == "messages":
            parted = legacy_syntax.new != "input_messages"
            yield Finding(
                legacy_syntax.node.span,
                "`messages` are now `input_messages`"
                + (", and the answers at their end `expected_messages`" if parted else ""),
                _divided(legacy_syntax, case.source),
            )


def _divided(legacy_syntax: LegacySyntax, source: str) -> Fix | None:
    listed, entry = legacy_syntax.sequence, legacy_syntax.parent.entries["messages"]
    if listed is None or entry.merged:
        return None
    rename = Edit(legacy_syntax.node.span, "input_messages")
    if legacy_syntax.count == len(listed.items):
        return Fix("Rename to `input_messages`", (rename,))
    expected, before = listed.items[legacy_syntax.count], listed.items[legacy_syntax.count - 1]
    title = "Split into `input_messages` and `expected_messages`"
    if listed.flow:
        if legacy_syntax.parent.flow or "\n" in source[listed.start : listed.end]:
            return None
        lead = " " * column(source, entry.key.start)
        text = f"]{newline(source)}{lead}expected_messages: ["
        return Fix(title, (rename, Edit(Span(before.end, expected.start), text)))
    if dash_of(source, expected) is None:
        return None
    start = line_start(source, expected.start)
    # A comment right above the answer is about the answer.
    while source[line_start(source, start - 1) : start].lstrip().startswith("#"):
        start = line_start(source, start - 1)
    lead = " " * column(source, entry.key.start)
    new = f"{lead}expected_messages:{newline(source)}"
    return Fix(title, (rename, Edit(Span(start, start), new)))


@rule("SC612", only_of="legacy_syntax")
def split_content_part(case: ParsedCase) -> Iterator[Finding]:
    """A part of a message is split into two items of the list.

    The first has only a `type`, the second only a `value`; most likely there is a dash too many.
    Neither can be sent to a target.

    ```yaml bad
    evalcases:
      - id: greet
        input:
          - role: user
            content:
              - type: text
              - value: Hi  # <- finding
        expected_outcome: Says hello
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input:
          - role: user
            content:
              - type: text
                value: Hi
        expected_outcome: Says hello
    ```
    """
    for legacy_syntax in case.legacy_syntax:
        if legacy_syntax.kind == "split_content":
            dash = dash_of(case.source, legacy_syntax.parent)
            edits = (Edit(Span(dash, dash + 1), " "),) if dash is not None else ()
            yield Finding(
                legacy_syntax.node.span,
                "this `value` is in an item of its own, and the item before it has a `type` but "
                "no `value`; remove this dash to make them one part, or complete both",
                Fix("Join with the item before", edits, safe=False) if edits else None,
            )
