"""Evaluators that are written the same in many cases are checked once; others that look like them are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.checking.check import check_text
from suitecase.suite.workspace import Workspace

CASE = """\
  - id: case-{number}
    input: Hi
    expected_outcome: Says hello
"""
NO_TARGETS_FILE = "SC510"
SOUND = """\
    evaluators:
      - name: shape
        type: json_schema
        schema:
          type: object
          properties:
            answer: {type: string}
"""


def found(folder: Path, *cases: str) -> list[tuple[str, int]]:
    """Return the codes and lines of what is found in a suite of cases, which end as given."""
    text = "evalcases:\n" + "".join(
        CASE.format(number=number) + it for number, it in enumerate(cases)
    )
    path = folder / "a.eval.yaml"
    analysis = check_text(path, text, Workspace(folder))
    return [
        (it.code, analysis.place(it.span).line)
        for it in analysis.findings
        if it.code != NO_TARGETS_FILE
    ]


def test_a_copy_with_a_mistake_is_found(tmp_path: Path) -> None:
    wrong = SOUND.replace("type: string", "type: strin")
    assert found(tmp_path, SOUND, SOUND) == []
    assert found(tmp_path, SOUND, wrong, SOUND, wrong) == [("SC402", 21), ("SC402", 41)]


def test_indentation_is_part_of_how_it_is_written(tmp_path: Path) -> None:
    """The lines behind the first are the same, and mean something else."""
    before = "    evaluators:\n      - name: shape\n        type: json_schema\n        schema:\n"
    behind = "properties:\n              answer:\n                type: string\n"
    nested, beside = before + " " * 10 + behind, before + " " * 14 + behind
    assert found(tmp_path, nested) == []
    assert ("SC402", 19) in found(tmp_path, nested, beside)


def test_what_an_alias_means_stands_elsewhere(tmp_path: Path) -> None:
    shape = "{name: shape, type: json_schema, schema: {type: object, properties: *properties}}"
    before = f"    evaluators:\n      - {shape}\n"
    sound = "    x-any: &properties {answer: {type: string}}\n" + before
    wrong = "    x-any: &properties {answer: {type: strin}}\n" + before
    assert "SC402" not in dict(found(tmp_path, sound))
    assert "SC402" in dict(found(tmp_path, sound, wrong))


@pytest.mark.parametrize("number", [1, 2])
def test_files_may_be_missing_in_one_folder(tmp_path: Path, number: int) -> None:
    judge = "    evaluators:\n      - {name: tone, type: llm_judge, prompt: tone.md}\n"
    workspace = Workspace(tmp_path)
    text = "evalcases:\n" + "".join(CASE.format(number=it) + judge for it in range(number))
    for name in ("with", "without"):
        (tmp_path / name).mkdir()
    (tmp_path / "with" / "tone.md").write_text("Is it friendly? {{ candidate_answer }}\n", "utf-8")
    path = tmp_path / "with" / "a.eval.yaml"
    assert "SC301" not in [it.code for it in check_text(path, text, workspace).findings]
    path = tmp_path / "without" / "a.eval.yaml"
    codes = [it.code for it in check_text(path, text, workspace).findings]
    assert codes.count("SC301") == number
