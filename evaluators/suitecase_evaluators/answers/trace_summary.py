"""The tool calls of an answer, and the short form of a trace that scripts and records have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from suitecase_evaluators.answers.message import Message, ToolCall
from suitecase_evaluators.answers.trace import Trace


def calls_of(
    trace: Trace | None, output_messages: Sequence[Message] = ()
) -> tuple[ToolCall, ...] | None:
    """Return the calls of the trace, else those of the output messages; None if neither has them.

    Of calls that were only counted there are so many, without arguments; `Trace.calls_known` says
    how much may be made of them.
    """
    if trace is not None and trace.tool_calls:
        return trace.tool_calls
    listed = [
        output_message.tool_calls
        for output_message in output_messages
        if output_message.tool_calls is not None
    ]
    if listed:
        return tuple(call for calls in listed for call in calls)
    return None if trace is None or trace.calls_known == "unknown" else ()


def messages_known(trace: Trace | None, output_messages: Sequence[Message]) -> bool:
    """Whether the messages tell of the calls that the trace counts."""
    counted = trace is not None and trace.tool_calls and trace.calls_known != "all"
    return not counted or any(output_message.tool_calls for output_message in output_messages)


def trace_summary(
    trace: Trace | None, output_messages: Sequence[Message] = ()
) -> dict[str, Any] | None:
    """Return counts, tokens, cost and time of an answer; None where nothing is known of them.

    Tokens, cost and time that the target does not report are None. Where `calls_known` is
    `unknown`, no counts of calls mean nothing.
    """
    calls = calls_of(trace, output_messages)
    if calls is None and trace is None:
        return None
    known = trace or Trace()
    calls = calls or ()
    counts = Counter(call.tool for call in calls)
    usage = known.token_usage
    return {
        "event_count": len(calls),
        "tool_names": sorted(counts),
        "tool_calls_by_name": dict(sorted(counts.items())),
        "calls_known": known.calls_known,
        "error_count": known.error_count,
        "token_usage": None if usage is None else {"input": usage.input, "output": usage.output},
        "cost_usd": known.cost_usd,
        "duration_ms": known.duration_ms,
    }
