"""Permutation tests: whether a difference, or a gap between groups, may be chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from suitecase.figures.statistics.draws import Floats, generator

Counts = NDArray[np.int64]

#: Up to this many differences, all patterns of signs are counted.
_EXACT = 16
_SLACK = 1e-12
#: A hypergeometric draw costs about as much as shuffling this many units.
_DRAW_IN_UNITS = 20
_CHUNK = 1 << 20
#: The number of tables that are built at a time, one for each byte.
_TABLES = 256


def sign_flip_p(differences: ArrayLike, resamples: int = 10_000, *, seed: str) -> float:
    """Return the two-sided p-value of a mean paired difference, by flipping signs of pairs.

    Exact up to 16 pairs that differ. Beyond, (1 + r) / (1 + B), where r of B random patterns have a
    mean as far from 0 as that observed: Phipson and Smyth, Permutation p-values should never be zero
    (2010). 1 if no pair differs.
    """
    values = _finite(differences)
    values = np.sort(values[values != 0])
    if not len(values):
        return 1.0
    observed = abs(values.sum())
    least = observed - _SLACK * np.abs(values).sum()
    if len(values) <= _EXACT:
        sums = np.zeros(1)
        for value in values:
            sums = np.concatenate([sums - value, sums + value])
        return float(np.mean(np.abs(sums) >= least))
    # A byte says which of 8 values keep their sign; a table has the sum of each byte's.
    padded = np.append(values, np.zeros(-len(values) % 8)).reshape(-1, 8)
    bits = (np.arange(256)[:, None] >> np.arange(8)) & 1
    signs = 2.0 * bits.T - 1
    words = -(-resamples // 8)
    bit_generator = generator(seed).bit_generator
    sums = np.zeros(resamples)
    for start in range(0, len(padded), _TABLES):
        for table in padded[start : start + _TABLES] @ signs:
            sums += table.take(bit_generator.random_raw(words).view(np.uint8)[:resamples])
    extreme = int(np.count_nonzero(np.abs(sums) >= least))
    return (1 + extreme) / (1 + resamples)


def gap_p(
    values: ArrayLike,
    counts: ArrayLike,
    labels: Sequence[object],
    resamples: int = 10_000,
    *,
    seed: str,
) -> float:
    """Return the p-value of the gap between groups, by permuting which unit belongs to which.

    A group's figure is the sum of its units' `values` by the sum of their `counts`, and the gap is
    the highest less the lowest. (1 + r) / (1 + B) as in `sign_flip_p`; one-sided, as a gap is never
    below 0. 1 if there is only one group.
    """
    units = np.stack([_finite(values), _finite(counts)], axis=1)
    if len(units) != len(labels):
        raise ValueError("values, counts and labels are of the same units")
    numbers = {name: number for number, name in enumerate(sorted(set(map(str, labels))))}
    if len(numbers) < 2:
        return 1.0
    groups = np.array([numbers[str(label)] for label in labels])
    sizes = np.bincount(groups)
    totals: Floats = np.stack([np.bincount(groups, it) for it in units.T], axis=1).astype(
        np.float64
    )
    observed = float(_gaps(totals))
    if np.isnan(observed):
        return 1.0
    rows, alike = np.unique(units, axis=0, return_counts=True)
    random = generator(seed)
    extreme = 0
    few = len(rows) * len(sizes) * _DRAW_IN_UNITS <= len(units)
    arrange = _rows_by_group if few else _units_by_group
    at_once = max(1, _CHUNK // (len(rows) * len(sizes) if few else len(units)))
    for start in range(0, resamples, at_once):
        gaps = _gaps(arrange(rows, alike, sizes, min(at_once, resamples - start), random))
        extreme += int(np.count_nonzero(~(gaps < observed - _SLACK)))
    return (1 + extreme) / (1 + resamples)


def _rows_by_group(
    rows: Floats, alike: Counts, sizes: Counts, draws: int, random: np.random.Generator
) -> Floats:
    """Return totals (draws x groups x columns) of arrangements, by how many of each row a group has.

    The number of a row in a group, of the units that are left, is hypergeometric.
    """
    totals = np.empty((draws, len(sizes), rows.shape[1]))
    left = np.tile(alike, (draws, 1))
    for group, size in enumerate(sizes):
        own = np.zeros_like(left)
        lacking = np.full(draws, size)
        others = left.sum(axis=1)
        for row in range(len(rows)):
            others -= left[:, row]
            own[:, row] = random.hypergeometric(left[:, row], others, lacking)
            lacking -= own[:, row]
        left -= own
        totals[:, group] = own @ rows
    return totals


def _units_by_group(
    rows: Floats, alike: Counts, sizes: Counts, draws: int, random: np.random.Generator
) -> Floats:
    """Return totals (draws x groups x columns) of arrangements, by shuffling units."""
    row_of = np.repeat(np.arange(len(rows), dtype=np.min_scalar_type(len(rows))), alike)
    shuffled = random.permuted(np.tile(row_of, (draws, 1)), axis=1)
    starts = np.cumsum(sizes) - sizes
    return np.stack(
        [np.add.reduceat(column.take(shuffled), starts, axis=1) for column in rows.T], axis=-1
    )


def _gaps(totals: Floats) -> Floats:
    """Return the highest less the lowest figure of groups, whose totals are (..., groups, 2)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        figures = totals[..., 0] / totals[..., 1]
    gaps: Floats = figures.max(axis=-1) - figures.min(axis=-1)
    return gaps


def _finite(values: ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if not np.isfinite(array).all():
        raise ValueError("a test takes finite numbers; leave out a unit that has none")
    return array
