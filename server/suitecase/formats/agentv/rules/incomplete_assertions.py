"""The rule on assertions that lack what their type grades by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from suitecase.formats.agentv.suite.parsed import AgentvHead, AgentvTest
from suitecase.formats.promptfoo.suite.assertions.assertion_types import NEGATION
from suitecase.formats.promptfoo.suite.parsed import ParsedAssertion
from suitecase.rule import Finding, rule

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
        "rubrics": ("criteria", "value"),
    }
)


@rule("PF610", gradable=True)
def incomplete_assertion(part: AgentvHead | AgentvTest) -> Iterator[Finding]:
    """An assertion lacks what its type grades by.

    A script needs its `command`, a limit its number, and a rubric what the answer has to meet.

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
    ```
    """
    for element in part.elements():
        if not isinstance(element, ParsedAssertion) or element.type is None:
            continue
        needed = _NEEDED.get(element.type.text.removeprefix(NEGATION), ())
        if needed and "$ref" not in element.node and not any(it in element.node for it in needed):
            keys = " or ".join(f"`{it}`" for it in needed[:3])
            more = ", or another limit" if len(needed) > 4 else ""
            yield Finding(element.type.span, f"`{element.type.text}` needs {keys}{more}")
