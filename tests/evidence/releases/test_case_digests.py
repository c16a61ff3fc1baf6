"""What changes the digests of a case: its values, and not the way they are written."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from suitecase.evidence.releases.case_digests import CaseDigests
from suitecase.evidence.releases.file_digests import FileDigests
from suitecase.evidence.releases.suite_digests import SuiteDigests
from suitecase.format.workspace import Folder, Workspace
from suitecase.formats.suitecase.parsed import parse_suite
from suitecase.run.client import Worker
from support.running.site import Site, records_of

SUITE = """\
prompt: Be brief.
execution:
  target: mock
  evaluators:
    - {name: polite, type: icontains, value: please}
evalcases:
  - id: one
    expected_outcome: Greets
    input: Hi
    expected_output: Good morning
  - id: two
    expected_outcome: Names the colour
    input: [{role: user, content: [{type: file, value: sky.txt}]}]
    rubrics: [Says blue]
    evaluators:
      - {name: tone, type: llm_judge, prompt: tone.md}
      - {name: code, type: code_judge, script: [python3, grade.py]}
"""
FILES = {"sky.txt": "The sky.", "tone.md": "Is {{ candidate_answer }} kind?", "grade.py": "pass"}


def digests(root: Path, text: str = SUITE) -> dict[str, CaseDigests]:
    """Return the digests of the cases of a suite beside the files."""
    for name, content in FILES.items():
        if not (root / name).exists():
            (root / name).write_text(content)
    suite = parse_suite(dedent(text))
    assert suite.head.model is not None
    of_suite = SuiteDigests(suite, suite.head.model, FileDigests(Folder(Workspace(root), root)))
    found = {}
    for number, case in enumerate(suite.cases):
        of_case = of_suite.of(number)
        assert of_case is not None
        assert case.id is not None
        found[case.id.text] = of_case
    return found


def changed(root: Path, text: str) -> dict[str, tuple[str, ...]]:
    """Return what differs in the cases of another text."""
    now, before = digests(root, text), digests(root)
    differing = {name: before[name].differing(it) for name, it in now.items()}
    return {name: it for name, it in differing.items() if it}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    input: Hi", "    # a comment\n    input: 'Hi'"),
        ("    input: Hi", "    input_messages: [{content: Hi, role: user}]"),
        ("expected_output: Good morning", "expected_messages: [{role: assistant, content: Good morning}]"),
        ("rubrics: [Says blue]", "rubrics: [{id: rubric-1, expected_outcome: Says blue, weight: 1.0}]"),
        ("    evaluators:\n      - {name: tone", "    execution:\n     evaluators:\n      - {name: tone"),
        ("{name: polite, type: icontains, value: please}", "{value: please, weight: 1, type: icontains, name: polite}"),
        ("prompt: tone.md", "prompt: 'Is {{ candidate_answer }} kind?'"),
        ("id: one", "id: one\n    note: for readers\n    description: greets"),
        ("target: mock", "target: other"),
    ],
)  # fmt: skip
def test_another_way_to_write_the_same_changes_nothing(tmp_path: Path, old: str, new: str) -> None:
    assert old in SUITE
    assert changed(tmp_path, SUITE.replace(old, new)) == {}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("input: Hi", "input: Hello", {"one": ("question",)}),
        ("expected_outcome: Greets", "expected_outcome: Thanks", {"one": ("expected",)}),
        ("Good morning", "Good evening", {"one": ("expected",)}),
        ("Be brief.", "Be long.", {"one": ("question",), "two": ("question",)}),
        ("please", "thanks", {"one": ("grading",)}),
        ("Says blue", "Says green", {"two": ("grading",)}),
        ("name: tone,", "name: tone, weight: 2,", {"two": ("grading",)}),
        ("    input: Hi", "    input: Hi\n    sidecar: {x: 1}", {"one": ("expected",)}),
        (
            "prompt: Be brief.",
            "prompt: Be brief.\nevaluation_mode: llm\nevaluation_criteria: Good",
            {"one": ("grading",), "two": ("grading",)},
        ),
    ],
)
def test_another_value_changes_the_part_it_is_of(
    tmp_path: Path, old: str, new: str, expected: dict[str, tuple[str, ...]]
) -> None:
    assert old in SUITE
    assert changed(tmp_path, SUITE.replace(old, new)) == expected


@pytest.mark.parametrize(
    ("name", "part"), [("sky.txt", "question"), ("tone.md", "grading"), ("grade.py", "grading")]
)
def test_the_content_of_files_counts(tmp_path: Path, name: str, part: str) -> None:
    before = digests(tmp_path)["two"]
    (tmp_path / name).write_text("something else")
    assert before.differing(digests(tmp_path)["two"]) == (part,)


async def test_records_have_them(site: Site, worker: Worker) -> None:
    site.write("a.eval.yaml", SUITE)
    expected = digests(site.root)
    site.write("grade.py", "print('{\"score\": 1}')")
    records = await records_of(worker, site.request())
    one = records["one"]
    assert (one["question_hash"], one["expected_hash"], one["grading_hash"]) == (
        expected["one"].question,
        expected["one"].expected,
        expected["one"].grading,
    )
    two = records["two"]
    assert two["question_hash"] == expected["two"].question
    assert two["grading_hash"] != expected["two"].grading  # the script is another one
