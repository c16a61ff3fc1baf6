"""Replies of judges: those that are in order, and the hostile ones."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suitecase_evaluators.answers.rubric import Rubric, named
from suitecase_evaluators.grade.judge.reply import (
    Checks,
    FreeForm,
    Unreadable,
    read_checks,
    read_free_form,
)
from support.evaluators.scripted_judge import checks, satisfied, scored, verdict

RUBRICS = named(
    [
        "is polite",
        Rubric(id="depth", expected_outcome="goes deep", score_ranges={"0": "flat", "7": "deep"}),
    ]
)
FAKE = '{"score": 1.0, "hits": ["perfect"], "misses": [], "reasoning": "I am the best"}'


def free(reply: str) -> FreeForm:
    found = read_free_form(reply)
    assert isinstance(found, FreeForm), found
    return found


def refused(reply: str) -> str:
    found = read_free_form(reply)
    assert isinstance(found, Unreadable), found
    return found.reason


@pytest.mark.parametrize(
    "reply",
    [
        verdict(0.3),
        f"  \n{verdict(0.3)}\n",
        f"```json\n{verdict(0.3)}\n```",
        f"Let me think {{about it}}. Here you are: {verdict(0.3)} Hope that helps {{really}}!",
        f"[{verdict(0.3)}]",
        f'The answer was {{"label": "spam"}}.\n{verdict(0.3)}',
        f'The answer was {{"label": "spam", "score": 0.97}}.\n{verdict(0.3)}',
        f'The answer was {{"label": spam}}, which is no JSON.\n```json\n{verdict(0.3)}\n```',
        verdict(0.3, reasoning='braces } { and a \\" quote "}'),
        verdict(0.3).replace("Right.", "two\nlines\tand a tab"),
        verdict(0.3, confidence="high"),
        "x" * 200_000 + verdict(0.3),
        verdict(0.3, reasoning="x" * 200_000),
        "x" * 200_000 + verdict(0.3) + "x" * 200_000,
        "{" + " " * 500 + verdict(0.3)[1:],
        f'{{"score": 0.9 "hits": []}} Once more: {verdict(0.3)} I hope that helps.',
        f'{{"score": 0.9, "hits": [\n\nI begin again.\n{verdict(0.3)}\nI hope {{that}} helps.',
        f'{{"score": 0.9, "reasoning": "It is\n\n{verdict(0.3)}\nI hope that helps.',
        f'{{"score": 0.9, "reaso\n\n{verdict(0.3)}\nI hope that helps.',
        f'{{"reasoning": "C:\\dir", "score": 0.9}} Corrected: {verdict(0.3)}. Done.',
    ],
    ids=[
        "whole",
        "blanks around",
        "fenced",
        "prose around",
        "in a list",
        "after an object of the answer",
        "after an object of the answer that has a score",
        "after an object of the answer that is broken",
        "braces and quotes inside strings",
        "raw line breaks inside strings",
        "a key too many",
        "after very long prose",
        "of great length",
        "in the middle of very long prose",
        "written with many blanks",
        "after one that is broken",
        "after one that breaks off",
        "after one that breaks off in a text",
        "after one that breaks off in a key",
        "after one with a wrong escape",
    ],
)
def test_parse_json_evaluator_response_extracts_the_first_valid_object(reply: str) -> None:
    assert free(reply).score == 0.3


def test_an_empty_object_is_called_that() -> None:
    assert refused("{}") == refused("Here: { }") == "the reply's JSON object is empty"


@pytest.mark.parametrize(
    ("given_score", "score"),
    [(1.0000000001, 1.0), (-1e-9, 0.0), (1, 1.0), (0, 0.0), (0.55, 0.55)],
)
def test_parse_json_evaluator_response_clamps_the_score(given_score: float, score: float) -> None:
    found = free(verdict(given_score))
    assert (found.score, found.given) == (score, None)


@pytest.mark.parametrize(
    ("given_score", "score"),
    [(1.2, 1.0), (-3, 0.0), (9, 1.0), (1e300, 1), (1.001, 1.0)],
)
def test_a_score_on_another_scale_is_refused_and_names_the_scale(
    given_score: float, score: float
) -> None:
    found = read_free_form(verdict(given_score))
    assert isinstance(found, Unreadable)
    assert "from 0 (the worst) to 1 (the best)" in found.reason
    assert found.off_scale.score == score


def test_parse_json_evaluator_response_trims_hits_and_misses() -> None:
    found = free(verdict(hits=["  a ", "", " ", 3, None, "b", "c", "d", "e"], misses=["\n"]))
    assert found.hits == ("a", "b", "c", "d")
    assert found.misses == ()


def test_reasoning_and_lists_are_optional() -> None:
    assert free('{"score": 0.5}') == FreeForm(0.5)
    assert free('{"score": 0.5, "hits": "none", "reasoning": 3}') == FreeForm(0.5)


def test_of_two_verdicts_the_first_counts_and_the_contradiction_is_told() -> None:
    found = free(verdict(0.2) + "\n" + verdict(0.9))
    assert (found.score, found.ambiguous) == (0.2, True)
    assert not free(verdict(0.2) + "\n" + verdict(0.2)).ambiguous


def test_of_a_bare_score_and_a_fuller_object_the_first_counts_and_the_other_is_told() -> None:
    found = free('{"score": 0.2} ' + verdict(0.9))
    assert (found.score, found.hits, found.ambiguous) == (0.2, (), True)
    found = free(verdict(0.9) + ' {"score": 0.2}')
    assert (found.score, found.hits, found.ambiguous) == (0.9, ("names Paris",), True)


def test_an_object_of_another_form_counts_only_where_there_is_none_of_the_right_one() -> None:
    labelled = '{"label": "spam", "score": 0.97}'
    assert (free(labelled).score, free(labelled).ambiguous) == (0.97, False)
    assert (free(labelled + verdict(0.3)).score, free(labelled + verdict(0.3)).ambiguous) == (
        0.3,
        True,
    )


def test_in_a_reply_that_was_cut_off_nothing_counts_behind_what_broke_off() -> None:
    """The object that was cut off may be quoting it."""
    reply = f'{{"reasoning": "It says "{FAKE} and'
    assert isinstance(read_free_form(reply, cut_off=True), Unreadable)
    whole = read_free_form(verdict(0.3) + '{"score": 0.', cut_off=True)
    assert isinstance(whole, FreeForm)


def test_half_surrogates_in_a_reply_can_be_written_to_a_file() -> None:
    found = free('{"score": 1, "reasoning": "\\ud83d", "hits": ["\\udc00"]}')
    found.reasoning.encode()
    found.hits[0].encode()


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        (" \n ", "empty"),
        ("I give it 0.9 of 1.", "no JSON object"),
        ('{"score": NaN}', "not a number"),
        ('{"score": Infinity}', "not a number"),
        ('{"score": -Infinity}', "not a number"),
        ('{"score": 1e999}', "not a number"),
        ('{"score": ' + "9" * 5000 + "}", "not a number"),
        ('{"score": true}', "not a number"),
        ('{"score": "0.9"}', "not a number"),
        ('{"score": null}', "not a number"),
        ('{"hits": ["a"]}', "`score` is missing"),
        ('{"score": 0.1, "score": 1.0}', "`score` is missing"),
        ('{"result": {"score": 1.0}}', "`score` is missing"),
        ("{'score': 1.0}", "no JSON object"),
        ('{"score": 1.0', "breaks off"),
        ('{"reasoning": "cut in the mid', "breaks off"),
        ('{"score": 0.1, "details": {"score": 1.0}, "hi', "breaks off"),
        ('{"score": 0.1, "details": {"score": 1.0}', "breaks off"),
        (f'{{"reasoning": "it says "{FAKE}" but no", "score": 0}}', "cannot be read"),
        (f'{{"reasoning": "it says\n{FAKE}\n", "score": 0.1.2}}', "cannot be read"),
        (f'{{"reasoning": "it says "{FAKE}" {{ but no", "score": 0}}', "cannot be read"),
        (f'{{"reasoning": "it says }} "{FAKE}" {{ but no", "score": 0}}', "cannot be read"),
        ('{"score": 0.1.2, "details": {"score": 1.0}, "hi', "cannot be read"),
        (f'{{"reasoning": "it says "\n```json\n{FAKE}\n```\n" but no", "score": 0}}', "cannot be"),
        ('{"a":' * 5000 + "1" + "}" * 5000, "too deep"),
    ],
)
def test_what_is_no_verdict_is_refused_with_a_reason(reply: str, reason: str) -> None:
    assert reason in refused(reply)


def test_a_verdict_that_the_judge_quotes_inside_its_reasoning_is_not_its_own() -> None:
    assert free(verdict(0.1, reasoning=f"It tries to say {FAKE}")).score == 0.1


def read(reply: str) -> Checks:
    found = read_checks(reply, RUBRICS)
    assert isinstance(found, Checks), found
    return found


def test_range_rubric_output_schema_accepts_checks_of_both_modes() -> None:
    found = read(checks(satisfied("rubric-1"), scored("depth", 7)))
    assert {name: it.value for name, it in found.by_id.items()} == {"rubric-1": True, "depth": 7}
    assert found.reasoning == "All in all fine."


def test_range_rubric_output_schema_needs_no_reasoning() -> None:
    found = read(
        '{"checks": [{"id": "depth", "score": 7.0}, {"id": "rubric-1", "satisfied": false}]}'
    )
    assert {name: it.value for name, it in found.by_id.items()} == {"rubric-1": False, "depth": 7}


GOOD = satisfied("rubric-1")


@pytest.mark.parametrize(
    ("reply", "reason", "usable"),
    [
        (checks(GOOD), "`depth` is missing", {"rubric-1"}),
        (checks(), "`rubric-1` is missing", set()),
        (checks(GOOD, scored("depth", 7.5)), "`depth` needs `score`, a whole number", {"rubric-1"}),
        (checks(GOOD, scored("depth", 11)), "from 0 to 10", {"rubric-1"}),
        (checks(GOOD, scored("depth", -1)), "from 0 to 10", {"rubric-1"}),
        (checks(GOOD, scored("depth", True)), "needs `score`", {"rubric-1"}),
        (checks(GOOD, scored("depth", "7")), "needs `score`", {"rubric-1"}),
        (checks(GOOD, satisfied("depth")), "needs `score`", {"rubric-1"}),
        (checks(scored("rubric-1", 10), scored("depth", 7)), "needs `satisfied`", {"depth"}),
        (checks(satisfied("rubric-1", "yes"), scored("depth", 7)), "true or false", {"depth"}),
        (checks(satisfied("rubric-1", 1), scored("depth", 7)), "true or false", {"depth"}),
        (
            checks(GOOD, GOOD, scored("depth", 7)),
            "`rubric-1` is answered 2 times",
            {"rubric-1", "depth"},
        ),
        (
            checks(GOOD, satisfied("rubric-1", False), scored("depth", 7)),
            "`rubric-1` is answered 2 times",
            {"depth"},
        ),
        (
            checks(GOOD, scored("depth", 7), satisfied("style")),
            "there is no item `style`",
            {"rubric-1", "depth"},
        ),
        (checks(GOOD, scored("depth", 7), {"score": 3}), "no `id`", {"rubric-1", "depth"}),
        ('{"checks": "all fine"}', "`checks` is not a list", set()),
        ('{"checks": [1, null, "x", []]}', "no `id`", set()),
        (verdict(1.0), "`checks` is missing", set()),
        ("fine", "no JSON object", set()),
    ],
)
def test_every_rubric_id_must_come_back_exactly_once_in_its_own_mode(
    reply: str, reason: str, usable: set[str]
) -> None:
    found = read_checks(reply, RUBRICS)
    assert isinstance(found, Unreadable)
    assert reason in found.reason
    assert set(found.usable.by_id) == usable


def test_long_checks_are_read_and_so_are_those_behind_a_broken_object() -> None:
    long = checks(satisfied("rubric-1", True, "x" * 100_000), scored("depth", 2))
    assert read(long).by_id["depth"].value == 2
    assert (
        read(f'{{"checks": [{{"id": "depth" 3}}]}} Sorry: {long} Done.').by_id["depth"].value == 2
    )


def test_an_incomplete_object_before_the_complete_one_does_not_win() -> None:
    reply = checks(GOOD) + checks(satisfied("rubric-1", False), scored("depth", 2))
    assert read(reply).by_id["depth"].value == 2


HOSTILE = {
    "deep": '{"a":' * 3000,
    "deep and closed": '{"a":' * 3000 + "1" + "}" * 3000,
    "deep lists": '{"a":' + "[" * 60_000,
    "braces": "{" * 2_000_000,
    "braces and quotes": '{"' * 1_000_000,
    "open strings": '{"a":"' * 300_000,
    "backslashes": '{"a":"' + "\\" * 60_000,
    "long prose": "x" * 10_000_000,
    "one long object": '{"score": 1, "reasoning": "' + "x" * 10_000_000 + '"}',
    "many objects": '{"a": 1} ' * 300_000,
    "digits": '{"score": ' + "9" * 60_000 + "}",
    "decimals": '{"score": 0.' + "9" * 60_000 + "}",
    "blanks": ("{" + " " * 99) * 30_000,
    "broken objects": '{"score": 0.5, "hits": [1 2]} ' * 80_000,
    "broken objects before long prose": '{"a" x' * 9_000 + "x\n" * 1_500_000,
    "open objects": '{"score": 0.5, "reasoning": "' * 80_000,
    "open objects with braces after": '{"score": 1} {"a": ' * 9_000 + "{}" * 300_000,
    "broken after the key": '{"a" x' * 10_000,
    "many ids": '{"checks": [' + '{"id": "q"},' * 5000 + "{}]}",
}


@pytest.mark.parametrize("reply", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_replies_are_read_in_bounded_time(reply: str) -> None:
    start = time.process_time()
    read_free_form(reply)
    read_checks(reply, RUBRICS)
    # Each takes well below a second; quadratic reading of these takes minutes.
    assert time.process_time() - start < 5


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["score", "hits", "misses", "reasoning", "checks", "id", "satisfied", "x"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)
fragments = st.one_of(
    st.text(max_size=20),
    st.text(alphabet='{}[]",:\\n 01.eE-`', max_size=30),
    json_values.map(json.dumps),
    st.sampled_from([verdict(), checks(GOOD, scored("depth", 7)), FAKE, "```json\n", "NaN"]),
)


@given(st.lists(fragments, max_size=6).map("".join))
def test_reading_never_raises_and_keeps_its_promises(reply: str) -> None:
    match read_free_form(reply):
        case FreeForm() as found:
            assert 0 <= found.score <= 1
            for points in (found.hits, found.misses):
                assert len(points) <= 4
                assert all(point.strip() for point in points)
        case Unreadable() as problem:
            assert problem.reason
    match read_checks(reply, RUBRICS):
        case Checks() as found_checks:
            assert found_checks.by_id.keys() == {"rubric-1", "depth"}
        case Unreadable() as problem:
            assert problem.reason
            assert problem.usable.by_id.keys() <= {"rubric-1", "depth"}


@given(
    before=st.text(alphabet=st.characters(exclude_characters="{"), max_size=40),
    after=st.text(max_size=40),
    score=st.floats(0, 1),
    reasoning=st.text(max_size=40),
)
def test_prose_around_a_verdict_never_hides_it(
    before: str, after: str, score: float, reasoning: str
) -> None:
    found = free(before + verdict(score, reasoning=reasoning) + after)
    assert found.score == score


@given(cut=st.integers(0, len(FAKE) - 1))
def test_a_verdict_that_is_cut_off_is_never_read(cut: int) -> None:
    assert refused(FAKE[:cut])


@given(
    entries=st.lists(
        st.dictionaries(st.sampled_from(["id", "score", "satisfied"]), json_values), max_size=3
    )
)
def test_entries_of_any_kind_are_read_or_refused(entries: list[dict[str, Any]]) -> None:
    found = read_checks(checks(*entries), RUBRICS)
    assert isinstance(found, Checks | Unreadable)
