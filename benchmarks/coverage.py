"""How often the intervals hold the true value: `make coverage-of-intervals`; ten minutes.

Suites are simulated whose true figure is known, and each interval is counted that holds it. The
table is written into docs/statistics.md, beside the percentile bootstrap and BCa as published. Of
0/1 units the coverage is computed exactly, over every number of passes.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import exp
from pathlib import Path

import numpy as np
from coverage_of_agreement import agreement, corrected
from numpy.typing import NDArray

from suitecase.figures.statistics.bca import bca_levels
from suitecase.figures.statistics.beta import binomial_cdf, binomial_quantile
from suitecase.figures.statistics.binomial import proportion_interval
from suitecase.figures.statistics.draws import generator
from suitecase.figures.statistics.interval import Interval
from suitecase.figures.statistics.resampling import (
    Statistic,
    acceleration,
    bootstrap,
    mean_of,
    share_below,
)
from suitecase.figures.statistics.student import normal_quantile

PAGE = Path(__file__).parent.parent / "docs" / "statistics.md"
TABLE = re.compile(r"(<!-- coverage -->\n).*?(<!-- end of coverage -->)", re.DOTALL)
LEVEL = 0.95
RESAMPLES = 2_000
Z = normal_quantile((1 + LEVEL) / 2)
TAIL = (1 - LEVEL) / 2

Floats = NDArray[np.float64]
Bounds = tuple[float, float]
#: The low and the high bound of each method: percentile, BCa, ours.
Three = tuple[Bounds, Bounds, Bounds | None]


@dataclass(frozen=True)
class Kind:
    """A kind of suite: how its units are drawn, and the true mean of their values."""

    name: str
    units: Callable[[np.random.Generator, int], Floats]
    truth: float
    bounds: Bounds | None
    sizes: tuple[int, ...]


KINDS = [
    Kind(
        "rubric score from 0 to 1 in tenths",
        lambda random, n: random.binomial(10, random.beta(4, 1.3, n)) / 10,
        4 / 5.3, (0, 1), (3, 5, 10, 20, 50),
    ),
    Kind(
        "token F1, 85 % of cases 1",
        lambda random, n: np.where(random.random(n) < 0.85, 1, random.random(n)),
        0.925, (0, 1), (5, 10, 20, 30, 50, 100),
    ),
    Kind(
        "pass rate 0.9, each case asked 5 times",
        lambda random, n: random.binomial(5, random.beta(0.45, 0.05, n)) / 5,
        0.9, (0, 1), (5, 10, 20, 50, 100),
    ),
    Kind(
        "violation rate 0.015, in 3 of 10 answers of 5 % of the cases",
        lambda random, n: random.binomial(5, np.where(random.random(n) < 0.05, 0.3, 0)) / 5,
        0.015, (0, 1), (50, 100, 200),
    ),
    Kind(
        "groups of 5 cases, pass rate 0.8, correlation 0.5 within",
        lambda random, n: random.binomial(5, random.beta(0.8, 0.2, n)) / 5,
        0.8, (0, 1), (3, 5, 10, 20, 50),
    ),
    Kind(
        "difference of verdicts, 15 % rise and 5 % fall",
        lambda random, n: random.choice([-1.0, 0.0, 1.0], n, p=[0.05, 0.8, 0.15]),
        0.1, (-1, 1), (10, 20, 50, 100),
    ),
    Kind(
        "latency, log-normal with sigma 0.5",
        lambda random, n: random.lognormal(0, 0.5, n),
        exp(0.125), None, (5, 10, 20, 50, 200),
    ),
    Kind(
        "latency with a long tail, log-normal with sigma 1",
        lambda random, n: random.lognormal(0, 1, n),
        exp(0.5), None, (5, 10, 20, 50, 200),
    ),
]  # fmt: skip


def of_values(values: Floats, bounds: Bounds | None, seed: str) -> Three:
    """Return the three intervals of the mean of units; ours is None where there is none."""
    n, estimate = len(values), float(values.mean())
    (ours,) = bootstrap(
        np.stack([values, np.ones(n)], axis=1),
        [mean_of(0, 1, bounds)],
        confidence=LEVEL,
        resamples=RESAMPLES,
        seed=seed,
    )
    rows, counts = np.unique(values, return_counts=True)
    draws = generator(seed).multinomial(n, counts / n, RESAMPLES) @ rows / n
    percentile = quantiles(draws, (TAIL, 1 - TAIL))
    published = percentile
    if len(rows) > 1:
        left_out = (values.sum() - rows) / (n - 1)
        levels = bca_levels(Z, share_below(draws, estimate), acceleration(left_out, counts))
        published = quantiles(draws, levels)
    return percentile, published, (ours.low, ours.high) if isinstance(ours, Interval) else None


def quantiles(draws: Floats, levels: Bounds) -> Bounds:
    low, high = np.quantile(draws, levels)
    return float(low), float(high)


def of_share(passes: int, n: int) -> Three:
    """Return the three intervals of a share of 0/1 units."""
    share = passes / n
    ours = proportion_interval(passes, n, LEVEL)
    assert isinstance(ours, Interval)

    def draws(levels: Bounds) -> Bounds:
        low, high = (binomial_quantile(level, n, share) / n for level in levels)
        return low, high

    percentile = published = draws((TAIL, 1 - TAIL)) if 0 < passes < n else (share, share)
    if 0 < passes < n:
        below = (binomial_cdf(passes - 1, n, share) + binomial_cdf(passes, n, share)) / 2
        skewness = (1 - 2 * share) / (6 * (n * share * (1 - share)) ** 0.5)
        published = draws(bca_levels(Z, below, skewness))
    return percentile, published, (ours.low, ours.high)


class Counted:
    """How often the true value was inside, and for ours how often below and above."""

    def __init__(self, truth: float) -> None:
        self.truth = truth
        self.inside = [0.0, 0.0, 0.0]
        self.below = self.above = self.known = 0.0

    def add(self, three: Three, chance: float = 1.0) -> None:
        for place, interval in enumerate(three):
            if interval is not None:
                low, high = interval
                self.inside[place] += chance * (low - 1e-12 <= self.truth <= high + 1e-12)
        if three[2] is not None:
            self.known += chance
            self.below += chance * (self.truth < three[2][0] - 1e-12)
            self.above += chance * (self.truth > three[2][1] + 1e-12)

    def row(self, name: str, n: int, suites: float) -> str:
        percentile, published = (it / suites for it in self.inside[:2])
        ours = self.inside[2] / self.known
        return (
            f"| {name} | {n} | {percentile:.3f} | {published:.3f} | {ours:.3f} |"
            f" {self.below / self.known:.3f} | {self.above / self.known:.3f} |"
        )


def shares() -> Iterator[str]:
    """Yield the rows of 0/1 units, which are exact, and then the worst of many."""
    for rate, sizes in (
        (0.8, (5, 10, 20, 50, 100)),
        (0.95, (10, 20, 50, 100)),
        (0.99, (20, 50, 100, 300)),
    ):
        for n in sizes:
            yield exact(rate, n).row(f"0/1, true rate {rate}", n, 1)
    rates = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.97, 0.99)
    tried = {
        (rate, n): exact(rate, n).inside[2]
        for rate in rates
        for n in (2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100, 200, 300)
    }
    (rate, n), worst = min(tried.items(), key=lambda it: it[1])
    yield f"| 0/1, the worst of {len(tried)} with n from 2 to 300 and rates from 0.5 to 0.99: {rate} | {n} | | | {worst:.3f} | | |"


def exact(rate: float, n: int) -> Counted:
    counted = Counted(rate)
    for passes in range(n + 1):
        chance = binomial_cdf(passes, n, rate) - binomial_cdf(passes - 1, n, rate)
        if chance > 1e-12:
            counted.add(of_share(passes, n), chance)
    return counted


def simulated(suites: int) -> Iterator[str]:
    for kind in KINDS:
        for n in kind.sizes:
            random = generator(f"coverage of {kind.name}, {n}")
            counted = Counted(kind.truth)
            for number in range(suites):
                counted.add(of_values(kind.units(random, n), kind.bounds, f"suite {number}"))
            yield counted.row(kind.name, n, suites)


def gaps(suites: int) -> Iterator[str]:
    """Yield rows of the gap between groups of 50 cases each, which are 0/1."""

    def gap(totals: Floats) -> Floats:
        figures = totals[..., 0::2] / totals[..., 1::2]
        found: Floats = figures.max(axis=-1) - figures.min(axis=-1)
        return found

    statistic = Statistic(gap, (0, 1), smooth=False)
    for rates in ((0.9, 0.7), (0.9, 0.8), (0.9, 0.9), (0.9, 0.9, 0.9, 0.8), (0.8,) * 4):
        random = generator(f"coverage of a gap of {rates}")
        truth = max(rates) - min(rates)
        inside = below = above = 0
        for number in range(suites):
            totals = np.zeros((50 * len(rates), 2 * len(rates)))
            for place, rate in enumerate(rates):
                units = slice(50 * place, 50 * place + 50)
                totals[units, 2 * place] = random.random(50) < rate
                totals[units, 2 * place + 1] = 1
            (found,) = bootstrap(
                totals, [statistic], confidence=LEVEL, resamples=RESAMPLES, seed=f"suite {number}"
            )
            assert isinstance(found, Interval)
            inside += found.low - 1e-12 <= truth <= found.high + 1e-12
            below += truth < found.low - 1e-12
            above += truth > found.high + 1e-12
        name = f"gap between groups of 50, true rates {', '.join(map(str, rates))}"
        yield (
            f"| {name} | {50 * len(rates)} | | | {inside / suites:.3f} | {below / suites:.3f} |"
            f" {above / suites:.3f} |"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suites", type=int, default=2_000, help="simulated suites of each row")
    parser.add_argument("--print", action="store_true", help="print the table and write no page")
    options = parser.parse_args()
    head = (
        "| units | n | percentile bootstrap | BCa | Suitecase | true value below | above |\n"
        "|---|---|---|---|---|---|---|"
    )
    rows = [head]
    print(head)
    for row in _all(options.suites):
        print(row, flush=True)
        rows.append(row)
    note = (
        f"\n{options.suites:,} simulated suites for each row that is not 0/1, {RESAMPLES:,} draws for each"
        " interval.\n"
    )
    if not options.print:
        table = "\n".join(rows) + "\n" + note
        PAGE.write_text(
            TABLE.sub(lambda it: it[1] + table + it[2], PAGE.read_text("utf-8")), "utf-8"
        )
    return 0


def _all(suites: int) -> Iterator[str]:
    yield from shares()
    yield from simulated(suites)
    yield from gaps(suites)
    yield from agreement(suites)
    yield from corrected(suites)


if __name__ == "__main__":
    sys.exit(main())
