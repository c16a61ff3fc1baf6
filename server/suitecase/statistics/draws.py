"""Draws of units with replacement, as the totals of what was drawn.

All are multinomial draws of U of U units. Where rows are few, a draw is one multinomial over the
distinct rows. Else a unit's count in a draw is Poisson, looked up by 16 random bits, for somewhat
fewer than U units in all; the rest is drawn one by one. Given their sum, independent Poisson counts
are multinomial, so the two parts together are a draw of U units.
"""

from __future__ import annotations

import hashlib
from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: A multinomial costs about as much per distinct row as this many units cost otherwise.
_ROW_IN_UNITS = 40
_FEWEST_UNITS = 64
#: How many standard deviations the Poisson counts stay below U on average.
_MARGIN = 3.0
#: Units per product; their counts for all draws fit the cache.
_BLOCK = 16
_CHUNK = 1 << 18


def generator(seed: str) -> np.random.Generator:
    """Return the generator of a seed text: SFC64, seeded with its SHA-256."""
    digest = hashlib.sha256(seed.encode()).digest()
    return np.random.Generator(np.random.SFC64(int.from_bytes(digest, "big")))


def multinomial_is_cheaper(rows: int, units: int) -> bool:
    """Return whether to draw from the distinct rows rather than from the units."""
    return units < _FEWEST_UNITS or rows * _ROW_IN_UNITS <= units


def draw_rows(rows: Floats, counts: NDArray[np.int64], draws: int, seed: str) -> Floats:
    """Return the totals (columns x draws) of draws from distinct rows that stand for `counts` units each."""
    units = int(counts.sum())
    totals = np.empty((rows.shape[1], draws))
    at_once = max(1, _CHUNK // len(rows))
    random = generator(seed)
    for start in range(0, draws, at_once):
        drawn = random.multinomial(units, counts / units, min(at_once, draws - start))
        totals[:, start : start + len(drawn)] = rows.T @ drawn.T.astype(np.float64)
    return totals


def all_draws(rows: Floats, counts: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return the totals (columns x draws) of every draw from two distinct rows, and their chances.

    How often the second row is drawn is binomial.
    """
    units = int(counts.sum())
    second = np.arange(units + 1)
    log_factorials = np.append(0.0, np.cumsum(np.log(second[1:])))
    logs = -log_factorials - log_factorials[::-1] + second * log(counts[1] / counts[0])
    chances = np.exp(logs - logs.max())
    totals = np.outer(rows[0], units - second) + np.outer(rows[1], second)
    return totals, chances / chances.sum()


def draw_units(values: Floats, draws: int, seed: str) -> Floats:
    """Return the totals (columns x draws) of draws from units, a row of `values` each."""
    units = len(values)
    random = generator(seed)
    columns = np.ascontiguousarray(np.vstack([values.T, np.ones(units)]))
    table = _poisson_table(max(0.0, 1 - _MARGIN / sqrt(units)))
    totals = np.zeros((len(columns), draws))
    words = -(-draws // 4)
    for start in range(0, units, _BLOCK):
        block = columns[:, start : start + _BLOCK]
        raw = random.bit_generator.random_raw(words * block.shape[1]).view(np.uint16)
        totals += block @ table.take(raw).reshape(block.shape[1], -1)[:, :draws]
    drawn = np.rint(totals[-1]).astype(np.int64)
    too_many = drawn > units  # rare; these are drawn anew, all one by one
    totals[:, too_many] = 0
    missing = np.where(too_many, units, units - drawn)
    _add_single_units(totals[:-1], columns[:-1], missing, random)
    return totals[:-1]


def _poisson_table(mean: float) -> Floats:
    """Return Poisson counts as a table of 2^16 equally likely ones: each to within 2^-16."""
    table = np.zeros(1 << 16)
    term = cumulative = exp(-mean)
    for count in range(1, 16):
        table[round(cumulative * len(table)) :] = count
        term *= mean / count
        cumulative += term
    return table


def _add_single_units(
    totals: Floats, columns: Floats, missing: NDArray[np.int64], random: np.random.Generator
) -> None:
    """Add to each draw the number of units it lacks, each of them any unit."""
    units = columns.shape[1]
    width = np.uint16 if units <= 1 << 16 else np.uint32
    at_once = max(1, _CHUNK // max(1, int(missing.mean())))
    for start in range(0, len(missing), at_once):
        lacking = missing[start : start + at_once]
        index = random.integers(0, units, int(lacking.sum()), dtype=width)
        some = np.flatnonzero(lacking)
        starts = (np.cumsum(lacking) - lacking)[some]
        if len(some):
            for total, column in zip(totals, columns, strict=True):
                total[start + some] += np.add.reduceat(column.take(index), starts)
