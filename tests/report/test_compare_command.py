"""`suitecase compare`: what changed between two runs, and what that says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.report_pages import (
    HOSTILE,
    Page,
    in_browser,
    needs_browser,
    record,
    rows_of,
    suitecase,
    write_results,
)


class Runs:
    """Two results files."""

    def __init__(self, folder: Path) -> None:
        self.before = folder / "before.jsonl"
        self.after = folder / "after.jsonl"

    def are(self, before: list[dict[str, Any]], after: list[dict[str, Any]]) -> None:
        write_results(self.before, *before)
        write_results(self.after, *after)

    def compared(self, *arguments: str, code: int) -> dict[str, Any]:
        ended = suitecase("compare", self.before, self.after, "--format", "json", *arguments)
        assert ended.code == code, ended.err
        told: dict[str, Any] = json.loads(ended.out)
        return told


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(tmp_path)


def changes(told: dict[str, Any]) -> dict[str, str]:
    return {it["eval_id"]: it["change"] for it in told["cases"]}


def test_each_change_is_told_by_its_name(runs: Runs) -> None:
    scores: dict[str, tuple[float | None, float | None, str | None]] = {
        "breaks": (0.9, 0.2, "new_failure"),
        "slips": (0.9, 0.7, "worse"),
        "lost": (0.9, None, "no_longer_graded"),
        "lower": (1.0, 0.85, "score_down"),
        "repaired": (0.2, 0.9, "new_pass"),
        "recovers": (0.2, 0.7, "better"),
        "back": (None, 0.9, "newly_graded"),
        "higher": (0.1, 0.3, "score_up"),
        "same": (0.9, 0.9, None),
        "nearly": (0.9, 0.85, None),
    }
    runs.are(
        [record(name, before) for name, (before, _, _) in scores.items()] + [record("gone")],
        [record(name, after) for name, (_, after, _) in scores.items()] + [record("new")],
    )
    told = runs.compared(code=1)
    expected = {name: change for name, (_, _, change) in scores.items() if change}
    assert changes(told) == expected | {"gone": "only_before", "new": "only_after"}
    assert told["counts"]["unchanged"] == 2
    assert told["got_worse"] == 2
    # The gravest first.
    assert [it["eval_id"] for it in told["cases"]][:3] == ["breaks", "slips", "lost"]
    breaks = told["cases"][0]
    assert (breaks["before"]["verdict"], breaks["after"]["verdict"]) == ("pass", "fail")
    assert breaks["difference"] == pytest.approx(-0.7)


def test_the_threshold_says_which_scores_are_the_same(runs: Runs) -> None:
    runs.are([record("a", 0.9)], [record("a", 0.84)])
    assert changes(runs.compared(code=0)) == {"a": "score_down"}
    assert changes(runs.compared("--threshold", "0.1", code=0)) == {}


def test_nothing_got_worse_where_only_scores_fall(runs: Runs) -> None:
    runs.are([record("a", 1.0), record("b", 0.2)], [record("a", 0.8), record("b", 0.9)])
    assert runs.compared(code=0)["got_worse"] == 0


def test_what_could_not_be_graded_is_no_worse_answer_and_no_success(runs: Runs) -> None:
    runs.are([record("a")], [record("a", None, error="the target is down")])
    told = runs.compared(code=3)
    assert told["got_worse"] == 0
    assert told["paired"] is None


def test_a_gate_that_fails_is_a_new_failure_whatever_the_score(runs: Runs) -> None:
    runs.are([record("a", 0.9)], [record("a", 0.95, verdict="fail")])
    assert changes(runs.compared(code=1)) == {"a": "new_failure"}


def test_another_text_of_the_case_is_marked_and_left_out_of_the_statistics(runs: Runs) -> None:
    runs.are(
        [record("edited", 1.0), record("kept", 0.5)],
        [record("edited", 0.0, case_hash="1" * 64), record("kept", 0.5)],
    )
    told = runs.compared(code=1)
    assert told["case_text_changed"] == 1
    assert told["cases"][0]["case_text_changed"] is True
    assert (told["paired"]["n"], told["paired"]["mean_difference"]) == (1, 0.0)
    text = suitecase("compare", runs.before, runs.after).out
    assert "edited*  pass 1.00 -> fail 0.00 (-1.00)" in text
    assert "ask something else than before" in text


def test_another_target_is_compared_case_by_case(runs: Runs) -> None:
    runs.are([record("a", target="small")], [record("a", 0.2, target="large")])
    (case,) = runs.compared(code=1)["cases"]
    assert (case["before"]["target"], case["after"]["target"]) == ("small", "large")


def test_targets_that_answer_the_same_cases_are_compared_apart(runs: Runs) -> None:
    both = [record("a", 1.0, target="x"), record("a", 0.2, target="y")]
    runs.are(both, [record("a", 0.2, target="x"), record("a", 1.0, target="y")])
    told = runs.compared(code=1)
    assert {it["target"]: it["change"] for it in told["cases"]} == {
        "x": "new_failure",
        "y": "new_pass",
    }


def test_cases_of_one_id_in_several_suites_are_compared_apart(runs: Runs) -> None:
    runs.are(
        [record("a", 1.0, suite_path="s"), record("a", 0.2, suite_path="t")],
        [record("a", 1.0, suite_path="t"), record("a", 0.2, suite_path="s")],
    )
    told = runs.compared(code=1)
    assert {it["suite"]: it["change"] for it in told["cases"]} == {
        "s": "new_failure",
        "t": "new_pass",
    }


def test_repeats_are_compared_by_what_most_of_them_say(runs: Runs) -> None:
    runs.are(
        [record("a", score, repeat=it) for it, score in enumerate((1.0, 1.0, 0.1))],
        [record("a", score, repeat=it) for it, score in enumerate((1.0, 0.1, 0.1))],
    )
    (case,) = runs.compared(code=1)["cases"]
    assert case["change"] == "new_failure"
    assert case["before"] == {"verdict": "pass", "score": 0.7, "target": "bot", "repeats": 3}
    assert case["difference"] == pytest.approx(-0.3)


def test_one_change_is_told_as_one(runs: Runs) -> None:
    runs.are([record("a", 0.9), record("b", 0.8)], [record("a", 0.3), record("b", 1.0)])
    assert "1 new failure; 1 higher score" in suitecase("compare", runs.before, runs.after).out


def test_text_names_what_changed_and_what_it_comes_to(runs: Runs) -> None:
    before = [record(f"case-{it}", 0.9) for it in range(12)]
    after = [record(f"case-{it}", 0.9 if it else 0.3) for it in range(12)]
    runs.are([*before, record(HOSTILE)], [*after, record(HOSTILE, 0.1)])
    ended = suitecase("compare", runs.before, runs.after)
    assert ended.code == 1
    assert "New failures (2)\n  case-0  pass 0.90 -> fail 0.30 (-0.60)" in ended.out
    assert "2 new failures; 11 unchanged" in ended.out
    assert "13 cases graded in both runs, with 95% intervals" in ended.out
    (scores,) = (line for line in ended.out.splitlines() if line.startswith("score "))
    assert scores.split()[:4] == ["score", "13", "0.908", "0.792"]
    assert scores.split()[-4:] == ["0", "2", "too", "few"]
    assert max(map(len, ended.out.partition("13 cases graded")[2].splitlines())) <= 80
    assert "\x1b" not in ended.out
    assert "\u202e" not in ended.out


def test_the_interval_is_the_same_each_time(runs: Runs) -> None:
    before = [record(f"case-{it}", it % 10 / 10) for it in range(40)]
    after = [record(f"case-{it}", it % 7 / 10) for it in range(40)]
    runs.are(before, after)
    told = runs.compared(code=1)["paired"]
    low, high = told["interval_95"]
    assert low < told["mean_difference"] < high
    assert told["interval_method"] == "bca"
    assert runs.compared(code=1)["paired"] == told


def test_what_cannot_be_compared_is_said(runs: Runs) -> None:
    write_results(runs.before, record("a"))
    ended = suitecase("compare", runs.before, runs.after)
    assert ended.code == 2
    assert "after.jsonl: it does not exist; `suitecase list` lists past runs" in ended.err


def test_a_page_is_written_where_the_name_says_so(runs: Runs, tmp_path: Path) -> None:
    runs.are([record("a", candidate_answer="Hi")], [record("a", 0.1, candidate_answer=HOSTILE)])
    ended = suitecase("compare", runs.before, runs.after, "--output", tmp_path / "page.html")
    assert ended.code == 1
    page = Page((tmp_path / "page.html").read_text("utf-8"))
    assert page.title == "a: comparison"
    assert page.json("d0")["candidate_answer"] == "Hi"
    assert page.json("d1")["candidate_answer"] == HOSTILE
    (row,) = page.json("index")["rows"]
    assert row["sides"] == [["Before", [0]], ["After", [1]]]
    assert suitecase("compare", runs.before, runs.after, "--format", "html").out == page.source


@needs_browser
def test_a_browser_shows_both_answers_beside_each_other(runs: Runs, tmp_path: Path) -> None:
    runs.are(
        [record("a", candidate_answer="Hi"), record("b")],
        [record("a", 0.1, candidate_answer=HOSTILE), record("b")],
    )
    path = tmp_path / "page.html"
    suitecase("compare", runs.before, runs.after, "--output", path)
    page = in_browser(path, "change=new_failure&open=0")
    assert list(rows_of(page)) == ["new failure a pass 1.00 fail 0.10 \N{MINUS SIGN}0.90"]
    before, after = page.named("div", **{"class": "answer"})
    assert "Hi" in before.text
    assert "document.title='owned'" in after.text
    assert page.title == "a: comparison"
