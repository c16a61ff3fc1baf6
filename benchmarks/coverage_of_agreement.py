"""How often intervals of agreement and of corrected rates hold the true value; a part of coverage.py.

By itself it prints its rows: `python benchmarks/coverage_of_agreement.py`, three minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np

from suitecase.figures.statistics.agreement import Ratings, Scale
from suitecase.figures.statistics.agreement_resampling import alpha_interval, kappa_interval
from suitecase.figures.statistics.correction import Corrected, JudgeErrors, corrected_rate
from suitecase.figures.statistics.draws import generator
from suitecase.figures.statistics.interval import Interval, NoInterval

SUITES = 2_000
RESAMPLES = 2_000

Rated = Callable[[np.random.Generator, int], list[Ratings]]


def checks(good: float, error: float) -> Rated:
    """Return answers of which two people each misjudge a share."""

    def units(random: np.random.Generator, n: int) -> list[Ratings]:
        answers = random.random(n) < good
        raters = [answers ^ (random.random(n) < error) for _ in range(2)]
        return [
            [("ann", bool(a)), ("ben", bool(b))] for a, b in zip(raters[0], raters[1], strict=True)
        ]

    return units


def true_alpha(good: float, error: float) -> float:
    """Return alpha, and kappa, of very many such answers."""
    given = good * (1 - error) + (1 - good) * error
    return 1 - error * (1 - error) / (given * (1 - given))


def ranges(random: np.random.Generator, n: int) -> list[Ratings]:
    """Return answers that three people rate from 0 to 10, around a common value."""
    middle = random.normal(6, 2, (n, 1))
    values = np.clip(np.rint(middle + random.normal(0, 1, (n, 3))), 0, 10).astype(int)
    return [[(str(place), int(it)) for place, it in enumerate(row)] for row in values]


def agreement(suites: int = SUITES) -> Iterator[str]:
    """Yield the rows of alpha and kappa."""
    for good, error, sizes in (
        (0.5, 0.1, (10, 20, 50, 100)),
        (0.8, 0.1, (10, 20, 50, 100)),
        (0.95, 0.02, (50, 100, 300)),
    ):
        name = f"of two people who misjudge {error:.0%} of answers, {good:.0%} of them good"
        truth, units = true_alpha(good, error), checks(good, error)
        for n in sizes:
            yield _row(
                f"alpha {name}", n, suites, truth, units,
                lambda it, seed: alpha_interval(it, Scale.NOMINAL, resamples=RESAMPLES, seed=seed),
            )  # fmt: skip
        yield _row(
            f"kappa {name}", 50, suites, truth, units,
            lambda it, seed: kappa_interval(it, resamples=RESAMPLES, seed=seed),
        )  # fmt: skip
    truth = _interval_alpha(ranges(generator("very many answers"), 200_000))
    for n in (10, 20, 50, 100):
        yield _row(
            "alpha of three people who rate from 0 to 10, differences count", n, suites, truth, ranges,
            lambda it, seed: alpha_interval(it, Scale.INTERVAL, resamples=RESAMPLES, seed=seed),
        )  # fmt: skip


def _interval_alpha(units: list[Ratings]) -> float:
    values = np.array([[value for _, value in unit] for unit in units], dtype=float)
    return float(1 - values.var(axis=1, ddof=1).mean() / values.var())


def _row(
    name: str,
    n: int,
    suites: int,
    truth: float,
    units: Rated,
    interval: Callable[[list[Ratings], str], Interval | NoInterval],
) -> str:
    random = generator(f"coverage of {name}, {n}")
    found = [interval(units(random, n), f"suite {number}") for number in range(suites)]
    return _counted(name, n, truth, [it for it in found if isinstance(it, Interval)])


def corrected(suites: int = SUITES) -> Iterator[str]:
    """Yield the rows of corrected rates, of a judge with sensitivity 0.9 and specificity 0.8."""
    for rate in (0.5, 0.8, 0.95):
        for n, good, bad in ((50, 20, 10), (100, 60, 20), (200, 100, 50), (1_000, 200, 200)):
            name = f"corrected rate {rate}, {good} good and {bad} bad answers labelled"
            random = generator(f"coverage of {name}")
            found = []
            for _ in range(suites):
                errors = JudgeErrors(
                    good, int(random.binomial(good, 0.9)), bad, int(random.binomial(bad, 0.8))
                )
                passed = random.binomial(n, rate * 0.9 + (1 - rate) * 0.2)
                came = corrected_rate(passed / n, n, errors)
                if isinstance(came, Corrected):
                    found.append(came.interval)
            yield _counted(name, n, rate, found)


def _counted(name: str, n: int, truth: float, found: list[Interval]) -> str:
    below = sum(truth < it.low - 1e-12 for it in found) / len(found)
    above = sum(truth > it.high + 1e-12 for it in found) / len(found)
    return f"| {name} | {n} | | | {1 - below - above:.3f} | {below:.3f} | {above:.3f} |"


if __name__ == "__main__":
    for row in chain(agreement(), corrected()):
        print(row, flush=True)
