"""`RESULTS.figures.jsonl`: what is written is what is read, without numpy, and nothing else is taken for it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from suitecase.figures.figures_file import (
    figures_path,
    parse_figures,
    read_figures,
    write_figures,
)
from suitecase.figures.run_figures import run_figures
from suitecase.format.dataset_lines import is_case_of_dataset
from suitecase_evaluators.answers.records.record import ResultRecord
from support.figures import SUITE, answer, evaluator, suite_of, suite_text, tables_of
from support.running.processes import suitecase, write

ROOT = Path(__file__).resolve().parents[2]
RECORDS = [
    answer(
        f"c{it}",
        [1.0, 0.0, 0.7][it % 3],
        tags=["hard"] if it % 2 else [],
        evaluator_results=[evaluator("f1", it / 10)],
    )
    for it in range(10)
]


def written(folder: Path, name: str = "run.jsonl") -> Path:
    suite = suite_of(suite_text("pass_rate >= 90%", cases=[it["eval_id"] for it in RECORDS]))
    results = folder / name
    write_figures(results, run_figures(tables_of(RECORDS), suite, results.name))
    return results


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    results = written(tmp_path)
    assert figures_path(results).name == "run.figures.jsonl"
    found = read_figures(results)
    assert found is not None
    assert (found.results, found.suite_path, found.answers) == ("run.jsonl", SUITE, 10)
    assert {it.name for it in found.figures} >= {"pass_rate", "score", "f1"}
    (gate,) = found.gates
    assert (gate.gate, gate.outcome.value) == ("pass_rate >= 90%", "fails")


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are any bytes")
def test_a_name_that_is_not_utf_8_is_written_and_read(tmp_path: Path) -> None:
    found = read_figures(written(tmp_path, "run\udcff.jsonl"))
    assert found is not None
    assert found.results == "run\udcff.jsonl"


def test_every_figure_has_an_interval_or_the_reason_why_there_is_none(tmp_path: Path) -> None:
    lines = figures_path(written(tmp_path)).read_text("utf-8").splitlines()
    figures = [it for it in map(json.loads, lines) if it["kind"] == "figure"]
    assert figures
    for it in figures:
        assert (it["low"] is None) == (it["high"] is None) == (it["method"] is None)
        assert (it["no_interval"] is None) == (it["low"] is not None)


def test_every_line_has_the_documented_form(tmp_path: Path) -> None:
    schema = json.loads((ROOT / "schemas" / "figures.schema.json").read_text("utf-8"))
    validator = Draft202012Validator(schema)
    lines = figures_path(written(tmp_path)).read_text("utf-8").splitlines()
    kinds = set()
    for line in map(json.loads, lines):
        kinds.add(line["kind"])
        assert not [it.message for it in validator.iter_errors(line)]
    assert kinds == {"run", "figure", "gate"}


def test_figures_are_the_same_each_time(tmp_path: Path) -> None:
    first, second = (written(write(tmp_path, f"{it}/x", "").parent) for it in "ab")
    texts = [figures_path(it).read_text("utf-8").splitlines()[1:] for it in (first, second)]
    assert texts[0] == texts[1]


def test_a_line_that_is_not_understood_is_left_out() -> None:
    assert parse_figures("") is None
    assert parse_figures("nonsense\n[1]\nnull\n") is None
    run = '{"kind": "run", "schema_version": 1}'
    found = parse_figures(f'{run}\n{{"kind": "gate"}}\n{{"kind": "figure", "units": "x"}}\n')
    assert found is not None
    assert (found.figures, found.gates) == ((), ())
    assert parse_figures('{"kind": "run", "schema_version": 2}') is None


def test_no_line_is_a_record_or_a_case(tmp_path: Path) -> None:
    lines = figures_path(written(tmp_path)).read_text("utf-8").splitlines()
    for line in lines:
        assert ResultRecord.parse(line) is None
        assert not is_case_of_dataset(line)
    write(tmp_path, SUITE, suite_text("pass_rate >= 0", cases=["c0"]))
    done = suitecase("check", ".", "--format", "json", cwd=tmp_path)
    assert json.loads(done.stdout)["summary"]["files"] == 1


def test_figures_are_read_without_numpy(tmp_path: Path) -> None:
    results = written(tmp_path)
    code = (
        "import sys; from pathlib import Path; from suitecase.figures.figures_file import read_figures;"
        "from suitecase.figures import asked, table, gate_words;"
        f"assert read_figures(Path({str(results)!r})); assert 'numpy' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
