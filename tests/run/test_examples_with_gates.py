"""The example suites with gates check clean, and end as their comments say."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from suitecase.derived import ROOT
from support.running.processes import suitecase

OUTCOMES = {"topics": 0, "card-numbers": 1, "opening-hours": 3}


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "examples" / "gates", tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_examples_are_clean(examples: Path) -> None:
    checked = suitecase("check", ".", cwd=examples)

    assert (checked.returncode, checked.stderr) == (0, "")
    assert "3 suites" in checked.stdout


@pytest.mark.parametrize(("name", "code"), OUTCOMES.items())
def test_an_example_ends_as_it_says(examples: Path, name: str, code: int) -> None:
    ran = suitecase("run", "--no-results", f"{name}.eval.yaml", cwd=examples)

    assert ran.returncode == code, ran.stdout
    assert ran.stdout.count("Gates:") == 1


def test_a_gate_says_how_many_answers_of_a_run_are_from_stand_ins(examples: Path) -> None:
    ran = suitecase("run", "--no-results", "opening-hours.eval.yaml", cwd=examples)

    said = " ".join(ran.stdout.split())
    assert (
        "9 of 10 answers, or their grades, are from stand-ins, which says nothing of a model"
        in said
    )
