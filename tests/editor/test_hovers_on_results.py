"""Hovers on results: the case, its rubrics, its evaluators, without repetition."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from suitecase.editor.hover import HoverContext, RenderedPrompt, hover_at
from suitecase.editor.markdown import plain_text
from suitecase.editor.results import DocumentResults, NotRun
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import ParsedSuite, parse_dataset
from support.ide.marked_suite import NOW, result, suite

SUITE = """\
    evalcases:
      - id: greet
        input: Hi
        expected_outcome: Says hello
        rubrics:
          - Says hello
          - id: warmth
            expected_outcome: Is warm
            required_min_score: 5
            score_ranges: {0: Cold, 5: Warm, 8: Hot}
        evaluators:
          - name: word
            type: contains
            value: Hello
          - name: both
            type: composite
            aggregator: {type: weighted_average}
            evaluators:
              - name: inner
                type: llm_judge
                prompt: Is {{ answer }} fine?
    """
BARS = """\
```text
        0  1  2  3  4  5  6  7  8  9 10
0-4     ■  ■  ■  ■  ■  ·  ·  ·  ·  ·  ·  Cold
5-7     ·  ·  ·  ·  ·  ■  ■  ■  ·  ·  ·  Warm
8-10    ·  ·  ·  ·  ·  ·  ·  ·  ■  ■  ■  Hot
gate    ✗  ✗  ✗  ✗  ✗  ·  ·  ·  ·  ·  ·  below 5 fails the case
hit     ·  ·  ·  ·  ·  ·  ·  ✓  ✓  ✓  ✓  from 7
"""
UNREADABLE: dict[str, Any] = {
    "parse_failed": True,
    "attempts": 3,
    "score": 0.0,
    "reasoning": "The judge gave no readable verdict: the reply holds no JSON object.",
}


def graded(name: str = "rubric", type_: str = "llm_judge", **rest: Any) -> dict[str, Any]:
    """Return an evaluator's part of a record, as runs write it."""
    judged: dict[str, Any] = {"evaluator_provider_request": {"target": "critic"}, "attempts": 1}
    return {
        "name": name,
        "type": type_,
        "verdict": "fail",
        "score": 0.4,
        "hits": [],
        "misses": [],
        "reasoning": "",
        "details": {},
        "judged_by": None,
        **(judged if type_ == "llm_judge" else {}),
        **rest,
    }


RUBRIC = graded(
    gate_failed=True,
    score=0.7,
    hits=["[rubric-1] Says hello: it *greets*"],
    misses=["[warmth] Is warm: 4 of 10 where 5 is needed: rather cold"],
    reasoning="Polite, but cold.",
    details={"raw_scores": {"rubric-1": 1, "warmth": 4}},
    judged_by=["model"],
)
WORD = graded(
    "word",
    "contains",
    verdict="pass",
    score=1.0,
    hits=['the answer contains "Hello"'],
    reasoning='the answer contains "Hello"',
)


def said(
    place: str,
    *evaluators: dict[str, Any],
    now: ParsedSuite | None = None,
    not_run: str | None = None,
    **rest: Any,
) -> str:
    """Return the hover at the `|` in a part of the suite after a run; empty if there is none."""
    written = suite(SUITE)
    fields: dict[str, Any] = {
        "score": 0.7,
        "target": "small",
        "answered_by": "model",
        "candidate_answer": "Hello",
        "evaluator_results": list(evaluators),
        "hits": [hit for it in evaluators for hit in it["hits"]],
        "misses": [miss for it in evaluators for miss in it["misses"]],
        "reasoning": "\n".join(f"{it['name']}: {it['reasoning']}" for it in evaluators),
        **rest,
    }
    results = DocumentResults({"greet": result(written, "greet", "fail", **fields)})
    if not_run is not None:
        results.not_run["greet"] = NotRun(not_run, "ended")
    written = now or written
    text = written.document.text
    offset = text.index(place.replace("|", "")) + place.index("|")
    found = hover_at(written, offset, results, NOW)
    return found.markdown if found else ""


def test_a_case_shows_the_answer_and_what_each_evaluator_said_once() -> None:
    assert said("id: gr|eet", RUBRIC, WORD, trace_summary={"cost_usd": 0.0031}) == (
        "**✗ fail 0.70** · just now · answered by `small` · judged by `critic` · $0.0031\n"
        "\n"
        "Answer:\n"
        "\n"
        "```text\nHello\n```\n"
        "\n"
        "`rubric` (llm_judge): ✗ fail 0.70\n"
        "\n"
        "- ✗ \\[warmth\\] Is warm: 4 of 10 where 5 is needed: rather cold\n"
        "- ✓ \\[rubric-1\\] Says hello: it \\*greets\\*\n"
        "\n"
        "Something required is missed, which fails the case whatever the score.\n"
        "\n"
        "Polite, but cold.\n"
        "\n"
        "`word` (contains): ✓ pass 1.00\n"
        "\n"
        '- ✓ the answer contains "Hello"'
    )


def test_an_answer_is_shown_as_it_is_and_not_as_markdown_or_html() -> None:
    answer = "# Hi\n<img src=x onerror=alert(1)>\n```\n**bold**\n```\n\n````\nmore"

    found = said("id: gr|eet", WORD, candidate_answer=answer)

    assert f"Answer:\n\n`````text\n{answer}\n`````" in found
    assert f"Answer:\n\n{answer}\n" in plain_text(found)


def test_a_long_answer_is_cut_and_says_how_much_is_left_out() -> None:
    long, tall = "x" * 10_000, "\n".join(f"line {it}" for it in range(1, 101))

    of_long = said("id: gr|eet", candidate_answer=long)
    of_tall = said("id: gr|eet", candidate_answer=tall)

    assert f"\n{'x' * 1_500} …\n(8,500 more characters, see the log)" in of_long
    assert "line 25 …" in of_tall
    assert "line 26" not in of_tall


def test_calls_of_tools_are_counted_beside_the_answer() -> None:
    calls = {"search": 2, "open": 1}

    found = said("id: gr|eet", candidate_answer="", trace_summary={"tool_calls_by_name": calls})

    assert "The answer is empty.\n\nTools called: `search` (2 times), `open`" in found


def test_where_no_model_was_asked_that_is_said_beside_who_answered() -> None:
    judged = {**RUBRIC, "judged_by": ["embedded"]}

    found = said("id: gr|eet", judged, target="mock", answered_by="echo")

    assert "answered by `mock` (repeats the question)" in found
    assert "judged by `critic` (the embedded judge, which counts words)" in found
    assert "**no model was called**" in found
    assert found.startswith("**✗ fail 0.70**")
    of_a_model = said("id: gr|eet", judged)
    assert "no model" not in of_a_model
    assert "**a rehearsal: a stand-in judged**" in of_a_model


def test_a_check_of_an_answer_by_no_model_has_not_passed() -> None:
    judged = {**RUBRIC, "judged_by": ["embedded"]}

    found = said("id: gr|eet", judged, WORD, target="mock", answered_by="echo")
    at_the_check = said("name: wo|rd", judged, WORD, target="mock", answered_by="echo")

    assert "`word` (contains): ○ rehearsed 1.00" in found
    assert "**○ rehearsed 1.00**" in at_the_check
    assert "`word` (contains): ✓ pass 1.00" in said("id: gr|eet", RUBRIC, WORD)


@pytest.mark.parametrize("place", ["id: gr|eet", "name: inn|er", "- Says| hello", "id: warm|th"])
def test_a_judge_whose_reply_could_not_be_read_is_called_that(place: str) -> None:
    details = {"reply_problems": ["odd", "the reply holds no JSON object"]}
    rubric = graded(**UNREADABLE, details=details)
    inner = {**rubric, "name": "inner"}
    both = graded("both", "composite", **UNREADABLE, details={"members": [inner]})

    found = said(place, rubric, both)

    assert (
        "**The judge failed**: in 3 attempts it gave no verdict that could be read: "
        "the reply holds no JSON object. The answer counts as not graded." in found
    )
    assert "gave no readable verdict" not in found


def test_what_a_judge_left_out_is_named_once() -> None:
    partly = graded(
        hits=["[rubric-1] Says hello: yes"],
        misses=["[warmth] Is warm: the judge gave no usable verdict on this item"],
        reasoning="The judge gave no readable verdict on `warmth`, which counts as 0. Half.",
        details={"raw_scores": {"rubric-1": 1, "warmth": None}, "missing_items": ["warmth"]},
        parse_failed=True,
        attempts=3,
    )
    said_of_it = (
        "**The judge failed**: in 3 attempts its reply could not be read in full. It says nothing "
        "usable of `warmth`, so the answer counts as not graded."
    )

    assert said("id: gr|eet", partly).endswith(
        f"{said_of_it}\n\n- ✓ \\[rubric-1\\] Says hello: yes\n\nHalf."
    )
    of_item = said("id: warm|th", partly)
    assert of_item.startswith(f"{BARS}```\n\nLast: {said_of_it}")


