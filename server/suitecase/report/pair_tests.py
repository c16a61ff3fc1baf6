"""Tests of the difference between two runs, and how large it is: over all cases, by slice and evaluator.

docs/statistics.md says which tests and why.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from math import fsum, sqrt
from statistics import fmean
from typing import TYPE_CHECKING, Literal

from suitecase.figures.statistics.exact_tests import holm, mcnemar_exact, odds_ratio
from suitecase.figures.statistics.interval import Interval, NoInterval
from suitecase.figures.statistics.paired import detectable_difference, hedges_dz, n_for_difference
from suitecase.figures.statistics.permutation import sign_flip_p
from suitecase.figures.statistics.resampling import mean_interval
from suitecase.report.pairs import PairList, Pairs

if TYPE_CHECKING:
    from suitecase.format.figure_keys import Slice


CONFIDENCE = 0.95
ALPHA = 0.05
#: Fixed, so that the same runs give the same intervals.
SEED = 20_260_101
#: The power of "8 of 10".
POWER = 0.8
#: Patterns of signs. With fewer, no p-value stays small once it is adjusted for a hundred tests.
_SIGN_PATTERNS = 20_000
_MOST_DRAWS = 10_000
_FEWEST_DRAWS = 2_000
#: Draws times units, for the number of draws of large runs.
_DRAWN_UNITS = 20_000_000

Conclusion = Literal["higher", "lower", "may_be_chance", "too_few_differ"]
Test = Literal["mcnemar_exact", "sign_flip"]


@dataclass(frozen=True, slots=True)
class PairTest:
    """The difference of a figure between two runs.

    Attributes:
        targets: the target, or `A -> B` if another one answered in the second run.
        figure: as in gates: `pass_rate`, `score`, an evaluator, or `EVALUATOR.pass_rate`.
        slice: the name of the slice; None for all cases.
        evaluator: None for the grade of the case as a whole.
        cases: the number of cases.
        units: the number of groups of cases, or of cases if there are no groups.
        rose, fell: the number of cases whose value is higher or lower than before.
        differing: the number of units that differ.
        test: None if no test was made, since too few cases differ for any result to be significant.
        p: the two-sided p-value.
        adjusted_p: the same, adjusted for all tests of the comparison by Holm's method.
        odds: `rose` by `fell` and its exact interval; None for scores, groups and repeats.
        d_z: the mean difference in standard deviations, corrected for few cases.
        detectable: the smallest difference that 8 of 10 such comparisons show.
        standard_error: of the mean difference.
    """

    targets: str
    figure: str
    slice: str | None
    evaluator: str | None
    cases: int
    units: int
    before: float
    after: float
    rose: int
    fell: int
    differing: int
    interval: Interval | NoInterval
    draws: int
    test: Test | None
    p: float | None
    odds: tuple[float, float, float] | None
    d_z: float | None
    detectable: float | None
    standard_error: float
    adjusted_p: float | None = None

    @property
    def name(self) -> str:
        """The figure with its slice, as in gates."""
        return self.figure if self.slice is None else f"{self.figure}[{self.slice}]"

    @property
    def difference(self) -> float:
        """The mean difference, after less before."""
        return self.after - self.before

    @property
    def conclusion(self) -> Conclusion:
        """What the test says, at 0.05 after the adjustment."""
        if self.adjusted_p is None:
            return "too_few_differ"
        if self.adjusted_p > ALPHA:
            return "may_be_chance"
        return "higher" if self.difference > 0 else "lower"

    def cases_for(self, difference: float) -> int | None:
        """Return about how many cases show this difference in 8 of 10 such comparisons."""
        if self.test is None or not self.standard_error or not difference:
            return None
        spread = self.standard_error * sqrt(self.cases)
        return n_for_difference(spread, difference, POWER, CONFIDENCE)


@dataclass(frozen=True, slots=True)
class PairTests:
    """All tests of a comparison.

    Attributes:
        tests: for each target: the whole, then each evaluator, then each slice.
        made: the number of different tests made, for which p-values are adjusted.
        left_out: the number of cases in both runs for which an answer or a judge's reply is missing.
        slices_left_out: the number of tags for which nothing was tested, since there are too many.
    """

    tests: tuple[PairTest, ...]
    made: int
    left_out: int
    slices_left_out: int

    def whole(self, targets: str, figure: str) -> PairTest | None:
        """Return the test of a figure over all cases of a target; None without pairs."""
        return next(
            (
                test
                for test in self.tests
                if test.targets == targets and test.figure == figure and test.slice is None
            ),
            None,
        )


@dataclass(frozen=True, slots=True)
class _Scope:
    """Pairs to test together."""

    targets: str
    slice: str | None
    evaluator: str | None
    pairs: PairList


#: A digest of what a test is about: tests of exactly the same differences are one.
_Key = bytes


def pair_tests_of(by_targets: Iterable[tuple[str, Pairs]], slices: dict[str, Slice]) -> PairTests:
    """Test the pairs of each target.

    Args:
        by_targets: the pairs by target.
        slices: the declared slices of the suite.
    """
    found: list[tuple[PairTest, _Key]] = []
    left_out = slices_left_out = 0
    for targets, pairs in by_targets:
        parts, ignored = sliced(pairs.whole, slices)
        left_out += pairs.left_out
        slices_left_out += ignored
        scopes = [_Scope(targets, None, None, pairs.whole)]
        # The grade of the only evaluator is that of the case.
        if len(pairs.by_evaluator) > 1:
            scopes += [_Scope(targets, None, *it) for it in pairs.by_evaluator.items()]
        scopes += [_Scope(targets, name, None, part) for name, part in parts.items()]
        found += [it for scope in scopes if scope.pairs for it in _tests(scope)]
    p_of: dict[_Key, float] = {}
    for test, key in found:
        if test.p is not None:
            p_of.setdefault(key, test.p)
    adjusted = dict(zip(p_of, holm(list(p_of.values())), strict=True))
    return PairTests(
        tuple(
            replace(test, p=p_of[key], adjusted_p=adjusted[key]) if key in p_of else test
            for test, key in found
        ),
        len(p_of),
        left_out,
        slices_left_out,
    )


def _tests(scope: _Scope) -> Iterator[tuple[PairTest, _Key]]:
    own = "" if scope.evaluator is None else f"{scope.evaluator}."
    pairs = scope.pairs
    pass_rates = pairs.before_pass_rates, pairs.after_pass_rates
    yield _test(scope, f"{own}pass_rate", *pass_rates, of_verdicts=True)
    scores = pairs.before_scores, pairs.after_scores
    yield _test(scope, scope.evaluator or "score", *scores, of_verdicts=False)


def _test(
    scope: _Scope,
    figure: str,
    before: Sequence[float],
    after: Sequence[float],
    *,
    of_verdicts: bool,
) -> tuple[PairTest, _Key]:
    differences = [_without_noise(new - old) for old, new in zip(before, after, strict=True)]
    totals: dict[int, float] = {}
    #: Of the units of several cases, their differences.
    parts: dict[int, list[float]] = {}
    for case, difference in zip(scope.pairs.cases, differences, strict=True):
        if case.unit in totals:
            parts.setdefault(case.unit, [totals[case.unit]]).append(difference)
        else:
            totals[case.unit] = difference
    totals |= {unit: _without_noise(fsum(it)) for unit, it in parts.items()}
    differing = [total for total in totals.values() if total]
    rose, fell = sum(it > 0 for it in differences), sum(it < 0 for it in differences)
    units, cases = len(totals), len(differences)
    draws = min(_MOST_DRAWS, max(_FEWEST_DRAWS, _DRAWN_UNITS // units))
    seed = f"{SEED}/{figure}/{scope.slice or ''}"
    counts = array("d", (len(parts.get(total, "1")) for total in totals))
    interval = mean_interval(
        *(array("d", totals.values()), counts, (-1.0, 1.0)),
        confidence=CONFIDENCE, resamples=draws, seed=seed,
    )  # fmt: skip
    # Whether a result could be significant depends on the number of units that differ alone.
    possible = mcnemar_exact(len(differing), 0) <= ALPHA
    whole_verdicts = of_verdicts and units == cases and set(map(abs, differing)) == {1.0}
    test: Test = "mcnemar_exact" if whole_verdicts else "sign_flip"
    error = _standard_error(totals.values(), counts, cases)
    found = PairTest(
        targets=scope.targets,
        figure=figure,
        slice=scope.slice,
        evaluator=scope.evaluator,
        cases=cases,
        units=units,
        before=fmean(before),
        after=fmean(after),
        rose=rose,
        fell=fell,
        differing=len(differing),
        interval=interval,
        draws=draws,
        test=test if possible else None,
        p=_p(differing, seed) if possible else None,
        odds=odds_ratio(rose, fell, CONFIDENCE) if whole_verdicts and possible else None,
        d_z=hedges_dz(differences) if possible else None,
        detectable=detectable_difference(error * sqrt(cases), cases, POWER, CONFIDENCE)
        if possible and error
        else None,
        standard_error=error,
    )
    return found, _key(totals)


def _key(totals: Mapping[int, float]) -> _Key:
    """Return a digest of the units that differ, and by how much."""
    units = sorted(unit for unit, it in totals.items() if it)
    digest = blake2b(array("Q", units))
    digest.update(array("d", map(totals.__getitem__, units)))
    return digest.digest()


def _p(differing: list[float], seed: str) -> float:
    """Return the p-value of flipping signs; of equal sizes it is that of McNemar's exact test."""
    sizes = set(map(abs, differing))
    if len(sizes) == 1:
        rose = sum(it > 0 for it in differing)
        return mcnemar_exact(rose, len(differing) - rose)
    return sign_flip_p(differing, _SIGN_PATTERNS, seed=seed)


