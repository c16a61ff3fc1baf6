"""Rules on the messages of a conversation in relation to each other."""

from __future__ import annotations

from collections.abc import Iterator

from suitecase.format.rule import Finding, Severity, replace, rule
from suitecase.formats.suitecase.elements import ParsedMessage
from suitecase.text.node import Scalar, Sequence


@rule("SC116", Severity.WARNING, keys=("tool_calls",))
def misplaced_tool_calls(message: ParsedMessage) -> Iterator[Finding]:
    """A message that is not the assistant's has tool calls.

    Only the assistant calls tools; a message with the role `tool` is the answer of a tool. Models
    reject tool calls in messages of other roles, and evaluators ignore them.

    ```yaml bad
    evalcases:
      - id: greet
        expected_outcome: Waves
        input: Hi
        expected_messages:
          - role: user
            tool_calls:  # <- finding
              - tool: wave
    ```

    ```yaml fixed
    evalcases:
      - id: greet
        expected_outcome: Waves
        input: Hi
        expected_messages:
          - role: assistant
            tool_calls:
              - tool: wave
    ```
    """
    role, entry = message.node.get("role"), message.node.entries.get("tool_calls")
    if entry is None or not isinstance(entry.value, Sequence) or not entry.value.items:
        return
    if isinstance(role, Scalar) and role.text in ("system", "user", "tool"):
        yield Finding(
            entry.key.span,
            f"only messages with the role `assistant` can have `tool_calls`, not `{role.text}`",
            replace(role.span, "assistant", "Change the role to `assistant`", safe=False),
        )
