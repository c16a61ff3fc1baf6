"""How much metrics come to that are made of others: each is looked at once, however often it is used.

A metric that uses another one twice has twice its figures, and so has the next one: 30 lines of that are a
thousand million figures. Metrics that come to more than the limits are used by nobody.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from suitecase.figures.gates.grammar import Sum, figures_in
from suitecase.figures.gates.meaning import FigureKind
from suitecase.figures.gates.names import SuiteFigures
from suitecase.figures.gates.parsing import GateProblem
from suitecase.text.cache import Cache

#: A metric may come to so many figures, counted as often as they are used.
MOST_FIGURES = 1_000
#: So many metrics may be inside one another.
DEEPEST = 50


class MetricSize(NamedTuple):
    """What a metric comes to.

    Attributes:
        figures: the number of figures that it is made of at last.
        depth: the number of metrics inside one another, itself included.
    """

    figures: int
    depth: int

    @property
    def is_too_much(self) -> bool:
        return self.figures > MOST_FIGURES or self.depth > DEEPEST


class _Metrics(NamedTuple):
    #: The size of each metric; None if it is made of itself, or of one that is.
    sizes: dict[str, MetricSize | None]
    #: By metric, the number of the circle that it belongs to: those that are made of one another.
    circles: dict[str, int]


_METRICS: Cache[_Metrics] = Cache()


def metric_size(name: str, figures: SuiteFigures) -> MetricSize | None:
    """Return what a metric comes to; None for one that is made of itself, or that is unknown."""
    return _METRICS.of(figures, _sized, figures).sizes.get(name)


def are_in_one_circle(name: str, other: str, figures: SuiteFigures) -> bool:
    """Whether each of two metrics is made of the other."""
    circles = _METRICS.of(figures, _sized, figures).circles
    return name in circles and circles[name] == circles.get(other)


def usable_sum(name: str, figures: SuiteFigures) -> Sum | None:
    """Return the sum that a metric stands for; None if it has errors or comes to too much."""
    written = figures.metrics.get(name)
    if written is None or isinstance(written.tree, GateProblem):
        return None
    size = metric_size(name, figures)
    return None if size is None or size.is_too_much else written.tree


def metrics_used(name: str, figures: SuiteFigures) -> Iterator[str | None]:
    """Yield for each figure of a metric the metric that it is; None for another figure."""
    written = figures.metrics.get(name)
    if written is None or isinstance(written.tree, GateProblem):
        return
    for figure in figures_in(written.tree):
        meaning = figures.meaning(figure)
        is_metric = meaning is not None and meaning.kind is FigureKind.METRIC
        yield meaning.evaluator if meaning is not None and is_metric else None


def _sized(figures: SuiteFigures) -> _Metrics:
    """Find circles as Tarjan does, without recursion; what is used is complete before what uses it."""
    used = {name: [*metrics_used(name, figures)] for name in figures.metrics}
    sizes: dict[str, MetricSize | None] = {}
    circles: dict[str, int] = {}
    found: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_metrics: list[str] = []
    for start in used:
        pending = [(start, 0)] if start not in found else []
        while pending:
            name, number = pending.pop()
            if number == 0:
                found[name] = lowest[name] = len(found)
                open_metrics.append(name)
            inner = [it for it in used[name] if it in used]
            if number > 0:
                lowest[name] = min(lowest[name], lowest[inner[number - 1]])
            while number < len(inner):
                other = inner[number]
                number += 1
                if other not in found:
                    pending += [(name, number), (other, 0)]
                    break
                if other not in circles:
                    lowest[name] = min(lowest[name], found[other])
            else:
                if lowest[name] == found[name]:
                    _close(name, open_metrics, circles)
                    sizes[name] = _size(name, used, sizes)
    return _Metrics(sizes, circles)


def _close(first: str, open_metrics: list[str], circles: dict[str, int]) -> None:
    """Make a circle of the metrics from one on."""
    number = len(circles)
    while first not in circles:
        circles[open_metrics.pop()] = number


def _size(
    name: str, used: dict[str, list[str | None]], sizes: dict[str, MetricSize | None]
) -> MetricSize | None:
    inner = [it for it in used[name] if it in used]
    known = [sizes.get(it) for it in inner if it is not None]
    if any(it is None for it in known):
        return None
    figures = len(used[name]) - len(inner) + sum(it.figures for it in known if it is not None)
    depth = 1 + max((it.depth for it in known if it is not None), default=0)
    return MetricSize(min(max(figures, 1), MOST_FIGURES + 1), depth)
