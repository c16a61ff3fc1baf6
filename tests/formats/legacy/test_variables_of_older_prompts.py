"""Prompts that name variables as older and other formats do are filled in as today's."""

from __future__ import annotations

from pathlib import Path

import pytest

from suitecase.checking.check import check
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import parse_suite
from suitecase_evaluators.grade.judge.template import find_variables, render, sees_answer

VALUES = {"question": "Q", "candidate_answer": "A {{ question }} ${question}", "criteria": "C"}


@pytest.mark.parametrize(
    ("prompt", "filled"),
    [
        ("${question}", "Q"),
        ("{{input}} {{ output }}", "Q A {{ question }} ${question}"),
        ("{{ answer }}", "A {{ question }} ${question}"),
        ("{{ criteria }}", "C"),
        # What means something to others stays.
        ("${HOME} ${input:-x} $${question} ${ question }", "${HOME} ${input:-x} $${question} ${ question }"),
        ("${{ question }}", "$Q"),
        ("$question", "$question"),
    ],
)  # fmt: skip
def test_a_prompt_is_filled_in(prompt: str, filled: str) -> None:
    assert render(prompt, VALUES) == filled


def test_an_older_name_shows_the_judge_the_answer() -> None:
    assert sees_answer("Good? {{ output }}")
    assert [(it.name, it.is_older) for it in find_variables("{{ output }} {{ question }}")] == [
        ("candidate_answer", True),
        ("question", False),
    ]


def test_variables_of_a_prompt_file_are_named_where_they_stand(tmp_path: Path) -> None:
    (tmp_path / "tone.md").write_text("Warm?\n${candidate_answer}\n{{ input }}\n", "utf-8")
    text = (
        "evalcases:\n  - id: a\n    input: Hi\n    expected_outcome: x\n    evaluators:\n"
        "      - {name: tone, type: llm_judge, prompt: tone.md}\n"
        "execution: {target: mock}\n"
    )
    analysis = check(parse_suite(text), Folder(Workspace(tmp_path), tmp_path))
    found = analysis.external[tmp_path / "tone.md"].findings
    assert analysis.findings == []
    assert [(it.code, it.severity.value, it.span) for it in found] == [
        ("SC620", "info", (6, 25)),
        ("SC620", "info", (26, 37)),
    ]
    assert [it.fix.edits[0].text for it in found if it.fix] == [
        "{{ candidate_answer }}",
        "{{ question }}",
    ]
