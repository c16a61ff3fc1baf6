"""Rules on YAML that promptfoo reads in another way than most other tools do."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from suitecase.format.rule import Edit, Finding, Fix, Severity, replace, rule
from suitecase.formats.promptfoo.suite.parsed import (
    ParsedAssertion,
    ParsedTestBody,
    PromptfooHead,
    PromptfooTest,
)
from suitecase.text.node import Mapping, Node, Scalar, Sequence, Span
from suitecase_evaluators.promptfoo.ecmascript import as_double, as_text
from suitecase_evaluators.text.written_number import exact

#: What js-yaml takes for a date or a time.
_TIMESTAMP = re.compile(
    r"\d{4}-\d\d-\d\d"
    r"|\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?"
)
_LINE = re.compile(r"\n(?P<indent> *)(?=[^ \r\n])")
_LINE_BUT_COMMENTS = re.compile(_LINE.pattern + "(?!#)")
_DASH = re.compile(r"(?<!\S)-[ \t]++(?:[&!]\S*+[ \t]++)*+\Z")


@rule("PF001")
def insufficient_indentation(part: PromptfooHead | PromptfooTest) -> Iterator[Finding]:
    """A text in quotes, or a list or mapping in brackets, goes on too far to the left.

    Each of its lines, the one with the closing bracket included, has to be indented deeper than the key
    that it belongs to. Most readers of YAML accept it; promptfoo 0.121 reads YAML with js-yaml 5,
    which refuses the whole file: `deficient indentation`. Earlier versions of promptfoo accept it.

    ```yaml bad
    prompts: ["Greet {{name}}"]
    providers: [
      echo
    ]  # <- finding
    tests:
      - vars: {name: Ann}
        assert:
          - type: contains
            value: "Hello
            Ann"  # <- finding
    ```

    ```yaml fixed
    prompts: ["Greet {{name}}"]
    providers: [
      echo
      ]
    tests:
      - vars: {name: Ann}
        assert:
          - type: contains
            value: "Hello
              Ann"
    ```
    """
    if part.reading.refuses_shallow_lines and "\n" in part.source:
        node, source = part.content.node, part.source
        is_item = isinstance(part, PromptfooTest)
        parent = _column_of_dash(source, node.start) if is_item and node is not None else -1
        yield from _shallow(node, source, parent)


def _shallow(node: Node | None, source: str, parent: int) -> Iterator[Finding]:
    """Yield the lines in a node that are indented no deeper than the column of its parent."""
    if node is None or "\n" not in source[node.start : node.end]:
        return
    if isinstance(node, Mapping) and not node.flow:
        for _, (key, value, merged) in node:
            if not merged:
                yield from _shallow(value, source, _column(source, key.start))
    elif isinstance(node, Sequence) and not node.flow:
        for item in node.items:
            yield from _shallow(item, source, _column_of_dash(source, item.start))
    elif not isinstance(node, Scalar) or node.style in ('"', "'"):
        pattern = _LINE if isinstance(node, Scalar) else _LINE_BUT_COMMENTS
        lines = pattern.finditer(source, node.start, node.end)
        found = [line for line in lines if len(line["indent"]) <= parent]
        if found:
            yield _continued_at_left(found, parent)


def _continued_at_left(lines: list[re.Match[str]], parent: int) -> Finding:
    edits = tuple(
        Edit(Span(line.end(), line.end()), " " * (parent + 2 - len(line["indent"])))
        for line in lines
        if len(line["indent"]) <= parent
    )
    at = lines[0].end()
    return Finding(
        Span(at, at + 1),
        "promptfoo refuses the file: this line belongs to the value above, and has to be indented "
        f"deeper than its key, by {parent + 1} {'space' if parent == 0 else 'spaces'} at least",
        Fix("Indent the lines of the value", edits),
    )


def _column(source: str, offset: int) -> int:
    return offset - (source.rfind("\n", 0, offset) + 1)


def _column_of_dash(source: str, offset: int) -> int:
    """Return the column of the dash before an item; -1 if none is before it on its line."""
    start = source.rfind("\n", 0, offset) + 1
    dash = _DASH.search(source, start, offset)
    return dash.start() - start if dash else -1


@rule("PF002", Severity.WARNING)
def unquoted_date(entry: ParsedTestBody | ParsedAssertion) -> Iterator[Finding]:
    """A date without quotes is sent as `[object Object]`.

    promptfoo reads a date without quotes as a date and not as text. In a prompt, and where it is
    compared with an answer, a date becomes the text `[object Object]`; `contains` and other assertions
    end with an error, after the model was asked. In quotes it stays what it is.

    ```yaml bad
    prompts: ["What happened on {{day}}?"]
    providers: [echo]
    tests:
      - vars:
          day: 1989-11-09  # <- finding
        assert: [{type: contains, value: happened}]
    ```

    ```yaml fixed
    prompts: ["What happened on {{day}}?"]
    providers: [echo]
    tests:
      - vars:
          day: "1989-11-09"
        assert: [{type: contains, value: happened}]
    ```
    """
    if not entry.reading.reads_dates:
        return
    values = entry.variables if isinstance(entry, ParsedTestBody) else entry.node.get("value")
    for scalar in _scalars(values):
        if not scalar.style and scalar.tag is None and _TIMESTAMP.fullmatch(scalar.text):
            yield Finding(
                scalar.span,
                f"promptfoo reads {scalar.text} as a date, which becomes `[object Object]`; write it in "
                "quotes",
                replace(scalar.span, f'"{scalar.text}"', "Write it in quotes"),
            )


@rule("PF005", Severity.WARNING)
def digits_lost(entry: ParsedTestBody | ParsedAssertion) -> Iterator[Finding]:
    """A number has more digits than promptfoo keeps.

    promptfoo, like all programs in JavaScript, holds 15 to 17 digits of a number. Of more digits, which
    numbers of orders and accounts often have, it reads the nearest number that it holds: so it asks with
    another number, and compares answers with another number. In quotes, the number stays what it is.

    ```yaml bad
    prompts: ["What was in order {{order}}?"]
    providers: [echo]
    tests:
      - vars:
          order: 9007199254740993  # <- finding
        assert: [{type: contains, value: order}]
    ```

    ```yaml fixed
    prompts: ["What was in order {{order}}?"]
    providers: [echo]
    tests:
      - vars:
          order: "9007199254740993"
        assert: [{type: contains, value: order}]
    ```
    """
    values = entry.variables if isinstance(entry, ParsedTestBody) else entry.node.get("value")
    texts = _texts(entry)
    for scalar in _scalars(values):
        number = scalar.value
        if not isinstance(number, int | float) or isinstance(number, bool):
            continue
        held = as_double(number)
        if not math.isfinite(held) or exact(number) == exact(held):
            continue
        tool, shown = entry.reading.vocabulary.tool, as_text(held)
        message = f"{tool} reads {scalar.text} as {shown}, which is another number"
        if scalar not in texts or scalar.tag is not None:
            yield Finding(scalar.span, message)  # in quotes, it would not be a number
        else:
            fix = replace(scalar.span, f'"{scalar.text}"', "Write it in quotes")
            yield Finding(scalar.span, f"{message}; write it in quotes", fix)


def _texts(entry: ParsedTestBody | ParsedAssertion) -> list[Node]:
    """Return the values that are filled into texts, or compared with them."""
    if isinstance(entry, ParsedTestBody):
        variables = entry.variables
        values = (
            [variable.value for _, variable in variables] if isinstance(variables, Mapping) else []
        )
    else:
        value = entry.node.get("value")
        values = [value] if value is not None else []
    listed = [item for node in values if isinstance(node, Sequence) for item in node.items]
    return [*values, *listed]


def _scalars(node: Node | None) -> Iterator[Scalar]:
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Mapping):
        for _, entry in node:
            yield from _scalars(entry.value)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _scalars(item)
