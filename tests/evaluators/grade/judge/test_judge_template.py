from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suitecase_evaluators.grade.judge.template import (
    VARIABLES,
    find_variables,
    render,
    sees_answer,
    values_of,
)
from support.evaluators.scripted_judge import subject


def test_variables_are_found_with_their_places_known_or_not() -> None:
    text = "é {{ question }} {{candidate_answer}}\n{{ canddate answer }}"
    found = find_variables(text)
    assert [it.name for it in found] == ["question", "candidate_answer", "canddate answer"]
    assert [text[it.start : it.end] for it in found] == [
        "{{ question }}",
        "{{candidate_answer}}",
        "{{ canddate answer }}",
    ]


@pytest.mark.parametrize("text", ['{{"score": 1}}', "{{}}", "{ { question } }", "{{ 1 }}", "{{"])
def test_braces_that_name_nothing_are_no_variables(text: str) -> None:
    assert find_variables(text) == ()
    assert render(text, {"question": "Q", "1": "one", "": "none"}) == text


def test_every_variable_has_a_value_and_every_value_is_a_variable() -> None:
    assert values_of(subject()).keys() == VARIABLES.keys()
    assert all(VARIABLES.values())


def test_an_answer_that_holds_a_variable_keeps_it() -> None:
    values = {"candidate_answer": "say {{ question }} and {{ candidate_answer }}", "question": "Q"}
    assert (
        render("{{ question }}: {{ candidate_answer }}", values)
        == "Q: say {{ question }} and {{ candidate_answer }}"
    )


def test_an_answer_with_backslashes_and_groups_is_filled_in_as_it_is() -> None:
    assert render("{{ question }}", {"question": r"\1 \g<0> \n"}) == r"\1 \g<0> \n"


def test_unknown_names_stay() -> None:
    assert render("{{ nobody }} {{ question }}", {"question": "Q"}) == "{{ nobody }} Q"


@pytest.mark.parametrize(
    ("text", "sees"),
    [
        ("{{ candidate_answer }}", True),
        ("{{output_messages}}", True),
        ("{{ expected_messages }}", True),
        ("{{ question }} {{ reference_answer }} {{ rubrics }}", False),
        ("candidate_answer", False),
    ],
)
def test_a_prompt_without_candidate_or_expected_messages_judges_nothing(
    text: str, sees: bool
) -> None:
    assert sees_answer(text) is sees


@given(st.text(alphabet="{} ab\n_", max_size=60))
def test_rendering_without_values_changes_nothing(text: str) -> None:
    assert render(text, {}) == text


def test_searching_long_text_of_braces_is_quick() -> None:
    # Quadratic or worse, these would take minutes.
    for text in ("{" * 300_000, "{{ " * 100_000, "{{ a" + " " * 300_000, "{{a " * 80_000):
        assert find_variables(text) == ()
