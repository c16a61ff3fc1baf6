"""What `gate`, `metrics` and `report` show of people, judges and corrected rates."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from support.calibrated_suite import CALIBRATION, SUITE, write_calibrated_suite
from support.figures import answer, evaluator
from support.running.processes import suitecase, write

GATES = (
    "human.rubric.agreement >= 90%",
    "lower(judges.rubric.specificity) >= 70%",
    "corrected(rubric.pass_rate) >= 20%",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_calibrated_suite(tmp_path, *GATES)
    records = [
        answer(case, score, suite_path=SUITE, evaluator_results=[evaluator("rubric", score)])
        for case, score in (("late", 1.0), ("size", 0.0))
    ]
    write(tmp_path, "run.jsonl", "".join(f"{json.dumps(it)}\n" for it in records))
    return tmp_path


def told(folder: Path, *arguments: str, code: int = 0) -> str:
    done = suitecase(*arguments, cwd=folder)
    assert done.returncode == code, done.stderr
    return done.stdout


def test_gate_decides_by_labels_and_calibrations(folder: Path) -> None:
    out = told(folder, "gate", "run.jsonl", code=1)
    assert "holds      human.rubric.agreement >= 90%" in out
    assert "FAILS      lower(judges.rubric.specificity) >= 70%" in out
    assert "more bad answers would narrow the specificity" in out
    assert "uncorrected 50.0%, sensitivity 0.90 and specificity 0.80 of 100 labels" in " ".join(
        out.split()
    )


def test_gate_is_undecided_by_an_outdated_calibration(folder: Path) -> None:
    (folder / "judge.md").write_text("Rate {{ candidate_answer }}")
    write_gates = (folder / SUITE).read_text().replace(f'"{GATES[0]}", "{GATES[1]}", ', "")
    (folder / SUITE).write_text(write_gates)
    out = told(folder, "gate", "run.jsonl", code=3)
    assert "The calibration of `rubric` is outdated: its prompt is another one now." in out
    assert f"suitecase calibrate {SUITE}" in out
    done = suitecase("metrics", "run.jsonl", cwd=folder)
    assert "the calibration of `rubric` is outdated" in done.stderr
    assert "judges.rubric" not in done.stdout


def test_metrics_shows_figures_from_files_apart_and_a_corrected_rate_with_its_parts(
    folder: Path,
) -> None:
    out = told(folder, "metrics", "run.jsonl")
    table, _, files = out.partition("From labels and calibrations:\n")
    assert "judges" not in table
    rows = {line.split()[0]: " ".join(line.split()) for line in files.splitlines() if line}
    assert rows["human.rubric.agreement"].endswith("100 answers")
    assert rows["judges.rubric.sensitivity"].startswith("judges.rubric.sensitivity 0.90 [0.79,")
    assert rows["judges.rubric.flips"].startswith("judges.rubric.flips 0.05 [")
    assert "uncorrected 0.50" in " ".join(files.split())
    assert "judges.rubric.flips.length" not in out
    assert "judges.rubric.flips.length" in told(folder, "metrics", "run.jsonl", "--all")
    markdown = told(folder, "metrics", "run.jsonl", "--format", "markdown")
    assert "| judges.rubric.kappa |" in markdown


def test_metrics_for_programs_has_them_with_the_other_figures(folder: Path) -> None:
    (run,) = json.loads(told(folder, "metrics", "run.jsonl", "--format", "json"))["runs"]
    found = {it["figure"]: it for it in run["figures"] if it["slice"] is None}
    assert found["judges.rubric.specificity"]["of"] == "label"
    corrected = found["corrected(rubric.pass_rate)"]
    assert corrected["correction"]["uncorrected"] == 0.5
    assert corrected["correction"]["bad"] == 40
    rows = csv.DictReader(io.StringIO(told(folder, "metrics", "run.jsonl", "--format", "csv")))
    assert {it["figure"] for it in rows} >= {"human.rubric.alpha", "corrected(rubric.pass_rate)"}


def test_a_calibration_that_is_not_there_is_reported_and_ends_nothing(folder: Path) -> None:
    (folder / CALIBRATION).unlink()
    done = suitecase("metrics", "run.jsonl", cwd=folder)
    assert done.returncode == 0
    assert "`rubric` has not been calibrated" in done.stderr
    assert "human.rubric.agreement" in done.stdout


def test_runs_are_not_ranked_by_what_is_not_computed_from_their_answers(folder: Path) -> None:
    done = suitecase(
        "metrics", "run.jsonl", "run.jsonl", "--rank-by", "human.rubric.alpha", cwd=folder
    )
    assert done.returncode == 2
    assert "is not a mean over cases" in done.stderr


def test_the_report_has_a_section_about_people_and_judges(folder: Path) -> None:
    told(folder, "report", "run.jsonl", "--output", "page.html")
    page = (folder / "page.html").read_text("utf-8")
    section = page[page.index("People and judges") :]
    section = section[: section.index("</section>")]
    assert "judges.rubric.specificity" in section
    assert "uncorrected 50.0%, sensitivity 0.90 and specificity 0.80 of 100 labels" in section
    figures = page[page.index(">Figures<") :]
    assert "judges.rubric" not in figures[: figures.index("</section>")]
