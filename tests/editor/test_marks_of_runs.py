from __future__ import annotations

from typing import Any

import pytest

from suitecase.editor.run_marks import run_marks
from suitecase.format.rule import Severity
from suitecase.formats.suitecase.parsed import ParsedSuite
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
          - expected_outcome: Has no id
        evaluators:
          - name: both
            type: composite
            aggregator: {type: weighted_average}
            evaluators:
              - name: tone
                type: llm_judge
                rubrics:
                  - id: warmth
                    expected_outcome: Is calm
              - name: word
                type: contains
                value: hello
      - id: part
        input: Bye
        expected_outcome: Says goodbye
    """


def marks(written: ParsedSuite, case: str, verdict: str, **rest: Any) -> list[tuple[str, ...]]:
    found = run_marks(written, {case: result(written, case, verdict, **rest)})
    return [(it.severity.value, shown(written, it.span), it.message) for it in found]


def test_a_failed_case_is_a_warning_at_its_id() -> None:
    assert marks(suite(SUITE), "part", "fail", score=0.4, reasoning="Says\nnothing.") == [
        ("warning", "- id: «part»", "fail 0.40: Says nothing."),
    ]


def test_a_case_that_could_not_be_graded_is_an_error_that_says_why() -> None:
    assert marks(suite(SUITE), "part", "error", error="the key is missing") == [
        ("error", "- id: «part»", "error: the key is missing"),
    ]


def test_a_case_that_passed_is_not_marked() -> None:
    assert marks(suite(SUITE), "part", "pass", score=0.92) == []


@pytest.mark.parametrize(
    ("name", "miss", "place", "says"),
    [
        ("rubric", "[warmth] Is warm: cold", "- id: «warmth»", "Is warm: cold"),
        ("rubric", "[rubric-2] Is short", "- «Is short»", "Is short"),
        ("rubric", "[rubric-3] Has no id", "- «expected_outcome»: Has no id", "Has no id"),
        ("both", "[word] lacks hello", "- name: «word»", "lacks hello"),
        ("both", "lacks all", "- name: «both»", "lacks all"),
    ],
)
def test_a_miss_stands_at_what_it_belongs_to(name: str, miss: str, place: str, says: str) -> None:
    record = {"score": 0.5, "evaluator_results": [judged([miss], name=name)]}

    _, found = marks(suite(SUITE), "greet", "fail", **record)

    assert found == ("warning", place, f"missed: {says}")


def test_a_miss_without_a_place_of_its_own_is_the_reason_of_the_verdict() -> None:
    missed = [judged(["[odd] lacks all"], name="elsewhere"), judged(["lacks all"], name="gone")]
    record = {"score": 0.5, "reasoning": "Bad.", "evaluator_results": missed}

    assert marks(suite(SUITE), "greet", "fail", **record) == [
        ("warning", "- id: «greet»", "fail 0.50: [odd] lacks all; lacks all"),
    ]


def test_a_verdict_does_not_repeat_what_is_marked_at_an_evaluator() -> None:
    missed = [judged(["lacks hello"], name="both"), judged(["lacks hello"], name="both")]
    record = {"score": 0.0, "reasoning": "both: lacks hello", "evaluator_results": missed}

    assert marks(suite(SUITE), "greet", "fail", **record) == [
        ("warning", "- id: «greet»", "fail 0.00"),
        ("warning", "- name: «both»", "missed: lacks hello"),
    ]


def test_an_error_of_several_evaluators_is_told_once() -> None:
    broken = [{**judged([], name=it), "error": "exit code 1"} for it in ("tone", "word")]
    record = {"error": "evaluator `tone`: exit code 1\nevaluator `word`: exit code 1"}

    assert marks(suite(SUITE), "greet", "error", evaluator_results=broken, **record) == [
        ("error", "- id: «greet»", "error: evaluators `tone`, `word`: exit code 1"),
    ]


def test_a_rubric_in_a_composite_is_found_by_the_member_it_is_in() -> None:
    written = suite(SUITE)
    record = {"score": 0.5, "evaluator_results": [judged(["[tone] [warmth] Is calm"], name="both")]}

    found = run_marks(written, {"greet": result(written, "greet", "fail", **record)})

    at = written.document.text.index("warmth", written.document.text.index("tone"))
    assert found[1].span.start == at


@pytest.mark.parametrize(("verdict", "is_hint"), [("pass", True), ("fail", False)])
def test_what_a_passing_case_missed_is_a_hint(verdict: str, is_hint: bool) -> None:
    written = suite(SUITE)
    record = {"score": 0.9, "evaluator_results": [judged(["[warmth] Is warm"])]}
    found = run_marks(written, {"greet": result(written, "greet", verdict, **record)})

    assert (found[-1].message, found[-1].is_hint) == ("missed: Is warm", is_hint)


def test_a_case_without_criteria_is_a_hint() -> None:
    written = suite(SUITE)
    found = run_marks(written, {"part": result(written, "part", "not_evaluated")})

    assert [(it.message, it.is_hint) for it in found] == [("not evaluated", True)]


def test_marks_of_a_case_that_has_changed_are_called_stale() -> None:
    before = suite(SUITE)
    last = result(before, "part", "fail", score=0.4)
    after = suite("# above\n" + SUITE.replace("Says goodbye", "Waves").replace("    ", "", 1))

    (found,) = run_marks(after, {"part": last})

    assert found.severity is Severity.INFO
    assert found.message == "fail 0.40 (stale: the case has changed since)"
    assert shown(after, found.span) == "- id: «part»"


def test_results_of_cases_that_are_gone_are_not_shown() -> None:
    before = suite(SUITE)
    last = result(before, "part", "fail", score=0.4)

    assert run_marks(suite(SUITE.replace("id: part", "id: leave")), {"part": last}) == []


def test_a_case_that_could_not_even_be_asked_is_a_warning_beside_its_last_result() -> None:
    written = suite(SUITE)
    last = result(written, "part", "fail", score=0.4)
    found = run_marks(written, {"part": last}, {"part": "the key is missing"})

    assert [(it.severity, it.message) for it in found] == [
        (Severity.WARNING, "not run: the key is missing"),
        (Severity.WARNING, "fail 0.40"),
    ]


@pytest.mark.parametrize(
    ("ranges", "score", "place"),
    [
        ("[{score_range: [0, 4], expected_outcome: bad}]", 3, "{score_range: [0, 4]"),
        ("{0: bad, 5: good}", 7, "«5»: good"),
        ("{5: good}", 3, None),
        ("[{score_range: [0, 4]}]", True, None),
        ("nonsense", 3, None),
    ],
)
def test_a_miss_leads_to_the_range_that_the_score_lies_in(
    ranges: str, score: object, place: str | None
) -> None:
    text = SUITE.replace("expected_outcome: Is warm", f"score_ranges: {ranges}")
    written = suite(text)
    record = judged(["[warmth] Is warm"]) | {"details": {"raw_scores": {"warmth": score}}}
    last = result(written, "greet", "fail", evaluator_results=[record])
    miss = run_marks(written, {"greet": last})[-1]

    assert miss.judge == "critic"
    assert [
        place in shown(written, it.span).replace("«{", "{") for it in miss.related if place
    ] == ([True] if place else [])