def _standard_error(totals: Collection[float], counts: Sequence[float], cases: int) -> float:
    """Return the standard error of the mean difference, of groups that hold together."""
    units = len(totals)
    if units < 2:
        return 0.0
    mean = fsum(totals) / cases
    squares = fsum((total - count * mean) ** 2 for total, count in zip(totals, counts, strict=True))
    return sqrt(units / (units - 1) * squares) / cases


def _without_noise(value: float) -> float:
    """Return a difference without rounding errors, so that equal ones are equal."""
    return round(value, 9) + 0.0


#: Only so many tags, and values of a facet, are slices: those with the most cases.
MOST = 50


def sliced(pairs: PairList, declared: Mapping[str, Slice]) -> tuple[dict[str, PairList], int]:
    """Return the pairs of each slice that has some, and how many slices were left out.

    A declared slice goes before a tag of its name. Facets have a slice for each value.
    """
    found, left_out = _declared(pairs, declared) if declared else ({}, 0)
    tags, ignored = _most_frequent(
        Counter(
            tag
            for case in pairs.cases
            for tag in case.tags
            if tag not in declared and tag not in found
        )
    )
    by_tag: dict[str, array[int]] = {tag: array("I") for tag in tags}
    for at, case in enumerate(pairs.cases):
        for tag in case.tags & by_tag.keys():
            by_tag[tag].append(at)
    # What all cases have is not a slice.
    found |= {
        tag: pairs.chosen(numbers) for tag, numbers in by_tag.items() if len(numbers) < len(pairs)
    }
    return {name: mine for name, mine in found.items() if mine}, left_out + ignored


