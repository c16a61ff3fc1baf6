"""Permutation tests: whether a difference, or a gap between groups, may be chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from suitecase.statistics.draws import Floats, generator

#: Up to this many differences, all patterns of signs are counted.
_EXACT = 16
_SLACK = 1e-12
_CHUNK = 1 << 20


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
    tables = padded @ (2.0 * bits.T - 1)
    words = -(-resamples // 8)
    bit_generator = generator(seed).bit_generator
    sums = np.zeros(resamples)
    for table in tables:
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
    value, count = _finite(values), _finite(counts)
    names = sorted(set(map(str, labels)))
    if not len(value) == len(count) == len(labels):
        raise ValueError("values, counts and labels are of the same units")
    if len(names) < 2:
        return 1.0
    order = np.lexsort((count, value))
    pairs = np.stack([value[order], count[order]])
    sizes = np.unique([names.index(str(it)) for it in labels], return_counts=True)[1]
    observed = float(_gaps(pairs[:, None, _in_groups(labels, names, order)], sizes)[0])
    if np.isnan(observed):
        return 1.0
    random = generator(seed)
    extreme = 0
    at_once = max(1, _CHUNK // len(value))
    places = np.arange(len(value))
    for start in range(0, resamples, at_once):
        shape = (min(at_once, resamples - start), len(value))
        shuffled = random.permuted(np.broadcast_to(places, shape), axis=1)
        extreme += int(np.count_nonzero(_gaps(pairs[:, shuffled], sizes) >= observed - _SLACK))
    return (1 + extreme) / (1 + resamples)


def _in_groups(
    labels: Sequence[object], names: list[str], order: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return the places of units after `order`, group by group."""
    return np.argsort([names.index(str(labels[it])) for it in order], kind="stable")


def _gaps(pairs: Floats, sizes: NDArray[np.intp]) -> Floats:
    """Return the gap of each arrangement of (value and count) x arrangements x units."""
    starts = np.cumsum(sizes) - sizes
    with np.errstate(invalid="ignore", divide="ignore"):
        values, counts = np.add.reduceat(pairs, starts, axis=-1)
        figures = values / counts
    gaps: Floats = figures.max(axis=-1) - figures.min(axis=-1)
    return gaps


def _finite(values: ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if not np.isfinite(array).all():
        raise ValueError("a test takes finite numbers; leave out a unit that has none")
    return array
