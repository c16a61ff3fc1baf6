"""Parses the output of a program: text, or a JSON object with more data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from suitecase_evaluators.answers.message import Message
from suitecase_evaluators.targets.recorded_messages import messages_of, number_of, usage_of
from suitecase_evaluators.targets.target import Reply
from suitecase_evaluators.text.written_number import read_float


def read_output(output: str, *, duration_ms: float, details: Mapping[str, Any]) -> Reply:
    """Return the reply in a program's output.

    A JSON object with a text `text`, or with a list `output_messages`, is a structured answer; it
    may have `token_usage: {input, output}`, `cost_usd` and `duration_ms`. All else is the answer
    itself, without white space around it.

    Args:
        duration_ms: how long the program ran, for answers that do not say.
    """
    found = _structured(output)
    if found is None:
        text = output.strip()
        return Reply(
            text=text,
            output_messages=(Message(role="assistant", content=text),),
            calls_known="unknown",
            duration_ms=duration_ms,
            details=details,
        )
    messages = messages_of(found.get("output_messages"))
    spoken = [it.text for it in messages if it.role == "assistant"]
    answer_text = found.get("text")
    text = answer_text if isinstance(answer_text, str) else (spoken[-1] if spoken else "")
    own_duration = number_of(found.get("duration_ms"))
    return Reply(
        text=text,
        output_messages=messages or (Message(role="assistant", content=text),),
        tool_calls=tuple(call for it in messages for call in it.tool_calls or ()),
        calls_known="all" if isinstance(found.get("output_messages"), list) else "unknown",
        token_usage=usage_of(found.get("token_usage")),
        cost_usd=number_of(found.get("cost_usd")),
        duration_ms=duration_ms if own_duration is None else own_duration,
        details=details,
    )


def _structured(output: str) -> dict[str, Any] | None:
    if not output.lstrip().startswith("{"):
        return None
    try:
        found = json.loads(output, parse_float=read_float)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    has_text = isinstance(found.get("text"), str)
    return found if has_text or isinstance(found.get("output_messages"), list) else None
