"""Rules on conversations: tests that are asked turn by turn."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rewriting.lines import added_before
from suitecase.format.rule import DeferredFix, Finding, Fix, rule
from suitecase.formats.agentv.suite.parsed import AgentvTest
from suitecase.text.document import Content
from suitecase.text.node import Entry, Mapping, Scalar, Sequence

_OF_CONVERSATIONS = ("turns", "aggregation", "on_turn_failure", "window_size")


@rule("PF605", keys=("mode", *_OF_CONVERSATIONS), gradable=True)
def turns_without_mode(test: AgentvTest) -> Iterator[Finding]:
    """A test has turns, but is not a conversation, or is a conversation without turns.

    AgentV asks `turns` one after the other only with `mode: conversation`, and refuses a suite where
    one of the two is missing.

    ```yaml bad
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: refund
        vars: {input: unused}
        turns:  # <- finding
          - input: Where is my money?
            assert: [Asks for the order]
    ```

    ```yaml fixed
    prompts: ["{{ input }}"]
    default_test: {}
    tests:
      - id: refund
        vars: {input: unused}
        mode: conversation
        turns:
          - input: Where is my money?
            assert: [Asks for the order]
    ```
    """
    node = test.node
    if node is None:
        return
    mode, turns = node.get("mode"), node.get("turns")
    is_conversation = isinstance(mode, Scalar) and mode.text == "conversation"
    if is_conversation:
        if not isinstance(turns, Sequence) or not turns.items:
            key = node.entries["mode"].key
            yield Finding(key.span, "a conversation needs `turns`, and this one has none")
        return
    for name in _OF_CONVERSATIONS:
        entry = node.entries.get(name)
        if entry is not None:
            yield Finding(
                entry.key.span,
                f"`{name}` needs `mode: conversation`, without which AgentV refuses the suite",
                deferred_fix=_with_mode(node, entry) if mode is None else None,
            )
            return


def _with_mode(node: Mapping, before: Entry) -> DeferredFix:
    def fix(content: Content) -> Fix | None:
        edit = added_before(content.text, node, before, "mode: conversation")
        return Fix("Add `mode: conversation`", (edit,), safe=False) if edit else None

    return fix
