"""Assertions in a table's column `__expected`: a type, a threshold and a value in one string."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from suitecase_evaluators.promptfoo.assertion_type import NEGATION, AssertionType
from suitecase_evaluators.promptfoo.assertion_types import ASSERTION_TYPES
from suitecase_evaluators.promptfoo.comma_separated import NotSeparatedError, comma_separated
from suitecase_evaluators.promptfoo.ecmascript import trimmed
from suitecase_evaluators.system.path_kinds import FILE_SCHEME

#: The threshold and the value that may follow a type.
_REST: Final = re.compile(
    r"(?:\((?P<threshold>[0-9]+(?:\.[0-9]+)?)\))?(?::(?P<value>.*))?", re.DOTALL
)
_JAVASCRIPT_FILE: Final = re.compile(r"\.[cm]?[jt]s\Z", re.IGNORECASE)
#: The types that a column can name; of two that may be meant, the one with the longer name is.
_NAMED: Final = tuple(
    sorted(
        (kind for kind in ASSERTION_TYPES.values() if not kind.special),
        key=lambda it: len(it.name),
        reverse=True,
    )
)
#: The types by the texts before a value that are read before any name of a type.
STARTS: Final[Mapping[str, AssertionType]] = MappingProxyType(
    {
        start: kind
        for kind in ASSERTION_TYPES.values()
        if kind.cell_starts
        for start in (f"{kind.name}:", *kind.cell_starts)
    }
)


def assertion_of_text(text: str) -> dict[str, Any]:
    """Parse the text of a column as an assertion, whose value may have templates.

    A text without a type is the expected answer, as with `equals`.
    """
    for start, kind in STARTS.items():
        if text.startswith(start):
            value = text.removeprefix(start)
            return {"type": kind.name, "value": trimmed(value) if kind.is_code else value}
    if text.startswith(FILE_SCHEME):
        if _JAVASCRIPT_FILE.search(text):
            return {"type": "javascript", "value": trimmed(text)}
        if text.endswith(".py") or ".py:" in text:
            return {"type": "python", "value": trimmed(text.removeprefix(FILE_SCHEME))}
    return _by_type(text) or {"type": "equals", "value": text}


def _by_type(text: str) -> dict[str, Any] | None:
    # Types, such as `similar:dot`, and values may contain colons.
    for kind in _NAMED:
        for written in (kind.name, NEGATION + kind.name):
            found = _REST.fullmatch(text, len(written)) if text.startswith(written) else None
            if found is not None:
                return _assertion(written, kind, found["threshold"], found["value"])
    return None


def _assertion(
    written: str, kind: AssertionType, threshold: str | None, value: str | None
) -> dict[str, Any]:
    assertion: dict[str, Any] = {"type": written}
    if value is not None:
        assertion["value"] = value if kind.content == "schema" else trimmed(value)
    if kind.finds is not None and value:
        try:
            assertion["value"] = comma_separated(value)
        except NotSeparatedError:
            assertion["value"] = value  # grading fails, with the reason
    if kind.threshold_in_tables is not None:
        assertion["threshold"] = kind.threshold_in_tables if threshold is None else float(threshold)
    return assertion
