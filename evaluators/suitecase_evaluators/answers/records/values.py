"""JSON values of records of any tool: a value of an unexpected type counts as missing."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from suitecase_evaluators.text.written_number import as_written

#: As a whole number: comparing it with another is faster than with a float.
_MOST = int(sys.float_info.max)
#: The most of anything that is added up: what all programs that read JSON hold exactly.
MOST_AMOUNT = 2**53
#: A seed may have 64 bits.
_MOST_WHOLE = 2**64
#: The digits of `MOST_AMOUNT`.
_MOST_DIGITS = len(str(MOST_AMOUNT))
NOTHING: Mapping[str, Any] = {}


def text(value: Any) -> str | None:
    """Return a text; None for everything else."""
    return value if isinstance(value, str) else None


def any_text(value: Any) -> str | None:
    """Return a text as it is, and another value as JSON; None where there is none."""
    if isinstance(value, str) or value is None:
        return value
    return as_written(value)


def texts(value: Any) -> tuple[str, ...]:
    """Return the texts of a list; none for everything else."""
    if not value or not isinstance(value, list):
        return ()
    return tuple([it for it in value if isinstance(it, str)])


def number(value: Any) -> float | None:
    """Return a finite number; None for everything else."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if type(value) is not int:
        return None
    return value if -_MOST <= value <= _MOST else None


def amount(value: Any) -> float | None:
    """Return a number from 0 to `MOST_AMOUNT`, so that sums stay finite; None for everything else."""
    if value is None:
        return None
    found = number(value)
    return found if found is not None and 0 <= found <= MOST_AMOUNT else None


def whole(value: Any) -> int | None:
    """Return a number of 64 bits at most, without its fraction; None for everything else."""
    if value is None:
        return None
    found = number(value)
    return int(found) if found is not None and -_MOST_WHOLE < found < _MOST_WHOLE else None


def count(value: Any) -> int | None:
    """Return a whole number from 0 to `MOST_AMOUNT`, also where its digits are a text; None for everything else."""
    if (
        isinstance(value, str)
        and value.isascii()
        and value.isdigit()
        and len(value) <= _MOST_DIGITS
    ):
        value = int(value)
    found = amount(value)
    return int(found) if found is not None and found == int(found) else None


def mapping(value: Any) -> Mapping[str, Any]:
    """Return an object as it is, and everything else as an empty one."""
    return value if isinstance(value, dict) else NOTHING


def mappings(value: Any) -> list[Mapping[str, Any]]:
    """Return the objects of a list; none for everything else."""
    return [it for it in value if isinstance(it, dict)] if isinstance(value, list) else []


def moment(value: Any) -> datetime | None:
    """Return a moment in UTC; None for what is not one."""
    try:
        found = datetime.fromisoformat(value)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        return None


def timestamp(now: datetime | None = None) -> str:
    """Return a moment as records have it; None takes the present one."""
    found = datetime.now(UTC) if now is None else now.astimezone(UTC)
    return found.isoformat(timespec="milliseconds").replace("+00:00", "Z")
