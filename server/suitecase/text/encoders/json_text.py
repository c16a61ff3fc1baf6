"""JSON that any parser reads and any terminal shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from suitecase.text.encoders.terminal import Block
from suitecase.text.encoders.visible import escaped_in_json
from suitecase_evaluators.text.finite_json import finite_json


def json_text(
    value: Any,
    indent: int | None = None,
    *,
    compact: bool = False,
    ascii_only: bool = False,
    default: Callable[[Any], Any] | None = None,
) -> Block:
    """Return a value as JSON (RFC 8259).

    Invisible characters in texts are escaped; numbers that JSON cannot hold are null, as `finite_json`
    has it.

    Args:
        value: the value.
        indent: the number of blanks for each level; None for all on one line.
        compact: leave out blanks behind commas and colons.
        ascii_only: escape all characters that are not ASCII.
        default: converts a value that JSON does not have; None makes it an error.

    Raises:
        TypeError: JSON has no such value.
    """
    separators = (",", ":") if compact else None
    return Block(
        escaped_in_json(
            finite_json(
                value,
                indent=indent,
                separators=separators,
                ensure_ascii=ascii_only,
                default=default,
            )
        )
    )
