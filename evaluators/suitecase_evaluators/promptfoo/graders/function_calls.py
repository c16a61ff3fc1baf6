"""Calls of functions and tools in an answer."""

from __future__ import annotations

from typing import Final

from suitecase_evaluators.promptfoo.assertion_type import AssertionType, Scale

_REASON: Final = "it needs the tools of the provider, which are not known here"

IS_VALID_FUNCTION_CALL: Final = AssertionType(
    name="is-valid-function-call",
    description="The answer is a function call that matches the function's schema in the provider's"
    " configuration.",
    example="{type: is-valid-function-call}",
    not_run=_REASON,
    negatable=False,
)

IS_VALID_OPENAI_FUNCTION_CALL: Final = AssertionType(
    name="is-valid-openai-function-call",
    description="The answer is a function call in OpenAI's format that matches the function's "
    "schema.",
    example="{type: is-valid-openai-function-call}",
    not_run=_REASON,
    negatable=False,
)

IS_VALID_OPENAI_TOOLS_CALL: Final = AssertionType(
    name="is-valid-openai-tools-call",
    description="The answer is a list of tool calls in OpenAI's format that match the tools' "
    "schemas.",
    example="{type: is-valid-openai-tools-call}",
    not_run=_REASON,
    content="tools",
    negatable=False,
)

TOOL_CALL_F1: Final = AssertionType(
    name="tool-call-f1",
    description="How well the tools that were called match these, as the F1 score.",
    example="{type: tool-call-f1, value: [search, book], threshold: 0.8}",
    not_run="it needs the steps of an agent, which are not collected",
    values=("text", "list"),
    value_required=True,
    threshold=Scale(default=1),
)
