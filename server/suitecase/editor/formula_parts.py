"""The parts of a gate or a metric, also of one that is half-written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple, get_args

from suitecase.figures.gates.grammar import ExtremeName, FunctionName

#: The functions of gates.
EXTREMES = frozenset(get_args(ExtremeName))
FUNCTIONS = frozenset(get_args(FunctionName))

_NAME = r"(?:[^\W\d][\w@^-]*|`[^`\n]+`)"
_PART = re.compile(
    r"\[(?P<slice>[^\]]*)"
    rf"|(?P<name>{_NAME}(?:\.(?:[\w@^-]+|`[^`\n]+`))*)"
    r"|(?P<number>-?(?:\d+(?:\.\d+)?|\.\d+)(?: ?%)?)"
    r"|(?P<operator>[<>=!~≤≥]+|[*+-])"
)
_OPENS = re.compile(r"\s*\(")


class FormulaPartKind(Enum):
    """What a part of a gate is."""

    FUNCTION = auto()
    FIGURE = auto()
    SLICE = auto()
    BY = auto()
    FACET = auto()
    NUMBER = auto()
    OPERATOR = auto()


class FormulaPart(NamedTuple):
    """A part of a gate's text, from `start` to before `end`."""

    kind: FormulaPartKind
    start: int
    end: int
    text: str


def formula_parts(text: str) -> Iterator[FormulaPart]:
    """Yield the parts of a gate or a metric in order; what is unknown is left out."""
    before: FormulaPartKind | None = None
    for match in _PART.finditer(text):
        kind = _kind(match, text, before)
        group = match.lastgroup or ""
        written = match[group]
        start = match.start(group) + len(written) - len(written.lstrip())
        before = kind
        if kind is not None and written.strip():
            yield FormulaPart(kind, start, start + len(written.strip()), written.strip())


def _kind(
    match: re.Match[str], text: str, before: FormulaPartKind | None
) -> FormulaPartKind | None:
    match match.lastgroup:
        case "slice":
            return FormulaPartKind.SLICE
        case "number":
            return FormulaPartKind.NUMBER
        case "operator":
            return FormulaPartKind.OPERATOR
        case _:
            pass
    if before is FormulaPartKind.BY:
        return FormulaPartKind.FACET
    if match[0] == "by" and before in (FormulaPartKind.FIGURE, FormulaPartKind.SLICE):
        return FormulaPartKind.BY
    if _OPENS.match(text, match.end()):
        return FormulaPartKind.FUNCTION if match[0] in FUNCTIONS | EXTREMES else None
    return FormulaPartKind.FIGURE
