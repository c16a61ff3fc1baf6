"""The earlier runs of a suite on the page of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from suitecase.report.history import past_runs
from suitecase.report.trend import MOST_RUNS, Trend, trend_of
from support.report_pages import Page, record, suitecase, write_results

FOLDER = Path(".suitecase", "results")


def run(root: Path, day: int, *scores: float | None, **fields: Any) -> Path:
    """Write the results of a run on a day of January, with a case for each score."""
    at = f"2026-01-{day:02}T03:04:05Z"
    return write_results(
        root / FOLDER / f"{day:02}.jsonl",
        *(
            record(f"case {number}", it, **{"timestamp": at, **fields})
            for number, it in enumerate(scores)
        ),
    )


def trend(root: Path, path: Path) -> Trend:
    found = trend_of(past_runs(root), path)
    assert found is not None
    return found


def test_runs_are_oldest_first_and_end_with_this_one(tmp_path: Path) -> None:
    run(tmp_path, 3, 1.0, 0.0)
    run(tmp_path, 1, 0.0, 0.0)
    this = run(tmp_path, 2, 1.0, 1.0)
    found = trend(tmp_path, this)
    assert [(it.run.path.stem, it.rate, it.is_this) for it in found.points] == [
        ("01", 0.0, False),
        ("02", 1.0, True),
    ]


def test_only_runs_of_the_same_suite_and_target_are_comparable(tmp_path: Path) -> None:
    run(tmp_path, 1, 1.0)
    run(tmp_path, 2, 1.0, target="another")
    run(tmp_path, 3, 1.0, suite_path="another.eval.yaml")
    run(tmp_path, 4, None)
    this = run(tmp_path, 5, 1.0)
    assert [it.run.path.stem for it in trend(tmp_path, this).points] == ["01", "05"]
    assert trend_of(past_runs(tmp_path), tmp_path / FOLDER / "02.jsonl") is None
    assert trend_of(past_runs(tmp_path), tmp_path / FOLDER / "nowhere.jsonl") is None


def test_runs_of_far_more_or_fewer_cases_are_left_out_and_counted(tmp_path: Path) -> None:
    run(tmp_path, 1, 1.0)
    run(tmp_path, 2, *[1.0] * 9)
    run(tmp_path, 3, *[1.0] * 2)
    run(tmp_path, 4, *[1.0] * 8)
    found = trend(tmp_path, run(tmp_path, 5, *[1.0] * 4))
    assert [it.run.path.stem for it in found.points] == ["03", "04", "05"]
    assert found.left_out == 2


def test_what_changed_between_runs_is_marked(tmp_path: Path) -> None:
    run(tmp_path, 1, 1.0, 1.0)
    run(tmp_path, 2, 1.0, 1.0)
    run(tmp_path, 3, 1.0)
    run(tmp_path, 4, 1.0, case_hash="1" * 64)
    run(tmp_path, 5, 1.0, case_hash="1" * 64, effective_hash="2" * 64)
    this = run(
        tmp_path, 6, 1.0, case_hash="1" * 64, effective_hash="2" * 64, reported_model="m", planned=4
    )
    points = trend(tmp_path, this).points
    assert [it.changes for it in points] == [
        (),
        (),
        ("other cases",),
        ("changed cases",),
        ("changed files, evaluators or settings",),
        ("answered by m",),
    ]
    assert points[-1].remarks == ("unfinished: 1 of 4 answers",)


def test_dependent_answers_have_no_interval(tmp_path: Path) -> None:
    run(tmp_path, 1, *[1.0] * 10)
    this = run(tmp_path, 2, *[1.0] * 10, group="talk")
    first, last = trend(tmp_path, this).points
    assert first.interval is not None
    assert (round(first.interval.low, 2), first.interval.high) == (0.69, 1.0)
    assert last.interval is None


def test_only_the_newest_runs_are_shown(tmp_path: Path) -> None:
    for number in range(40):
        at = f"2026-01-01T{number // 2:02}:{number % 2 * 30:02}:00Z"
        write_results(tmp_path / FOLDER / f"{number}.jsonl", record("one", timestamp=at))
    found = trend(tmp_path, tmp_path / FOLDER / "39.jsonl")
    assert len(found.points) == MOST_RUNS
    assert found.points[-1].is_this


def test_a_report_has_a_chart_and_a_table_of_earlier_runs(tmp_path: Path) -> None:
    run(tmp_path, 1, 1.0, 0.0)
    this = run(tmp_path, 2, 1.0, 1.0, reported_model="<b>m</b>")
    ended = suitecase("report", this)
    assert ended.code == 0, ended.err
    page = Page(this.with_suffix(".html").read_text("utf-8"))
    section = page.text("section", **{"class": "trend"})
    assert "Earlier runs of this suite" in section
    assert (
        "2026-01-02 03:04:05 UTC (this run) 2 100% 16% to 100% 1.00 answered by <b>m</b>" in section
    )
    assert "2026-01-01 03:04:05 UTC 2 50% 1% to 99% 0.50" in section
    (chart,) = (
        it
        for it in page.named("svg", role="img")
        if "oldest first" in str(it.attributes["aria-label"])
    )
    assert chart.attributes["aria-label"] == "Pass rates, oldest first: 50%, 100%"
    assert not page.named("b")


def test_the_first_run_of_a_suite_has_no_such_section(tmp_path: Path) -> None:
    this = run(tmp_path, 1, 1.0)
    assert suitecase("report", this).code == 0
    assert "Earlier runs" not in this.with_suffix(".html").read_text("utf-8")
