"""Options that may stand without their value; click would take whatever follows for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def with_value(
    args: Sequence[str], option: str, default: str, *, is_value: Callable[[str], bool]
) -> list[str]:
    """Return the arguments of a command with a value for each occurrence of an option.

    Args:
        args: the arguments.
        option: the option.
        default: what it means alone.
        is_value: says whether the argument behind the option is its value.
    """
    left = list(args)
    given: list[str] = []
    while left:
        arg = left.pop(0)
        if arg == "--":
            return [*given, arg, *left]
        if arg == option:
            value = left.pop(0) if left and is_value(left[0]) else default
            arg = f"{option}={value}"
        given.append(arg)
    return given
