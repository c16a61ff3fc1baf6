"""Figures as text, for everything that shows them. Standard library only.

What rounds to 0 has no sign: the `z` of formats.
"""

from __future__ import annotations

from suitecase.figures.gates.grammar import Gate
from suitecase.figures.measured import MeasuredFigure

_LONGEST = 12


def figure_text(figure: MeasuredFigure, *, percent: bool = True) -> str:
    """Return an estimate with its interval: `88.0% [83.1%, 92.0%]`; a dash if there is no estimate."""
    if figure.estimate is None:
        return "—"
    text = value_text(figure.estimate, figure.unit, percent=percent)
    if figure.low is None or figure.high is None:
        return f"{text} (no interval: {figure.why_no_interval})"
    low, high = (value_text(it, figure.unit, percent=percent) for it in (figure.low, figure.high))
    return f"{text} [{low}, {high}]"


def value_text(value: float, unit: str, *, digits: int = 1, percent: bool = True) -> str:
    """Return a value in its unit, such as `88.0%`, `0.880` or `4,310 ms`."""
    match unit:
        case "ms":
            return f"{value:z,.{max(digits - 1, 0)}f} ms"
        case "usd":
            # Answers often cost fractions of a cent.
            return f"${value:z,.{digits + 3}f}"
        case "tokens":
            return f"{value:z,.{digits}f}"
        case "coefficient":
            return f"{value:z.{digits + 1}f}"
    return f"{100 * value:z.{digits}f}%" if percent else f"{value:z.{digits + 2}f}"


def compared_text(value: float, gate: Gate, unit: str) -> str:
    """Return a value with as many digits as it takes to see whether it meets the gate."""
    percent = gate.threshold.percent
    for digits in range(1, _LONGEST):
        text = value_text(value, unit, digits=digits, percent=percent)
        shown = float(text.strip("$%").removesuffix(" ms").replace(",", ""))
        if gate.met_by(shown / 100 if text.endswith("%") else shown) == gate.met_by(value):
            return text
    return value_text(value, unit, digits=_LONGEST, percent=percent)


def short_figure(figure: MeasuredFigure) -> str:
    """Return an estimate with its interval for a table: `0.88 [0.83, 0.92]`; a dash for none."""
    if figure.estimate is None:
        return "-"
    text = short_value(figure.estimate, figure.unit)
    if figure.low is None or figure.high is None:
        return f"{text} [none]"
    low, high = (short_value(it, figure.unit) for it in (figure.low, figure.high))
    return f"{text} [{low}, {high}]"


def short_value(value: float, unit: str) -> str:
    """Return a value with few digits: a share with two, and more where it would round to 0 or 1."""
    match unit:
        case "share":
            for digits in range(2, _LONGEST):
                text = f"{value:z.{digits}f}"
                if float(text) not in (0.0, 1.0) or float(text) == round(value, _LONGEST):
                    return text
            return f"{value:z.{_LONGEST}f}"
        case "coefficient":
            return f"{value:z.2f}"
        case "usd":
            return f"{value:z.4f}" if abs(value) < 1 else f"{value:,.2f}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:z,.1f}"
