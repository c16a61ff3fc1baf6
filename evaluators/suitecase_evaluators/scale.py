"""The scale of scores, 0 to 1, and what is outside it.

A score on another scale says nothing as long as nobody knows the scale: 2 may be two of ten. What is
outside by a rounding error is on the scale.
"""

from __future__ import annotations

#: A score may be outside the scale by so much: sums of shares such as 0.7 and 0.3 are rounded.
ROUNDING = 1e-6


def off_scale(score: float) -> bool:
    """Whether a finite number is outside 0 to 1 by more than a rounding error."""
    return not -ROUNDING <= score <= 1 + ROUNDING


def nearest_score(score: float) -> float:
    """Return the score in 0..1 that is nearest to a finite number."""
    return float(min(1, max(0, score)))


def shown_number(number: float) -> str:
    """Return a number as people write it."""
    try:
        return f"{number:g}"
    except OverflowError:
        return "a number with hundreds of digits"
