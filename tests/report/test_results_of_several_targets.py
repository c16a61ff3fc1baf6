"""Reports and comparisons of files with answers of several targets, and of none that is a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support.report_pages import Page, evaluator, record, suitecase, write_results

GOOD = [record(f"g{it}", score=1.0, target="good") for it in range(3)]
BAD = [record(f"b{it}", score=0.0, target="bad") for it in range(3)]


def compared(before: Path, after: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(suitecase("compare", before, after, "--format", "json").out)
    return told


def test_a_report_gives_each_target_its_mean_and_none_to_all(tmp_path: Path) -> None:
    results = tmp_path / "r.jsonl"
    write_results(results, *GOOD, *BAD)
    assert suitecase("report", results).code == 0
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "2 targets, each with a mean of its own" in page
    assert '<h2 id="targets-title">Targets</h2>' in page
    assert "0.50" not in page.partition("targets-title")[0]


def test_a_comparison_gives_each_target_its_figures(tmp_path: Path) -> None:
    before, after = tmp_path / "before.jsonl", tmp_path / "after.jsonl"
    write_results(before, *GOOD, *BAD)
    write_results(after, *GOOD, *(record(f"b{it}", score=0.2, target="bad") for it in range(3)))
    told = compared(before, after)
    assert (told["mean_before"], told["mean_after"], told["paired"]) == (None, None, None)
    figures = {it["targets"]: (it["mean_before"], it["mean_after"]) for it in told["targets"]}
    assert figures == {"good": (1.0, 1.0), "bad": (0.0, 0.2)}
    text = suitecase("compare", before, after).out
    assert "Mean score of everything graded of good: 1.00 before, 1.00 after" in text
    assert "Mean score of everything graded of bad: 0.00 before, 0.20 after" in text


def test_one_target_before_and_another_after_are_compared_as_ever(tmp_path: Path) -> None:
    before, after = tmp_path / "before.jsonl", tmp_path / "after.jsonl"
    write_results(before, *(record(f"c{it}", score=0.0, target="old") for it in range(3)))
    write_results(after, *(record(f"c{it}", score=1.0, target="new") for it in range(3)))
    told = compared(before, after)
    assert (told["mean_before"], told["mean_after"]) == (0.0, 1.0)
    assert told["paired"]["n"] == 3
    assert [it["targets"] for it in told["targets"]] == ["old -> new"]


def test_pages_and_comparisons_of_earlier_records_say_that_no_model_was_asked(
    tmp_path: Path,
) -> None:
    results = tmp_path / "r.jsonl"
    judged = {**evaluator(1.0, verdict="pass"), "evaluator_provider_request": {"target": "mock"}}
    write_results(results, record("one", 1.0, target="mock", evaluator_results=[judged]))
    told = "No model was called: the answers come from `mock`, which repeats the question"
    assert told in suitecase("report", results).out
    (note,) = Page((tmp_path / "r.html").read_text("utf-8")).named("div", role="note")
    assert note.text.startswith("No model was called")
    assert "which repeats the question" in note.text
    assert suitecase("compare", results, results).out.count(told) == 2
    assert compared(results, results)["after_remark"].startswith(told)
