"""The beta and binomial distributions: the incomplete beta function and what follows from it.

Accurate to about 1e-13 for small parameters, and to 1e-9 for parameters of a million.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, inf, lgamma, log, log1p, nextafter

_TINY = 1e-300
_ENOUGH = 1e-16
_MOST_TERMS = 100_000
_MOST_STEPS = 200


def incomplete_beta(x: float, a: float, b: float) -> float:
    """Return I_x(a, b), the distribution function of Beta(a, b) at `x`.

    By Lentz's method on the continued fraction 8.17.22 of the NIST Digital Library of Mathematical
    Functions.
    """
    if not (a > 0 and b > 0):
        raise ValueError(f"a beta distribution has positive parameters; got {a!r} and {b!r}")
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    if x > (a + 1) / (a + b + 2):  # there the fraction of the other tail converges faster
        return 1 - _tail(1 - x, b, a)
    return _tail(x, a, b)


def _tail(x: float, a: float, b: float) -> float:
    front = exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b)) / a
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, _MOST_TERMS):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _away_from_zero(1 + term * d)
            c = _away_from_zero(1 + term / c)
            fraction *= c * d
        if abs(c * d - 1) <= _ENOUGH:
            break
    return min(1.0, front * fraction)


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


def beta_quantile(p: float, a: float, b: float) -> float:
    """Return the x at which the distribution function of Beta(a, b) is `p`.

    By Newton's method, with a bisection in place of each step that leaves what is left to search.
    """
    low, high, x = 0.0, 1.0, a / (a + b)
    log_beta = lgamma(a) + lgamma(b) - lgamma(a + b)
    for _ in range(_MOST_STEPS):
        off = incomplete_beta(x, a, b) - p
        if off >= 0:
            high = x
        else:
            low = x
        slope = exp((a - 1) * log(x) + (b - 1) * log1p(-x) - log_beta)
        step = off / slope if slope > _TINY else inf
        after = x - step
        if not low < after < high:
            after = (low + high) / 2
        if abs(after - x) <= 4e-16 * x or after in (low, high):
            return after
        x = after
    return x


def binomial_cdf(k: int, n: int, p: float) -> float:
    """Return the probability of at most `k` successes in `n` trials of probability `p`."""
    if k < 0:
        return 0.0
    return 1.0 if k >= n else incomplete_beta(1 - p, n - k, k + 1)


def binomial_quantile(level: float, n: int, p: float) -> int:
    """Return the least number of successes that at most this many have probability `level`."""
    low, high = -1, n  # P(X <= low) < level <= P(X <= high)
    while high - low > 1:
        middle = (low + high) // 2
        if binomial_cdf(middle, n, p) >= level:
            high = middle
        else:
            low = middle
    return high


def bisect(reached: Callable[[float], bool], low: float, high: float) -> float:
    """Return the least number in low..high for which `reached`, which stays true from there on."""
    while nextafter(low, inf) < high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if reached(middle):
            high = middle
        else:
            low = middle
    return high
