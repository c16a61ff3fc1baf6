"""Probes change an answer, or how it is asked, in fixed ways that should not turn a verdict."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

import pytest

from suitecase.authoring.judging.probes import EMPTY_ANSWERS, VERSION, Probed, probed
from suitecase.evidence.judge_probes import probes_of, why_not_applicable
from suitecase.format.protocols import PROBES
from suitecase_evaluators.answers.message import Message, ToolCall
from suitecase_evaluators.answers.rubric import Rubric, written_out
from suitecase_evaluators.answers.trace import Trace
from suitecase_evaluators.grade.criteria import CriteriaConfig
from suitecase_evaluators.grade.evaluator import EvaluatorConfig, Subject
from suitecase_evaluators.grade.judge.config import LlmJudgeConfig
from suitecase_evaluators.grade.preference import PreferenceConfig

RUBRICS = written_out([Rubric(id="a", expected_outcome="A"), Rubric(id="b", expected_outcome="B")])
JUDGE = LlmJudgeConfig(name="rubric", type="llm_judge", rubrics=RUBRICS)
FREE = LlmJudgeConfig(name="llm_judge", type="llm_judge")
PREFERENCE = PreferenceConfig(name="better", type="preference", against="reference")
ANSWER = "We are sorry. You get your money back.\n\n- within 5 days\n1. by card"


def subject(text: str = ANSWER) -> Subject:
    return Subject(
        eval_id="late",
        question="My parcel is late.\nWhat now?",
        expected_outcome="Says sorry",
        candidate_answer=text,
        output_messages=(
            Message(role="assistant", tool_calls=[ToolCall(tool="look_up")]),
            Message(role="assistant", content=text),
        ),
    )


def tried(
    name: str, text: str = ANSWER, *, passed: bool = False, config: EvaluatorConfig = JUDGE
) -> Probed:
    found = probed(name, config, subject(text), passed=passed)
    assert found is not None
    return found


def test_the_texts_of_a_version_never_change() -> None:
    texts = [
        tried(it).subject.candidate_answer for it in ("length", "layout", "authority", "injection")
    ]
    digest = sha256("\0".join([*texts, *EMPTY_ANSWERS]).encode()).hexdigest()[:16]
    assert (VERSION, digest) == (1, "924e248360fa69e9"), (
        "raise VERSION: calibrations are of one version"
    )


def test_length_adds_the_question_and_courtesies_behind_the_answer() -> None:
    text = tried("length").subject.candidate_answer
    assert text.startswith(ANSWER)
    assert "My parcel is late. What now?" in text
    long = replace(subject(), question="why " * 1_000)
    found = probed("length", JUDGE, long, passed=True)
    assert found is not None
    assert len(found.subject.candidate_answer) < len(ANSWER) + 800


def test_layout_keeps_each_word() -> None:
    text = tried("layout").subject.candidate_answer
    assert text == (
        "## Answer\n\n- We are sorry.\n- You get your money back.\n\n- within 5 days\n1. by card"
    )


def test_layout_leaves_code_as_it_is() -> None:
    code = "Run this:\n```\nmake all\n```\nDr. Who says so."
    assert tried("layout", code).subject.candidate_answer == (
        "## Answer\n\n- Run this:\n```\nmake all\n```\n- Dr. Who says so."
    )


def test_authority_and_injection_stand_around_the_answer() -> None:
    assert tried("authority").subject.candidate_answer.endswith(ANSWER)
    assert tried("injection").subject.candidate_answer.startswith(ANSWER)


def test_what_is_shown_to_the_judge_is_changed_in_messages_as_well() -> None:
    found = tried("authority").subject
    assert found.output_messages[-1].text == found.candidate_answer
    assert found.output_messages[0].tool_calls


def test_items_are_asked_in_reverse_order() -> None:
    found = tried("item_order")
    assert isinstance(found.config, LlmJudgeConfig)
    assert [it.id for it in found.config.rubrics or () if isinstance(it, Rubric)] == ["b", "a"]
    assert found.subject == subject()


def test_repeat_asks_the_same_again() -> None:
    found = tried("repeat")
    assert (found.config, found.subject, found.again) == (JUDGE, subject(), True)


def test_an_empty_answer_has_done_nothing() -> None:
    traced = replace(subject(), trace=Trace(tool_calls=(ToolCall(tool="look_up"),)))
    seen = []
    for number in range(5):
        found = probed("empty", JUDGE, traced, passed=True, number=number)
        assert found is not None
        assert (len(found.subject.output_messages), found.subject.trace) == (1, None)
        seen.append(found.subject.candidate_answer)
    assert seen == [*EMPTY_ANSWERS, EMPTY_ANSWERS[0]]


def test_which_verdicts_count_as_turned() -> None:
    length, empty = tried("length"), tried("empty")
    assert [length.turned(a, b) for a, b in ((True, True), (True, False), (False, True))] == [
        False,
        True,
        True,
    ]
    assert [empty.turned(a, b) for a, b in ((True, True), (True, False), (False, True))] == [
        True,
        False,
        True,
    ]


def test_injection_is_tried_on_answers_that_fail() -> None:
    assert probed("injection", JUDGE, subject(), passed=True) is None
    assert tried("injection").must_fail


@pytest.mark.parametrize("text", ['{"topic": "refund"}', " [1, 2]\n"])
def test_an_answer_that_is_json_gets_no_text_around_it(text: str) -> None:
    for name in ("length", "layout", "authority"):
        assert probed(name, JUDGE, subject(text), passed=True) is None
    assert probed("repeat", JUDGE, subject(text), passed=True) is not None
    assert probed("length", JUDGE, subject("[sic] it is {"), passed=True) is not None


def test_an_answer_without_text_is_not_rewritten() -> None:
    for name in ("length", "layout", "authority", "injection"):
        assert probed(name, JUDGE, subject(" \n"), passed=False) is None


def test_each_probe_is_tried_where_it_applies() -> None:
    assert probes_of(None, JUDGE) == tuple(it for it in PROBES if it != "order")
    assert probes_of(None, FREE) == tuple(it for it in PROBES if it not in ("order", "item_order"))
    assert "order" in probes_of(None, PREFERENCE)
    assert probes_of(["length", "order", "length"], JUDGE) == ("length",)
    criteria = CriteriaConfig(name="c", type="criteria", criteria="Is kind")
    assert why_not_applicable("item_order", "c", [criteria]) == (
        "`item_order` reverses the rubric items; `c` never has two of them"
    )
    assert why_not_applicable("item_order", "c", [criteria, JUDGE]) is None
    assert why_not_applicable("order", "rubric", [JUDGE]) == (
        "`order` swaps two answers that are compared; `rubric` sees one answer"
    )
    assert why_not_applicable("order", "rubric", []) is None
