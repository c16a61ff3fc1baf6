"""Judges whose errors are known: calibrations find them, and corrections undo them.

Each judge is a real server that is right about a share of good and of bad answers, by a seed. One of the judges and one
of the probes are tried, other ones each time; by `make sweep`, all of them.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from suitecase.cli.calibrating.report import errors_of
from suitecase.figures.statistics.correction import Corrected, JudgeErrors, corrected_rate
from support.judging import CalibrationSite, SimulatedJudge, some_good
from support.samples import sample
from support.servers.openai import (  # pyright: ignore[reportMissingImports] - see tests/conftest.py
    OpenAiServer,
)

LABELED = range(1, 121)
#: Answers that nobody has labeled, whose rate the judge measures.
UNLABELED = range(1_000, 1_600)


JUDGES = [(2, 0.7, 0.9), (3, 0.8, 0.65), (4, 0.9, 0.6)]


def simulated(seed: int, sensitivity: float, specificity: float) -> SimulatedJudge:
    """Return a judge of answers of which half are good."""
    good = some_good([*LABELED, *UNLABELED], 0.5, seed)
    return SimulatedJudge(good, sensitivity=sensitivity, specificity=specificity, seed=seed)


def corrected(judge: SimulatedJudge, errors: JudgeErrors) -> tuple[float, float, Corrected]:
    """Return the true rate of answers that nobody has labeled, the judge's, and the corrected one."""
    n = len(UNLABELED)
    measured = sum(map(judge.passes, UNLABELED)) / n
    found = corrected_rate(measured, n, errors)
    assert isinstance(found, Corrected)
    return sum(judge.good[it] for it in UNLABELED) / n, measured, found


@pytest.mark.parametrize(("seed", "sensitivity", "specificity"), sample(JUDGES))
def test_the_errors_of_a_judge_are_found_and_undone(
    tmp_path: Path, openai_server: OpenAiServer, seed: int, sensitivity: float, specificity: float
) -> None:
    judge = simulated(seed, sensitivity, specificity)
    openai_server.default = judge
    site = CalibrationSite(tmp_path, openai_server, LABELED)
    site.labels({it: judge.good[it] for it in LABELED})
    ran = site.calibrate("--no-probes")
    assert ran.code == 0, ran.err
    errors = errors_of(site.calibration)
    assert errors == known_errors(judge)
    for bounds, known in (
        (errors.sensitivity_bounds(), sensitivity),
        (errors.specificity_bounds(), specificity),
    ):
        assert bounds[0] <= known <= bounds[1]
    true, measured, found = corrected(judge, errors)
    assert found.interval.low <= true <= found.interval.high
    assert abs(measured - true) > 0.05


def test_nearly_all_intervals_contain_what_is_true_and_corrected_rates_are_unbiased() -> None:
    hits: Counter[str] = Counter()
    seeds = range(100, 300)
    off = off_corrected = 0.0
    for seed in seeds:
        judge = simulated(seed, 0.85, 0.7)
        errors = known_errors(judge)
        true, measured, found = corrected(judge, errors)
        off += (measured - true) / len(seeds)
        off_corrected += (found.rate - true) / len(seeds)
        for name, value, (low, high) in (
            ("sensitivity", 0.85, errors.sensitivity_bounds()),
            ("specificity", 0.7, errors.specificity_bounds()),
            ("corrected", true, (found.interval.low, found.interval.high)),
        ):
            hits[name] += low <= value <= high
    # What the judge measures is too high by 0.5 * 0.85 + 0.5 * 0.3 - 0.5.
    assert off == pytest.approx(0.075, abs=0.01)
    assert off_corrected == pytest.approx(0, abs=0.02)
    # 95 % of 200 are 190; fewer than 182 happen by chance once in a hundred times.
    assert all(hits[it] >= 182 for it in ("sensitivity", "specificity", "corrected")), hits


def known_errors(judge: SimulatedJudge) -> JudgeErrors:
    """Return the errors on the labeled answers, counted without asking."""
    seen = Counter((judge.good[it], judge.passes(it)) for it in LABELED)
    return JudgeErrors(
        seen[True, True] + seen[True, False],
        seen[True, True],
        seen[False, True] + seen[False, False],
        seen[False, False],
    )


@pytest.mark.parametrize(
    ("probe", "text"), sample([("length", "To recap"), ("authority", "independent experts")], 2)
)
def test_the_share_of_verdicts_that_a_probe_turns_is_found(
    tmp_path: Path, openai_server: OpenAiServer, probe: str, text: str
) -> None:
    labeled = some_good(range(1, 61), 0.5)
    judge = SimulatedJudge(labeled, sensitivity=0.9, specificity=0.8, turned_by={text: 0.3})
    openai_server.default = judge
    site = CalibrationSite(tmp_path, openai_server, labeled)
    site.labels(labeled)
    site.suite("    probes: [repeat, layout, length, authority]\n")
    assert site.calibrate().code == 0
    answers = site.calibration.answers
    turned = {it: sum(it in answer.flips for answer in answers) for it in site.calibration.probes}
    expected = sum(judge.turns(text, it) for it in labeled)
    assert turned == {"repeat": 0, "layout": 0, "length": 0, "authority": 0} | {probe: expected}
    assert 0.15 < expected / len(labeled) < 0.45
