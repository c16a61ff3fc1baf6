"""Identical evaluators of many cases are checked once, and those that merely look alike separately."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.checking.check import check_text
from suitecase.format.workspace import Workspace

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
    """Return the codes and lines of the findings in a suite of cases with these endings."""
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


def test_a_mistake_in_one_copy_is_found(tmp_path: Path) -> None:
    wrong = SOUND.replace("type: string", "type: strin")
    assert found(tmp_path, SOUND, SOUND) == []
    assert found(tmp_path, SOUND, wrong, SOUND, wrong) == [("SC402", 21), ("SC402", 41)]


def test_evaluators_that_differ_in_indentation_are_checked_separately(tmp_path: Path) -> None:
    """The lines after the first are the same, but mean something else."""
    before = "    evaluators:\n      - name: shape\n        type: json_schema\n        schema:\n"
    after = "properties:\n              answer:\n                type: string\n"
    nested, sibling = before + " " * 10 + after, before + " " * 14 + after
    assert found(tmp_path, nested) == []
    assert ("SC402", 19) in found(tmp_path, nested, sibling)


def test_an_alias_may_stand_for_different_anchors(tmp_path: Path) -> None:
    shape = "{name: shape, type: json_schema, schema: {type: object, properties: *properties}}"
    before = f"    evaluators:\n      - {shape}\n"
    sound = "    x-any: &properties {answer: {type: string}}\n" + before
    wrong = "    x-any: &properties {answer: {type: strin}}\n" + before
    assert "SC402" not in dict(found(tmp_path, sound))
    assert "SC402" in dict(found(tmp_path, sound, wrong))


@pytest.mark.parametrize("number", [1, 2])
def test_a_prompt_file_is_looked_up_in_each_folder(tmp_path: Path, number: int) -> None:
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
