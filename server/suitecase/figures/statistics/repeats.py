"""What several answers to one case say: whether one or all of k pass, and how far they differ."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from statistics import fmean, variance


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


def share_between_cases(answers: Sequence[Sequence[float]]) -> float | None:
    """Return how much of the variance of a mean over cases lies between cases, from 0 to 1.

    `answers` has the values of the answers to each case. The variance of the mean of n case means is
    their variance over n; of that, the part within cases is the mean of w / r over the cases, where r
    is the number of answers to a case and w the pooled variance within cases. The rest lies between
    cases: one-way analysis of variance with random effects (Searle, Casella and McCulloch, Variance
    components, 1992, chapter 3). None where no case has two answers, or no case differs.
    """
    cases = [answer for answer in answers if answer]
    repeated = [case for case in cases if len(case) > 1]
    if not repeated or len(cases) < 2:
        return None
    total = variance([fmean(case) for case in cases])
    if total == 0:
        return None
    squares = sum(variance(it) * (len(it) - 1) for it in repeated)
    within = squares / sum(len(it) - 1 for it in repeated)
    return min(max(1 - within * fmean(1 / len(case) for case in cases) / total, 0.0), 1.0)


def _check(n: int, c: int, k: int) -> None:
    if not 0 <= c <= n:
        raise ValueError(f"of {n!r} answers, {c!r} cannot have passed")
    if not 1 <= k <= n:
        raise ValueError(f"{k!r} answers are asked for, and the case has {n!r}")
