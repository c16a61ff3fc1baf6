"""Rules on what assertions compare answers with."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Finding, Fix, Severity, replace, rule
from suitecase.formats.promptfoo.rules.assertion_lists import is_split, lacks_type, lists_in
from suitecase.formats.promptfoo.rules.assertion_type_names import known_type, known_type_of
from suitecase.formats.promptfoo.suite.models.field_types import stands_for_another
from suitecase.formats.promptfoo.suite.parsed import ParsedAssertion, ParsedTestBody, Reading
from suitecase.text.node import (
    UNRESOLVED,
    Mapping,
    Node,
    Scalar,
    Sequence,
    Span,
    describe,
    plain,
)
from suitecase_evaluators.promptfoo.assertion_type import AssertionType


def _stands(node: Node | None) -> bool:
    """Whether a value is a template or a reference: its kind is not known here."""
    if isinstance(node, Mapping):
        return "$ref" in node
    return isinstance(node, Scalar) and stands_for_another(node.value)


def is_nothing(node: Node | None, kind: AssertionType) -> bool:
    if node is None:
        return True
    if not isinstance(node, Scalar) or kind.takes_nothing or node.style == UNRESOLVED:
        return False
    return node.value is None or not str(node.value).strip()


@rule("PF204", keys=("assert",))
def assertion_without_value(body: ParsedTestBody) -> Iterator[Finding]:
    """An assertion has nothing to compare the answer with.

    promptfoo finds that only when the provider has answered: the result is an error, and the call
    is paid.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: contains  # <- finding
          - type: regex
            value: ""  # <- finding
    ```

    ```yaml good
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: contains
            value: Paris
          - type: regex
            value: ^Paris
    ```
    """
    for listed in lists_in(body):
        for item, behind in zip(listed.items, (*listed.items[1:], None), strict=False):
            split = isinstance(behind, Mapping) and lacks_type(behind) and is_split(item, behind)
            if isinstance(item, Mapping) and not split:
                yield from _without_value(item, body.reading)


def _without_value(node: Mapping, reading: Reading) -> Iterator[Finding]:
    found, written = known_type_of(node, reading), node.get("type")
    if found is None or not isinstance(written, Scalar) or not found[0].value_required:
        return
    kind, value = found[0], node.get("value")
    if not is_nothing(value, kind) or "$ref" in node:
        return
    if kind.criteria_elsewhere:
        return  # by the rule that knows whether there is a prompt of the author's own
    if value is None and _has_unread_keys(node):
        return  # most likely the value stands under one of them, which is reported
    key = node.key("value")
    span = written.span if key is None else span_of_value(value, key)
    yield Finding(span, f"`{written.text}` has no `value`; it needs {kind.values_in_words}")


def _has_unread_keys(node: Mapping) -> bool:
    from suitecase.formats.promptfoo.suite.models.assertion import Assertion

    known = Assertion.model_fields
    return any(entry not in known for entry in node.entries)


def span_of_value(value: Node | None, key: Scalar) -> Span:
    return value.span if isinstance(value, Scalar) and value.end > value.start else key.span


@rule("PF205", keys=("value",))
def mistyped_assertion_value(assertion: ParsedAssertion) -> Iterator[Finding]:
    """The value of an assertion is of a kind that its type does not take.

    promptfoo finds that only when the provider has answered, and the result is an error.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: contains
            value: [Paris, France]  # <- finding
    ```

    ```yaml bad
    prompts: ["Name the department of {{city}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {city: Paris}
        assert:
          - type: starts-with
            value: 75  # <- finding
    ```

    ```yaml fixed
    prompts: ["Name the department of {{city}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {city: Paris}
        assert:
          - type: starts-with
            value: "75"
    ```

    ```yaml good
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: contains-all
            value: [Paris, France]
    ```
    """
    found, value = known_type(assertion), assertion.node.get("value")
    if found is None or value is None or _stands(value) or not found[0].values:
        return
    kind, key = found[0], assertion.node.entries["value"].key
    if is_nothing(value, kind):
        return
    name = assertion.type.text if assertion.type is not None else kind.name
    actual = _kind_of(value)
    if not kind.takes(actual):
        if actual == "number" and kind.threshold is not None and "threshold" not in assertion.node:
            return  # by the rule on values in place of a threshold
        message = f"`value` of `{name}` must be {kind.values_in_words}; got {describe(value)}"
        yield Finding(
            span_of_value(value, key), message + _advice(kind, actual), _quoted(value, kind)
        )
        return
    if isinstance(value, Sequence):
        yield from _in_list(name, value, kind)
    elif isinstance(value, Mapping):
        yield from _in_mapping(name, value, kind, key)
    elif "numeral" in kind.values and not _is_numeric(value):
        message = f"`value` of `{name}` must be a number or a mapping with `min` or `max`; got text"
        yield Finding(value.span, message)


def _kind_of(node: Node) -> str:
    if isinstance(node, Mapping):
        return "mapping"
    if isinstance(node, Sequence):
        return "list"
    value = node.value
    if isinstance(value, bool):
        return "switch"
    return "number" if isinstance(value, int | float) else "text"


def _advice(kind: AssertionType, actual: str) -> str:
    if actual == "list" and kind.for_lists:
        named = " and ".join(f"`{name}`" for name in kind.for_lists)
        return f"; {named} take a list"
    if actual == "list" and kind.content == "schema":
        return "; a JSON Schema is a mapping"
    return ""


def _quoted(value: Node, kind: AssertionType) -> Fix | None:
    if "text" not in kind.values or not isinstance(value, Scalar) or value.style:
        return None
    return replace(value.span, f'"{value.text}"', "Quote it to make it text")


def _is_numeric(value: Scalar) -> bool:
    try:
        float(value.text)
    except ValueError:
        return False
    return True


def _in_list(name: str, value: Sequence, kind: AssertionType) -> Iterator[Finding]:
    if "texts" not in kind.values:
        return
    if not value.items:
        yield Finding(value.span, f"`value` of `{name}` is an empty list")
    for item in value.items:
        if not isinstance(item, Scalar) and not _stands(item):
            message = f"an item of `value` of `{name}` must be text; got {describe(item)}"
            if isinstance(item, Mapping) and len(item.entries) == 1 and not item.flow:
                message += "; put it in quotes, since `: ` makes it a mapping"
            yield Finding(_first_line(item), message)


def _first_line(item: Node) -> Span:
    if isinstance(item, Mapping) and item.entries and not item.flow:
        return next(iter(item.entries.values())).key.span
    return Span(item.start, min(item.end, item.start + 1))


def _in_mapping(name: str, value: Mapping, kind: AssertionType, key: Scalar) -> Iterator[Finding]:
    needed = kind.needed_keys
    if needed and not any(name in value for name in needed):
        wanted = " or ".join(f"`{name}`" for name in needed)
        yield Finding(key.span, f"`value` of `{name}` needs {wanted}")
    low, high = value.get("min"), value.get("max")
    if "numeral" in kind.values and low is not None and high is not None:
        bounds = plain(low), plain(high)
        if all(isinstance(bound, int | float) for bound in bounds) and bounds[0] > bounds[1]:
            yield Finding(low.span, f"`min` is more than `max` ({bounds[0]} > {bounds[1]})")


@rule("PF224", Severity.WARNING, keys=("value",))
def empty_text_in_list(assertion: ParsedAssertion) -> Iterator[Finding]:
    """A text that the answer is searched for is empty.

    Every answer contains the empty text. `contains-any` therefore passes whatever the answer is, and
    for `contains-all` the empty text has no effect.

    ```yaml bad
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: contains-any
            value:
              - Paris
              - ""  # <- finding
    ```

    ```yaml good
    prompts: ["Name the capital of {{country}}"]
    providers: [openai:gpt-4.1]
    tests:
      - vars: {country: France}
        assert:
          - type: contains-any
            value:
              - Paris
              - Lutetia
    ```
    """
    found, value = known_type(assertion), assertion.node.get("value")
    if found is None or found[0].finds is None or not isinstance(value, Sequence):
        return
    empty = [item for item in value.items if isinstance(item, Scalar) and item.value == ""]
    decides = found[0].finds == "any" or len(empty) == len(value.items)
    for item in empty:
        if decides:
            message = "every answer contains the empty text, so this assertion finds it in any"
        else:
            message = "every answer contains the empty text, so it has no effect"
        yield Finding(item.span, message)
