"""The rule on assertions that lack what they grade by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from suitecase.format.rule import Finding, rule
from suitecase.formats.agentv.suite.parsed import AgentvHead, AgentvTest
from suitecase.formats.promptfoo.rules.assertion_values import span_of_value
from suitecase.formats.promptfoo.suite.parsed import ParsedAssertion, listed
from suitecase.text.node import Mapping as MappingNode
from suitecase.text.node import Node, is_empty
from suitecase_evaluators.promptfoo.assertion_type import NEGATION

#: Of each type, the keys of which it needs one.
_NEEDED: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "script": ("command",),
        "assert-set": ("assert",),
        "cost": ("budget", "threshold"),
        "field-accuracy": ("fields",),
        "token-usage": ("max_total", "max_input", "max_output"),
        "execution-metrics": (
            "max_tool_calls",
            "max_llm_calls",
            "max_tokens",
            "max_cost_usd",
            "max_duration_ms",
            "target_exploration_ratio",
        ),
        "llm-rubric": ("value", "prompt", "rubric_prompt", "criteria"),
        "agent-rubric": ("value", "prompt", "rubric_prompt", "criteria"),
        "rubrics": ("criteria",),
    }
)
#: The keys with the items of a rubric, and those of an item with its text.
_ITEMS: Final = ("value", "criteria")
_TEXTS: Final = ("outcome", "criteria")


@rule("PF610", gradable=True)
def incomplete_assertion(part: AgentvHead | AgentvTest) -> Iterator[Finding]:
    """An assertion lacks what it grades by.

    A script needs its `command`, a limit its number, and a rubric what the answer has to meet. AgentV
    skips a rubric that is empty, so that a test with no other assertion is not graded.

    ```yaml bad
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: greet
        vars: {input: Hi}
        assert:
          - type: script  # <- finding
          - type: cost  # <- finding
          - type: llm-rubric  # <- finding
      - id: part
        vars: {input: Bye}
        assert:
          - ""  # <- finding
          - type: rubrics
            criteria: []  # <- finding
    ```

    ```yaml good
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: greet
        vars: {input: Hi}
        assert:
          - type: script
            command: [bun, check.ts]
          - type: cost
            budget: 0.05
          - type: llm-rubric
            value: Greets back
      - id: part
        vars: {input: Bye}
        assert:
          - Says goodbye
          - type: rubrics
            criteria: [Is brief, Is polite]
    ```
    """
    for rubric in part.rubrics():
        if is_empty(rubric):
            yield Finding(rubric.span, _EMPTY)
    for element in part.elements():
        if isinstance(element, ParsedAssertion) and element.type is not None:
            yield from _incomplete(element.node, element.type.text)


_EMPTY: Final = "this rubric is empty, so there is nothing to grade by"


def _incomplete(node: MappingNode, kind: str) -> Iterator[Finding]:
    needed = _NEEDED.get(kind.removeprefix(NEGATION), ())
    if not needed or "$ref" in node:
        return
    written = [node.entries[key] for key in needed if key in node]
    if all(is_empty(entry.value) for entry in written):
        keys = " or ".join(f"`{name}`" for name in needed[:3])
        more = ", or another limit" if len(needed) > 4 else ""
        message, span = f"`{kind}` needs {keys}{more}", node.entries["type"].value.span
        if written:
            key, value, _ = written[0]
            message, span = f"{message}; `{key.text}` is empty", span_of_value(value, key)
        elif _ITEMS[0] in node and needed == _ITEMS[1:]:
            message, span = f"{message}; `value` is not read", node.entries["value"].key.span
        yield Finding(span, message)
    for name in _ITEMS:
        items = node.get(name) if name in needed else None
        if items is not None and not is_empty(items):
            yield from _empty_items(items)


def _empty_items(value: Node) -> Iterator[Finding]:
    for item in listed(value):
        texts = [text for key in _TEXTS if (text := _value(item, key)) is not None]
        if is_empty(item):
            yield Finding(item.span, _EMPTY)
        elif texts and all(map(is_empty, texts)) and _value(item, "score_ranges") is None:
            yield Finding(texts[0].span, _EMPTY)


def _value(item: Node, key: str) -> Node | None:
    return item.get(key) if isinstance(item, MappingNode) else None