def test_what_broke_is_said_once_and_where_it_broke() -> None:
    error = "target `critic`: no answer"
    broken = graded(verdict="error", score=None, error=error, attempts=2)

    judge = said("id: gr|eet", broken, error=f"evaluator `rubric`: {error}")
    target = said("id: gr|eet", error="target `small`: gone", candidate_answer=None)

    assert judge.count("no answer") == 1
    assert "**Could not grade** (after 2 attempts): target \\`critic\\`: no answer" in judge
    assert "**Not answered**: target \\`small\\`: gone" in target


@pytest.mark.parametrize("place", ["id: warm|th", "i|d: warmth", "score_ran|ges"])
def test_the_last_score_is_drawn_into_the_ranges(place: str) -> None:
    found = said(place, RUBRIC)

    assert found.startswith(
        f"{BARS}last    ·  ·  ·  ·  ●  ·  ·  ·  ·  ·  ·  ✗ 4 of 10 where 5 is needed\n```\n\n"
        "Last: **✗ missed** · judged by `critic`\n\nrather cold"
    )
    assert found.count("4 of 10") == 1  # in the drawing, and not once more


@pytest.mark.parametrize(
    ("score", "row"),
    [
        (6, "last    ·  ·  ·  ·  ·  ·  ●  ·  ·  ·  ·  ✗ 6 of 10 where 7 is needed"),
        (10, "last    ·  ·  ·  ·  ·  ·  ·  ·  ·  ·  ●  ✓ 10 of 10"),
    ],
)
def test_a_score_above_the_gate_may_be_a_hit_or_a_miss(score: int, row: str) -> None:
    rubric = {**RUBRIC, "details": {"raw_scores": {"warmth": score}}}

    assert f"{BARS}{row}\n```" in said("required_min|_score", rubric)


