"""The rule on flags of regular expressions, which AgentV has in a key of their own."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rewriting.lines import removed
from suitecase.format.rule import Edit, Finding, Fix, Severity, Tag, rule
from suitecase.formats.suitecase.legacy.normalize import LegacySyntax
from suitecase.formats.suitecase.parsed import ParsedCase, ParsedHead
from suitecase.text.node import Scalar, Span


@rule("SC626", Severity.WARNING, only_of="legacy_syntax", tags=(Tag.DEPRECATED,))
def legacy_regex_flags(part: ParsedHead | ParsedCase) -> Iterator[Finding]:
    """The flags of a regular expression are in a key of their own.

    They belong at the start of the expression: `(?i)` matches letters of both cases.

    ```yaml bad
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: hello
            type: regex
            value: ^hello
            flags: i  # <- finding
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        evaluators:
          - name: hello
            type: regex
            value: (?i)^hello
    ```
    """
    for syntax in part.legacy_syntax:
        if syntax.kind == "regex_flags":
            there = f"`{syntax.new}` at the start of `value`" if syntax.new else "not needed"
            yield Finding(
                syntax.node.span, f"`flags` of a regex is now {there}", _inline(part, syntax)
            )


def _inline(part: ParsedHead | ParsedCase, syntax: LegacySyntax) -> Fix | None:
    value = syntax.parent.get("value")
    gone = removed(part.source, part.content.node, syntax.node)
    if gone is None or not isinstance(value, Scalar) or value.style not in ("", "'", '"'):
        return None
    start = value.start + len(value.style)
    edits = (Edit(Span(start, start), syntax.new), *gone) if syntax.new else tuple(gone)
    return Fix("Write the flags in the expression" if syntax.new else "Remove `flags`", edits)
