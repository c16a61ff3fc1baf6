"""Parsing gates and metrics, with messages that point at the mistake."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import get_args

from suitecase.figures.gates.grammar import (
    Call,
    Comparison,
    Expression,
    Extreme,
    ExtremeName,
    Figure,
    FunctionName,
    Gate,
    Name,
    Number,
    Part,
    Sum,
    Term,
)
from suitecase.text.near_names import nearest

#: A longer text is not a gate; this bounds the effort.
LONGEST = 2_000
#: Functions around each other beyond this depth are refused. Two make sense.
_DEEPEST = 10
_BLANKS = re.compile(r"\s*")
_NUMBER = re.compile(r"-?(?:\d+(?:\.\d+)?|\.\d+)(?: ?%)?")
_NAME = re.compile(r"[^\W\d][\w@^-]*|`[^`\n]+`")
#: A name after a dot may start with a digit, such as the id of a rubric.
_PART = re.compile(r"[\w@^-]+|`[^`\n]+`")
_OPERATOR = re.compile(r"[<>=!~≤≥]+")
_COMPARISONS: dict[str, Comparison] = {argument: argument for argument in get_args(Comparison)}
_FUNCTIONS: frozenset[str] = frozenset(get_args(FunctionName))
#: Functions of a sum; `lower` and `upper` may be around them.
_INNERMOST = frozenset({"change", "corrected"})
_EXTREMES: frozenset[str] = frozenset(get_args(ExtremeName))
_MEANT = {"=>": ">=", "=<": "<=", "≥": ">=", "≤": "<=", ">>": ">", "<<": "<"}


@dataclass(frozen=True, slots=True)
class GateProblem(Part):
    """Why a text is not a gate or metric, at its place; `replacement` is what was probably meant there."""

    message: str
    replacement: str | None = None


class _Invalid(Exception):  # noqa: N818 - caught here
    def __init__(self, start: int, end: int, message: str, replacement: str | None = None) -> None:
        super().__init__(message)
        self.problem = GateProblem(start, end, message, replacement)


@lru_cache(maxsize=4096)
def parse_gate(text: str) -> Gate | GateProblem:
    """Parse a gate such as `lower(pass_rate[critical]) >= 90%`. Never raises."""
    try:
        return _Parser(text).gate()
    except _Invalid as invalid:
        return invalid.problem


@lru_cache(maxsize=4096)
def parse_metric(text: str) -> Sum | GateProblem:
    """Parse a metric: a weighted sum such as `0.6 * rubric + 0.4 * score`. Never raises."""
    try:
        return _Parser(text).metric()
    except _Invalid as invalid:
        return invalid.problem


class _Parser:
    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            raise _Invalid(0, len(text), f"longer than {LONGEST:,} characters")
        self.text = text
        self.at = 0

    def gate(self) -> Gate:
        start = self._blanks()
        expression = self._expression(0)
        comparison, operator = self._comparison()
        threshold = self._threshold()
        self._end()
        return Gate(start, threshold.end, expression, comparison, operator, threshold)

    def metric(self) -> Sum:
        found = self._sum()
        self._end()
        return found

    def _expression(self, depth: int) -> Expression:
        start = self._blanks()
        name = self._peek_name()
        if name is None or not self._follows(name.end, "(") or name.text in _EXTREMES:
            return self._sum()
        if name.text not in _FUNCTIONS:
            known = sorted(_FUNCTIONS | _EXTREMES)
            meant = nearest(name.text, known)
            raise _Invalid(
                name.start,
                name.end,
                f"unknown function `{name.text}`"
                + (
                    f"; did you mean `{meant}`?"
                    if meant
                    else f"; expected one of {', '.join(f'`{it}`' for it in known)}"
                ),
                meant,
            )
        if depth == _DEEPEST:
            raise _Invalid(name.start, name.end, "too many functions around each other")
        self.at = name.end
        self._expect("(")
        inner = self._expression(depth + 1)
        self._expect(")")
        if isinstance(inner, Call) and (
            inner.function.text not in _INNERMOST or name.text in _INNERMOST
        ):
            raise _Invalid(
                inner.function.start,
                inner.function.end,
                f"`{inner.function.text}` cannot be inside `{name.text}`",
            )
        return Call(start, self.at, name, inner)

    def _sum(self) -> Sum:
        terms = [self._term(1.0)]
        while True:
            self._blanks()
            sign = self.text[self.at : self.at + 1]
            if sign not in ("+", "-") or not sign:
                return Sum(terms[0].start, terms[-1].end, tuple(terms))
            self.at += 1
            terms.append(self._term(1.0 if sign == "+" else -1.0))

    def _term(self, sign: float) -> Term:
        start = self._blanks()
        number = self._peek_number()
        if number is not None:
            self.at = number.end
            self._blanks()
            if not self.text.startswith("*", self.at):
                raise _Invalid(
                    number.start, number.end, "expected a figure here, such as `pass_rate`"
                )
            self.at += 1
        of = self._extreme() or self._figure()
        weight = sign * (number.value if number is not None else 1.0)
        return Term(start, self.at, weight, number, of)

    def _extreme(self) -> Extreme | None:
        start = self._blanks()
        name = self._peek_name()
        if name is None or name.text not in _EXTREMES or not self._follows(name.end, "("):
            return None
        self.at = name.end
        self._expect("(")
        figure = self._figure()
        self._blanks()
        by = self._peek_name()
        if by is None or by.text != "by":
            raise _Invalid(
                self.at,
                min(self.at + 1, len(self.text)),
                f"expected `by` and a facet, as in `{name.text}({figure.name} by language)`",
            )
        self.at = by.end
        self._blanks()
        facet = self._peek_name()
        if facet is None:
            raise _Invalid(by.start, by.end, "expected the name of a facet after `by`")
        self.at = facet.end
        self._expect(")")
        return Extreme(start, self.at, name, figure, facet)

    def _figure(self) -> Figure:
        start = self._blanks()
        first = self._peek_name()
        if first is None:
            end = min(self.at + 1, len(self.text))
            place = (max(end - 1, 0), end) if self.at < len(self.text) else self._last()
            raise _Invalid(*place, "expected a figure here, such as `pass_rate`")
        if self._follows(first.end, "(") and first.text not in _EXTREMES:
            raise _Invalid(
                first.start,
                first.end,
                f"`{first.text}(...)` cannot be part of a sum"
                if first.text in _FUNCTIONS
                else f"unknown function `{first.text}`",
            )
        names = [first]
        self.at = first.end
        while self.text.startswith(".", self.at):
            match = _PART.match(self.text, self.at + 1)
            if match is None:
                raise _Invalid(self.at, self.at + 1, "expected a name after the dot")
            names.append(_name(match))
            self.at = match.end()
        return Figure(start, self._slice_end(), tuple(names), self._slice)

    def _slice_end(self) -> int:
        """Read the slice after a figure, if there is one, and return where the figure ends."""
        self._slice: Name | None = None
        if not self.text.startswith("[", self.at):
            return self.at
        end = self.text.find("]", self.at)
        if end < 0:
            raise _Invalid(self.at, len(self.text.rstrip()), "this `[` is not closed by `]`")
        inside = self.text[self.at + 1 : end]
        name = inside.strip()
        if not name:
            raise _Invalid(self.at, end + 1, "expected the name of a slice between `[` and `]`")
        start = self.at + 1 + len(inside) - len(inside.lstrip())
        self._slice = Name(start, start + len(name), name.strip("`"))
        self.at = end + 1
        return self.at

    def _comparison(self) -> tuple[Comparison, Part]:
        start = self._blanks()
        match = _OPERATOR.match(self.text, start)
        if match is None:
            if start == len(self.text):
                raise _Invalid(
                    *self._last(), "expected a comparison, such as `>= 90%`, after the figure"
                )
            end = start + 1
            if self.text[start] in "+-" and self.text[start - 1 : start] in (")", " "):
                raise _Invalid(
                    start, end, "the bound or change of a figure cannot be part of a sum"
                )
            word = _PART.match(self.text, start)
            end = word.end() if word else end
            raise _Invalid(
                start, end, f"expected `>=`, `<=`, `>` or `<` in place of `{self.text[start:end]}`"
            )
        written = match[0]
        found = _COMPARISONS.get(written)
        if found is None:
            meant = _MEANT.get(written)
            raise _Invalid(
                start,
                match.end(),
                f"`{written}` is not a comparison; "
                + (f"did you mean `{meant}`?" if meant else "expected `>=`, `<=`, `>` or `<`"),
                meant,
            )
        self.at = match.end()
        return found, Part(start, match.end())

    def _threshold(self) -> Number:
        start = self._blanks()
        number = self._peek_number()
        if number is None:
            if start == len(self.text):
                raise _Invalid(*self._last(), "expected a number, such as `90%`, after this")
            raise _Invalid(
                start, len(self.text.rstrip()), "expected a number here, such as `90%` or `0.9`"
            )
        self.at = number.end
        return number

    def _end(self) -> None:
        start = self._blanks()
        if start < len(self.text):
            end = len(self.text.rstrip())
            rest = self.text[start:end]
            if _OPERATOR.match(rest):
                message = "a gate has one comparison; write a second gate"
            else:
                message = f"unexpected `{rest}`"
            raise _Invalid(start, end, message)

    def _expect(self, sign: str) -> None:
        start = self._blanks()
        if not self.text.startswith(sign, start):
            place = (start, start + 1) if start < len(self.text) else self._last()
            raise _Invalid(*place, f"expected `{sign}` here")
        self.at = start + 1

    def _last(self) -> tuple[int, int]:
        """Return the place of the last character that is not blank, or of an empty text."""
        end = len(self.text.rstrip())
        return max(end - 1, 0), end

    def _follows(self, start: int, sign: str) -> bool:
        match = _BLANKS.match(self.text, start)
        return self.text.startswith(sign, match.end() if match else start)

    def _blanks(self) -> int:
        match = _BLANKS.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.at

    def _peek_name(self) -> Name | None:
        match = _NAME.match(self.text, self.at)
        return _name(match) if match else None

    def _peek_number(self) -> Number | None:
        match = _NUMBER.match(self.text, self.at)
        if match is None:
            return None
        written = match[0]
        percent = written.endswith("%")
        # Dividing as a decimal number: 99.9 / 100 is not the number 0.999.
        number = Decimal(written.rstrip(" %")) / (100 if percent else 1)
        value = float(number)
        if not math.isfinite(value):
            raise _Invalid(match.start(), match.end(), "this number is too large")
        return Number(match.start(), match.end(), value, percent)


def _name(match: re.Match[str]) -> Name:
    return Name(match.start(), match.end(), match[0].strip("`"))