def _declared(pairs: PairList, declared: Mapping[str, Slice]) -> tuple[dict[str, PairList], int]:
    # Imports what reads suites, which most comparisons do without.
    from suitecase.figures.gates.slices import CaseFacts, facet_value, selects

    found: dict[str, PairList] = {}
    left_out = 0
    facts = [CaseFacts(case.case, case.tags, case.metadata) for case in pairs.cases]
    for name, entry in declared.items():
        mine = [at for at, own in enumerate(facts) if selects(entry, own)]
        if entry.by is None:
            found[name] = pairs.chosen(mine)
            continue
        by_value: dict[str, array[int]] = {}
        for at in mine:
            value = facet_value(entry, facts[at])
            if value is not None:
                by_value.setdefault(value, array("I")).append(at)
        chosen, ignored = _most_frequent({value: len(of) for value, of in by_value.items()})
        left_out += ignored
        found |= {f"{name}={value}": pairs.chosen(by_value[value]) for value in chosen}
    return found, left_out


def _most_frequent(counts: Mapping[str, int]) -> tuple[list[str], int]:
    """Return the most frequent names in alphabetical order, and how many others there are."""
    order = sorted(counts, key=lambda name: (-counts[name], name))
    return sorted(order[:MOST]), max(0, len(order) - MOST)
