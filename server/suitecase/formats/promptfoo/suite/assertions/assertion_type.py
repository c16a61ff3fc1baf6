"""What a type of assertion is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

ValueKind = Literal["text", "number", "switch", "list", "mapping"]
GradedBy = Literal["text", "model", "code", "embedding", "classifier", "measure", "trace", "set"]


@dataclass(frozen=True, slots=True)
class Scale:
    """What the `threshold` of a type means.

    Attributes:
        minimum: the lowest value that makes sense; None if any does.
        maximum: the highest one.
        unit: what it counts, for people.
        required: without it, the answer cannot be graded.
        default: what it is where it is not written.
        is_limit: it is the most that is allowed, not what has to be reached.
    """

    minimum: float | None = 0
    maximum: float | None = 1
    unit: str = "score, 0 to 1"
    required: bool = False
    default: float | None = None
    is_limit: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AssertionType:
    """A type of assertion.

    Attributes:
        name: as it is written.
        description: what it checks, for hovers and completions.
        values: the kinds of `value` that it takes, without templates and `file://`; empty if it
            does not use `value`.
        value_required: without `value` there is nothing to compare with or to grade by.
        threshold: what `threshold` means; None if it is not used.
        negatable: `not-` in front of it inverts the result. Of the others, promptfoo ignores it or
            does not know the type.
        graded_by: what grades.
        example: of the whole assertion, as YAML in one line.
    """

    name: str
    description: str
    values: tuple[ValueKind, ...] = ()
    value_required: bool = False
    threshold: Scale | None = None
    negatable: bool = True
    graded_by: GradedBy = "text"
    example: str = ""


#: Kinds of values that several types take.
TEXT: Final[tuple[ValueKind, ...]] = ("text",)
TEXTS: Final[tuple[ValueKind, ...]] = ("text", "list")
ANY: Final[tuple[ValueKind, ...]] = ("text", "number", "switch", "list", "mapping")


def score(default: float | None = None) -> Scale:
    """Return the scale of a score from 0 to 1."""
    return Scale(default=default)
