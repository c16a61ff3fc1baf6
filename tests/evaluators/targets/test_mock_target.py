"""The target that answers with what the file says, and its comparison of words."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Literal

import pytest

from suitecase_evaluators.targets.config.canned import MockConfig
from suitecase_evaluators.targets.mock import MockTarget
from suitecase_evaluators.targets.target import (
    Criterion,
    Judging,
    Question,
    Reply,
    TargetError,
    Turn,
)


def mock(response: Any = None, **more: Any) -> MockTarget:
    return MockTarget(MockConfig(name="m", provider="mock", response=response, **more))


def question(eval_id: str = "a", *said: str, judging: Judging | None = None) -> Question:
    turns = tuple(Turn("user", text) for text in said or ("Hello?",))
    return Question(eval_id=eval_id, turns=(Turn("system", "Be kind."), *turns), judging=judging)


def judging(
    *criteria: tuple[str, Literal["check", "range", "free"]], answer: str, reference: str = ""
) -> Judging:
    made = tuple(Criterion(f"c{n}", text, mode) for n, (text, mode) in enumerate(criteria, 1))
    return Judging(
        evaluator="j", criteria=made, candidate_answer=answer, reference_answer=reference
    )


async def verdict(judged: Judging) -> Any:
    return json.loads((await mock().ask(question(judging=judged))).text)


async def test_echoes_the_last_user_turn() -> None:
    reply = await mock().ask(question("a", "one", "two"))
    assert reply.text == "two"
    assert [(it.role, it.content) for it in reply.output_messages] == [("assistant", "two")]


async def test_one_text_answers_everything_judges_included() -> None:
    target = mock("Paris")
    assert (await target.ask(question())).text == "Paris"
    judged = judging(("x", "free"), answer="x")
    assert (await target.ask(question(judging=judged))).text == "Paris"


async def test_a_list_is_worked_through_for_each_case() -> None:
    target = mock(["one", "two"])
    asked = [(await target.ask(question(it))).text for it in ("a", "a", "b", "a", "b")]
    assert asked == ["one", "two", "one", "two", "two"]


async def test_a_map_answers_by_case() -> None:
    target = mock({"a": "Paris", "b": ["one", "two"]})
    assert (await target.ask(question("a"))).text == "Paris"
    assert [(await target.ask(question("b"))).text for _ in range(2)] == ["one", "two"]


async def test_a_case_without_response_is_told_which_there_are() -> None:
    with pytest.raises(TargetError, match=r"`c`.*`a`, `b`"):
        await mock({"a": "1", "b": "2"}).ask(question("c"))


async def test_a_delay_lets_others_go_first() -> None:
    order: list[str] = []

    async def ask(target: MockTarget, name: str) -> Reply:
        reply = await target.ask(question())
        order.append(name)
        return reply

    await asyncio.gather(ask(mock("x", delay_ms=20), "slow"), ask(mock("x"), "quick"))
    assert order == ["quick", "slow"]


async def test_judges_free_form_by_words_of_outcome_and_reference() -> None:
    found = await verdict(
        judging(("Names the capital", "free"), answer="the capital: PARIS", reference="Paris.")
    )
    assert found["score"] == pytest.approx(2 / 3, abs=1e-3)
    assert found["hits"] == ["has the words capital, paris"]
    assert found["misses"] == ["lacks the words names"]
    assert "No model was called" in found["reasoning"]


async def test_judges_items_each_in_its_own_way() -> None:
    found = await verdict(
        judging(
            ("uses regular expressions", "check"),
            ("names every planet", "check"),
            ("lists apples, pears and plums in order", "range"),
            answer="A regular expression lists apples and a pear.",
        )
    )
    assert [{k: v for k, v in it.items() if k != "reasoning"} for it in found["checks"]] == [
        {"id": "c1", "satisfied": True},
        {"id": "c2", "satisfied": False},
        {"id": "c3", "score": 6},
    ]
    assert all(it["reasoning"] for it in found["checks"])
    assert found["overall_reasoning"]


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("Blames the customer", 2),
        ("Polite and warm: the next step follows", 10),
        ("Warm", 7),
        ("Nothing of it", 0),
    ],
)
async def test_scores_an_item_by_the_range_whose_words_are_there(answer: str, score: int) -> None:
    ranges = ((0, 2, "Blames the customer"), (3, 5, "Polite"), (6, 10, "Warm, says the next step"))
    criterion = Criterion("tone", "unused", "range", ranges)
    found = await verdict(Judging(evaluator="j", criteria=(criterion,), candidate_answer=answer))
    assert found["checks"][0]["score"] == score


@pytest.mark.parametrize(
    ("text", "answer", "score"),
    [
        ("Paris", "paris!", 1.0),
        ("Paris", "", 0.0),
        ("Paris", "London", 0.0),
        ("", "anything", 0.0),
        ("to be or not to be", "To be, or not to be", 1.0),
        ("Straße", "STRASSE", 1.0),
        ("東京", "東京", 1.0),
        ("houses", "house", 1.0),
        ("stopped", "stops", 0.0),
    ],
)
async def test_compares_words_without_case_and_endings(
    text: str, answer: str, score: float
) -> None:
    assert (await verdict(judging((text, "free"), answer=answer)))["score"] == score
