"""Rules on where assertions stand, and on entries that are none."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rewriting.lines import (
    block_of,
    column,
    dash_of,
    indented,
    line_end,
    newline,
    starts_line,
)
from suitecase.format.rewriting.removing import entry_removed, loses_nothing
from suitecase.format.rule import DeferredFix, Edit, Finding, Fix, rule
from suitecase.formats.promptfoo.suite.parsed import ParsedTestBody
from suitecase.text.document import Content
from suitecase.text.near_names import nearest
from suitecase.text.node import Entry, Mapping, Node, Sequence, Span

#: What an assertion has beside its type.
_PARTS = frozenset(("config", "metric", "provider", "threshold", "value", "weight"))


@rule("PF104", keys=("vars",), gradable=True)
def assert_under_vars(body: ParsedTestBody) -> Iterator[Finding]:
    """The assertions of a test stand among its variables.

    promptfoo takes them for the value of a variable named `assert`: nothing is asserted, and every
    answer passes.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars:
          country: France
          assert:  # <- finding
            - type: contains
              value: Paris
    ```

    ```yaml fixed
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars:
          country: France
        assert:
          - type: contains
            value: Paris
    ```
    """
    variables = body.variables
    if variables is None:
        return
    for name, entry in variables:
        if _is_assert(name, entry.value):
            tool = body.reading.vocabulary.tool
            message = (
                f"`{name}` stands under `vars`, so that {tool} takes it for a variable and nothing is "
                "asserted; it belongs one level up"
            )
            yield Finding(entry.key.span, message, deferred_fix=_out_of_variables(body, entry))


def _is_assert(name: str, value: Node) -> bool:
    if not isinstance(value, Sequence):
        return False
    lists_types = any(isinstance(item, Mapping) and "type" in item for item in value.items)
    return lists_types and is_like_assert(name)


def is_like_assert(name: str) -> bool:
    """Whether a name among variables most likely stands for `assert`."""
    return nearest(name, ["assert"]) is not None


def _out_of_variables(body: ParsedTestBody, entry: Entry) -> DeferredFix:
    def fix(content: Content) -> Fix | None:
        edits = _moved_up(content, body.node, entry)
        return Fix("Move `assert` out of `vars`", edits) if edits else None

    return fix


def _moved_up(content: Content, test: Mapping, entry: Entry) -> tuple[Edit, ...] | None:
    text, outer = content.text, test.entries["vars"]
    variables = outer.value
    if "assert" in test or not isinstance(variables, Mapping) or outer.merged or entry.merged:
        return None
    if variables.flow:
        return _out_of_braces(content, test, entry)
    block = block_of(text, entry)
    end = line_end(text, variables.end)
    behind = text[variables.end : end].strip()
    if block is None or (behind and not behind.startswith("#")):
        return None
    base, depth = column(text, outer.key.start), column(text, entry.key.start)
    lines = indented(text[block.start : block.end], base - depth)
    lines = lines.replace(entry.key.text, "assert", 1)
    if len(variables.entries) == 1:
        whole = Edit(Span(outer.key.start, block.end), lines[base:])
        return (
            (whole,)
            if loses_nothing(content, (Edit(Span(outer.key.start, entry.key.start), ""),))
            else None
        )
    if block.end >= variables.end:
        return (Edit(block, lines),)
    lead = "" if text[:end].endswith("\n") else "\n"
    return (Edit(block, ""), Edit(Span(end, end), lead + lines))


def _out_of_braces(content: Content, test: Mapping, entry: Entry) -> tuple[Edit, ...] | None:
    """Move assertions out of variables in braces, on the same line."""
    text, outer = content.text, test.entries["vars"]
    variables = outer.value
    value = entry.value
    quote = '"' if text.startswith('"', entry.key.start) else ""
    written = f"{quote}assert{quote}: {text[value.start : value.end]}"
    if isinstance(value, Mapping | Sequence) and not value.flow:
        return None
    if isinstance(variables, Mapping) and len(variables.entries) == 1:
        whole = Edit(Span(outer.key.start, variables.end), written)
        return (whole,) if loses_nothing(content, (Edit(whole.span, ""),)) else None
    gone = entry_removed(content, entry.key)
    if gone is None:
        return None
    if test.flow:
        return (*gone, Edit(Span(variables.end, variables.end), f", {written}"))
    end = line_end(text, variables.end)
    lead = "" if text[:end].endswith("\n") else newline(text)
    line = f"{' ' * column(text, outer.key.start)}{written}{newline(text)}"
    return (*gone, Edit(Span(end, end), lead + line))


@rule("PF109", keys=("assert",))
def assertion_without_type(body: ParsedTestBody) -> Iterator[Finding]:
    """An entry of `assert` has no type.

    promptfoo refuses the whole configuration. Often one assertion is written as two items: the
    dash in front of `value` begins a new one.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: contains
          - value: Paris  # <- finding
    ```

    ```yaml fixed
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: contains
            value: Paris
    ```
    """
    tool = body.reading.vocabulary.tool
    for listed in lists_in(body):
        before: Node | None = None
        for item in listed.items:
            if isinstance(item, Mapping) and lacks_type(item):
                split = is_split(before, item)
                message = f"this assertion has no `type`, so that {tool} refuses the configuration"
                if split:
                    message += "; is it a part of the item before?"
                fix = _joined(item) if split else None
                yield Finding(_start(item), message, deferred_fix=fix)
            before = item


def lists_in(body: ParsedTestBody) -> Iterator[Sequence]:
    """Yield the list of assertions of a test, and those of the sets in it."""
    nests_sets = body.reading.nests_sets
    sets = (entry.node for entry in body.assertions() if nests_sets or not entry.in_set)
    for mapping in (body.node, *sets):
        listed = mapping.get("assert")
        if isinstance(listed, Sequence):
            yield listed


def lacks_type(item: Mapping) -> bool:
    if "$ref" in item or "include" in item or nearest("type", item.entries) is not None:
        return False
    return "type" not in item


def is_split(before: Node | None, item: Mapping) -> bool:
    """Whether an item has what the one before it lacks."""
    return (
        isinstance(before, Mapping)
        and "type" in before
        and _PARTS.issuperset(item.entries)
        and not any(entry in before for entry in item.entries)
    )


def _start(item: Mapping) -> Span:
    if item.flow or not item.entries:
        return item.span
    return next(iter(item.entries.values())).key.span


def _joined(item: Mapping) -> DeferredFix:
    def fix(content: Content) -> Fix | None:
        dash = dash_of(content.text, item)
        if item.flow or dash is None or not starts_line(content.text, dash):
            return None
        edit = Edit(Span(dash, dash + 1), " ")
        return Fix("Join it with the item before", (edit,))

    return fix
