"""The answer that a record holds, as its target gave it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from suitecase_evaluators.answers.message import Message, ToolCall, well_formed
from suitecase_evaluators.answers.records.record import ResultRecord
from suitecase_evaluators.answers.trace import CallsKnown
from suitecase_evaluators.targets.recorded_messages import messages_of, number_of, usage_of
from suitecase_evaluators.targets.recorded_run import first, is_ours
from suitecase_evaluators.targets.target import Reply

#: So many calls of a tool are taken from a count, whatever a results file says.
MOST_CALLS = 10_000


def recorded_answer(record: Mapping[str, Any], details: Mapping[str, Any]) -> Reply:
    """Return the answer of a record that holds one.

    Args:
        details: those of the reply.
    """
    messages = messages_of(first(record, "output_messages", "output"))
    spoken = [message.text for message in messages if message.role == "assistant"]
    answer = first(record, "candidate_answer", "answer", "output")
    text = answer if isinstance(answer, str) else (spoken[-1] if spoken else "")
    trace = first(record, "trace_summary", "trace")
    trace = trace if isinstance(trace, dict) else {}
    calls = tuple(call for message in messages for call in message.tool_calls or ())
    counted = () if calls else _calls_by_count(trace)
    reason, seed = record.get("finish_reason"), record.get("seed")
    return Reply(
        text=text,
        output_messages=messages or (Message(role="assistant", content=text),),
        tool_calls=calls or counted,
        calls_known=_calls_known(record, messages, calls or counted),
        token_usage=usage_of(trace.get("token_usage")),
        cost_usd=number_of(trace.get("cost_usd")),
        duration_ms=number_of(trace.get("duration_ms")),
        finish_reason=reason if isinstance(reason, str) else None,
        seed=seed if isinstance(seed, int) else None,
        model=ResultRecord(record).reported_model,
        answered_by=ResultRecord(record).answered_by,
        details=details,
    )


def _calls_by_count(trace: dict[str, Any]) -> tuple[ToolCall, ...]:
    """Return the calls a trace summary counts: how many of each tool, without arguments.

    Early records have the names in the counts, but not in `tool_names`, rewritten to snake case.
    """
    counts = trace.get("tool_calls_by_name")
    names = trace.get("tool_names")
    if not isinstance(counts, dict):
        return ()
    real = {_folded(name): name for name in names or () if isinstance(name, str)}
    return tuple(
        ToolCall(tool=well_formed(real.get(_folded(str(name)), str(name))))
        for name, count in counts.items()
        if isinstance(count, int) and str(name).strip()
        for _ in range(min(count, MOST_CALLS))
    )


def _calls_known(
    record: Mapping[str, Any], messages: tuple[Message, ...], calls: tuple[ToolCall, ...]
) -> CallsKnown:
    """Return what a record contains about calls; missing data does not mean that there were none."""
    trace = first(record, "trace_summary", "trace")
    known_trace = trace if isinstance(trace, dict) else {}
    if any(message.tool_calls for message in messages):
        return "all"
    recorded: CallsKnown | None = next(
        (
            argument
            for argument in get_args(CallsKnown)
            if argument == known_trace.get("calls_known")
        ),
        None,
    )
    if recorded is not None and not (calls and recorded == "all"):
        return recorded
    if calls:
        return _known_by_count(record, calls)
    return (
        "all" if messages or isinstance(known_trace.get("tool_calls_by_name"), dict) else "unknown"
    )


def _known_by_count(record: Mapping[str, Any], calls: tuple[ToolCall, ...]) -> CallsKnown:
    """Return what counts tell of calls: those of others stand in the order of the first calls."""
    once = len({call.tool for call in calls}) == len(calls)
    return "order" if once and not is_ours(record) else "counts"


def _folded(name: str) -> str:
    return name.replace("_", "").casefold()
