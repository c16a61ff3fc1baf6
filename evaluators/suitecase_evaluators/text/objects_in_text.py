"""JSON objects within other text: where they are, and what they are."""

from __future__ import annotations

import json
import re
from typing import Any

#: The maximum number of objects that are read from a text.
MOST_OBJECTS = 50_000
#: One that is nested too deeply takes as long as this many others.
COST_OF_DEEP = 1_000
#: An object with at least one key; braces of prose are passed over.
OBJECT_START = re.compile(r'\{(?=\s*")')


def object_at(text: str, start: int) -> tuple[dict[str, Any], int]:
    """Return the object that starts there, and where it ends.

    No more of the text is looked at than the object takes: an error tells the line it is in, which
    costs as much as all the text before it.

    Raises:
        JSONDecodeError: it is broken; the place counts from `start`.
        RecursionError: it is nested too deeply.
    """
    size = 2_048
    while True:
        part = text[start : start + size]
        try:
            value, end = _DECODER.raw_decode(part)
        except json.JSONDecodeError as error:
            whole = start + size >= len(text)
            at_the_cut = error.pos > size - 20 or error.msg.startswith("Unterminated")
            if whole or not at_the_cut:
                raise
            size *= 8
        else:
            return value, start + end


def spans_of_objects(text: str) -> list[tuple[int, int]]:
    """Return where the objects of a text start and end, outermost only."""
    spans: list[tuple[int, int]] = []
    at, seen = 0, 0
    while seen < MOST_OBJECTS and (match := OBJECT_START.search(text, at)):
        start = match.start()
        seen += 1
        try:
            _, at = object_at(text, start)
        except json.JSONDecodeError as error:
            at = start + max(error.pos, 1)
        except RecursionError:
            at, seen = start + 1, seen + COST_OF_DEEP
        else:
            spans.append((start, at))
    return spans


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object; a key that is given twice with different values says nothing."""
    found: dict[str, Any] = {}
    contradicted: set[str] = set()
    for key, value in pairs:
        if key in found and found[key] != value:
            contradicted.add(key)
        found[key] = value
    return {key: value for key, value in found.items() if key not in contradicted}


def _whole_number(digits: str) -> float:
    # int() refuses thousands of digits with a ValueError, and takes long for fewer.
    return int(digits) if len(digits) < 20 else float(digits)


#: Tabs and line breaks inside strings are allowed, for models write them.
_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_object_of, parse_int=_whole_number)
