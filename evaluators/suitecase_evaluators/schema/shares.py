"""What weights come to: the share that each has of all."""

from __future__ import annotations

from collections.abc import Sequence


def shares_of(weights: Sequence[float]) -> list[float]:
    """Return the share of each weight in their sum; all 0 where no weight is above 0.

    Weights are taken relative to the largest first, so that no sum is infinite, however large they
    are.

    Args:
        weights: finite, none below 0.
    """
    largest = max(weights, default=0.0)
    if largest <= 0:
        return [0.0] * len(weights)
    relative = [weight / largest for weight in weights]
    total = sum(relative)
    return [weight / total for weight in relative]
