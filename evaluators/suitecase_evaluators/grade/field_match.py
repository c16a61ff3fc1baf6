"""Finds a field of a JSON value by its path, and says whether two fields match."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, InvalidOperation, localcontext
from typing import Any, Final

from suitecase_evaluators.text.written_number import exact

#: What a path looks like: names and `[n]`, names parted by dots.
PATH_PATTERN: Final = (
    r"^([^.\[\]]*[^.\[\]\s][^.\[\]]*|\[[0-9]+\])(\.[^.\[\]]*[^.\[\]\s][^.\[\]]*|\[[0-9]+\])*$"
)
#: Dates are read by these where no formats are given: those that can be read in one way only.
UNAMBIGUOUS_FORMATS: Final = (
    "YYYY-MM-DD",
    "YYYY/MM/DD",
    "DD-MMM-YYYY",
    "D MMM YYYY",
    "D MMMM YYYY",
    "MMM D, YYYY",
    "MMMM D, YYYY",
)
#: Stands for a field that is not there; None is a value.
MISSING: Final = object()

#: Numbers of an answer may be of any size, and one too large for the default context is an error.
#: More digits than these are rounded, since numbers far apart would take gigabytes.
_ANY_SIZE: Final = Context(prec=20_000, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
_DATE_PART = re.compile(r"YYYY|YY|MMMM|MMM|MM|M|DD|D|HH|mm|ss|%")
_DIRECTIVES = {
    "YYYY": "%Y",
    "YY": "%y",
    "MMMM": "%B",
    "MMM": "%b",
    "MM": "%m",
    "M": "%m",
    "DD": "%d",
    "D": "%d",
    "HH": "%H",
    "mm": "%M",
    "ss": "%S",
    "%": "%%",
}


def field_at(path: str, value: Any) -> Any:
    """Return the value at a path such as `supplier.name` or `items[0].total`, or `MISSING`."""
    for step in _STEP.finditer(path):
        index, name = step[1], step[2]
        if index is not None and isinstance(value, list) and int(index) < len(value):
            value = value[int(index)]
        elif name is not None and isinstance(value, dict) and name in value:
            value = value[name]
        else:
            return MISSING
    return value


def format_problem(form: str) -> str | None:
    """Return why a date format cannot name a day, or None."""
    letters = [part[0] for part in _DATE_PART.findall(form)]
    for name, letter in (("year (YYYY)", "Y"), ("month (MM)", "M"), ("day (DD)", "D")):
        if letters.count(letter) != 1:
            return f"it has {'no' if letter not in letters else 'more than one'} {name}"
    return None


def read_date(value: Any, formats: Sequence[str]) -> date | None:
    """Return the day that a text names in the first format that fits, or None.

    Without formats ISO 8601 and `UNAMBIGUOUS_FORMATS` are tried.
    """
    if not isinstance(value, str):
        return None
    text = value.strip()
    for form in formats or UNAMBIGUOUS_FORMATS:
        directive = _DATE_PART.sub(lambda part: _DIRECTIVES[part[0]], form)
        try:
            return datetime.strptime(text, directive).date()
        except ValueError:
            continue
    if formats:
        return None
    try:
        return datetime.fromisoformat(text).date()
    except ValueError:
        return None


def read_number(value: Any) -> Decimal | None:
    """Return a number, or the number a text is, exactly as it is written; None for all else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def within_tolerance(
    one: Decimal, expected: Decimal, tolerance: float, *, relative: bool = False
) -> bool:
    """Say whether a number is at most `tolerance` away; if relative, `tolerance` times expected."""
    with localcontext(_ANY_SIZE):
        allowed = exact(tolerance) * (expected.copy_abs() if relative else 1)
        return abs(one - expected) <= allowed
