"""Numbers of options that have bounds."""

from __future__ import annotations

import math

import click


class FiniteNumber(click.FloatRange):
    """A number within bounds. Not `nan`, which no bound keeps out, and not `inf`."""

    def convert(
        self, value: float, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number.

        Raises:
            click.BadParameter: it is not a number, not finite, or out of bounds.
        """
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number