def test_the_last_score_of_a_case_that_has_changed_is_called_stale() -> None:
    changed = suite(SUITE.replace("input: Hi", "input: Hey"))

    found = said("id: warm|th", RUBRIC, now=changed)

    assert "✗ 4 of 10 where 5 is needed (stale)\n```\n\nLast: **✗ missed** (stale)" in found
    assert "Last: **✓ pass 1.00** (stale)" in said("name: wo|rd", WORD, now=changed)


def test_a_rubric_that_is_a_text_says_what_it_stands_for_and_how_it_did() -> None:
    meaning = (
        "**`rubric-1`** · rubric · required · weight 1 of 2 (50 % of the rubrics' score)\n\n"
        "An answer that does not meet it fails the case. Written as a mapping it can have another "
        "`id` and `weight`, and with `required: false` it may be missed."
    )

    assert said("- Says| hello") == meaning
    assert said("- Says| hello", RUBRIC) == (
        f"{meaning}\n\nLast: **✓ met** · judged by `critic`\n\nit \\*greets\\*"
    )


def test_an_evaluator_shows_its_last_verdict_at_its_name() -> None:
    missed = graded("word", "contains", misses=["lacks Hello"], reasoning="lacks Hello")

    assert said("name: wo|rd", missed) == "Last: **✗ fail 0.40**\n\n- ✗ lacks Hello"
    assert "fail" not in said("type: conta|ins", missed)


