"""Converts assertions on tool calls to our evaluator if it means the same."""

from __future__ import annotations

from typing import Any, Final

from suitecase.formats.promptfoo.running.refused import RefusedError

_WILD: Final = ("*", "?")


def trajectory_fields(kind: str, value: Any) -> dict[str, Any]:
    """Return the fields of the `tool_trajectory` that is equivalent to an assertion.

    Args:
        kind: the part of the type after `trajectory:`.
        value: the value of the assertion.

    Raises:
        RefusedError: there is none.
    """
    match kind:
        case "tool-used":
            return {"mode": "any_order", "minimums": _minimums(value)}
        case "tool-sequence":
            mode, steps = _sequence(value)
            return {"mode": mode, "expected": [{"tool": _tool(step)} for step in steps]}
        case "tool-args-match":
            return {"mode": "in_order", "expected": [_with_arguments(value)]}
    raise RefusedError(f"`suitecase run` does not grade `trajectory:{kind}`")


def _minimums(value: Any) -> dict[str, int]:
    if isinstance(value, dict):
        if value.get("max") is not None:
            raise RefusedError(
                "`max` of `trajectory:tool-used` is not supported by `suitecase run`"
            )
        return {_tool(value): value.get("min", 1)}
    listed = value if isinstance(value, list) else [value]
    if not listed:
        raise RefusedError("`trajectory:tool-used` needs a tool")
    return {_tool(item): 1 for item in listed}


def _sequence(value: Any) -> tuple[str, list[Any]]:
    steps = value.get("steps") if isinstance(value, dict) else value
    if not isinstance(steps, list) or not steps:
        raise RefusedError("`trajectory:tool-sequence` needs a list of tools")
    is_exact = isinstance(value, dict) and value.get("mode") == "exact"
    return ("exact" if is_exact else "in_order"), steps


def _with_arguments(value: Any) -> dict[str, Any]:
    arguments = value.get("args", value.get("arguments")) if isinstance(value, dict) else None
    if not isinstance(arguments, dict):
        raise RefusedError("`trajectory:tool-args-match` needs `name` and `args`")
    for key in ("defaults", "ignore"):
        if value.get(key):
            raise RefusedError(
                f"`{key}` of `trajectory:tool-args-match` is not supported by `suitecase run`"
            )
    if value.get("mode", "partial") != "partial" or any(
        isinstance(argument, dict | list) for argument in arguments.values()
    ):
        raise RefusedError(
            "`suitecase run` compares tool arguments one by one, without `mode: exact`, and without "
            "lists and mappings in them"
        )
    return {"tool": _tool(value), "args": arguments}


def _tool(matcher: Any) -> str:
    """Return the name of a tool; patterns are refused because our evaluator compares names."""
    name = matcher
    if isinstance(matcher, dict):
        name = matcher.get("pattern") or matcher.get("name")
        if matcher.get("type") not in (None, "tool"):
            raise RefusedError("`suitecase run` looks only at tool calls")
    if not isinstance(name, str) or not name.strip():
        raise RefusedError("a step needs the name of a tool")
    if any(it in name for it in _WILD):
        raise RefusedError(f"`suitecase run` compares names of tools, and `{name}` is a pattern")
    return name
