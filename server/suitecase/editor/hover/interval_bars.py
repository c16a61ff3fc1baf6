"""The interval of a figure drawn as a bar, with the threshold of its gate."""

from __future__ import annotations

from suitecase.editor.markdown import fenced
from suitecase.figures.decision import Decision
from suitecase.figures.measured import MeasuredFigure
from suitecase.figures.wording import short_figure, short_value

#: The number of steps of a bar.
_STEPS = 40


def interval_bar(decision: Decision) -> str | None:
    """Return a code block with the interval, the estimate and the threshold; None for no estimate."""
    figure, threshold = decision.figure, decision.threshold
    if figure is None or figure.estimate is None:
        return None
    low = figure.low if figure.low is not None else figure.estimate
    high = figure.high if figure.high is not None else figure.estimate
    first, last = _scale(figure, [low, high, *([] if threshold is None else [threshold])])

    def step(value: float) -> int:
        share = (value - first) / (last - first) if last > first else 0.0
        return round(_STEPS * min(max(share, 0.0), 1.0))

    cells = ["·"] * (_STEPS + 1)
    for it in range(step(low), step(high) + 1):
        cells[it] = "─"
    cells[step(low)], cells[step(high)] = "├", "┤"
    cells[step(figure.estimate)] = "●"
    ends = [short_value(it, figure.unit) for it in (first, last)]
    rows = [
        f"{ends[0]:<{_STEPS + 1 - len(ends[1])}}{ends[1]}",
        f"{''.join(cells)}  {short_figure(figure)}",
    ]
    if threshold is not None:
        mark = " " * step(threshold) + "▲"
        rows.append(f"{mark:<{_STEPS + 1}}  threshold {short_value(threshold, figure.unit)}")
    return fenced("\n".join(rows))


def _scale(figure: MeasuredFigure, values: list[float]) -> tuple[float, float]:
    """Return the ends of the bar: of a share or a coefficient 0 and 1, unless something is below."""
    if figure.unit in ("share", "coefficient"):
        return (-1.0 if min(values) < 0 else 0.0), 1.0
    return 0.0 if min(values) >= 0 else min(values), max(values) * 1.1 or 1.0
