"""`suitecase metrics`: "Metric computation and CI reporting", from results to what is shown."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from support.figures import SUITE, answer, evaluator, suite_text
from support.running.processes import suitecase, write

HEAD = """slices:
  language: {by: metadata.language}
metrics: {quality: 0.5 * score + 0.5 * f1}"""


def records(better: int = 0, **fields: Any) -> list[dict[str, Any]]:
    """Return the answers to 60 cases, of which every third fails; `better` of these pass."""
    failing = [it for it in range(60) if it % 3 == 0][better:]
    return [
        answer(
            f"c{it}",
            0.0 if it in failing else 1.0,
            tags=["hard"] if it < 20 else [],
            metadata={"language": "de" if it % 2 else "en"},
            refused=it % 10 == 0,
            trace_summary={"duration_ms": 100.0 + it, "cost_usd": 0.01},
            evaluator_results=[evaluator("f1", it / 60, "token_f1")],
            **fields,
        )
        for it in range(60)
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    cases = [it["eval_id"] for it in records()]
    write(tmp_path, SUITE, suite_text("pass_rate >= 90%", head=HEAD, cases=cases))
    return tmp_path


def results(folder: Path, name: str, listed: list[dict[str, Any]]) -> None:
    write(folder, name, "".join(f"{json.dumps(it)}\n" for it in listed))


def told(folder: Path, *arguments: str) -> Any:
    done = suitecase("metrics", *arguments, "--format", "json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_each_figure_has_an_interval_of_the_suite_and_of_each_slice(folder: Path) -> None:
    results(folder, "a.jsonl", records())
    # Slices come from today's suite: without its tags and metadata there are none.
    write(folder, SUITE, f"{HEAD}\nevalcases: [{{id: x, input: Hi, expected_outcome: hi}}]\n")
    (run,) = told(folder, "a.jsonl")["runs"]
    figures = {(it["figure"], it["slice"]): it for it in run["figures"]}
    for name in ("pass_rate", "score", "f1", "quality", "refusal_rate", "latency_ms", "cost_usd"):
        for slice_ in (None, "hard", "language=de", "language=en"):
            it = figures[name, slice_]
            assert it["cases"] == (60 if slice_ is None else 20 if slice_ == "hard" else 30)
            if it["no_interval"] is None:
                assert it["low"] <= it["estimate"] <= it["high"]
    assert figures["pass_rate", None]["estimate"] == pytest.approx(40 / 60)
    assert figures["cost_usd", None]["no_interval"] == "all units are equal"


def test_the_text_has_a_row_for_each_figure_within_80_columns(folder: Path) -> None:
    results(folder, "a.jsonl", records())
    done = suitecase("metrics", "a.jsonl", cwd=folder, env={"COLUMNS": "80"})
    assert (done.returncode, done.stderr) == (0, "")
    assert "60 cases asked once each" in done.stdout
    assert "pass_rate     0.67 [0.53, 0.78]" in done.stdout
    assert all(len(it) <= 80 for it in done.stdout.splitlines())


def test_repeats_tell_whether_more_cases_or_more_repeats_narrow_the_interval(folder: Path) -> None:
    # Cases 0 to 19 pass the first time only, the others each time.
    twice = [
        answer(f"c{it}", 0.0 if it < 20 and repeat == 2 else 1.0, repeat=repeat, repeats=2)
        for it in range(60)
        for repeat in (1, 2)
    ]
    results(folder, "a.jsonl", twice)
    (run,) = told(folder, "a.jsonl")["runs"]
    # Of means 0.5 and 1 the variance is 0.0565; within cases it is 20 * 0.5 / 60, over 2 answers.
    assert run["variance_between_cases"] == 0.0
    done = suitecase("metrics", "a.jsonl", cwd=folder)
    out = " ".join(done.stdout.split())
    assert "0% lies between cases and 100% between answers to the same case" in out
    assert "more repeats narrow it, too." in out


def test_missing_answers_are_told_with_what_they_could_change(folder: Path) -> None:
    results(folder, "a.jsonl", [*records()[:59], answer("c59", None)])
    done = suitecase("metrics", "a.jsonl", cwd=folder)
    out = " ".join(done.stdout.split())
    assert "1 answer of 60 is missing; with them the pass rate is from 65.0% to 66.7%." in out


def test_by_shows_the_values_of_a_facet_and_the_gap_between_them(folder: Path) -> None:
    write(folder, SUITE, "evalcases: [{id: x, input: Hi, expected_outcome: hi}]\n")
    results(folder, "a.jsonl", records())
    (run,) = told(folder, "a.jsonl", "--by", "metadata.language")["runs"]
    slices = {it["slice"] for it in run["figures"]}
    assert slices == {None, "metadata.language=de", "metadata.language=en"}
    gap = next(it for it in run["figures"] if it["figure"].startswith("gap(pass_rate"))
    assert gap["values"] == {"de": pytest.approx(2 / 3), "en": pytest.approx(2 / 3)}
    assert gap["p"] == 1
    done = suitecase("metrics", "a.jsonl", "--by", "nothing", cwd=folder)
    assert done.returncode == 2
    assert "`nothing` is not a facet" in done.stderr


def test_a_case_without_the_facet_is_in_no_group_of_it(folder: Path) -> None:
    without = [{**record, "metadata": None} for record in records()[:1]]
    results(folder, "a.jsonl", [*without, *records()[1:]])
    write(folder, SUITE, f"{HEAD}\nevalcases: [{{id: x, input: Hi, expected_outcome: hi}}]\n")
    (run,) = told(folder, "a.jsonl")["runs"]
    cases = {
        figure["slice"]: figure["cases"]
        for figure in run["figures"]
        if figure["figure"] == "pass_rate"
    }
    assert cases == {None: 60, "hard": 20, "language=de": 30, "language=en": 29}


def test_runs_that_cannot_be_told_apart_share_a_rank(folder: Path) -> None:
    results(folder, "a.jsonl", records(better=1))
    results(folder, "b.jsonl", records())
    results(folder, "c.jsonl", records(better=19))
    board = told(folder, "a.jsonl", "b.jsonl", "c.jsonl")["leaderboards"][0]
    ranks = [(it["results"], it["best_rank"], it["worst_rank"]) for it in board["entries"]]
    assert ranks == [("c.jsonl", 1, 1), ("a.jsonl", 2, 3), ("b.jsonl", 2, 3)]
    assert len(board["comparisons"]) == 3
    assert all(it["adjusted_p"] >= it["p"] for it in board["comparisons"])
    done = suitecase("metrics", "a.jsonl", "b.jsonl", "c.jsonl", cwd=folder)
    assert "2-3  a.jsonl" in done.stdout
    assert "3 comparisons" in " ".join(done.stdout.split())


def test_targets_of_one_run_are_ranked_and_lower_latency_is_better(folder: Path) -> None:
    quick = records(target="quick")
    slow = [{**it, "trace_summary": {"duration_ms": 9000.0}} for it in records(target="slow")]
    results(folder, "a.jsonl", [*slow, *quick])
    board = told(folder, "a.jsonl", "--rank-by", "latency_ms")["leaderboards"][0]
    assert [it["target"] for it in board["entries"]] == ["quick", "slow"]
    assert [it["best_rank"] for it in board["entries"]] == [1, 2]
    done = suitecase("metrics", "a.jsonl", "--rank-by", "speed", cwd=folder)
    assert done.returncode == 2
    assert "none of these runs has the figure `speed`" in done.stderr


def test_a_figure_to_rank_by_is_checked_even_if_there_is_nothing_to_rank(folder: Path) -> None:
    results(folder, "a.jsonl", records(target="quick"))
    done = suitecase("metrics", "a.jsonl", "--rank-by", "speed", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert "none of these runs has the figure `speed`" in done.stderr


def test_a_target_that_asked_no_model_is_marked_beside_one_that_did(folder: Path) -> None:
    asked = [{**it, "answered_by": "model"} for it in records(target="t" * 60)]
    canned = [{**it, "answered_by": "canned"} for it in records(target="stub")]
    results(folder, "a.jsonl", [*asked, *canned])
    done = suitecase("metrics", "a.jsonl", cwd=folder, env={"COLUMNS": "80"})
    assert "  stub (no model) " in done.stdout
    assert "a.jsonl, target stub: " in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    runs = told(folder, "a.jsonl")["runs"]
    assert {it["target"]: it["no_model"] for it in runs} == {"t" * 60: False, "stub": True}


def test_csv_has_a_row_for_each_figure_and_no_formulas(folder: Path) -> None:
    listed = [{**it, "tags": ["=1+1"]} for it in records()]
    results(folder, "a.jsonl", listed)
    write(folder, SUITE, "evalcases: [{id: x, input: Hi, expected_outcome: hi}]\n")
    done = suitecase("metrics", "a.jsonl", "--format", "csv", cwd=folder)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert {it["slice"] for it in rows} == {"", "'=1+1"}
    whole = next(it for it in rows if (it["figure"], it["slice"]) == ("pass_rate", ""))
    assert float(whole["estimate"]) == pytest.approx(2 / 3)
    assert float(whole["low"]) < 2 / 3 < float(whole["high"])


def test_markdown_has_a_table(folder: Path) -> None:
    results(folder, "a.jsonl", records())
    done = suitecase("metrics", "a.jsonl", "--format", "markdown", cwd=folder)
    assert "| pass&#95;rate | 0.67 &#91;0.53, 0.78&#93; |" in done.stdout


def test_a_run_whose_suite_is_gone_is_measured_without_it(tmp_path: Path) -> None:
    results(tmp_path, "a.jsonl", records())
    done = suitecase("metrics", "a.jsonl", cwd=tmp_path)
    assert done.returncode == 0
    assert "was not found" in done.stderr
    assert "hard" in done.stdout
