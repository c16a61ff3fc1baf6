"""The syntax tree of a gate, with the place of each part in the gate's text.

    gate       = expression , ( ">=" | "<=" | ">" | "<" ) , number ;
    expression = ( "lower" | "upper" | "change" | "corrected" ) "(" expression ")" | sum ;
    sum        = term , { ( "+" | "-" ) , term } ;
    term       = [ number , "*" ] , ( figure | ( "min" | "max" | "gap" ) "(" figure "by" name ")" ) ;
    figure     = name , { "." name } , [ "[" slice "]" ] ;
    number     = [ "-" ] , digits , [ "." , digits ] , [ "%" ] ;

A name has letters, digits, `_`, `-`, `@` and `^`; in backquotes it may have any character. A slice is
all of the text between the brackets. `+` and `-` need blanks around them, since names contain `-`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Comparison = Literal[">=", "<=", ">", "<"]
FunctionName = Literal["lower", "upper", "change", "corrected"]
ExtremeName = Literal["min", "max", "gap"]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a gate's text, from `start` to before `end`, in code points."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Name(Part):
    """A name as it is meant: without backquotes."""

    text: str


@dataclass(frozen=True, slots=True)
class Number(Part):
    """A number; `value` is 0.9 for `90%`."""

    value: float
    percent: bool


@dataclass(frozen=True, slots=True)
class Figure(Part):
    """A figure by its name, of a slice or of all cases."""

    names: tuple[Name, ...]
    slice: Name | None

    @property
    def name(self) -> str:
        """The name without the slice."""
        return ".".join(name.text for name in self.names)

    @property
    def name_end(self) -> int:
        """Where the name ends: the offset of the slice's bracket, if there is one."""
        return self.names[-1].end


@dataclass(frozen=True, slots=True)
class Extreme(Part):
    """The least or greatest value of a figure in the slices of a facet, or the difference of both."""

    function: Name
    figure: Figure
    facet: Name


@dataclass(frozen=True, slots=True)
class Term(Part):
    """A figure times a weight, which is negative after `-`."""

    weight: float
    #: The number of the text; None for an implied 1.
    number: Number | None
    of: Figure | Extreme


@dataclass(frozen=True, slots=True)
class Sum(Part):
    """A weighted sum of figures; nearly always of a single one."""

    terms: tuple[Term, ...]

    @property
    def only_term(self) -> Figure | Extreme | None:
        """The only term, if there is one with the weight 1."""
        first = self.terms[0]
        return first.of if len(self.terms) == 1 and first.number is None else None


@dataclass(frozen=True, slots=True)
class Call(Part):
    """A bound of an expression's interval, its change since the baseline, or the figure corrected for the
    errors of its judge.
    """

    function: Name
    of: Expression


Expression = Sum | Call


@dataclass(frozen=True, slots=True)
class Gate(Part):
    """An expression compared with a threshold."""

    expression: Expression
    comparison: Comparison
    #: The place of the comparison operator.
    operator: Part
    threshold: Number

    @property
    def at_least(self) -> bool:
        """Whether the expression has to be large, not small."""
        return self.comparison in (">=", ">")

    def met_by(self, value: float) -> bool:
        """Whether a value meets the threshold. Rounding errors of sums do not decide."""
        limit = self.threshold.value
        close = abs(value - limit) <= 1e-12 * max(1.0, abs(limit))
        match self.comparison:
            case ">=":
                return close or value > limit
            case "<=":
                return close or value < limit
            case ">":
                return not close and value > limit
            case "<":
                return not close and value < limit


def figures_in(node: Gate | Expression) -> Iterator[Figure]:
    """Yield the figures of a gate or an expression, in the order of the text."""
    for term in sum_of(node).terms:
        yield term.of.figure if isinstance(term.of, Extreme) else term.of


def sum_of(node: Gate | Expression) -> Sum:
    """Return the sum inside the functions of a gate or an expression."""
    expression = node.expression if isinstance(node, Gate) else node
    while isinstance(expression, Call):
        expression = expression.of
    return expression


def functions_in(node: Gate | Expression) -> tuple[Name, ...]:
    """Return the functions around the sum, the outermost first."""
    expression = node.expression if isinstance(node, Gate) else node
    found: list[Name] = []
    while isinstance(expression, Call):
        found.append(expression.function)
        expression = expression.of
    return tuple(found)
