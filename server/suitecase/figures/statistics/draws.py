"""Draws of units with replacement, as the totals of what was drawn.

All are multinomial draws of U of U units. Where rows are few, a draw is one multinomial over the
distinct rows. Else a unit's count in a draw is Poisson, looked up by 16 random bits, for somewhat
fewer than U units in all; the rest is drawn one by one. Given their sum, independent Poisson counts
are multinomial, so the two parts together are a draw of U units.

Sums are by `einsum`, which uses one thread and no BLAS: a machine's number of processors changes
neither the time that is spent nor the last digits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from math import exp, sqrt

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: A multinomial costs about as much per distinct row as this many units cost otherwise.
_ROW_IN_UNITS = 40
_FEWEST_UNITS = 64
#: How many standard deviations the Poisson counts stay below U on average.
_MARGIN = 3.0
#: Units per product; their counts for all draws fit the cache.
_BLOCK = 32
#: Draws per product, and numbers at a time elsewhere.
_AT_ONCE = 10_000
#: Counts of samples up to this size are cached while the seed is the same: 40 MB at most.
_KEPT_UNITS = 2_048
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
        part = totals[:, start : start + len(drawn)]
        np.einsum("dc,bd->cb", rows, drawn.astype(np.float64), out=part)
    return totals


def draw_units(samples: list[Floats], draws: int, seed: str) -> list[Floats]:
    """Return for each sample, units x columns, the totals (columns x draws) of draws from its units.

    Samples whose numbers of units have equally many binary digits share their random numbers, so
    that many figures cost little more than one; the draws of a sample are the same without others.
    The list is empty afterwards, so that large samples need not be kept.
    """
    widths = [it.shape[1] for it in samples]
    sizes: dict[int, list[int]] = {}
    for place, sample in enumerate(samples):
        sizes.setdefault(len(sample), []).append(place)
    alike = [_Columns(np.hstack([samples[it] for it in places])) for places in sizes.values()]
    samples.clear()
    by_digits: dict[int, list[_Columns]] = {}
    for columns in alike:
        by_digits.setdefault(columns.units.bit_length(), []).append(columns)
    for digits, together in by_digits.items():
        _add_poisson_counts(together, digits, draws, seed)
    found: list[Floats] = [np.empty(0)] * len(widths)
    for places, columns in zip(sizes.values(), alike, strict=True):
        totals = columns.complete(seed)
        for place in places:
            width = widths[place]
            found[place], totals = totals[:width], totals[width:]
    return found


class _Columns:
    """The columns of samples of one size that vary, and a last one that counts units, with their totals."""

    def __init__(self, sample: Floats) -> None:
        self.units = len(sample)
        self.first = sample[0].copy()
        self.varies = (sample != self.first).any(axis=0)
        self.values = np.vstack([sample[:, self.varies].T, np.ones(self.units)])
        self.totals = np.empty((0, 0))

    def complete(self, seed: str) -> Floats:
        """Draw the units that are missing of each draw, and return the totals of all columns."""
        drawn = np.rint(self.totals[-1]).astype(np.int64)
        too_many = drawn > self.units  # rare; these are drawn anew, all one by one
        self.totals[:, too_many] = 0
        missing = np.where(too_many, self.units, self.units - drawn)
        _add_single_units(self.totals[:-1], self.values[:-1], missing, generator(f"{seed} singly"))
        totals = np.empty((len(self.first), len(missing)))
        totals[self.varies] = self.totals[:-1]
        totals[~self.varies] = self.units * self.first[~self.varies, None]
        return totals


def _add_poisson_counts(samples: Sequence[_Columns], digits: int, draws: int, seed: str) -> None:
    """Set the totals of samples to those of independent counts of each unit.

    The counts of a unit depend on its place alone, so a smaller sample sees the first of them.
    """
    units = max(it.units for it in samples)
    heights = np.cumsum([0, *(len(it.values) for it in samples)])
    values = np.zeros((heights[-1], units))
    for sample, start in zip(samples, heights, strict=False):
        values[start : start + len(sample.values), : sample.units] = sample.values
    counts_of = _kept_counts(seed) if units <= _KEPT_UNITS else partial(_counts, seed)
    totals = np.zeros((heights[-1], draws))
    for first in range(0, draws, _AT_ONCE):
        part = totals[:, first : first + _AT_ONCE]
        wide = np.empty((_BLOCK, part.shape[1]))
        for start in range(0, units, _BLOCK):
            block = values[:, start : start + _BLOCK]
            height = block.shape[1]
            counts = counts_of(digits, first, start, part.shape[1])
            np.copyto(wide, counts)
            part += np.einsum("cu,ub->cb", block, wide[:height])
    for sample, start in zip(samples, heights, strict=False):
        sample.totals = totals[start : start + len(sample.values)]


def _counts(seed: str, digits: int, first: int, start: int, draws: int) -> NDArray[np.uint8]:
    """Return how often each unit of a block is drawn, before the draws are completed.

    Args:
        seed: the seed of all draws.
        digits: how many binary digits the number of units has.
        first: the number of the first draw.
        start: the number of the first unit.
        draws: the number of draws.
    """
    words = -(-_BLOCK * draws // 4)
    random = generator(f"{seed} {digits} {first} {start}")
    raw = random.bit_generator.random_raw(words).view(np.uint16)
    return _poisson_table(digits).take(raw[: _BLOCK * draws]).reshape(_BLOCK, draws)


@lru_cache(maxsize=1)
def _kept_counts(seed: str) -> Callable[..., NDArray[np.uint8]]:
    """Return a cached `_counts` for a seed: slices of similar size share their counts."""
    return lru_cache(maxsize=2 * _KEPT_UNITS // _BLOCK)(partial(_counts, seed))


@lru_cache
def _poisson_table(digits: int) -> NDArray[np.uint8]:
    """Return Poisson counts as a table of 2^16 equally likely ones: each to within 2^-16.

    Their mean is below 1 by so much that few of the draws have more units than they should have.
    """
    mean = max(0.0, 1 - _MARGIN / sqrt(1 << digits))
    table = np.zeros(1 << 16, dtype=np.uint8)
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
