"""Which tools were called: in any order, in order, or exactly."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from suitecase_evaluators.answers.message import Message, ToolCall
from suitecase_evaluators.answers.score import Score, Verdict
from suitecase_evaluators.answers.trace import Trace
from support.running.evaluators import ENTRY, answer, entry, graded


def call(tool: str, duration_ms: float | None = None, **args: Any) -> ToolCall:
    return ToolCall(tool=tool, input=args, duration_ms=duration_ms)


def steps(*tools: str) -> list[dict[str, Any]]:
    return [{"tool": tool} for tool in tools]


async def scored(calls: list[ToolCall], mode: str, **fields: Any) -> Score:
    subject = answer(trace=Trace(tool_calls=tuple(calls)))
    return await graded(entry("tool_trajectory", mode=mode, **fields), subject)


def calls_of(tools: str) -> list[ToolCall]:
    """One call for each letter."""
    return [call(tool) for tool in tools]


@pytest.mark.parametrize(
    ("tools", "minimums", "score"),
    [
        ("aab", {"a": 2, "b": 1}, 1.0),
        ("ba", {"a": 2, "b": 1}, 0.5),
        ("ccc", {"a": 1, "b": 1}, 0.0),
        ("", {"a": 0}, 1.0),
        ("", {"a": 1}, 0.0),
    ],
)
async def test_in_any_order_each_tool_is_called_often_enough(
    tools: str, minimums: dict[str, int], score: float
) -> None:
    assert (await scored(calls_of(tools), "any_order", minimums=minimums)).score == score


@pytest.mark.parametrize(
    ("tools", "expected", "score"),
    [
        ("abc", "abc", 1.0),
        ("xaxxbxcx", "abc", 1.0),
        ("acb", "abc", 2 / 3),
        ("cab", "abc", 2 / 3),
        ("bc", "abc", 2 / 3),
        ("cba", "abc", 1 / 3),
        ("aa", "aaa", 2 / 3),
        ("", "a", 0.0),
        ("cab", "cxab", 3 / 4),
    ],
)
async def test_in_order_others_may_come_between(tools: str, expected: str, score: float) -> None:
    found = await scored(calls_of(tools), "in_order", expected=steps(*expected))
    assert found.score == pytest.approx(score)
    assert len(found.hits) + len(found.misses) == len(expected)


@pytest.mark.parametrize(
    ("tools", "expected", "score"),
    [
        ("abc", "abc", 1.0),
        ("abcd", "abc", 3 / 4),
        ("ab", "abc", 2 / 3),
        ("acb", "abc", 1 / 3),
        ("xabc", "abc", 0.0),
        ("", "ab", 0.0),
    ],
)
async def test_exactly_nothing_is_left_out_and_nothing_added(
    tools: str, expected: str, score: float
) -> None:
    found = await scored(calls_of(tools), "exact", expected=steps(*expected))
    assert found.score == pytest.approx(score)


@pytest.mark.parametrize("mode", ["in_order", "exact"])
@pytest.mark.parametrize(
    ("args", "score"),
    [
        ("any", 1.0),
        ({}, 1.0),
        ({"q": "Paris"}, 1.0),
        ({"q": "Paris", "n": 1}, 1.0),
        ({"n": 1.0}, 1.0),
        ({"n": True}, 0.0),
        ({"q": "London"}, 0.0),
        ({"q": "Paris", "lang": "fr"}, 0.0),
        ({"deep": {"b": [2], "a": 1}}, 1.0),
        ({"deep": {"a": 1}}, 0.0),
    ],
)
async def test_arguments_are_compared_one_by_one(args: Any, score: float, mode: str) -> None:
    calls = [call("find", q="Paris", n=1, deep={"a": 1, "b": [2]})]
    found = await scored(calls, mode, expected=[{"tool": "find", "args": args}])
    assert found.score == score


@pytest.mark.parametrize("mode", ["in_order", "exact"])
async def test_a_call_may_have_a_longest_time(mode: str) -> None:
    expected = [{"tool": "find", "max_duration_ms": 100}]
    assert (await scored([call("find", 100.0)], mode, expected=expected)).score == 1.0
    slow = await scored([call("find", 250.5)], mode, expected=expected)
    assert slow.score == 0.0
    assert "took 250.5 ms, more than 100" in slow.misses[0]


async def test_a_longest_time_cannot_be_graded_where_the_target_does_not_tell() -> None:
    expected = [{"tool": "find", "max_duration_ms": 100}]
    score = await scored([call("find")], "in_order", expected=expected)
    assert (score.verdict, score.score) == (Verdict.ERROR, None)
    assert "`find`" in (score.error or "")


async def test_misses_say_what_happened_instead() -> None:
    calls = [call("b", q=1), call("a")]
    expected = [{"tool": "a"}, {"tool": "b", "args": {"q": 2}}, {"tool": "c"}, {"tool": "b"}]
    found = await scored(calls, "in_order", expected=expected)
    assert found.misses == (
        'step 2: `b` {"q": 2} was called, but with {"q": 1}',
        "step 3: `c` was not called",
        "step 4: `b` was called, but not in this order",
    )
    assert found.reasoning == "1 of 4 expectations met; calls: b, a"


async def test_misses_number_the_calls_that_are_missing_wrong_or_too_many() -> None:
    found = await scored(calls_of("abde"), "exact", expected=steps("a", "c", "d"))
    assert found.hits == ("call 1: `a`", "call 3: `d`")
    assert found.misses == (
        "call 2: expected `c`, but `b` was called",
        "call 4: `e` was called, but no further call is expected",
    )
    one = await scored(calls_of("a"), "exact", expected=steps("a", "c"))
    assert one.misses == ("call 2: expected `c`, but there was 1 call",)
    none = await scored([], "exact", expected=steps("a"))
    assert none.misses == ("call 1: expected `a`, but there were 0 calls",)


async def test_calls_are_taken_from_output_messages_where_the_trace_has_none() -> None:
    messages = (
        Message(role="assistant", tool_calls=[call("a")]),
        Message(role="tool", content="ok"),
        Message(role="assistant", content="done", tool_calls=[call("b")]),
    )
    written = entry("tool_trajectory", mode="exact", expected=steps("a", "b"))
    assert (await graded(written, answer(output_messages=messages))).score == 1.0
    assert (await graded(written, answer(output_messages=messages, trace=Trace()))).score == 1.0


async def test_a_target_that_tells_of_no_calls_cannot_be_graded_but_one_without_calls_can() -> None:
    written = entry("tool_trajectory", mode="any_order", minimums={"a": 1})
    silent = await graded(written, answer("hi", output_messages=(Message(role="assistant"),)))
    assert (silent.verdict, silent.score) == (Verdict.ERROR, None)
    assert "does not report which tools it called" in (silent.error or "")
    assert (await graded(written, answer("hi", trace=Trace()))).score == 0.0


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"mode": "any_order"}, "trajectory_field_missing"),
        ({"mode": "in_order"}, "trajectory_field_missing"),
        ({"mode": "exact", "minimums": {"a": 1}}, "trajectory_field_missing"),
        (
            {"mode": "exact", "expected": [{"tool": "a"}], "minimums": {"a": 1}},
            "trajectory_field_unused",
        ),
        ({"mode": "any_order", "minimums": {}}, "too_short"),
        ({"mode": "any_order", "minimums": {"a": -1}}, "greater_than_equal"),
        ({"mode": "any_order", "minimums": {"a": 1.5}}, "int_type"),
        ({"mode": "in_order", "expected": []}, "too_short"),
        ({"mode": "in_order", "expected": [{"tool": "a", "args": "some"}]}, "literal_error"),
        ({"mode": "subset", "expected": [{"tool": "a"}]}, "literal_error"),
        ({}, "missing"),
    ],
)
def test_a_mode_has_the_fields_it_looks_at(fields: dict[str, Any], error: str) -> None:
    with pytest.raises(ValidationError) as raised:
        ENTRY.validate_python(entry("tool_trajectory", **fields))
    assert [it["type"] for it in raised.value.errors()] == [error]


async def test_what_is_not_known_of_the_calls_is_an_error_and_no_miss() -> None:
    """Of some recorded answers no more is known than how often each tool was called."""

    async def told(known: Any, mode: str, **fields: Any) -> tuple[Verdict, str]:
        trace = Trace(tool_calls=(ToolCall(tool="a"), ToolCall(tool="b")), calls_known=known)
        found = await graded(entry("tool_trajectory", mode=mode, **fields), answer(trace=trace))
        return found.verdict, found.error or ""

    with_arguments = [{"tool": "a", "args": {"x": 1}}]
    assert (await told("counts", "any_order", minimums={"a": 1}))[0] == Verdict.PASS
    assert (await told("order", "exact", expected=steps("a", "b")))[0] == Verdict.PASS
    verdict, error = await told("counts", "in_order", expected=steps("a", "b"))
    assert (verdict, "the order in which" in error) == (Verdict.ERROR, True)
    verdict, error = await told("order", "in_order", expected=with_arguments)
    assert (verdict, "the arguments that `a`" in error) == (Verdict.ERROR, True)
