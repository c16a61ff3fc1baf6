"""The rule on JSON Schemas that AgentV does not read."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Finding, Severity, rule
from suitecase.formats.agentv.suite.parsed import AgentvHead, AgentvTest
from suitecase.formats.promptfoo.suite.parsed import ParsedAssertion
from suitecase_evaluators.promptfoo.assertion_type import NEGATION


@rule("PF611", Severity.WARNING)
def ignored_schema(part: AgentvHead | AgentvTest) -> Iterator[Finding]:
    """An `is-json` has a schema, which AgentV does not read.

    Any answer that is JSON passes, whatever the schema says, and `suitecase run` grades by the same
    rule. To compare fields with those of the expected answer, use `field-accuracy`; to validate the
    answer against a schema, write a `script`.

    ```yaml bad
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: order
        vars: {input: Order tea}
        assert:
          - type: is-json
            value: {type: object, required: [item]}  # <- finding
    ```

    ```yaml good
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: order
        vars: {input: Order tea}
        assert:
          - type: is-json
    ```
    """
    for element in part.elements():
        if not isinstance(element, ParsedAssertion) or element.type is None:
            continue
        schema = element.node.get("value")
        if element.type.text.removeprefix(NEGATION) == "is-json" and schema is not None:
            yield Finding(
                schema.span,
                f"AgentV does not read the schema of `{element.type.text}`: any JSON counts",
            )
