"""What Python programs use: `suitecase.check` and `suitecase.run_suite`, and what docs/api.md says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import suitecase
from support.running.processes import LEGACY, MISSPELLED, SILENT, SOUND, found, write
from support.running.processes import suitecase as run_command

PAGE = Path(__file__).parents[2] / "docs" / "api.md"


def python(code: str, cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_examples_of_the_page_print_what_is_found_and_what_is_graded(tmp_path: Path) -> None:
    write(tmp_path, "greetings.eval.yaml", LEGACY)
    check, run = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert python(check, tmp_path).splitlines() == [
        "5:5 warning SC602 the key `outcome` of a case is now called `expected_outcome`",
        "passed",
    ]
    printed = python(run, tmp_path)
    assert re.fullmatch(r"greet (pass|borderline|fail) [\d.]+\n", printed), printed


def test_importing_it_loads_nothing_that_checks_or_runs(tmp_path: Path) -> None:
    code = "import sys, suitecase; print(sorted({'yaml', 'pydantic', 'click'} & {*sys.modules}))"
    assert python(code, tmp_path) == "[]\n"


def test_it_finds_what_the_command_line_finds(tmp_path: Path) -> None:
    for text in (SOUND, LEGACY, MISSPELLED, SILENT):
        write(tmp_path, "a.eval.yaml", text)
        analysis = suitecase.check(tmp_path / "a.eval.yaml")
        places = [(analysis.place(it.span), it) for it in analysis.findings]
        assert found("a.eval.yaml", cwd=tmp_path) == [
            ("a.eval.yaml", place.line, it.code, it.severity.value) for place, it in places
        ]


def test_configuration_comments_and_baseline_apply(tmp_path: Path) -> None:
    path = tmp_path / "a.eval.yaml"
    write(tmp_path, "a.eval.yaml", LEGACY)
    write(tmp_path, "suitecase.toml", '[severity]\nSC602 = "error"\n')
    (finding,) = suitecase.check(path).findings
    assert finding.severity is suitecase.Severity.ERROR
    assert suitecase.check(path).fails
    assert not suitecase.check(path, use_config=False).fails
    assert suitecase.check(path, use_config=False, fail_level="warning").fails
    assert suitecase.check(path, ignore=["SC602"]).findings == []
    write(tmp_path, "suitecase.toml", 'baseline = "known.json"\n')
    done = run_command("check", ".", "--write-baseline", "known.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    analysis = suitecase.check(path)
    assert (analysis.findings, [it.code for it in analysis.known]) == ([], ["SC602"])
    assert [it.code for it in suitecase.check(path, use_baseline=False).findings] == ["SC602"]


def test_a_check_fails_for_an_error_in_a_file_that_the_suite_names(tmp_path: Path) -> None:
    prompted = SOUND + "    evaluators: [{name: j, type: llm_judge, prompt: judge.md}]\n"
    write(tmp_path, "a.eval.yaml", prompted)
    write(tmp_path, "judge.md", "Grade {{ candidate_answer }} by {{ nothing_of_that_name }}\n")
    done = run_command("check", "a.eval.yaml", "--select", "SC4,SC3", cwd=tmp_path)
    analysis = suitecase.check(tmp_path / "a.eval.yaml", select=["SC4", "SC3"])
    assert analysis.findings == []
    assert [it.name for it in analysis.external] == ["judge.md"]
    assert (done.returncode, analysis.fails) == (1, True)


def test_a_text_takes_the_place_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.eval.yaml"
    assert [it.code for it in suitecase.check(path, text=LEGACY).findings] == ["SC602"]
    with pytest.raises(suitecase.UnreadableFileError, match="it does not exist"):
        suitecase.check(path)
    with pytest.raises(ValueError, match="unknown rule 'SC999'"):
        suitecase.check(path, text=LEGACY, ignore=["SC999"])


@pytest.mark.usefixtures("workers_here")
def test_a_run_returns_typed_records(tmp_path: Path) -> None:
    path = tmp_path / "a.eval.yaml"
    write(tmp_path, "a.eval.yaml", SOUND)
    result = suitecase.run_suite(path, repeats=2, results_path=tmp_path / "out.jsonl")
    assert [(it.eval_id, it.repeat) for it in result.records] == [("greet", 1), ("greet", 2)]
    assert result.results_path == tmp_path / "out.jsonl"
    assert len((tmp_path / "out.jsonl").read_text("utf-8").splitlines()) == 2
    assert result.summary["verdicts"]
    assert result.not_run == ()


@pytest.mark.usefixtures("workers_here")
def test_a_suite_with_errors_is_refused_and_a_case_that_is_not_there_is_named(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.eval.yaml"
    write(tmp_path, "a.eval.yaml", MISSPELLED)
    with pytest.raises(suitecase.RunRefusedError, match="the suite has 1 error") as refused:
        suitecase.run_suite(path)
    assert [it["code"] for it in refused.value.findings] == ["SC101"]
    write(tmp_path, "a.eval.yaml", SOUND)
    with pytest.raises(suitecase.RunFailedError, match="great") as failed:
        suitecase.run_suite(path, cases=["great"])
    assert failed.value.kind == "usage"
