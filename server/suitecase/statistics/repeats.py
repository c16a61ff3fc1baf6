"""What several answers to one case say: whether one of k passes, and whether all k do."""

from __future__ import annotations

from math import comb


def pass_at_k(n: int, c: int, k: int) -> float:
    """Return the probability that one or more of `k` answers pass, of `n` of which `c` passed.

    1 - C(n-c, k) / C(n, k), without bias: Chen et al., Evaluating large language models trained on
    code, arXiv 2107.03374. It takes `k` answers: fewer say nothing of k, and raise ValueError.
    """
    _check(n, c, k)
    return 1 - comb(n - c, k) / comb(n, k)


def pass_hat_k(n: int, c: int, k: int) -> float:
    """Return the probability that all of `k` answers pass, of `n` of which `c` passed: pass^k.

    C(c, k) / C(n, k): Yao et al., tau-bench, arXiv 2406.12045.
    """
    _check(n, c, k)
    return comb(c, k) / comb(n, k)


def _check(n: int, c: int, k: int) -> None:
    if not 0 <= c <= n:
        raise ValueError(f"of {n!r} answers, {c!r} cannot have passed")
    if not 1 <= k <= n:
        raise ValueError(f"{k!r} answers are asked for, and the case has {n!r}")
