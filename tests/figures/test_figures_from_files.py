"""Gates on how people agree, on how a judge compares with them, and on rates corrected for its errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from suitecase.figures.deciding import decide, decide_from_files
from suitecase.figures.decision import Decision, Outcome
from suitecase.figures.figures_file import RunFigures, figures_text, parse_figures
from suitecase.figures.file_data import CalibratedJudge, JudgedAnswer, PeoplesRatings, RatedItem
from suitecase.figures.gate_words import value_of
from suitecase.figures.statistics.agreement import Value
from support.figures import SUITE, answer, evaluator, suite_of, suite_text, tables_of

HEAD = (
    "human: {rubric: {labels: [labels.csv]}}\n"
    "judges: {rubric: {calibration: rubric.calibration.json}}\n"
    "metrics: {quality: 0.5 * human.rubric.alpha + 0.5 * pass_rate}"
)


def people(*values: tuple[Value, ...], item: str = "polite") -> PeoplesRatings:
    """Return the ratings of an item of some answers, by as many people as there are values."""
    names = ("ann", "ben", "cem")
    return PeoplesRatings(
        tuple(
            RatedItem(f"answer {number}", item, tuple(zip(names, row, strict=False)))
            for number, row in enumerate(values)
        )
    )


def judge(*passed: tuple[bool | None, bool | None], **fields: Any) -> CalibratedJudge:
    """Return a calibration by what people and the judge say about each answer."""
    return CalibratedJudge(
        tuple(
            JudgedAnswer(
                f"answer {number}",
                {"verdict": bool(by_people)},
                None if by_judge is None else {"verdict": by_judge},
                by_people,
                by_judge,
                **fields,
            )
            for number, (by_people, by_judge) in enumerate(passed)
        )
    )


#: Sensitivity 0.9, specificity 0.8.
CALIBRATED = judge(
    *[(True, True)] * 54, *[(True, False)] * 6, *[(False, False)] * 32, *[(False, True)] * 8
)
AGREED = people(*[(True, True)] * 30, *[(False, False)] * 18, (True, False), (False, True))


def graded(*scores: float) -> list[dict[str, Any]]:
    return [
        answer(f"c{number}", it, evaluator_results=[evaluator("rubric", it, "rubric")])
        for number, it in enumerate(scores)
    ]


def decided(
    gate: str,
    *,
    ratings: PeoplesRatings | None = AGREED,
    calibrated: CalibratedJudge | None = CALIBRATED,
    records: Sequence[Mapping[str, Any]] = (),
    unasked: Iterable[str] = (),
) -> Decision:
    listed = records or graded(1.0, 1.0, 0.0)
    cases = [*(it["eval_id"] for it in listed), *unasked]
    suite = replace(
        suite_of(suite_text(gate, head=HEAD, cases=cases)),
        people={} if ratings is None else {"rubric": ratings},
        judges={} if calibrated is None else {"rubric": calibrated},
    )
    (decision,) = decide(tables_of(listed), suite)
    return decision


def test_alpha_of_people_decides_a_gate_and_has_its_interval() -> None:
    decision = decided("human.rubric.alpha >= 0.667")
    assert decision.outcome is Outcome.HOLDS
    assert decision.value == pytest.approx(1 - 99 * 4 / (2 * 62 * 38))
    assert decision.figure is not None
    assert (decision.figure.unit, decision.figure.cases) == ("coefficient", 50)
    assert decision.figure.low is not None
    assert decision.figure.low < 0.9
    assert value_of(decision).startswith("0.92 [0.7")
    assert decided("lower(human.rubric.alpha) >= 0.9").outcome is Outcome.FAILS


def test_kappa_and_agreement_of_people() -> None:
    kappa = decided("human.rubric.kappa >= 0.6")
    assert kappa.value == pytest.approx((0.96 - 0.5288) / 0.4712)
    share = decided("human.rubric.agreement >= 90%")
    assert share.value == 0.96
    assert share.figure is not None
    assert share.figure.unit == "share"


def test_the_lower_alpha_of_checks_and_of_scores_counts() -> None:
    scores = people((1, 9), (8, 2), (5, 6), (9, 3), (2, 8), item="tone")
    both = PeoplesRatings((*AGREED.items, *scores.items))
    decision = decided("human.rubric.alpha >= 0.667", ratings=both)
    assert decision.outcome is Outcome.FAILS
    assert decision.figure is not None
    assert decision.figure.values.keys() == {"checks", "scores"}
    assert decision.value == decision.figure.values["scores"]


def test_people_who_all_say_the_same_have_no_alpha() -> None:
    decision = decided("human.rubric.alpha >= 0.667", ratings=people(*[(True, True)] * 40))
    assert decision.outcome is Outcome.UNDECIDED
    assert "all values are the same" in decision.reason


@pytest.mark.parametrize(
    ("gate", "reason"),
    [
        ("human.rubric.alpha >= 0.6", "has no labels of `rubric`"),
        ("judges.rubric.kappa >= 0.6", "has no calibration of `rubric`"),
        ("corrected(rubric.pass_rate) >= 60%", "`rubric` has no calibration"),
    ],
)
def test_without_labels_or_a_calibration_a_gate_is_undecided(gate: str, reason: str) -> None:
    decision = decided(gate, ratings=None, calibrated=None)
    assert decision.outcome is Outcome.UNDECIDED
    assert reason in decision.reason


@pytest.mark.parametrize(
    "gate", ["judges.rubric.kappa >= 0.6", "corrected(rubric.pass_rate) >= 60%"]
)
def test_an_outdated_calibration_decides_nothing(gate: str) -> None:
    outdated = replace(
        CALIBRATED, problem="the calibration is outdated", needed="calibrate the judge again"
    )
    decision = decided(gate, calibrated=outdated)
    assert decision.outcome is Outcome.UNDECIDED
    assert decision.reason == "the calibration is outdated"
    assert decision.needed == "calibrate the judge again"


def test_a_judge_is_compared_with_people() -> None:
    assert decided("judges.rubric.sensitivity >= 80%").value == 0.9
    assert decided("judges.rubric.specificity >= 70%").value == 0.8
    # By hand: agreement 0.86, by chance 0.6 * 0.62 + 0.4 * 0.38 = 0.524.
    assert decided("judges.rubric.kappa >= 0.6").value == pytest.approx((0.86 - 0.524) / 0.476)
    bound = decided("lower(judges.rubric.specificity) >= 70%")
    assert bound.outcome is Outcome.FAILS
    assert "more bad answers would narrow the specificity" in bound.needed


def test_unread_replies_of_a_judge_are_missing() -> None:
    unread = judge(*[(True, True)] * 9, (True, None), *[(False, False)] * 10)
    decision = decided("judges.rubric.sensitivity >= 95%", calibrated=unread)
    assert decision.outcome is Outcome.UNDECIDED
    assert "1 answer is missing; with them the figure is from 90.0% to 100.0%" in decision.reason
    assert decided("judges.rubric.sensitivity >= 85%", calibrated=unread).outcome is Outcome.HOLDS
    assert decided("judges.rubric.specificity >= 95%", calibrated=unread).outcome is Outcome.HOLDS
    kappa = decided("judges.rubric.kappa >= 0.95", calibrated=unread)
    assert kappa.outcome is Outcome.UNDECIDED
    assert decided("judges.rubric.kappa >= 0.85", calibrated=unread).outcome is Outcome.HOLDS


def test_probes_and_quotes_of_a_judge() -> None:
    probed = ("repeat", "length")
    steady = judge(*[(True, True)] * 18, probed=probed, valid_quotes=2, quotes=2)
    turned = judge((True, True), probed=probed, flips=("length",), valid_quotes=1, quotes=2)
    unsure = judge((True, True), probed=probed, flips=("repeat",))
    calibrated = CalibratedJudge((*steady.answers, *turned.answers, *unsure.answers))
    assert decided("judges.rubric.self_agreement >= 90%", calibrated=calibrated).value == 0.95
    assert decided("judges.rubric.flips <= 5%", calibrated=calibrated).value == 0.1
    assert decided("judges.rubric.flips.length <= 5%", calibrated=calibrated).value == 0.05
    quotes = decided("judges.rubric.quotes >= 90%", calibrated=calibrated)
    assert quotes.value == pytest.approx(37 / 38)
    untried = decided("judges.rubric.flips.injection <= 5%", calibrated=calibrated)
    assert untried.outcome is Outcome.UNDECIDED
    assert untried.reason == "the probe `injection` was not tried"


def test_a_corrected_rate_is_shown_with_what_it_was_made_of() -> None:
    records = graded(*[1.0] * 76, *[0.0] * 24)
    decision = decided("corrected(rubric.pass_rate) >= 75%", records=records)
    assert decision.outcome is Outcome.HOLDS
    assert decision.value == pytest.approx((0.76 + 0.8 - 1) / 0.7)
    assert not decision.clear
    assert decision.figure is not None
    assert decision.figure.name == "corrected(rubric.pass_rate)"
    text = value_of(decision)
    assert "; uncorrected 76.0%, sensitivity 0.90 and specificity 0.80 of 100 labels" in text
    bound = decided("lower(corrected(rubric.pass_rate)) >= 75%", records=records)
    assert bound.outcome is Outcome.FAILS
    assert bound.figure is not None
    assert bound.value == bound.figure.low
    assert "would narrow the specificity" in bound.needed
    assert "uncorrected 76.0%" in value_of(bound)


def test_missing_answers_bound_a_corrected_rate() -> None:
    lost = {"evaluator_results": [evaluator("rubric", None, "rubric")]}
    records = graded(*[1.0] * 76, *[0.0] * 14)
    records += [answer(f"m{it}", None, **lost) for it in range(10)]
    decision = decided("corrected(rubric.pass_rate) >= 85%", records=records)
    assert decision.outcome is Outcome.UNDECIDED
    assert decision.figure is not None
    assert decision.figure.lowest == pytest.approx((0.76 - 0.2) / 0.7)
    assert decided("corrected(rubric.pass_rate) >= 78%", records=records).outcome is Outcome.HOLDS
    bound = decided("lower(corrected(rubric.pass_rate)) >= 10%", records=records)
    assert bound.outcome is Outcome.HOLDS


def test_a_judge_that_hardly_tells_good_from_bad_is_not_corrected_for() -> None:
    poor = judge(
        *[(True, True)] * 60, *[(True, False)] * 40, *[(False, False)] * 50, *[(False, True)] * 50
    )
    decision = decided("corrected(rubric.pass_rate) >= 75%", calibrated=poor)
    assert decision.outcome is Outcome.UNDECIDED
    assert "hardly tells good from bad answers" in decision.reason


@pytest.mark.parametrize(
    ("gate", "reason"),
    [
        ("human.rubric.alpha + pass_rate >= 1", "cannot be part of a sum"),
        ("quality >= 0.5", "cannot be part of a sum"),
        ("change(judges.rubric.kappa) >= 0", "no change"),
        ("corrected(pass_rate) >= 60%", "takes the pass rate of one judge"),
        ("corrected(rubric) >= 60%", "takes the pass rate of one judge"),
    ],
)
def test_what_cannot_be_computed_is_undecided_and_says_why(gate: str, reason: str) -> None:
    decision = decided(gate)
    assert decision.outcome is Outcome.UNDECIDED
    assert reason in decision.reason


def test_labels_decide_also_where_a_run_is_only_a_part() -> None:
    assert decided("human.rubric.alpha >= 0.667", unasked=["more"]).outcome is Outcome.HOLDS
    part = decided("corrected(rubric.pass_rate) >= 1%", unasked=["more"])
    assert part.outcome is Outcome.UNDECIDED
    assert "3 of the suite's 4 cases" in part.reason


def test_gates_about_files_are_decided_without_a_run() -> None:
    gates = ("pass_rate >= 90%", "human.rubric.alpha >= 0.667", "lower(judges.rubric.kappa) >= 0.9")
    suite = replace(
        suite_of(suite_text(*gates, head=HEAD, cases=["c"])),
        people={"rubric": AGREED},
        judges={"rubric": CALIBRATED},
    )
    found = decide_from_files(suite)
    assert [(it.gate, it.outcome) for it in found] == [
        (gates[1], Outcome.HOLDS),
        (gates[2], Outcome.FAILS),
    ]


def test_a_corrected_rate_is_read_from_its_file_as_it_was_written() -> None:
    decision = decided("corrected(rubric.pass_rate) >= 75%")
    alpha = decided("human.rubric.alpha >= 0.667")
    text = figures_text(RunFigures("r.jsonl", SUITE, gates=(decision, alpha)))
    read = parse_figures(text)
    assert read is not None
    assert read.gates == (decision, alpha)
