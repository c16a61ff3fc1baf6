"""Detecting values in answers and grades that cannot be recorded as JSON for any parser.

Lone surrogates and non-finite numbers are replaced when a record is written. The values detected
here would break writing or reading it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from suitecase_evaluators.answers.records.values import amount
from suitecase_evaluators.answers.score import Score
from suitecase_evaluators.targets.target import Reply

#: The maximum nesting depth; pydantic serializes 255 levels, including those of the record.
MOST_LEVELS = 100
#: The maximum for a whole record, which nests values in the details of composites' members.
MOST_LEVELS_OF_RECORD = 200
#: Larger integers overflow in parsers that only know floating-point numbers.
LARGEST = int(sys.float_info.max)


def problem_in(value: Any, most_levels: int = MOST_LEVELS) -> str | None:
    """Return why a value cannot be recorded; None if it can."""
    open_values = [(value, 0)]
    while open_values:
        item, level = open_values.pop()
        # Most values are of these types; patterns take several times as long.
        kind = type(item)
        if kind is str or item is None:
            continue
        if kind is not dict and kind is not list:
            match item:
                case bool() | str() | float():
                    continue
                case int():
                    if abs(item) > LARGEST:
                        return "contains an integer of more than 308 digits"
                    continue
                case Mapping() | list() | tuple():
                    pass
                case _:
                    return f"contains a value of the type `{kind.__name__}`, which is not JSON"
        if level == most_levels:
            return f"is nested more than {most_levels} levels deep"
        inner = item.values() if isinstance(item, Mapping) else item
        open_values += [(it, level + 1) for it in inner if type(it) is not str]
    return None


def problem_in_reply(reply: Reply) -> str | None:
    """Return why the answer of a target cannot be recorded; None if it can."""
    return next(_problems(_parts_of_reply(reply)), None)


def with_known_figures(reply: Reply) -> Reply:
    """Return a reply whose cost, tokens and duration can be recorded; others are unknown."""
    usage = reply.token_usage
    known = usage is None or (amount(usage.input) is not None and amount(usage.output) is not None)
    if known and all(
        figure is None or amount(figure) is not None
        for figure in (reply.cost_usd, reply.duration_ms)
    ):
        return reply
    return replace(
        reply,
        token_usage=usage if known else None,
        cost_usd=amount(reply.cost_usd),
        duration_ms=amount(reply.duration_ms),
    )


def problem_in_score(score: Score) -> str | None:
    """Return why the result of an evaluator cannot be recorded; None if it can."""
    return next(_problems((("`details`", score.details), ("the request", score.request))), None)


def _problems(parts: Iterator[tuple[str, Any]] | tuple[tuple[str, Any], ...]) -> Iterator[str]:
    for name, value in parts:
        problem = problem_in(value) if value else None
        if problem is not None:
            yield f"{name} {problem}"


def _parts_of_reply(reply: Reply) -> Iterator[tuple[str, Any]]:
    for message in reply.output_messages:
        if isinstance(message.content, dict):
            yield "the content of a message", message.content
        for call in message.tool_calls or ():
            yield f"the input of a call of `{call.tool}`", call.input
            yield f"the output of a call of `{call.tool}`", call.output
    for call in reply.tool_calls:
        yield f"the input of a call of `{call.tool}`", call.input
        yield f"the output of a call of `{call.tool}`", call.output
    yield "`details`", reply.details