def test_a_case_without_a_result_is_not_run_and_only_its_id_says_so(tmp_path: Path) -> None:
    written = suite(SUITE)
    around = HoverContext(
        tmp_path / "my suites" / "a.eval.yaml",
        Folder(Workspace(tmp_path), tmp_path / "my suites"),
        lambda _suite, _folder: RenderedPrompt("", ()),
    )

    def at(place: str, results: DocumentResults) -> str:
        offset = written.document.text.index(place.replace("|", "")) + place.index("|")
        found = hover_at(written, offset, results, NOW, around)
        return found.markdown if found else ""

    assert at("id: gr|eet", DocumentResults()) == (
        "**Not run**\n\n**Run case** above it runs it, and in a shell "
        "`suitecase run 'my suites/a.eval.yaml::greet'`."
    )
    unsaved = replace(around, is_file=False)
    never = hover_at(written, written.document.text.index("greet"), DocumentResults(), NOW, unsaved)
    assert never is not None
    assert never.markdown.endswith("**Run case** above it runs it.")
    refused = DocumentResults(
        not_run={"greet": NotRun("SC101 at a.eval.yaml:3:5: *bad*", "unsound", 1)}
    )
    assert "**Not run** the last time: SC101 at a.eval.yaml:3:5: \\*bad\\*\n" in at(
        "id: gr|eet", refused
    )
    assert at("id: gr|eet", DocumentResults(running={"greet"})).startswith("**Running**")
    assert "un" not in at("inp|ut: Hi", DocumentResults()).split("**`input`**")[0]
    assert not at("input: H|i", DocumentResults())


def test_a_result_before_a_run_that_left_the_case_out_says_so_first() -> None:
    found = said("id: gr|eet", WORD, not_run="the run was cancelled")

    assert found.startswith(
        "**Not run** the last time: the run was cancelled\n\n**✗ fail 0.70** · just now"
    )


def test_a_line_of_a_data_set_shows_its_result_at_the_id_alone() -> None:
    line = '{"id": "greet", "input": "Hi", "expected_outcome": "Says hello"}\n'
    written = parse_dataset(line, None)
    results = DocumentResults({"greet": result(written, "greet", "pass", score=1.0)})

    at_id = hover_at(written, line.index("greet") + 2, results, NOW)
    at_input = hover_at(written, line.index("input") + 2, results, NOW)

    assert at_id is not None
    assert "✓ pass 1.00" in at_id.markdown
    assert at_input is not None
    assert "pass" not in at_input.markdown


QUOTES = [
    {"item": "rubric-1", "quote": "So *sorry*", "in_answer": True},
    {"item": "warmth", "quote": "", "in_answer": False},
]


def test_a_rubric_shows_what_the_judge_quoted_for_it() -> None:
    found = said("- Says hel|lo", {**RUBRIC, "quotes": QUOTES})
    assert "`rubric-1`: “So \\*sorry\\*”" in found
    assert "warmth" not in found


def test_an_evaluator_shows_how_many_votes_agree_and_its_quotes() -> None:
    judge = graded("word", confidence=2 / 3, quotes=QUOTES)
    found = said("name: wo|rd", judge)
    assert "67% of the votes agree" in found
    assert "- `warmth`: no quote (not in the answer)" in found
