from __future__ import annotations

from suitecase.editor.rubric_outcomes import rubric_outcomes
from support.ide.marked_suite import judged, result, shown, suite

SUITE = """\
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - id: warmth
            expected_outcome: Is warm
          - Is short
          - id: unsaid
            expected_outcome: Nobody says anything of this
        evaluators:
          - name: both
            type: composite
            aggregator: {type: weighted_average}
            evaluators:
              - name: word
                type: contains
                value: hello
              - name: other
                type: contains
                value: bye
    """


def outcomes(*results: dict[str, object]) -> list[tuple[str, bool, str]]:
    written = suite(SUITE)
    last = result(written, "greet", "fail", score=0.5, evaluator_results=list(results))
    found = rubric_outcomes(written, 0, last)
    return [(shown(written, it.span), it.met, it.text) for it in found]


def test_rubrics_are_met_or_missed_in_the_order_they_are_written() -> None:
    of_rubrics = judged(["[rubric-2] Is short: goes on"], name="rubric")

    assert outcomes({**of_rubrics, "hits": ["[warmth] Is warm: smiles"]}) == [
        ("- id: «warmth»", True, "Is warm: smiles"),
        ("- «Is short»", False, "Is short: goes on"),
    ]


def test_members_of_a_composite_have_an_outcome_each() -> None:
    of_both = judged(["[other] lacks bye"], name="both")

    assert outcomes({**of_both, "hits": ["[word] has hello"]}) == [
        ("- name: «word»", True, "has hello"),
        ("- name: «other»", False, "lacks bye"),
    ]


def test_one_miss_is_enough_to_miss_what_was_met_otherwise() -> None:
    both_ways = judged(["lacks all"], name="both")

    assert outcomes({**both_ways, "hits": ["has some"]}) == [("- name: «both»", False, "lacks all")]


def test_what_belongs_nowhere_in_the_suite_is_left_out() -> None:
    assert outcomes(judged(["[odd] lacks all"], name="elsewhere")) == []
