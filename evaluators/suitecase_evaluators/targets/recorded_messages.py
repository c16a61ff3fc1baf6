"""Messages, tokens and figures as programs and results files write them: more keys, or fewer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from suitecase_evaluators.answers.message import ContentPart, Message, Role, ToolCall, well_formed
from suitecase_evaluators.answers.records.values import amount, count
from suitecase_evaluators.answers.trace import TokenUsage

_ROLES = get_args(Role)


def messages_of(value: Any) -> tuple[Message, ...]:
    """Return the messages of a list; what is not a message is left out."""
    if not isinstance(value, list):
        return ()
    return tuple(message for it in value if (message := _message(it)) is not None)


def usage_of(value: Any) -> TokenUsage | None:
    """Return the tokens of an object with `input` and `output`; None unless it has both."""
    if not isinstance(value, dict):
        return None
    read, written = count(value.get("input")), count(value.get("output"))
    if read is None or written is None:
        return None
    return TokenUsage(input=read, output=written)


def number_of(value: Any) -> float | None:
    """Return a number that records have as an amount; None for everything else."""
    found = amount(value)
    return None if found is None else float(found)


def _message(value: Any) -> Message | None:
    if not isinstance(value, dict) or value.get("role") not in _ROLES:
        return None
    calls = list(_calls(value.get("tool_calls")))
    content = value.get("content")
    if isinstance(content, list):
        content = [
            ContentPart(type=part["type"], value=part["value"])
            for part in content
            if isinstance(part, dict)
            and part.get("type") in ("text", "file")
            and isinstance(part.get("value"), str)
        ]
    elif not isinstance(content, str | dict):
        content = None
    if content is None and not calls:
        return None
    name = value.get("name")
    return Message(
        role=value["role"],
        content=content,
        name=name if isinstance(name, str) else None,
        tool_calls=calls or None,
    )


def _calls(value: Any) -> Iterator[ToolCall]:
    for call in value if isinstance(value, list) else ():
        if isinstance(call, dict) and isinstance(call.get("tool"), str) and call["tool"].strip():
            yield ToolCall(
                tool=well_formed(call["tool"]),
                input=call.get("input"),
                output=call.get("output"),
                duration_ms=number_of(call.get("duration_ms")),
            )
